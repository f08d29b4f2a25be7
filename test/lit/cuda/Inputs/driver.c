// Stands in for CUDA's driver library, libcuda.so.1: gives out plain memory, and answers what an address is as the real
// one does. It ends the program if it is asked where the real one must not be: before there is a context, in the child of
// a fork, after its end.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { Devices = 2, RegionSize = 1 << 24, MaxBlocks = 512, Granule = 512 };
enum { HOST = 1, DEVICE = 2 };
enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3 };

typedef struct {
  uintptr_t base;
  size_t size;
  unsigned type;
  int managed, device;
  unsigned long long id;
} Block;

static Block blocks[MaxBlocks];
static int used, current, ended;
static char *regions[3 * Devices]; // of each device: its memory, managed, pinned
static unsigned long long ids, asked;
static pid_t owner;

__attribute__((constructor)) static void loaded(void) {
  if (getenv("STANDIN_TELL"))
    fprintf(stderr, "stand-in: loaded\n");
}

static void end(void) {
  ended = 1;
  if (getenv("STANDIN_TELL"))
    fprintf(stderr, "stand-in: asked %s\n", asked < 50 ? "rarely" : "often");
}

static void fail(const char *why) {
  fprintf(stderr, "stand-in: %s\n", why);
  _exit(99);
}

static int overlaps(uintptr_t base, size_t size, int i) {
  return base < blocks[i].base + blocks[i].size && blocks[i].base < base + size;
}

static int enter(uintptr_t base, size_t size, unsigned type, int managed) {
  if (used == MaxBlocks)
    return OUT_OF_MEMORY;
  blocks[used++] = (Block){base, size, type, managed, current, ++ids};
  return SUCCESS;
}

/// The lowest place that is free: memory that was freed is given out again.
static int allocate(uintptr_t *p, size_t size, int region, unsigned type, int managed) {
  if (!owner) {
    owner = getpid();
    atexit(end);
  }
  if (owner != getpid())
    return NOT_INITIALIZED;
  char **r = &regions[region * Devices + current];
  if (!*r) {
    *r = mmap(0, RegionSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (*r == MAP_FAILED)
      return OUT_OF_MEMORY;
  }
  uintptr_t base = (uintptr_t)*r;
  for (int i = 0; i < used; ++i)
    if (overlaps(base, size, i)) {
      base = (blocks[i].base + blocks[i].size + Granule - 1) / Granule * Granule;
      i = -1;
    }
  if (!size || base + size > (uintptr_t)*r + RegionSize)
    return OUT_OF_MEMORY;
  *p = base;
  return enter(base, size, type, managed);
}

static int release(uintptr_t p) {
  if (owner != getpid())
    return NOT_INITIALIZED;
  for (int i = 0; i < used; ++i)
    if (blocks[i].base == p) {
      blocks[i] = blocks[--used];
      return SUCCESS;
    }
  return p ? INVALID_VALUE : SUCCESS;
}

int cuMemAlloc_v2(uintptr_t *p, size_t n) { return allocate(p, n, 0, DEVICE, 0); }
int cuMemAllocManaged(uintptr_t *p, size_t n, unsigned flags) { return allocate(p, n, 1, DEVICE, 1); }
int cuMemAllocHost_v2(void **p, size_t n) { return allocate((uintptr_t *)p, n, 2, HOST, 0); }
int cuMemHostAlloc(void **p, size_t n, unsigned flags) { return allocate((uintptr_t *)p, n, 2, HOST, 0); }
int cuMemAllocPitch_v2(uintptr_t *p, size_t *pitch, size_t width, size_t height, unsigned element) {
  *pitch = (width + Granule - 1) / Granule * Granule;
  return allocate(p, *pitch * height, 0, DEVICE, 0);
}
int cuMemAllocAsync(uintptr_t *p, size_t n, void *stream) { return allocate(p, n, 0, DEVICE, 0); }
int cuMemAllocFromPoolAsync(uintptr_t *p, size_t n, void *pool, void *stream) { return allocate(p, n, 0, DEVICE, 0); }
int cuMemFree_v2(uintptr_t p) { return release(p); }
int cuMemFreeHost(void *p) { return release((uintptr_t)p); }
int cuMemFreeAsync(uintptr_t p, void *stream) { return release(p); }
int cuMemHostRegister_v2(void *p, size_t n, unsigned flags) { return enter((uintptr_t)p, n, HOST, 0); }
int cuMemHostUnregister(void *p) { return release((uintptr_t)p); }
/// The device for what follows.
int cuCtxSetCurrent(void *context) {
  current = (int)(intptr_t)context;
  return SUCCESS;
}
int cuDevicePrimaryCtxReset_v2(int device) {
  for (int i = used; i-- > 0;)
    if (blocks[i].device == device)
      blocks[i] = blocks[--used];
  return SUCCESS;
}

int cuPointerGetAttributes(unsigned n, int *attributes, void **data, uintptr_t p) {
  ++asked;
  if (!owner)
    return NOT_INITIALIZED;
  if (owner != getpid())
    fail("asked in a child");
  if (ended)
    fail("asked after its end");
  Block *b = 0;
  for (int i = 0; i < used; ++i)
    if (p - blocks[i].base < blocks[i].size)
      b = &blocks[i];
  for (unsigned i = 0; i < n; ++i)
    switch (attributes[i]) {
    case 2: *(unsigned *)data[i] = b ? b->type : 0; break;
    case 7: *(unsigned long long *)data[i] = b ? b->id : 0; break;
    case 8: *(unsigned char *)data[i] = b ? b->managed : 0; break;
    case 9: *(int *)data[i] = b ? b->device : -2; break;
    case 11: *(uintptr_t *)data[i] = b ? b->base : 0; break;
    case 12: *(size_t *)data[i] = b ? b->size : 0; break;
    default: return INVALID_VALUE;
    }
  return SUCCESS;
}

#define FORBIDDEN(NAME) int NAME(void) { fail("called " #NAME); return 0; }
FORBIDDEN(cuInit)
FORBIDDEN(cuCtxCreate_v2)
FORBIDDEN(cuDevicePrimaryCtxRetain)
