// Lets many MPICH ranks share few cores.
//
// MPICH waits by polling its transport without ever giving up the core. When
// there are more ranks than cores, the rank that everybody waits for gets its
// turn only once the others' time slices are used up, and a test of 27 ranks
// takes minutes. Preloaded into the ranks, this library stands in front of
// UCX's progress function and yields the core whenever nothing happened.
//
// It is for tests on small machines only: no timing taken under it means
// anything, and with at least as many cores as ranks it is of no use.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef unsigned Progress(void *Worker);

__attribute__((visibility("default"))) unsigned
ucp_worker_progress(void *Worker) {
  // Threads may look it up at the same time; they find the same.
  static _Atomic(Progress *) Real;
  Progress *Next = atomic_load_explicit(&Real, memory_order_relaxed);
  if (!Next) {
    Next = (Progress *)dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (!Next)
      abort(); // Called, so somebody linked it: cannot be.
    atomic_store_explicit(&Real, Next, memory_order_relaxed);
  }
  unsigned Events = Next(Worker);
  if (Events == 0)
    sched_yield();
  return Events;
}
