//===- CallByCall.cpp - calls that nothing says together ------------------===//
#include "driver/CallByCall.h"
#include "trace/base/Saturate.h"

namespace pilgrim {

bool CallByCall::run(uint32_t Thread, uint32_t Rank, const Fn &F) {
  const auto View = W.trace().view(Rank, W.threads()[Thread].Number);
  if (!View)
    return true;
  uint64_t All = 0;
  std::vector<const size_t *> Numbers;
  for (const ResolvedSignature &S : View->signatures()) {
    const auto At = NumberOf.find({S.Of, S.Content});
    Numbers.push_back(At == NumberOf.end() ? nullptr : &At->second);
    addProduct(All, S.Calls, 1);
  }
  if (All > Left)
    return false;
  Left -= All;
  CallCursor Calls = Trace::calls(View);
  for (Call C; Calls.next(C);)
    if (const size_t *Number = Numbers[C.Terminal])
      F(*Number, C);
  return Calls.error().empty();
}

SlotValues CallByCall::valuesOf(const Call &C, const std::vector<unsigned> &Slots) {
  SlotValues Out;
  for (const unsigned Slot : Slots)
    Out.emplace_back(static_cast<int>(Slot),
                     std::vector<int64_t>(C.Stored[Slot].Words.begin(), C.Stored[Slot].Words.end()));
  return Out;
}

} // namespace pilgrim
