// No CUDA in here.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>

static int there(const char *name) { return dlsym(RTLD_DEFAULT, name) != 0; }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  void *mapped = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MPI_Send(mapped, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  printf("libcuda %d cudaMalloc %d cuMemAlloc_v2 %d MPI_Send %d\n", dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) != 0,
         there("cudaMalloc"), there("cuMemAlloc_v2"), there("MPI_Send"));
  MPI_Finalize();
  return 0;
}
