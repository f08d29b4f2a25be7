//===- MemoryPrelude.cpp - blocks of memory, and room for what calls write ---===//
//
// Blocks of the heap and mappings by their numbers in the trace, and room for what calls write and nobody reads.
//
//===----------------------------------------------------------------------===//
#include "proxygen/proxy/Prelude.h"

namespace pilgrim {

std::span<const PreludeHelper> memoryPrelude() {
  static const std::vector<PreludeHelper> All = {
      {"seg", {}, R"(
/* Blocks of the heap, allocated when they are used first and freed where the program freed them. */
static inline char *seg(long n) {
|  pthread_mutex_lock(&lock);
  if (!segments[n] && !(segments[n] = calloc(1, segment_bytes[n]))) {
    fprintf(stderr, "rank %d: no memory for %zu bytes\n", rank, segment_bytes[n]);
    exit(1);
  }
|  char *at = segments[n];
|  pthread_mutex_unlock(&lock);
|  return at;
!  return segments[n];
}
|
|/* For a call that others do not wait for. */
|static inline char *used_seg(long n) {
|  pthread_mutex_lock(&lock);
|  hold(&segments[n]);
|  pthread_mutex_unlock(&lock);
|  return seg(n);
|}
)"},
      {"drop", {"seg"}, R"(
/* Memory that MPI gave out is MPI's to free. */
static char is_given[sizeof segments / sizeof *segments];

static inline void drop(long n) {
|  wait_for_users(&segments[n]);
|  pthread_mutex_lock(&lock);
  if (!is_given[n])
    free(segments[n]);
  is_given[n] = 0;
  segments[n] = NULL;
|  pthread_mutex_unlock(&lock);
}
)"},
      {"given", {"drop"}, R"(
/* MPI gave out this memory, or gave back what the program has already. */
static inline void given(long n, char *address) {
|  pthread_mutex_lock(&lock);
!  if (segments[n] == address)
!    return;
|  is_given[n] |= segments[n] != address;
  segments[n] = address;
!  is_given[n] = 1;
|  pthread_mutex_unlock(&lock);
}
)"},
      {"gone", {"given"}, R"(
/* The memory that MPI gave with a window, plus 1: it goes with the window. */
static long memory_of[sizeof win / sizeof *win];

static inline void gone(const MPI_Win *of) {
  const long n = memory_of[of - win];
  memory_of[of - win] = 0;
  if (n)
    drop(n - 1);
}
)"},
      {"map", {}, R"(
/* Memory that the program did not allocate: a region of its own, mapped by a call that no tracer sees. */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static inline char *map(long n) {
|  pthread_mutex_lock(&lock);
  if (!mappings[n]) {
    const long before = 4096; /* parts it from what is there */
    const long at = syscall(SYS_mmap, NULL, mapping_bytes[n] + before, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *const begin = (char *)at + before;
    if (at == -1 || mprotect(begin, mapping_bytes[n], PROT_READ | PROT_WRITE)) {
      perror("mmap");
      exit(1);
    }
    mappings[n] = begin;
  }
|  pthread_mutex_unlock(&lock);
  return mappings[n];
}
)"},
      {"out", {}, R"(
/* Where calls write what nobody reads. */
@static _Alignas(16) char scratch[16 * 64];
#define OUT(type, n) ((type *)(void *)(scratch + 64 * (n)))
)"},
      {"room", {}, R"(
static inline void *room(int n, size_t bytes) {
  @static void *at[8];
  @static size_t size[8];
  if (size[n] < bytes) {
    free(at[n]);
    at[n] = calloc(1, bytes);
    size[n] = bytes;
  }
  return at[n];
}
)"},
  };
  return All;
}

} // namespace pilgrim
