// Memory of a real GPU, by way of the driver, which is declared by hand: no toolkit is needed. MPI sees the addresses, and
// reads only what is the host's.
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *library;
#define CALL(NAME, TYPES) ((int (*) TYPES)dlsym(library, #NAME))
#define CHECK(CALL) do { int e_ = (CALL); if (e_) { fprintf(stderr, "%s: %d\n", #CALL, e_); exit(97); } } while (0)

static void pass(uintptr_t p, int n) { MPI_Send((void *)p, n, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    return 1;
  int device;
  void *context, *pinned;
  uintptr_t p, first, managed, other;
  CHECK(CALL(cuInit, (unsigned))(0));
  CHECK(CALL(cuDeviceGet, (int *, int))(&device, 0));
  CHECK(CALL(cuDevicePrimaryCtxRetain, (void **, int))(&context, device));
  CHECK(CALL(cuCtxSetCurrent, (void *))(context));
  CHECK(CALL(cuMemAlloc_v2, (uintptr_t *, size_t))(&p, 4 << 20));
  pass(p + 64, 0);
  pass(p + 4096, 0);
  CHECK(CALL(cuMemAllocManaged, (uintptr_t *, size_t, unsigned))(&managed, 1 << 20, 1));
  *(int *)managed = 1;
  pass(managed + 4, 1);
  CHECK(CALL(cuMemHostAlloc, (void **, size_t, unsigned))(&pinned, 1 << 20, 0));
  pass((uintptr_t)pinned + 8, 1);
  // Freed and allocated again, which nobody sees: a new allocation, whether or not at the same address.
  for (int i = 0; i < 10; ++i) {
    CHECK(CALL(cuMemFree_v2, (uintptr_t))(p));
    CHECK(CALL(cuMemAlloc_v2, (uintptr_t *, size_t))(&p, (size_t)(i + 1) << 20));
    pass(p + 128, 0);
  }
  CHECK(CALL(cuMemAlloc_v2, (uintptr_t *, size_t))(&other, 256));
  pass(other, 0);
  MPI_Finalize();
  return 0;
}
