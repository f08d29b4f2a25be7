//===- CallVolumes.cpp - bytes that calls of all ranks move ---------------===//
#include "driver/CallVolumes.h"

namespace pilgrim {

/// Values, and sets of ranks, beyond which ranks are looked at one by one.
static constexpr size_t MaxCells = 256;

bool CallVolumes::forEach(const VolumeFn &F) {
  Streamed.clear();
  for (unsigned I = 0; I < C.Slots.size(); ++I)
    if (C.Slots[I].IsStreamed && Rule.uses(I))
      Streamed.push_back(I);
  if (!Streamed.empty())
    return W.forEachCase(C, Streamed,
                         [&](const RankSet &Ranks, Fixed Values, uint64_t Times) { tell(Ranks, Values, Times, F); });
  for (const RankedCount &X : C.Calls)
    tell(X.Ranks, {}, X.N, F);
  return true;
}

void CallVolumes::tell(const RankSet &Ranks, Fixed Values, uint64_t Times, const VolumeFn &F) {
  findCells(Ranks, Values);
  for (const RankSet &Cell : Cells)
    F(Cell, volume(Cell.first(), Values), Times);
}

const int64_t *CallVolumes::fixed(uint32_t Slot, Fixed Values) const {
  for (size_t I = 0; I < Streamed.size(); ++I)
    if (Streamed[I] == Slot)
      return &Values[I];
  return nullptr;
}

Volume CallVolumes::volume(uint32_t Rank, Fixed Values) const {
  std::vector<Value> Slots(C.Slots.size());
  size_t Words = 0;
  for (unsigned I = 0; I < C.Slots.size(); ++I)
    if (Rule.uses(I))
      Words += C.Slots[I].Words.size();
  std::vector<int64_t> Numbers;
  Numbers.reserve(Words); // spans refer to them
  const RankContext Ctx = W.context(C, Rank);
  for (unsigned I = 0; I < C.Slots.size(); ++I) {
    const SlotShape &S = C.Slots[I];
    Value &V = Slots[I];
    V.T = S.T;
    V.Ref = S.Ref;
    V.Refs = S.Refs;
    if (const int64_t *Own = fixed(I, Values)) {
      V.Words = {Own, 1};
    } else if (Rule.uses(I)) {
      const size_t First = Numbers.size();
      for (const RankFn &F : S.Words)
        Numbers.push_back(F.eval(Rank, Ctx));
      V.Words = std::span(Numbers).subspan(First);
    }
  }
  return Rule.of(Slots, [&](uint32_t Ref) { return W.objectOn(Rank, C.Thread, Ref); });
}

void CallVolumes::findCells(const RankSet &Ranks, Fixed Values) {
  All = Ranks;
  Cells = {Ranks};
  IsRankByRank = false;
  const Relations &R = Rule.relations();
  if (R.comm() && C.Slots[R.comm()].T == Tag::Object) {
    // The number of processes, of the other group too.
    const ObjectShape &O = W.object(C.Thread, C.Slots[R.comm()].Ref);
    splitBy(O.Words[2], W.worldContext());
    if (O.K == Kind::Comm)
      splitBy(O.Words[4], W.worldContext());
  }
  if (R.root())
    splitByRoot(Values);
  if (Rule.receivedMessage())
    splitByWords(Rule.receivedMessage(), Values);
  for (const BufferRelations &B : R.buffers())
    if (B.Datatype)
      splitByBuffer(B, Values);
}

void CallVolumes::splitByBuffer(const BufferRelations &B, Fixed Values) {
  for (uint32_t Slot : {B.To, B.From})
    if (Slot)
      splitByNobody(Slot, Values);
  for (uint32_t Slot : {B.Count, B.Factor})
    if (Slot)
      splitByWords(Slot, Values);
  if (B.IsOwnCount) {
    // Alike are those whose own part is as large as any.
    const auto &Words = C.Slots[B.Count].Words;
    for (size_t I = 1; I < Words.size(); ++I)
      if (!Words[0].isConst() || !Words[I].isConst() || Words[I].single().C != Words[0].single().C)
        return splitAll();
  }
  const SlotShape &Type = C.Slots[B.Datatype];
  if (Type.T == Tag::Object && !Type.IsStreamed)
    splitBySize(Type.Ref);
  for (uint32_t Ref : Type.Refs)
    splitBySize(Ref);
}

void CallVolumes::splitBySize(uint32_t Ref) { splitBy(W.object(C.Thread, Ref).Words[1], W.worldContext()); }

void CallVolumes::splitByWords(uint32_t Slot, Fixed Values) {
  if (!fixed(Slot, Values))
    for (const RankFn &F : C.Slots[Slot].Words)
      splitBy(F, W.contextOf(C));
}

/// Whether data go to nobody is all that matters of where they go.
void CallVolumes::splitByNobody(uint32_t Slot, Fixed Values) {
  if (Rule.procNull() && C.Slots[Slot].T == Tag::Word && !fixed(Slot, Values))
    splitOff(ranksWith(*Rule.procNull(), C.Slots[Slot].Words[0], All, W.contextOf(C), W.isInWorld(C)));
}

/// Whether a rank is the root.
void CallVolumes::splitByRoot(Fixed Values) {
  const Relations &R = Rule.relations();
  const SlotShape &Root = C.Slots[R.root()];
  if (Root.T != Tag::Word || !R.comm() || C.Slots[R.comm()].T != Tag::Object)
    return splitByWords(R.root(), Values);
  const RankFn &Own = W.object(C.Thread, C.Slots[R.comm()].Ref).Words[1];
  auto IsRoot = [&](int64_t Value, const RankSet &Of) {
    splitOff(Of);
    splitOff(ranksWith(Value, Own, Of, W.worldContext(), true));
  };
  if (const int64_t *Value = fixed(R.root(), Values))
    return IsRoot(*Value, All);
  if (Root.Words[0].isConst())
    return IsRoot(Root.Words[0].single().C, All);
  const auto Levels = Root.Words[0].levels(All, W.contextOf(C), MaxCells);
  if (!Levels)
    return splitAll();
  for (const RankFn::Level &L : *Levels)
    IsRoot(L.Value, L.Ranks);
}

void CallVolumes::splitBy(const RankFn &F, const RankFn::ContextFn &Ctx) {
  if (F.isConst() || IsRankByRank)
    return;
  const auto Levels = F.levels(All, Ctx, MaxCells);
  if (!Levels)
    return splitAll();
  for (const RankFn::Level &L : *Levels)
    splitOff(L.Ranks);
}

void CallVolumes::splitOff(const RankSet &Part) {
  if (IsRankByRank || Part.empty())
    return;
  splitSets(Cells, Part);
  if (Cells.size() > MaxCells)
    splitAll();
}

void CallVolumes::splitAll() {
  if (IsRankByRank)
    return;
  IsRankByRank = true;
  Cells.clear();
  All.forEach([&](uint32_t Rank) { Cells.emplace_back(Rank); });
}

} // namespace pilgrim
