//===- ProcessArrays.cpp - arrays with an element for each process --------===//
#include "proxygen/extrapolate/ProcessArrays.h"
#include "trace/model/Relations.h"
#include "trace/model/Signature.h"

#include <algorithm>

namespace pilgrim {

std::vector<ProcessArray> processArrays(const FunctionSchema &F, std::span<const uint32_t> Tokens) {
  std::vector<ProcessArray> Out;
  if (!F.IsCollective)
    return Out;
  std::vector<bool> IsWanted(F.Slots.size());
  const Relations Of(F);
  for (const BufferRelations &B : Of.buffers())
    if (B.Per != Relation::PerSource && B.Per != Relation::PerDestination)
      for (uint32_t Slot : {B.Count, B.Displacements})
        if (Slot && Slot < F.Slots.size())
          IsWanted[Slot] = F.Slots[Slot].IsArray;
  if (std::ranges::find(IsWanted, true) == IsWanted.end())
    return Out;
  SlotWalker Slots(Tokens);
  size_t N = 0;
  for (SlotView S; Slots.next(S); ++N)
    if (S.T == Tag::Array && N < IsWanted.size() && IsWanted[N])
      Out.push_back({S.FirstToken + 1, S.FirstWord, S.Length});
  return Out;
}

std::vector<ElementRun> runsOf(std::span<const RankFn> Elements) {
  std::vector<ElementRun> Out;
  for (size_t I = 0; I < Elements.size(); ++I) {
    const RankFn &X = Elements[I];
    ElementRun *Last = Out.empty() ? nullptr : &Out.back();
    if (Last && X.isConst() && Last->First.isConst()) {
      int64_t Step;
      const bool IsStep = !__builtin_sub_overflow(X.single().C, Elements[I - 1].single().C, &Step);
      if (IsStep && Last->Count == 1)
        Last->Stride = Step;
      if (IsStep && Last->Stride == Step) {
        ++Last->Count;
        continue;
      }
    } else if (Last && X.isSame(Last->First)) {
      ++Last->Count;
      continue;
    }
    Out.push_back({X, 0, 1});
  }
  return Out;
}

bool append(const ElementRun &R, size_t Most, std::vector<RankFn> &To) {
  if (R.Count > Most || (R.Stride && !R.First.isConst()))
    return false;
  __int128 V = R.First.isConst() ? R.First.single().C : 0;
  const __int128 Last = V + __int128(R.Stride) * (R.Count - (R.Count > 0));
  if (Last > INT64_MAX || Last < INT64_MIN)
    return false;
  for (uint64_t I = 0; I < R.Count; ++I, V += R.Stride)
    To.push_back(R.Stride ? RankFn(static_cast<int64_t>(V)) : R.First);
  return true;
}

} // namespace pilgrim
