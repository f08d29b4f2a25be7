// A fork while CUDA is in use, a device that is reset, and MPI calls after CUDA's end.
#include "cuda.h"
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

static char *device, *reset;

static void pass(void *p) { MPI_Send(p, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); }

static void finish(void) {
  pass(device + 4);
  MPI_Finalize();
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  atexit(finish); // before CUDA's own handler, so it runs after that
  CHECK(cudaMalloc((void **)&device, 1024));
  pass(device);
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc((void **)&reset, 1024));
  pass(reset + 8);
  pid_t child = fork();
  if (!child) {
    cudaFree(device);
    cudaDeviceReset();
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  if (status)
    return 1;
  // All memory of the device is gone, and its number is given out again.
  CHECK(cudaDeviceReset());
  CHECK(cudaMallocManaged((void **)&reset, 2048, 1));
  pass(reset + 8);
  CHECK(cudaSetDevice(0));
  pass(device);
  exit(0);
}
