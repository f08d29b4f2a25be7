//===- CallStacks.h - who called where calls are made ------------*- C++ -*-===//
//
// With --callstack the site of a call is its return address and those of its callers. A thread numbers the different
// chains of addresses that it meets; in raw records the number stands for the chain. Paid for by runs with that option
// alone, and in these not by calls whose place the structure says.
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
  /// Callers: how many of them belong to a site. To be made by the thread itself; see Unwinder.
  CallStacks(unsigned Callers, uintptr_t StackEnd);

  /// What stands for the site of a call with the return address Address, under which the stack of the wrapper ends at
  /// Frame (CallPlace). The address itself, if no callers are known.
  uint64_t site(uint64_t Address, const void *Frame);
  /// The calling thread goes on where another one ended, on another stack.
  void limitStack(uintptr_t End) { Walker.limitStack(End); }
  static bool isChain(uint64_t Site) { return Site >> 63; }
  /// Return addresses, innermost first. Site is a chain.
  std::span<const int64_t> chain(uint64_t Site) const {
    const auto I = static_cast<uint32_t>(Site);
    return Chains[I].Words.first(Lengths[I]);
  }

private:
  static constexpr unsigned StartFrames = 4; ///< that there can be before a program's own

  bool take(uintptr_t Return, uintptr_t Stack, bool IsOurs) override;
  void restart() override { Size = 0; }
  size_t withoutStart();

  const unsigned Most;
  Unwinder Walker;
  // Of the walk.
  std::vector<int64_t> Chain;
  size_t Size = 0, Wanted = 0;
  uint64_t Address = 0;
  uintptr_t Frame = 0;

  InternTable Chains;
  std::vector<uint8_t> Lengths; ///< by chain: without the program's start
};

} // namespace pilgrim

#endif
