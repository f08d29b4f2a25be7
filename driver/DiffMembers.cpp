//===- DiffMembers.cpp - what a rank's calls were compared by -------------===//
#include "driver/DiffMembers.h"
#include "trace/read/Untraced.h"

#include <algorithm>

namespace pilgrim {

DiffMembers::Side DiffMembers::sideOf(const Trace &T, View V) {
  Side S;
  S.V = std::move(V);
  S.G = &S.V->group();
  S.World = T.world();
  const uint32_t World = S.World;
  S.Contexts.push_back([World](uint32_t R) { return RankContext{R, World}; });
  S.ContextOf.resize(S.V->signatures().size(), 0);
  const uint32_t Streams = S.V->streams();
  S.Read.resize(Streams, 0);
  S.Partner.resize(Streams, None);
  for (uint32_t I = 0; I < Streams; ++I)
    S.First.push_back(ofRank(S.V->streamOfAll(I), S.V->rank()));
  return S;
}

DiffMembers::DiffMembers(CallCompare &Compare, const Trace &TA, const Trace &TB, View ViewA, View ViewB)
    : Compare(Compare), DataA(TA.data()), DataB(TB.data()), A(sideOf(TA, std::move(ViewA))),
      B(sideOf(TB, std::move(ViewB))), Usual(A.V->signatures().size(), 0) {}

uint32_t DiffMembers::term(Side &S, const WordList &Words, size_t I, int64_t First, uint32_t Context) {
  auto [It, New] = S.TermOf.try_emplace({&Words, I}, static_cast<uint32_t>(S.Terms.size()));
  if (New)
    S.Terms.push_back({Words[I], Context, First, First});
  return It->second;
}

/// Of a word of a slot that is not streamed.
uint32_t DiffMembers::wordTerm(Side &S, const Call &C, const int64_t &Word) {
  const ResolvedSignature &X = S.V->signatures()[C.Terminal];
  uint32_t &Context = S.ContextOf[C.Terminal];
  if (!Context) {
    Context = static_cast<uint32_t>(S.Contexts.size());
    S.Contexts.push_back(S.G->contexts(X.Content->Tokens, S.World));
  }
  return term(S, X.Content->Words, static_cast<size_t>(&Word - X.Words.data()), Word, Context);
}

/// Of a function: its place, or none if it has a name.
uint32_t DiffMembers::placeTerm(Side &S, const Call &C, const Value &V) {
  static const WordList None{RankFn()};
  return V.Words.empty() ? term(S, None, 0, 0, 0) : wordTerm(S, C, V.Words[0]);
}

DiffMembers::Space &DiffMembers::space(unsigned Which) {
  auto [It, New] = SpaceOf.try_emplace(Which, static_cast<uint32_t>(Spaces.size()));
  if (New) {
    Spaces.emplace_back();
    Spaces.back().MayBeIdentical = Which != Places;
  }
  return Spaces[It->second];
}

/// Places on the stack are compared within a call.
DiffMembers::Space &DiffMembers::stackSpace(std::optional<uint32_t> &Stack) {
  if (!Stack) {
    Stack = static_cast<uint32_t>(Spaces.size());
    Spaces.emplace_back();
  }
  return Spaces[*Stack];
}

void DiffMembers::count(Side &S, const Call &C) {
  for (const auto &X : S.V->signatures()[C.Terminal].Streams) {
    const uint64_t Words = C.Stored[X.Slot].Words.size();
    for (uint32_t I = 0; I < X.Columns; ++I)
      S.Read[X.FirstStream + I] += !hasLength(X.T) || I == 0 ? 1 : Words / (X.Columns - 1);
  }
}

/// Streams that are read by the same calls can be compared as a whole.
void DiffMembers::pairStreams(const Call &CA, const Call &CB) {
  auto Set = [](Side &S, uint32_t Stream, int64_t Partner) {
    int64_t &P = S.Partner[Stream];
    P = P == None || P == Partner ? Partner : Several;
  };
  auto Alone = [&](Side &S, const ResolvedSignature::StreamSlot &X) {
    for (uint32_t I = 0; I < X.Columns; ++I)
      Set(S, X.FirstStream + I, Several);
  };
  const ResolvedSignature &SA = A.V->signatures()[CA.Terminal], &SB = B.V->signatures()[CB.Terminal];
  for (const auto &XA : SA.Streams) {
    const auto *XB = streamOf(SB, XA.Slot);
    if (!XB || XB->T != XA.T) {
      Alone(A, XA);
      continue;
    }
    for (uint32_t I = 0; I < XA.Columns; ++I) {
      Set(A, XA.FirstStream + I, XB->FirstStream + I);
      Set(B, XB->FirstStream + I, XA.FirstStream + I);
    }
  }
  for (const auto &XB : SB.Streams)
    if (const auto *XA = streamOf(SA, XB.Slot); !XA || XA->T != XB.T)
      Alone(B, XB);
}

static bool haveSameHead(const Call &A, const Call &B) {
  return A.Function->Name == B.Function->Name && A.Depth == B.Depth;
}

void DiffMembers::addPair(const Call &CA, const Call &CB, uint32_t Slots) {
  pairStreams(CA, CB);
  std::optional<uint32_t> Stack;
  if (!isUntraced(*CA.Function)) {
    for (uint32_t I = 0; I < Slots; ++I)
      addSlot(CA, CB, I, Stack);
    return;
  }
  // Of these the number is compared, and nothing else.
  auto IsUsual = [](const Call &C) {
    return C.Slots.size() > UntracedCalls && C.Stored[UntracedCalls].T == Tag::Word &&
           C.Stored[UntracedCalls].Words[0] >= 0;
  };
  if (IsUsual(CA) && IsUsual(CB))
    addSlot(CA, CB, UntracedCalls, Stack);
  else
    IsClear = false;
}

void DiffMembers::compared(const Call &CA, const Call &CB) {
  const bool AreConstant =
      A.V->signatures()[CA.Terminal].Streams.empty() && B.V->signatures()[CB.Terminal].Streams.empty();
  if (AreConstant && Usual[CA.Terminal] == CB.Terminal + 1)
    return;
  HasCallbacks |= CA.Depth || CB.Depth;
  const uint64_t Key = uint64_t(CA.Terminal) << 32 | CB.Terminal;
  if (Pairs.try_emplace(Key).second)
    addPair(CA, CB, static_cast<uint32_t>(CA.Slots.size()));
  if (AreConstant) {
    Usual[CA.Terminal] = CB.Terminal + 1;
    return;
  }
  count(A, CA);
  count(B, CB);
  for (uint32_t I : Pairs[Key]) {
    StreamUse &U = Streams[I];
    U.IsFirstIdentical = U.IsFirstIdentical && std::ranges::equal(CA.Stored[U.Slot].Words, CB.Stored[U.Slot].Words);
  }
}

void DiffMembers::differ(const Call &CA, const Call &CB, uint32_t Slots) {
  const uint64_t Key = uint64_t(CA.Terminal) << 32 | CB.Terminal;
  if (haveSameHead(CA, CB)) {
    if (Pairs.try_emplace(Key).second)
      addPair(CA, CB, Slots);
    count(A, CA);
    count(B, CB);
    for (uint32_t I : Pairs[Key])
      Streams[I].MayBeIdentical = Streams[I].IsFirstIdentical = false;
  }
  show(CA, false);
  show(CB, true);
}

void DiffMembers::skipped(const Call &C, bool IsB) {
  Side &S = IsB ? B : A;
  count(S, C);
  const uint64_t Key = IsB ? uint64_t(UINT32_MAX) << 32 | C.Terminal : uint64_t(C.Terminal) << 32 | UINT32_MAX;
  if (!Pairs.try_emplace(Key).second)
    return;
  const auto &Signature = S.V->signatures()[C.Terminal];
  for (const auto &X : Signature.Streams) {
    StreamUse U;
    for (uint32_t I = 0; I < X.Columns; ++I) {
      S.Partner[X.FirstStream + I] = Several;
      U.Columns[IsB].push_back(X.FirstStream + I);
    }
    U.MayBeIdentical = false;
    Streams.push_back(std::move(U));
  }
  // Another kind of memory would have been compared.
  if (!streamOf(Signature, FreedBlock))
    addUse(S.Kinds, S, wordTerm(S, C, C.Stored[FreedBlock].Words[0]));
}

void DiffMembers::show(const Call &C, bool IsB) {
  Side &S = IsB ? B : A;
  const ResolvedSignature &X = S.V->signatures()[C.Terminal];
  for (const int64_t &W : X.Words)
    addUse(S.Shown, S, wordTerm(S, C, W));
  auto Object = [&](uint32_t Ref) {
    const WordList &Words = S.G->variant(TableId::Objects, Ref, S.V->rank()).Words;
    addUse(S.Shown, S, term(S, Words, 0, S.V->object(Ref).Id, 0));
  };
  for (const Value &V : X.Slots) {
    if (V.T == Tag::Object)
      Object(V.Ref);
    for (uint32_t Ref : V.Refs)
      Object(Ref);
  }
  for (const auto &Stream : X.Streams)
    for (uint32_t I = 0; I < Stream.Columns; ++I)
      S.ShownStreams.push_back(Stream.FirstStream + I);
}

} // namespace pilgrim
