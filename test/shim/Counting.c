// Counts what a program and its libraries ask of the C library: memory, and
// locks by who takes them.
//
// Preloaded behind libpilgrim, it stands between its malloc wrappers and the C
// library: so a run with and without the tracer shows what the tracer adds. The
// lock of a library whose name is in COUNTING_LIBRARY is counted by itself,
// since MPI's own progress takes as many locks as it happens to take.
//
// A test reads the counters through counting_read(), which it finds by name and
// is not there when nothing counts.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
    *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

enum { Allocations, Releases, Mappings, Locks, Kinds };
static long Counters[Kinds];
static uintptr_t LibraryBegin, LibraryEnd;

static void count(int Kind) {
  __atomic_fetch_add(&Counters[Kind], 1, __ATOMIC_RELAXED);
}

EXPORT void counting_read(long *Out) { memcpy(Out, Counters, sizeof Counters); }

EXPORT void *malloc(size_t N) {
  count(Allocations);
  return __libc_malloc(N);
}
EXPORT void *calloc(size_t M, size_t N) {
  count(Allocations);
  return __libc_calloc(M, N);
}
EXPORT void *realloc(void *P, size_t N) {
  count(Allocations);
  return __libc_realloc(P, N);
}
EXPORT void *memalign(size_t A, size_t N) {
  count(Allocations);
  return __libc_memalign(A, N);
}
EXPORT void *aligned_alloc(size_t A, size_t N) { return memalign(A, N); }
EXPORT int posix_memalign(void **P, size_t A, size_t N) {
  *P = memalign(A, N);
  return *P ? 0 : 12;
}
EXPORT void free(void *P) {
  count(Releases);
  __libc_free(P);
}
EXPORT void *mmap(void *At, size_t N, int Protection, int Flags, int File,
                  off_t Offset) {
  count(Mappings);
  return (void *)syscall(SYS_mmap, At, N, Protection, Flags, File, Offset);
}
EXPORT int munmap(void *At, size_t N) {
  count(Mappings);
  return (int)syscall(SYS_munmap, At, N);
}

static int look(struct dl_phdr_info *Info, size_t Size, void *Name) {
  (void)Size;
  if (!strstr(Info->dlpi_name, Name))
    return 0;
  for (int I = 0; I < Info->dlpi_phnum; ++I) {
    const ElfW(Phdr) *P = &Info->dlpi_phdr[I];
    if (P->p_type == PT_LOAD && P->p_flags & PF_X) {
      LibraryBegin = Info->dlpi_addr + P->p_vaddr;
      LibraryEnd = LibraryBegin + P->p_memsz;
    }
  }
  return 1;
}
__attribute__((constructor)) static void find(void) {
  const char *Name = getenv("COUNTING_LIBRARY");
  if (Name)
    dl_iterate_phdr(look, (void *)Name);
}

static void lockedBy(void *Caller) {
  uintptr_t At = (uintptr_t)Caller;
  if (At >= LibraryBegin && At < LibraryEnd)
    count(Locks);
}

// Looked up once each; a second lookup by another thread finds the same.
#define LOCK(NAME, TYPE)                                                       \
  EXPORT int NAME(TYPE *L) {                                                   \
    static int (*Real)(TYPE *);                                                \
    if (!Real)                                                                 \
      Real = (int (*)(TYPE *))dlsym(RTLD_NEXT, #NAME);                         \
    lockedBy(__builtin_return_address(0));                                     \
    return Real(L);                                                            \
  }
LOCK(pthread_mutex_lock, pthread_mutex_t)
LOCK(pthread_mutex_trylock, pthread_mutex_t)
LOCK(pthread_spin_lock, pthread_spinlock_t)
LOCK(pthread_spin_trylock, pthread_spinlock_t)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
