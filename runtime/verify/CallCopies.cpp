//===- CallCopies.cpp - plain copies of calls, for --verify ---------------===//
#include "verify/CallCopies.h"

#include <atomic>
#include <pthread.h>
#include <sched.h>

namespace pilgrim {

static std::vector<uint32_t> *Released;
static std::atomic_flag ReleasedLock = ATOMIC_FLAG_INIT;

static void lock() {
  while (ReleasedLock.test_and_set(std::memory_order_acquire))
    sched_yield();
}
static void unlock() { ReleasedLock.clear(std::memory_order_release); }

namespace {
struct Lock {
  Lock() { lock(); }
  ~Lock() { unlock(); }
};
} // namespace

void watchReleases() {
  if (Released)
    return;
  Released = new std::vector<uint32_t>;
  pthread_atfork(lock, unlock, unlock); // a child must not inherit a lock that another thread held
}

void noteRelease(uint32_t Id) {
  if (!Released)
    return;
  Lock L;
  Released->push_back(Id);
}

size_t countReleases() {
  Lock L;
  return Released->size();
}

const std::vector<uint32_t> &releases() { return *Released; }

} // namespace pilgrim
