//===- CallByCall.cpp - calls that nothing says together ------------------===//
#include "driver/CallByCall.h"

namespace pilgrim {

std::string CallByCall::run(uint32_t Thread, uint32_t Rank, const Fn &F) const {
  const auto View = W.trace().view(Rank, W.threads()[Thread].Number);
  if (!View)
    return "";
  std::vector<const size_t *> Numbers; // by signature; null: not to be looked at
  for (const ResolvedSignature &S : View->signatures()) {
    const auto At = NumberOf.find({S.Of, S.Content});
    Numbers.push_back(At == NumberOf.end() ? nullptr : &At->second);
  }
  CallCursor Calls = Trace::calls(View);
  for (Call C; Calls.next(C);)
    if (const size_t *Number = Numbers[C.Terminal])
      F(*Number, C);
  return Calls.error();
}

SlotValues CallByCall::valuesOf(const Call &C, const std::vector<unsigned> &Slots) {
  SlotValues Out;
  for (const unsigned Slot : Slots)
    Out.emplace_back(static_cast<int>(Slot),
                     std::vector<int64_t>(C.Stored[Slot].Words.begin(), C.Stored[Slot].Words.end()));
  return Out;
}

} // namespace pilgrim
