// The driver's own functions.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int cuMemAlloc_v2(uintptr_t *, size_t);
int cuMemAllocManaged(uintptr_t *, size_t, unsigned);
int cuMemAllocHost_v2(void **, size_t);
int cuMemHostAlloc(void **, size_t, unsigned);
int cuMemAllocPitch_v2(uintptr_t *, size_t *, size_t, size_t, unsigned);
int cuMemAllocAsync(uintptr_t *, size_t, void *);
int cuMemAllocFromPoolAsync(uintptr_t *, size_t, void *, void *);
int cuMemFree_v2(uintptr_t);
int cuMemFreeHost(void *);
int cuMemFreeAsync(uintptr_t, void *);
int cuDevicePrimaryCtxReset_v2(int);

#define CHECK(CALL) do { int e_ = (CALL); if (e_) { fprintf(stderr, "%s: %d\n", #CALL, e_); exit(97); } } while (0)

static void pass(uintptr_t p) {
  for (int i = 0; i < 100; ++i)
    MPI_Send((void *)p, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  uintptr_t a, b, c, d, e;
  void *h, *h2;
  size_t pitch;
  CHECK(cuMemAlloc_v2(&a, 1024)); pass(a);
  CHECK(cuMemAllocManaged(&b, 1024, 1)); pass(b + 1);
  CHECK(cuMemAllocHost_v2(&h, 1024)); pass((uintptr_t)h + 2);
  CHECK(cuMemHostAlloc(&h2, 1024, 0)); pass((uintptr_t)h2 + 3);
  CHECK(cuMemAllocPitch_v2(&c, &pitch, 100, 10, 4)); pass(c + 9 * pitch);
  CHECK(cuMemAllocAsync(&d, 1024, 0)); pass(d + 5);
  CHECK(cuMemAllocFromPoolAsync(&e, 1024, 0, 0)); pass(e + 6);
  CHECK(cuMemFree_v2(a));
  CHECK(cuMemFreeHost(h));
  CHECK(cuMemFreeAsync(d, 0));
  CHECK(cuMemAlloc_v2(&a, 512)); pass(a + 7);
  CHECK(cuDevicePrimaryCtxReset_v2(0));
  CHECK(cuMemAlloc_v2(&a, 4096)); pass(a + 8);
  MPI_Finalize();
  return 0;
}
