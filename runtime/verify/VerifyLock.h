//===- VerifyLock.h - the lock of what --verify keeps ------------*- C++ -*-===//
//
// One lock for everything that threads share in this room. The recorder's locks are not used here.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_VERIFY_VERIFYLOCK_H
#define PILGRIM_VERIFY_VERIFYLOCK_H

#include <atomic>
#include <pthread.h>
#include <sched.h>

namespace pilgrim {

/// Holds the lock as long as it lives.
class VerifyLock {
public:
  VerifyLock() { take(); }
  ~VerifyLock() { give(); }
  VerifyLock(const VerifyLock &) = delete;
  /// A child of a fork must not inherit a lock that another thread held.
  static void keepOverFork() { pthread_atfork(take, give, give); }

private:
  static void take() {
    while (Flag.test_and_set(std::memory_order_acquire))
      sched_yield();
  }
  static void give() { Flag.clear(std::memory_order_release); }
  inline static std::atomic_flag Flag = ATOMIC_FLAG_INIT;
};

} // namespace pilgrim

#endif
