// What the programs here need of cuda_runtime_api.h.
#include <stddef.h>
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPitchedPtr {
  void *ptr;
  size_t pitch, xsize, ysize;
};
int cudaMalloc(void **, size_t);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaMallocHost(void **, size_t);
int cudaHostAlloc(void **, size_t, unsigned);
int cudaMallocAsync(void **, size_t, void *);
int cudaMallocFromPoolAsync(void **, size_t, void *, void *);
int cudaMallocPitch(void **, size_t *, size_t, size_t);
int cudaMalloc3D(struct cudaPitchedPtr *, struct cudaExtent);
int cudaFree(void *);
int cudaFreeHost(void *);
int cudaFreeAsync(void *, void *);
int cudaHostRegister(void *, size_t, unsigned);
int cudaHostUnregister(void *);
int cudaSetDevice(int);
int cudaDeviceReset(void);

// Ends the program where a call fails.
#include <stdio.h>
#include <stdlib.h>
#define CHECK(CALL)                                                                                                    \
  do {                                                                                                                 \
    int e_ = (CALL);                                                                                                   \
    if (e_) {                                                                                                          \
      fprintf(stderr, "%s: %d\n", #CALL, e_);                                                                          \
      exit(97);                                                                                                        \
    }                                                                                                                  \
  } while (0)
