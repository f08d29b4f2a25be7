//===- IntStreamBytes.cpp - sequences of integers as bytes ----------------===//
#include "trace/base/Wrap.h"
#include "trace/sequences/IntStream.h"

#include <algorithm>
#include <optional>

namespace pilgrim {

/// Each run once.
static GrammarData inOrder(size_t Runs) {
  GrammarData G;
  G.Rules[0].reserve(Runs);
  for (uint32_t I = 0; I < Runs; ++I)
    G.Rules[0].push_back({I, false, 1});
  return G;
}

/// Whether G is that.
static bool isInOrder(const GrammarData &G, size_t Runs) {
  const auto &Start = G.Rules[0];
  if (G.Rules.size() != 1 || !G.Chunks.empty() || Start.size() != Runs)
    return false;
  for (uint32_t I = 0; I < Runs; ++I)
    if (Start[I] != GrammarSymbol{I, false, 1})
      return false;
  return true;
}

/// Runs that a file may have one by one, though some are equal.
static constexpr uint64_t Few = 256;

/// The same with a run for each that is asked for, where these are few.
static std::optional<IntStreamData> oneByOne(const IntStreamData &S) {
  if (!S.Chunks.empty() || isInOrder(S.Order, S.Runs.size()))
    return std::nullopt;
  const uint64_t Length = S.Order.length();
  if (Length > Few || Length == S.Runs.size() || S.Order.terminals() > S.Runs.size())
    return std::nullopt;
  IntStreamData Out;
  Out.Runs.reserve(Length);
  Out.AreSteps = S.AreSteps;
  GrammarData::Cursor C(S.Order);
  for (uint32_t T; C.next(T);)
    Out.Runs.push_back(S.Runs[T]);
  Out.Order = inOrder(Out.Runs.size());
  return Out;
}

/// And back: equal runs are one, as streams have them that are not from a file.
static void joinEqual(IntStreamData &S) {
  auto IsNew = [&](const LinearRun &R) { return std::find<const LinearRun *>(S.Runs.data(), &R, R) == &R; };
  if (std::ranges::all_of(S.Runs, IsNew)) // the frequent case
    return;
  std::vector<LinearRun> Runs;
  Grammar Order;
  for (const LinearRun &R : S.Runs) {
    auto It = std::find(Runs.begin(), Runs.end(), R);
    Order.append(static_cast<uint32_t>(It - Runs.begin()));
    if (It == Runs.end())
      Runs.push_back(R);
  }
  S.Runs = std::move(Runs);
  S.Order = Order.data();
}

void IntStreamData::write(ByteWriter &W, unsigned Features) const {
  if (auto Longer = Features & HasFunctions || W.IsInTransit ? std::nullopt : oneByOne(*this)) {
    const auto Begin = static_cast<ptrdiff_t>(W.Data.size());
    Longer->writeAsIs(W, Features);
    const auto End = static_cast<ptrdiff_t>(W.Data.size());
    writeAsIs(W, Features);
    if (End - Begin < static_cast<ptrdiff_t>(W.Data.size()) - End)
      W.Data.resize(static_cast<size_t>(End));
    else
      W.Data.erase(W.Data.begin() + Begin, W.Data.begin() + End);
    return;
  }
  writeAsIs(W, Features);
}

/// In the place of a run's length: what would be a single value that has a stride.
static constexpr uint64_t RunIsChunk = 1;

void IntStreamData::writeAsIs(ByteWriter &W, unsigned Features) const {
  Features |= (AreSteps ? IsOfSteps : NoFeature) | (Chunks.empty() ? NoFeature : HasChunks);
  // No stream begins with 0.
  if (Features) {
    W.byte(0);
    W.byte(static_cast<uint8_t>(Features));
  }
  // One bit says that there are single values only.
  bool IsSingle =
      Chunks.empty() && std::all_of(Runs.begin(), Runs.end(), [](const LinearRun &R) { return R.Count == 1; });
  W.varint(Runs.size() << 1 | uint64_t(IsSingle));
  int64_t Last = 0;
  auto NextChunk = Chunks.begin();
  for (size_t I = 0; I < Runs.size(); ++I) {
    if (NextChunk != Chunks.end() && NextChunk->first == I) {
      W.svarint(0);
      W.varint(RunIsChunk);
      (NextChunk++)->second.write(W);
      continue;
    }
    const LinearRun &R = Runs[I];
    W.svarint(wrappedDifference(R.First, Last));
    // One varint says a single value, a constant run or a strided run.
    if (!IsSingle)
      W.varint(R.Count == 1 ? 0 : (R.Count - 1) << 1 | uint64_t(R.Stride != 0));
    if (R.Count > 1 && R.Stride)
      W.svarint(R.Stride);
    Last = R.First;
  }
  if (isInOrder(Order, Runs.size()))
    W.varint(0);
  else
    Order.write(W);
}

IntStreamData IntStreamData::read(ByteReader &R, unsigned Allowed, unsigned *Features) {
  IntStreamData S;
  unsigned Own = NoFeature;
  if (R.isNext(0)) {
    R.byte();
    Own = R.byte();
    if (!Own || (Own & ~Allowed))
      R.fail("a stream has features that it may not have");
  }
  S.AreSteps = Own & IsOfSteps;
  if (Features)
    *Features = Own;
  uint64_t Head = R.varint(), N = Head >> 1;
  bool IsSingle = Head & 1;
  if (N > R.remaining() || !Head)
    R.fail("a stream has more runs than bytes are left, or says nothing");
  int64_t Last = 0;
  if (!R.ok())
    return {};
  R.spend(N * sizeof(LinearRun));
  if (R.ok())
    S.Runs.reserve(N);
  for (size_t I = 0; I < N && R.ok(); ++I) {
    LinearRun L{wrappedSum(Last, R.svarint()), 0, 1};
    const uint64_t V = IsSingle ? 0 : R.varint();
    if (V == RunIsChunk && (Own & HasChunks)) {
      if (L.First != Last)
        R.fail("a chunk with a first value");
      Chunk C = Chunk::read(R, false);
      S.Runs.push_back({0, 0, C.length()});
      S.Chunks.emplace_back(static_cast<uint32_t>(I), std::move(C));
      continue;
    }
    if (V) {
      L.Count = (V >> 1) + 1;
      if (V & 1)
        L.Stride = R.svarint();
      if (L.Count < 2 || L.Count > MaxRun)
        R.fail("the length of a run is out of range");
    }
    Last = L.First;
    S.Runs.push_back(L);
  }
  size_t Rules = R.count();
  R.spend(Rules ? 0 : N * sizeof(GrammarSymbol));
  if (!R.ok())
    return {};
  S.Order = Rules ? GrammarData::read(R, Rules) : inOrder(N);
  if (R.ok() && S.Order.terminals() > S.Runs.size())
    R.fail("a stream refers to a run that it does not have");
  if (R.ok() && Rules == 0 && N <= Few && !(Own & (HasFunctions | HasChunks)))
    joinEqual(S);
  // The total must not overflow.
  if (R.ok() && !S.isShort())
    R.fail("a stream has 2^62 values or more");
  if (!R.ok())
    return {};
  return S;
}

} // namespace pilgrim
