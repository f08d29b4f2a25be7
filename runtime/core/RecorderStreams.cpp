//===- RecorderStreams.cpp - the calls of one thread: values in streams ----===//
//
// Finds the slots of a call site whose values are worth more in streams than in signatures.
//
//===----------------------------------------------------------------------===//
#include "core/Recorder.h"
#include "trace/base/Hash.h"
#include "trace/model/StreamedKinds.h"

#include <algorithm>

namespace pilgrim {

static size_t countDistinct(std::vector<uint64_t> Hashes) {
  std::ranges::sort(Hashes);
  return static_cast<size_t>(std::unique(Hashes.begin(), Hashes.end()) - Hashes.begin());
}

/// Looks for datatypes, or arrays of them, that have the same numbers, but other sizes each time. In most programs a
/// number stands for one size, or for a few, and these are better off in the table: a stream has a size for each call.
void Recorder::lookForSizes(CallSite &S) {
  for (uint32_t I = 0; I < S.Function.Slots.size(); ++I) {
    const SlotInfo &Slot = S.Function.Slots[I];
    if (Slot.K != Kind::Datatype || S.StreamMask >> I & 1)
      continue;
    std::vector<uint64_t> Types, Numbers;
    for (const uint32_t K : S.Signatures) {
      const InternTable::Content Content = Signatures[K];
      SlotWalker Walk(Content.Tokens);
      SlotView V;
      for (uint32_t J = 0; Walk.next(V) && J < I;)
        ++J;
      if (!V.hasObjects())
        continue;
      uint64_t Type = 0, Number = 0;
      for (size_t T = V.RefToken; T < V.FirstToken + V.Tokens; ++T) {
        const InternTable::Content Object = Objects[Content.Tokens[T]];
        Type = mix(Type, Content.Tokens[T]);
        Number = mix(Number, mix(Object.Tokens[1], static_cast<uint64_t>(Object.Words[0])));
      }
      Types.push_back(Type);
      Numbers.push_back(Number);
    }
    if (countDistinct(Types) >= countDistinct(Numbers) + SizesToStream)
      moveToStreams(S, I);
  }
}

/// Looks for slots whose values keep changing from signature to signature.
void Recorder::lookForStreams(CallSite &S) {
  const size_t Number = S.Signatures.size();
  if (Number < S.NextLook)
    return;
  S.NextLook = Number * 2;
  lookForSizes(S);
  struct Values {
    uint32_t Slot;
    size_t Distinct = 0;
    std::vector<uint64_t> Hashes{}; ///< by signature; 0: not to be streamed
  };
  std::vector<Values> Seen;
  for (uint32_t I = 0; I < S.Function.Slots.size(); ++I)
    Seen.push_back({I, 0, std::vector<uint64_t>(Number)});
  std::vector<uint64_t> Whole(Number); // sums over the slots
  for (size_t K = 0; K < Number; ++K) {
    auto Content = Signatures[S.Signatures[K]];
    SlotWalker Walk(Content.Tokens);
    uint32_t I = 0;
    for (SlotView V; Walk.next(V); ++I) {
      if (S.StreamMask >> I & 1)
        continue;
      uint64_t H = mix(1469598103934665603ull, I);
      for (size_t J = 0; J < V.Tokens; ++J)
        H = mix(H, Content.Tokens[V.FirstToken + J]);
      for (size_t J = 0; J < V.Words; ++J)
        H = mix(H, static_cast<uint64_t>(Content.Words[V.FirstWord + J]));
      Whole[K] += H;
      const SlotInfo &Slot = S.Function.Slots[I];
      if (streamColumns(V.T) && (mayBeStreamed(Slot.K) || Slot.L == Layout::Text))
        Seen[I].Hashes[K] = H;
    }
  }
  for (Values &X : Seen) {
    X.Distinct = countDistinct(X.Hashes);
    if (X.Distinct >= (S.Function.Slots[X.Slot].L == Layout::Text ? TextsToStream : DistinctToStream))
      moveToStreams(S, X.Slot);
  }
  if (Number * Signatures.size() < CombinationsToStream * CombinationsToStream)
    return;
  // Slots of few values each, in any combination.
  auto Remove = [&](const Values &X) { std::ranges::transform(Whole, X.Hashes, Whole.begin(), std::minus<>()); };
  std::erase_if(Seen, [&](const Values &X) {
    const bool IsStreamed = S.StreamMask >> X.Slot & 1;
    if (IsStreamed)
      Remove(X);
    return IsStreamed || X.Distinct < 2;
  });
  // Numbers first: what else there is has to be encoded at each call.
  std::ranges::stable_sort(Seen, std::greater<>(), [&](const Values &X) {
    return std::pair(isRawNumber(S.Function.Slots[X.Slot].K), X.Distinct);
  });
  size_t Left = countDistinct(Whole), Taken = 0;
  while (Left > Number / 8 && Taken < Seen.size()) {
    Remove(Seen[Taken++]);
    Left = countDistinct(Whole);
  }
  for (size_t I = 0; I < Taken && Left <= Number / 2; ++I)
    moveToStreams(S, Seen[I].Slot);
}

/// The values of a slot will go to streams.
void Recorder::moveToStreams(CallSite &S, uint32_t Slot) {
  S.StreamMask |= uint64_t(1) << Slot;
  // From now on values are not looked at one by one: all their names may be needed.
  if (const char *Key = S.Function.Slots[Slot].Names) {
    struct Context {
      Recorder *R;
      const char *Key;
    } C{this, Key};
    Enc.allConstants(Key, &C, [](void *P, int64_t V, const char *Name) {
      auto *X = static_cast<Context *>(P);
      X->R->Names[{X->Key, V}] = Name;
    });
  }
}

} // namespace pilgrim
