// One buffer in device memory, one on the host, a thousand times; and memory that MPI never sees in between.
#include "cuda.h"
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  char *device, *other, *host = malloc(100);
  CHECK(cudaMalloc((void **)&device, 1024));
  for (int i = 0; i < 1000; ++i) {
    MPI_Send(device, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Send(host, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    CHECK(cudaMallocAsync((void **)&other, 1024, 0));
    CHECK(cudaFreeAsync(other, 0));
  }
  MPI_Finalize();
  return 0;
}
