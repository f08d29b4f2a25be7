//===- CallStacks.h - who called where calls are made ------------*- C++ -*-===//
//
// With --callstack the site of a call is a chain: its return address and those of its callers. A thread numbers the
// different chains that it meets. In raw records the number stands for the chain. Only runs with that option pay for
// it, and in these only calls whose place the structure does not tell.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_CALLSTACKS_H
#define PILGRIM_PMPI_CALLSTACKS_H

#include "core/InternTable.h"
#include "platform/Unwind.h"

#include <span>

namespace pilgrim {

class CallStacks final : FrameSink {
public:
  /// Callers: how many callers belong to a site. StackEnd: as for Unwinder.
  CallStacks(unsigned Callers, uintptr_t StackEnd);

  /// The site of a call with a return address: a chain's number, marked by bit 63; or the address itself, if no callers
  /// are known. Frame: as in the CallPlace.
  uint64_t site(uint64_t Address, const void *Frame);
  /// Another thread goes on with this object, on another stack.
  void limitStack(uintptr_t End) { Walker.limitStack(End); }
  static bool isChain(uint64_t Site) { return Site >> 63; }
  /// The return addresses of a chain, innermost first.
  std::span<const int64_t> chain(uint64_t Site) const {
    const auto I = static_cast<uint32_t>(Site);
    return Chains[I].Words.first(Lengths[I]);
  }

private:
  static constexpr unsigned StartFrames = 4; ///< frames that there may be before a program's or a thread's own

  bool take(uintptr_t Return, uintptr_t Stack, bool IsOurs) override;
  void restart() override { Size = 0; }
  size_t withoutStart();

  const unsigned Most; ///< callers
  Unwinder Walker;
  // Of the current walk.
  std::vector<int64_t> Chain;
  size_t Size = 0, Wanted = 0;
  uint64_t Address = 0;
  uintptr_t Frame = 0;

  InternTable Chains;
  std::vector<uint8_t> Lengths; ///< by chain: without the program's start
};

} // namespace pilgrim

#endif
