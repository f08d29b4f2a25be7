//===- RawLog.cpp - plain copies of calls, for --verify -------------------===//
#include "verify/RawLog.h"
#include "memory/Segments.h"
#include "pmpi/Real.h"

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

void watchReleases() { Released = new std::vector<uint32_t>; }

void noteRelease(uint32_t Id) {
  if (!Released)
    return;
  Lock L;
  Released->push_back(Id);
}

const std::vector<uint32_t> &releases() { return *Released; }

void RawCopy::address(unsigned Slot, const volatile void *P) {
  head(Slot, RawType::Address, 2);
  Items.push_back(static_cast<int64_t>(reinterpret_cast<uintptr_t>(P)));
  // What the recorder will learn in the course of this call counts as released before it.
  memory::noticeReleases();
  Lock L;
  Items.push_back(static_cast<int64_t>(Released->size()));
}

void RawCopy::freed(unsigned Slot, const void *Base) {
  head(Slot, RawType::Address, 2);
  Items.push_back(static_cast<int64_t>(reinterpret_cast<uintptr_t>(Base)));
  Lock L;
  Items.push_back(static_cast<int64_t>(Released->size()));
}

void RawCopy::putStatus(const MPI_Status &S) {
  MPI_Count Bytes = 0;
  int Cancelled = 0;
  Real.MPI_Get_elements_x(&S, MPI_BYTE, &Bytes);
  Real.MPI_Test_cancelled(&S, &Cancelled);
  Items.insert(Items.end(), {S.MPI_SOURCE, S.MPI_TAG, static_cast<int64_t>(Bytes), Cancelled});
}

} // namespace pilgrim
