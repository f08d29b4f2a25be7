// Memory of all kinds, from two devices, passed to MPI; and memory that CUDA only page-locks.
#include "cuda.h"
#include <mpi.h>
#include <string.h>
#include <sys/mman.h>

static int rank;

static void swap(void *p) {
  MPI_Sendrecv_replace(p, 8, MPI_INT, 1 - rank, 7, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char *device, *second, *managed, *host, *host2, *async, *pool, *pitched, *block = malloc(4096);
  size_t pitch;
  struct cudaPitchedPtr cube;
  CHECK(cudaMalloc((void **)&device, 1000));
  swap(device + 64);
  swap(device + 512); // the same allocation
  CHECK(cudaMallocManaged((void **)&managed, 1000, 1));
  swap(managed);
  CHECK(cudaMallocHost((void **)&host, 1000));
  swap(host);
  CHECK(cudaHostAlloc((void **)&host2, 1024, 0));
  swap(host2 + 8);
  CHECK(cudaMallocAsync((void **)&async, 1024, 0));
  swap(async + 16);
  CHECK(cudaMallocFromPoolAsync((void **)&pool, 1000, 0, 0));
  swap(pool);
  CHECK(cudaMallocPitch((void **)&pitched, &pitch, 100, 10));
  swap(pitched + 9 * pitch);
  CHECK(cudaMalloc3D(&cube, (struct cudaExtent){100, 4, 3}));
  swap((char *)cube.ptr + 11 * cube.pitch);
  swap(block + 32); // seg8
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc((void **)&second, 1000));
  swap(second + 4);
  // Just past the end, where nothing else begins.
  MPI_Sendrecv_replace(second + 1000, 0, MPI_INT, 1 - rank, 8, 1 - rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // A block of the heap stays one.
  CHECK(cudaHostRegister(block, 4096, 0));
  swap(block + 64);
  CHECK(cudaHostUnregister(block));
  // A mapping is another segment as long as it is registered, which is noticed at the next new address in it.
  char *mapped = mmap(0, 16384, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(mapped += 4096, 8192, PROT_READ | PROT_WRITE); // one by itself
  for (int i = 0; i < 2; ++i)
    swap(mapped + 128);
  CHECK(cudaHostRegister(mapped, 8192, 0));
  for (int i = 0; i < 3; ++i)
    swap(mapped + 128 * (2 - i % 2));
  CHECK(cudaHostUnregister(mapped));
  for (int i = 0; i < 2; ++i)
    swap(mapped + 128 * (2 - i % 2));
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFreeAsync(async, 0));
  // The lowest numbers that are free: 0, 2, 4.
  CHECK(cudaMallocManaged((void **)&device, 1000, 1));
  swap(device);
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc((void **)&device, 1000));
  swap(device);
  swap(block + 64);
  MPI_Finalize();
  return 0;
}
