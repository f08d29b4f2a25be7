// Stands in for the CUDA runtime: libcudart.so.12, or part of the program as libcudart_static.a is. It loads the driver's
// library when it first needs it, and calls it by addresses that nobody else sees, as the real one does.
#include "cuda.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *driver(const char *name) {
  static void *library;
  if (!library)
    library = dlopen("libcuda.so.1", RTLD_NOW);
  void *f = library ? dlsym(library, name) : 0;
  if (!f) {
    fprintf(stderr, "runtime: no %s\n", name);
    exit(98);
  }
  return f;
}
#define CALL(NAME, TYPES) ((int (*) TYPES)driver(#NAME))

int cudaMalloc(void **p, size_t n) { return CALL(cuMemAlloc_v2, (void **, size_t))(p, n); }
int cudaMallocManaged(void **p, size_t n, unsigned flags) {
  return CALL(cuMemAllocManaged, (void **, size_t, unsigned))(p, n, flags);
}
int cudaMallocHost(void **p, size_t n) { return CALL(cuMemAllocHost_v2, (void **, size_t))(p, n); }
int cudaHostAlloc(void **p, size_t n, unsigned flags) {
  return CALL(cuMemHostAlloc, (void **, size_t, unsigned))(p, n, flags);
}
int cudaMallocAsync(void **p, size_t n, void *stream) {
  return CALL(cuMemAllocAsync, (void **, size_t, void *))(p, n, stream);
}
int cudaMallocFromPoolAsync(void **p, size_t n, void *pool, void *stream) {
  return CALL(cuMemAllocFromPoolAsync, (void **, size_t, void *, void *))(p, n, pool, stream);
}
int cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  return CALL(cuMemAllocPitch_v2, (void **, size_t *, size_t, size_t, unsigned))(p, pitch, width, height, 4);
}
int cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent e) {
  p->xsize = e.width;
  p->ysize = e.height;
  return CALL(cuMemAllocPitch_v2, (void **, size_t *, size_t, size_t, unsigned))(&p->ptr, &p->pitch, e.width,
                                                                                e.height * e.depth, 4);
}
int cudaFree(void *p) { return CALL(cuMemFree_v2, (void *))(p); }
int cudaFreeHost(void *p) { return CALL(cuMemFreeHost, (void *))(p); }
int cudaFreeAsync(void *p, void *stream) { return CALL(cuMemFreeAsync, (void *, void *))(p, stream); }
int cudaHostRegister(void *p, size_t n, unsigned flags) {
  return CALL(cuMemHostRegister_v2, (void *, size_t, unsigned))(p, n, flags);
}
int cudaHostUnregister(void *p) { return CALL(cuMemHostUnregister, (void *))(p); }

static int current;
int cudaSetDevice(int device) {
  current = device;
  return CALL(cuCtxSetCurrent, (void *))((void *)(intptr_t)device);
}
int cudaDeviceReset(void) { return CALL(cuDevicePrimaryCtxReset_v2, (int))(current); }
