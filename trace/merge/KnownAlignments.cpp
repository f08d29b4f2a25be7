//===- KnownAlignments.cpp - the alignments with gaps of one merge --------===//
#include "trace/merge/KnownAlignments.h"
#include "trace/sequences/SequenceHash.h"

#include <algorithm>
#include <utility>

namespace pilgrim {

uint8_t &PairNumbers::of(uint32_t A, uint32_t B) {
  if ((Used + 1) * 2 > Pairs.size()) {
    const std::vector<Pair> Old = std::exchange(Pairs, std::vector<Pair>(std::max<size_t>(Pairs.size() * 2, 64)));
    for (const Pair &P : Old)
      if (P.IsUsed)
        place(P.A, P.B) = P;
  }
  Pair &P = place(A, B);
  if (!P.IsUsed) {
    P = {A, B, Unknown, true};
    ++Used;
  }
  return P.Number;
}

PairNumbers::Pair &PairNumbers::place(uint32_t A, uint32_t B) {
  size_t I = mix(A, uint64_t(B) << 32) & (Pairs.size() - 1);
  while (Pairs[I].IsUsed && (Pairs[I].A != A || Pairs[I].B != B))
    I = (I + 1) & (Pairs.size() - 1);
  return Pairs[I];
}

const Alignment *KnownAlignments::find(const KeyedSequence &A, const KeyedSequence &B, const Calls &OfA,
                                       const Calls &OfB) {
  Last = 0;
  makeRoom();
  const Numbered NumberedA = number(OfA), NumberedB = number(OfB);
  uint64_t Hash = mix(hashOf(A.Order), hashOf(B.Order)), HashOfUse = 0;
  bool AreShared = true;
  std::vector<uint32_t> Own;
  Own.reserve(NumberedA.size() + NumberedB.size());
  for (const auto &[S, Of] : {std::pair(&A, &NumberedA), std::pair(&B, &NumberedB)}) {
    for (uint64_t K : S->Keys)
      Hash = mix(Hash, K);
    for (const OneCall &C : *Of) {
      AreShared &= !C.E || C.Number != OneCall::None;
      HashOfUse = mix(HashOfUse, C.Number);
      Own.push_back(C.Number);
    }
  }
  HashOfUse = mix(HashOfUse, Hash);
  if (AreShared)
    if (const size_t I = ByUse.find(HashOfUse,
                                    [&](size_t J) {
                                      const Use &U = Uses[J];
                                      return U.Numbers == Own && All[U.Of].A.isSame(A) && All[U.Of].B.isSame(B);
                                    });
        I != Finder::None)
      return &All[Uses[I].Of].Both;
  const size_t I = findLike(A, B, NumberedA, NumberedB, Hash);
  if (I == Finder::None)
    return nullptr;
  if (AreShared) {
    ByUse.add(HashOfUse, Uses.size());
    Uses.push_back({std::move(Own), I});
  }
  return &All[I].Both;
}

void KnownAlignments::makeRoom() {
  if (kept() <= MaxKept)
    return;
  All.clear();
  Uses.clear();
  ByUse = BySequences = Finder(0);
  Numbers = {};
  Differences = {};
  NumAnswers = 0;
}

KnownAlignments::Numbered KnownAlignments::number(const Calls &Of) {
  Numbered Out;
  Out.reserve(Of.size());
  for (const Entry *E : Of)
    Out.push_back({E, E && E->isShared() ? Numbers.get(*E, [&] { return NextNumber++; }) : OneCall::None});
  return Out;
}

size_t KnownAlignments::findLike(const KeyedSequence &A, const KeyedSequence &B, const Numbered &OfA,
                                 const Numbered &OfB, uint64_t Hash) {
  auto Count = [&](uint32_t X, uint32_t Y) { return differences(OfA[X], OfB[Y]); };
  const std::vector<size_t> Alike = BySequences.all(Hash);
  for (size_t N = 0; N < std::min(Alike.size(), MaxTries); ++N) {
    const size_t I = Alike[Alike.size() - 1 - N];
    auto IsStillSo = [&](const Answer &X) { return Count(X.X, X.Y) == X.Differences; };
    if (All[I].A.isSame(A) && All[I].B.isSame(B) && std::ranges::all_of(All[I].Answers, IsStillSo))
      return I;
  }
  const uint64_t Work = workOfGaps(A, B);
  if (!WithGaps.isWorth(Work))
    return Finder::None;
  Last = Work;
  std::vector<Answer> Answers;
  auto Both = alignWithGaps(A, B, [&](uint32_t X, uint32_t Y) {
    Answers.push_back({X, Y, Count(X, Y)});
    return Answers.back().Differences;
  });
  if (!Both) { // sequences that are too large are not kept: that they are is soon found again
    Last = 0;
    return Finder::None;
  }
  NumAnswers += Answers.size();
  BySequences.add(Hash, All.size());
  All.push_back({Side(A), Side(B), std::move(Answers), std::move(*Both)});
  return All.size() - 1;
}

/// Words that no explanation has in common, but no more than Most.
static size_t differencesOf(const Variant &A, const Variant &B, size_t Most) {
  if (A.Words.size() != B.Words.size())
    return Most;
  size_t N = 0;
  for (size_t W = 0; N < Most && W < A.Words.size(); ++W)
    N += !A.Words[W].explains(B.Words[W]);
  return N;
}

size_t differencesOf(const Entry &A, const Entry &B) {
  size_t Least = MostDifferences;
  for (const Variant &X : A)
    for (const Variant &Y : B)
      Least = differencesOf(X, Y, Least);
  return Least;
}

size_t KnownAlignments::differences(const OneCall &A, const OneCall &B) {
  if (!A.E || !B.E)
    return 0;
  if (A.Number == OneCall::None || B.Number == OneCall::None)
    return differencesOf(*A.E, *B.E);
  uint8_t &Known = Differences.of(A.Number, B.Number);
  if (Known == PairNumbers::Unknown)
    Known = static_cast<uint8_t>(differencesOf(*A.E, *B.E));
  return Known;
}

} // namespace pilgrim
