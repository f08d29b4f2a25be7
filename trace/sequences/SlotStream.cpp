//===- SlotStream.cpp - the values of a slot, call by call ----------------===//
#include "trace/sequences/SlotStream.h"

#include <algorithm>
#include <bit>

namespace pilgrim {

/// Of two that are kept, one is in vain: what grows much more, or what is no better in the long run.
void SlotStream::review() {
  constexpr uint64_t LongRun = 4096;
  NextReview = std::max(NextReview, 2 * std::bit_floor(Length));
  if (!HasValues || !HasSteps)
    return;
  if (Values.isSealed()) {
    // A chunk finds out by itself whether steps are shorter, so only rules of steps may be worth more.
    if (Steps.size() * 2 > Length)
      return dropSteps();
    HasValues = false;
    Values = {};
    return Steps.sealTo(*Store);
  }
  if (Steps.memory() * 8 < Values.memory()) {
    HasValues = false;
    Values = {};
    if (Store)
      Steps.sealTo(*Store);
  } else if ((Length >= LongRun && Steps.memory() * 2 > Values.memory()) ||
             // They hardly repeat, and the values do no less.
             (Steps.size() * 2 > Length && Steps.size() >= Values.size())) {
    dropSteps();
  }
}

/// How much there is to say.
static size_t sizeOf(const IntStreamData &D) {
  size_t N = D.Runs.size() + D.Order.symbols();
  for (const auto &[Run, C] : D.Chunks)
    N += C.size();
  return N;
}

IntStreamData SlotStream::data() {
  IntStreamData BySteps = Steps.data();
  BySteps.AreSteps = true;
  if (!HasValues)
    return BySteps;
  IntStreamData ByValue = Values.data();
  // Clearly less, so that ranks which are almost alike decide alike.
  return HasSteps && sizeOf(BySteps) * 2 < sizeOf(ByValue) ? BySteps : ByValue;
}

} // namespace pilgrim
