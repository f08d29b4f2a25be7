//===- CallCopies.cpp - plain copies of calls, for --verify ---------------===//
#include "verify/CallCopies.h"

#include <atomic>

namespace pilgrim {

static std::vector<uint32_t> *Released;
static std::atomic_flag ReleasedLock = ATOMIC_FLAG_INIT;

namespace {
struct Lock {
  Lock() {
    while (ReleasedLock.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Lock() { ReleasedLock.clear(std::memory_order_release); }
};
} // namespace

void watchReleases() {
  if (!Released)
    Released = new std::vector<uint32_t>;
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
