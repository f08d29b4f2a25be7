//===- RequestSlots.cpp - calls that complete some of many requests -------===//
#include "trace/read/RequestSlots.h"
#include "trace/model/Relations.h"

namespace pilgrim {

std::optional<RequestSlots> RequestSlots::of(const FunctionSchema &F) {
  auto IsArray = [](const ParamSchema &P) { return P.K == Kind::Request && P.IsArray; };
  uint32_t At = 1;
  while (At < F.Slots.size() && !IsArray(F.Slots[At]))
    ++At;
  if (At >= F.Slots.size() || Relations(F).use(At) != Relation::Completes)
    return std::nullopt;
  // A list of places stands behind how many there are.
  RequestSlots Out{At, 0};
  for (uint32_t I = At + 1; I < F.Slots.size(); ++I) {
    const ParamSchema &P = F.Slots[I];
    if (P.K == Kind::Int && P.IsOutput && !P.IsHidden && (!Out.Places || P.IsArray))
      Out.Places = I;
    if (P.K == Kind::Flag && P.IsOutput)
      Out.Flag = I;
  }
  return Out.Places ? std::optional(Out) : std::nullopt;
}

void RequestSlots::forEachComplete(const std::function<std::span<const int64_t>(uint32_t)> &Value,
                                   const std::function<void(int64_t)> &Complete) const {
  auto Is = [&](uint32_t Slot, bool Wanted) {
    const std::span<const int64_t> W = Value(Slot);
    return W.size() == 1 && (W[0] != 0) == Wanted;
  };
  if (!Is(0, false) || (Flag && !Is(Flag, true)))
    return;
  for (int64_t Place : Value(Places))
    Complete(Place);
}

} // namespace pilgrim
