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
<#include <sys/mman.h>
<#include <sys/syscall.h>
<#include <unistd.h>
<static char *owned[sizeof segments / sizeof *segments];
<
<static size_t bytes_before(long n) {
<  return (segment_front[n] + 4095) / 4096 * 4096;
<}
<
<static char *page_of(char *at) {
<  return at - (uintptr_t)at % 4096;
<}
<
</* malloc maps large blocks by themselves. It is led to where there is room before the block, by calls that no tracer sees:
<   so the block begins as the program's did. If it takes other places all the time, the block begins further ahead. */
<static char *with_front(long n, int tries) {
<  const size_t alone = (size_t)33 << 20, bytes = segment_bytes[n] > alone ? segment_bytes[n] : alone,
<               size = (bytes + 4095) / 4096 * 4096, before = bytes_before(n);
<  if (!before)
<    return owned[n] = calloc(1, segment_bytes[n]);
<  const long at = tries ? syscall(SYS_mmap, NULL, before + size + 4096, PROT_READ | PROT_WRITE,
<                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
<                        : -1;
<  if (at == -1) {
<    owned[n] = calloc(1, segment_bytes[n] + segment_front[n]);
<    return owned[n] ? owned[n] + segment_front[n] : NULL;
<  }
<  syscall(SYS_munmap, at + (long)before, size + 4096);
<  char *const own = owned[n] = calloc(1, size);
<  if (own && page_of(own) == (char *)at + before)
<    return own;
<  syscall(SYS_munmap, at, before);
<  char *const other = with_front(n, tries - 1);
<  free(own);
<  return other;
<}
<
/* Blocks of the heap, allocated when they are used first and freed where the program freed them. */
static inline char *seg(long n) {
|  pthread_mutex_lock(&lock);
  if (!segments[n]) {
>    if (!(segments[n] = calloc(1, segment_bytes[n]))) {
<    if (!(segments[n] = with_front(n, 4))) {
      fprintf(stderr, "rank %d: no memory for %zu bytes\n", rank, segment_bytes[n]);
      exit(1);
    }
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
      {"front", {"seg"}, ""},
      {"drop", {"seg"}, R"(
/* Memory that MPI gave out is MPI's to free: 1, or 2 and the number of the window that it came with. */
static int given_by[sizeof segments / sizeof *segments];

static inline void drop(long n) {
|  wait_for_users(&segments[n]);
|  pthread_mutex_lock(&lock);
<  if (segments[n] && segments[n] == owned[n] && segment_front[n])
<    syscall(SYS_munmap, page_of(owned[n]) - bytes_before(n), bytes_before(n));
  if (!given_by[n])
>    free(segments[n]);
<    free(segments[n] ? owned[n] : NULL);
<  owned[n] = NULL;
  given_by[n] = 0;
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
|  if (segments[n] != address)
|    given_by[n] = 1;
  segments[n] = address;
!  given_by[n] = 1;
|  pthread_mutex_unlock(&lock);
}
)"},
      {"gone", {"given"}, R"(
/* The memory that MPI gave with a window, of other ranks too, goes with the window. */
static inline void came_with(const MPI_Win *of, long n) {
  if (given_by[n])
    given_by[n] = (int)(of - win) + 2;
}

static inline void gone(const MPI_Win *of) {
  for (size_t n = 0; n < sizeof segments / sizeof *segments; ++n)
    if (given_by[n] == of - win + 2)
      drop((long)n);
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
      {"stack_or_map", {"map"}, R"(
/* The main thread's stack, in other threads, has the number -1. */
static inline char *stack_or_map(long n) {
  return n < 0 ? main_stack : map(n);
}
)"},
      {"addresses", {}, R"(
/* Addresses of the traced run, in datatypes: of places that the program asked for since it used some last, in a block
   whose address is known or else in that order. Others are as far from a known one as they were. */
enum { MOST_ADDRESSES = 1 << 16 };
struct known_address {
  long was;
  char *is;
};
struct known_block {
  long kind, number, was;
};
@static struct asked_place {
  long kind, number, offset;
  char *is;
} *asked_for;
@static struct known_address *known_addresses;
@static struct known_block *known_blocks;
@static long asked, addresses_known, blocks_known;

static inline void asked_address(long kind, long number, long offset, MPI_Aint is) {
  if (!asked_for) {
    asked_for = malloc(MOST_ADDRESSES * sizeof *asked_for);
    known_addresses = malloc(MOST_ADDRESSES * sizeof *known_addresses);
    known_blocks = malloc(MOST_ADDRESSES * sizeof *known_blocks);
  }
  if (asked < MOST_ADDRESSES)
    asked_for[asked++] = (struct asked_place){kind, number, offset, (char *)is};
}

static int block_order(long kind, long number, long other_kind, long other) {
  return kind != other_kind ? (kind > other_kind) - (kind < other_kind) : (number > other) - (number < other);
}

/* Where the block is among the known ones, or would be. */
static struct known_block *block_place(long kind, long number) {
  long from = 0, to = blocks_known;
  while (from < to) {
    const long middle = (from + to) / 2;
    if (block_order(known_blocks[middle].kind, known_blocks[middle].number, kind, number) < 0)
      from = middle + 1;
    else
      to = middle;
  }
  return known_blocks + from;
}

static int is_block(const struct known_block *at, const struct asked_place *of) {
  return at < known_blocks + blocks_known && at->kind == of->kind && at->number == of->number;
}

static void know_block(const struct asked_place *of, long was) {
  struct known_block *const at = block_place(of->kind, of->number);
  if (!is_block(at, of)) {
    if (blocks_known == MOST_ADDRESSES)
      return;
    memmove(at + 1, at, (size_t)(known_blocks + blocks_known++ - at) * sizeof *at);
  }
  *at = (struct known_block){of->kind, of->number, was};
}

/* The first known address behind that one. */
static struct known_address *known_behind(long was) {
  long from = 0, to = addresses_known;
  while (from < to) {
    const long middle = (from + to) / 2;
    if (known_addresses[middle].was <= was)
      from = middle + 1;
    else
      to = middle;
  }
  return known_addresses + from;
}

static void know_address(long was, char *is) {
  struct known_address *const at = known_behind(was);
  if (at > known_addresses && at[-1].was == was) {
    at[-1].is = is;
    return;
  }
  if (addresses_known == MOST_ADDRESSES)
    return;
  memmove(at + 1, at, (size_t)(known_addresses + addresses_known++ - at) * sizeof *at);
  *at = (struct known_address){was, is};
}

static const struct asked_place *asked_in_block(long was) {
  const struct asked_place *best = NULL;
  for (const struct asked_place *of = asked_for; of < asked_for + asked; ++of) {
    const struct known_block *const at = block_place(of->kind, of->number);
    if (is_block(at, of) && of->offset == was - at->was &&
        (!best || block_order(of->kind, of->number, best->kind, best->number) < 0))
      best = of;
  }
  return best;
}

static inline int is_address(long value) {
  return value >= 1L << 40 && value <= 1L << 57;
}

static inline void addresses(MPI_Aint *values, int n) {
  long wanted = 0;
  for (int i = 0; i < n; ++i)
    wanted += is_address(values[i]);
  if (!wanted || !asked_for)
    return;
  long next = asked > wanted ? asked - wanted : 0;
  for (int i = 0; i < n && addresses_known < MOST_ADDRESSES; ++i) {
    if (!is_address(values[i]))
      continue;
    const struct asked_place *of = asked_in_block(values[i]);
    if (!of && next < asked) {
      of = asked_for + next;
      know_block(of, values[i] - of->offset);
    }
    ++next;
    if (of)
      know_address(values[i], of->is);
  }
  for (int i = 0; i < n; ++i) {
    const struct known_address *const behind = known_behind(values[i]);
    if (is_address(values[i]) && behind > known_addresses)
      values[i] = (MPI_Aint)behind[-1].is + (values[i] - behind[-1].was);
  }
  asked = 0;
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
