// The same address again and again, at one call site, but another allocation: only the driver can tell.
#include "cuda.h"
#include <mpi.h>

static void pass(void *p) { MPI_Send(p, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  char *first, *before, *second, *large;
  // Two go at once, and the first one's number is given to what is elsewhere.
  CHECK(cudaMalloc((void **)&before, 1024));
  CHECK(cudaMalloc((void **)&first, 1024));
  pass(first);
  pass(before);
  CHECK(cudaFree(before));
  CHECK(cudaFree(first));
  CHECK(cudaMalloc((void **)&large, 512));
  CHECK(cudaMalloc((void **)&second, 512));
  pass(second);
  CHECK(cudaFree(large));
  CHECK(cudaFree(second));
  for (int round = 0; round < 20; ++round) {
    CHECK(cudaMalloc((void **)&before, 1024));
    CHECK(cudaMalloc((void **)&first, 1024));
    for (int i = 0; i < 3; ++i)
      pass(first); // +0
    CHECK(cudaFree(before));
    CHECK(cudaFree(first));
    CHECK(cudaMalloc((void **)&large, 4096));
    if (large != before || first != large + 1024) {
      fprintf(stderr, "not the same addresses\n");
      return 1;
    }
    for (int i = 0; i < 3; ++i)
      pass(first); // +1024
    CHECK(cudaMalloc((void **)&second, 512));
    pass(second); // another segment
    CHECK(cudaFree(large));
    CHECK(cudaFree(second));
  }
  MPI_Finalize();
  return 0;
}
