//===- CallStacks.cpp - who called where calls are made -------------------===//
#include "pmpi/CallStacks.h"
#include "pmpi/Fortran.h"
#include "pmpi/Real.h"

#include <algorithm>

namespace pilgrim {

static bool isOurs(uintptr_t Code) { return isInMpiLibrary(reinterpret_cast<const void *>(Code)) || isInBinding(Code); }

CallStacks::CallStacks(unsigned Callers, uintptr_t StackEnd)
    : Most(Callers), Walker(StackEnd, isOurs), Chain(Callers + 1 + StartFrames) {}

bool CallStacks::take(uintptr_t Return, uintptr_t Stack, bool IsOurs) {
  // Frames below the wrapper's end are our own. Behind them there may be a Fortran binding before the program's place.
  if (Stack <= Frame || IsOurs || (Size == 0 && Return != Address))
    return true;
  Chain[Size++] = static_cast<int64_t>(Return);
  return Size < Wanted;
}

/// The length of the chain without the frames before main or a thread's function. The stack is walked up to its end for
/// that: the C library is the start only there; elsewhere it may be qsort.
size_t CallStacks::withoutStart() {
  const size_t Short = Size;
  Size = 0;
  Wanted = Chain.size();
  if (Walker.walk(*this))
    while (Size > 1 && Unwinder::isStart(static_cast<uintptr_t>(Chain[Size - 1])))
      --Size;
  return std::min(Size, Short);
}

uint64_t CallStacks::site(uint64_t At, const void *Around) {
  Address = At;
  Frame = reinterpret_cast<uintptr_t>(Around);
  Size = 0;
  Wanted = Most + 1;
  if (!At)
    return 0;
  Walker.walk(*this);
  if (Size <= 1)
    return At;
  bool New;
  const uint32_t I = Chains.intern({}, std::span(Chain).first(Size), &New);
  if (New)
    Lengths.push_back(static_cast<uint8_t>(withoutStart()));
  return Lengths[I] > 1 ? uint64_t(1) << 63 | I : At;
}

} // namespace pilgrim
