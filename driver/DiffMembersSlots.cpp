//===- DiffMembersSlots.cpp - what a slot of a pair of calls depends on ----===//
#include "driver/DiffMembers.h"

#include <algorithm>

namespace pilgrim {

const ResolvedSignature::StreamSlot *DiffMembers::streamOf(const ResolvedSignature &S, uint32_t Slot) {
  for (const auto &X : S.Streams)
    if (X.Slot == Slot)
      return &X;
  return nullptr;
}

/// Whether equal numbers have equal names in both traces.
bool DiffMembers::haveEqualNames(const ParamSchema &PA, const ParamSchema &PB, Tag T) const {
  auto Same = [&](const std::string &Key) {
    auto Of = [&](const TraceData &D) {
      std::vector<std::pair<int64_t, std::string>> Out;
      for (auto It = D.Names.lower_bound({Key, INT64_MIN}); It != D.Names.end() && It->first.first == Key; ++It)
        Out.emplace_back(It->first.second, It->second);
      return Out;
    };
    return Key.empty() || Of(DataA) == Of(DataB);
  };
  if (T == Tag::Status || T == Tag::Statuses)
    return Same("rank") && Same("tag") && Same("count") && Same("error");
  return PA.Names == PB.Names && PA.IsFlags == PB.IsFlags && Same(PA.Names);
}

/// Whether both traces have one function of the world rank, which need not be evaluated.
bool DiffMembers::areSameOnAllRanks(const ParamSchema *PA, const ParamSchema *PB, uint32_t TA, uint32_t TB) const {
  const RankFn &X = A.Terms[TA].F, &Y = B.Terms[TB].F;
  auto OfWorld = [](const RankFn &F) {
    return F.pieces().size() && std::ranges::none_of(F.pieces(), [](const RankFn::Piece &P) { return P.hasContext(); });
  };
  return A.World == B.World && OfWorld(X) && OfWorld(Y) && (!PA || haveEqualNames(*PA, *PB, Tag::Word)) && X.isSame(Y);
}

void DiffMembers::addNumber(const ParamSchema *PA, const ParamSchema *PB, uint32_t TA, uint32_t TB, bool AreSame) {
  if (A.Terms[TA].F.isConst() && B.Terms[TB].F.isConst())
    return;
  if (AreSame && areSameOnAllRanks(PA, PB, TA, TB))
    return;
  use(TA, TB);
  Numbers.push_back({PA, PB, TA, TB, AreSame});
}

void DiffMembers::addNumber(uint32_t TA, uint32_t TB) {
  addNumber(nullptr, nullptr, TA, TB, A.Terms[TA].First == B.Terms[TB].First);
}

/// False: the first rank's differ, whatever names stand for.
bool DiffMembers::addWord(const ParamSchema &PA, const ParamSchema &PB, uint32_t TA, uint32_t TB) {
  const int64_t X = A.Terms[TA].First, Y = B.Terms[TB].First;
  if (isHandle(PA.K)) {
    addSymbol(space(static_cast<unsigned>(PA.K)), {&PA, &PB, TA, TB});
    return CallCompare::areSymbols(PA.K, X, Y) || Compare.sameNumber(PA, PB, X, Y);
  }
  const bool AreSame = Compare.sameNumber(PA, PB, X, Y);
  addNumber(&PA, &PB, TA, TB, AreSame);
  return AreSame;
}

void DiffMembers::addObject(uint32_t RefA, uint32_t RefB) {
  if (!Objects.try_emplace({RefA, RefB}, true).second)
    return;
  const Entry &EA = A.G->table(TableId::Objects)[RefA], &EB = B.G->table(TableId::Objects)[RefB];
  const ObjectInfo &OA = A.V->object(RefA), &OB = B.V->object(RefB);
  if (EA.size() != 1 || EB.size() != 1) {
    IsClear = false;
    return;
  }
  if (OA.K != OB.K || OA.Name != OB.Name)
    return;
  const size_t Words = std::min(EA[0].Words.size(), EB[0].Words.size());
  for (size_t W = 1; W < Words; ++W)
    addNumber(objectTerm(A, RefA, W), objectTerm(B, RefB, W));
  if (OA.Name.empty())
    addSymbol(space(static_cast<unsigned>(OA.K)), {nullptr, nullptr, objectTerm(A, RefA, 0), objectTerm(B, RefB, 0)});
}

/// Of an object that is the same entry on all ranks.
uint32_t DiffMembers::objectTerm(Side &S, uint32_t Ref, size_t Word) {
  const WordList &Words = S.G->table(TableId::Objects)[Ref][0].Words;
  const uint32_t Own = S.V->rank();
  return term(S, Words, Word, Words[Word].eval(Own, {Own, S.World}), 0);
}

/// A slot that has its values in streams in one of the traces or both.
void DiffMembers::addStream(const Call &CA, const Call &CB, uint32_t Slot, std::optional<uint32_t> &Stack) {
  const Value &X = CA.Stored[Slot];
  const ParamSchema &PA = CA.Function->Slots[Slot], &PB = CB.Function->Slots[Slot];
  StreamUse U;
  U.Slot = Slot;
  auto Fill = [&](Side &S, const Call &C, bool IsB) {
    if (const auto *In = streamOf(S.V->signatures()[C.Terminal], Slot))
      for (uint32_t I = 0; I < In->Columns; ++I)
        U.Columns[IsB].push_back(In->FirstStream + I);
    else if (C.Stored[Slot].T == Tag::Object)
      addUse(U.Words[IsB], S, objectTerm(S, C.Stored[Slot].Ref, 1)); // the size
    else if (C.Stored[Slot].T == Tag::Objects)
      for (const uint32_t Ref : C.Stored[Slot].Refs)
        addUse(U.Words[IsB], S, objectTerm(S, Ref, 1));
    else
      for (const int64_t &W : C.Stored[Slot].Words)
        addUse(U.Words[IsB], S, wordTerm(S, C, W));
  };
  Fill(A, CA, false);
  Fill(B, CB, true);
  U.MayBeIdentical = U.Columns[0].size() == U.Columns[1].size() && X.T != Tag::Data && !isFreed(*CA.Function) &&
                     haveEqualNames(PA, PB, X.T);
  const auto Index = static_cast<uint32_t>(Streams.size());
  Pairs[uint64_t(CA.Terminal) << 32 | CB.Terminal].push_back(Index);
  Streams.push_back(std::move(U));
  if (X.T == Tag::Heap) {
    space(Segments).Streams.push_back(Index);
    space(Devices).Streams.push_back(Index);
  } else if (X.T == Tag::Map) {
    space(Maps).Streams.push_back(Index);
  } else if (X.T == Tag::Data) {
    space(Places).Streams.push_back(Index);
  } else if (X.T == Tag::Stack) {
    stackSpace(Stack).Streams.push_back(Index);
  } else if ((X.T == Tag::Word || X.T == Tag::Array) && isHandle(PA.K)) {
    space(static_cast<unsigned>(PA.K)).Streams.push_back(Index);
  }
}

void DiffMembers::addSlot(const Call &CA, const Call &CB, uint32_t Slot, std::optional<uint32_t> &Stack) {
  const ParamSchema &PA = CA.Function->Slots[Slot], &PB = CB.Function->Slots[Slot];
  const Value &X = CA.Stored[Slot], &Y = CB.Stored[Slot];
  if ((PA.IsMachine && PB.IsMachine) || X.T == Tag::Raw)
    return;
  if (X.T != Y.T) {
    if (CallCompare::isOwnFunction(PA, X) && CallCompare::isOwnFunction(PB, Y))
      addSymbol(space(Places), {nullptr, nullptr, placeTerm(A, CA, X), placeTerm(B, CB, Y), Part::All, X.Ref, Y.Ref});
    return;
  }
  if (X.T == Tag::Object)
    addObject(X.Ref, Y.Ref);
  if (X.T == Tag::Objects && X.Refs.size() == Y.Refs.size())
    for (size_t I = 0; I < X.Refs.size(); ++I)
      addObject(X.Refs[I], Y.Refs[I]);
  if (streamOf(A.V->signatures()[CA.Terminal], Slot) || streamOf(B.V->signatures()[CB.Terminal], Slot))
    return addStream(CA, CB, Slot, Stack);
  if (X.Words.size() != Y.Words.size() || X.Refs.size() != Y.Refs.size())
    return;
  auto AreNumbers = [](Side &S, const Call &C) { return S.V->signatures()[C.Terminal].Content->Words.areNumbers(); };
  if (X.T == Tag::Array && !isHandle(PA.K) && !isHandle(PB.K) && AreNumbers(A, CA) && AreNumbers(B, CB))
    return; // all ranks have what the first one has
  std::vector<uint32_t> WA, WB;
  for (const int64_t &W : X.Words)
    WA.push_back(wordTerm(A, CA, W));
  for (const int64_t &W : Y.Words)
    WB.push_back(wordTerm(B, CB, W));
  switch (X.T) {
  case Tag::Word:
  case Tag::Array:
    for (size_t I = 0; I < WA.size(); ++I)
      if (!addWord(PA, PB, WA[I], WB[I]))
        return; // what is behind is not compared
    return;
  case Tag::Heap: {
    addNumber(WA[1], WB[1]);
    addUse(A.Kinds, A, WA[0]);
    addUse(B.Kinds, B, WB[0]);
    const SegmentName SA = SegmentName::of(X.Words[0]), SB = SegmentName::of(Y.Words[0]);
    if (SA.Kind != SB.Kind)
      return;
    if (SA.Kind != MemoryKind::Heap)
      addSymbol(space(Devices), {nullptr, nullptr, WA[0], WB[0], Part::Device});
    addSymbol(space(Segments), {nullptr, nullptr, WA[0], WB[0], Part::Number});
    return;
  }
  case Tag::Map:
    if (X.Words[0] == MainStackRegion && Y.Words[0] == MainStackRegion) {
      addNumber(WA[0], WB[0]);
      return addSymbol(stackSpace(Stack), {nullptr, nullptr, WA[1], WB[1]});
    }
    addNumber(WA[1], WB[1]);
    addSymbol(space(Maps), {nullptr, nullptr, WA[0], WB[0]});
    return;
  case Tag::Stack:
    addSymbol(stackSpace(Stack), {nullptr, nullptr, WA[0], WB[0]});
    return;
  case Tag::Data:
    addSymbol(space(Places), {nullptr, nullptr, WA[0], WB[0], Part::All, X.Ref, Y.Ref});
    return;
  case Tag::Status:
  case Tag::Statuses:
    for (size_t I = 0; I + StatusWords <= WA.size(); I += StatusWords) {
      StatusUse U;
      std::copy_n(WA.begin() + static_cast<ptrdiff_t>(I), StatusWords, U.A.begin());
      std::copy_n(WB.begin() + static_cast<ptrdiff_t>(I), StatusWords, U.B.begin());
      U.AreSame = Compare.sameStatus(X.Words.subspan(I, StatusWords), Y.Words.subspan(I, StatusWords));
      for (size_t W = 0; W < StatusWords; ++W)
        use(U.A[W], U.B[W]);
      Statuses.push_back(U);
      if (!U.AreSame)
        return;
    }
    return;
  case Tag::Object: // were added
  case Tag::Objects:
  case Tag::Absent:
  case Tag::Null:
  case Tag::Name:
  case Tag::String:
  case Tag::Raw:
  case Tag::Stream:
    return; // the same for all ranks
  }
}

} // namespace pilgrim
