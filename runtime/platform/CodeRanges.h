//===- CodeRanges.h - a few ranges of code, kept -----------------*- C++ -*-===//
//
// Answers "does this address lie in one of a few libraries?" without asking the dynamic linker each time. Wrappers ask
// this at each call of a Fortran program and at each nested call, so reading takes no lock. Ranges are never removed.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PLATFORM_CODERANGES_H
#define PILGRIM_PLATFORM_CODERANGES_H

#include "platform/AddressRange.h"

#include <atomic>

namespace pilgrim {

template <unsigned Capacity> class CodeRanges {
public:
  bool isEmpty() const { return Count.load(std::memory_order_acquire) == 0; }
  bool hold(uintptr_t Address) const {
    for (unsigned I = 0, N = Count.load(std::memory_order_acquire); I < N; ++I)
      if (Address - Begin[I] < End[I] - Begin[I])
        return true;
    return false;
  }
  /// Adds a range. Does nothing and returns false if its first byte is in one already, or if there is no more room:
  /// then the caller has to look addresses in it up each time.
  bool add(AddressRange R) {
    while (IsBusy.test_and_set(std::memory_order_acquire)) {
    }
    const unsigned N = Count.load(std::memory_order_relaxed);
    const bool IsNew = N < Capacity && !hold(R.Begin);
    if (IsNew) {
      Begin[N] = R.Begin;
      End[N] = R.End;
      Count.store(N + 1, std::memory_order_release);
    }
    IsBusy.clear(std::memory_order_release);
    return IsNew;
  }

private:
  uintptr_t Begin[Capacity] = {}, End[Capacity] = {}; ///< two arrays: that is one instruction less in hold()
  std::atomic<unsigned> Count{0};
  std::atomic_flag IsBusy = ATOMIC_FLAG_INIT;
};

} // namespace pilgrim

#endif
