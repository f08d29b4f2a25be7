//===- RankSetBytes.cpp - sets of ranks in a file -------------------------===//
#include "trace/ranks/RankBlocks.h"

#include <algorithm>

namespace pilgrim {

namespace {
using Block = RankBlock;
bool sameShape(const Block &A, const Block &B) { return A.Length == B.Length && A.Levels == B.Levels; }
bool sameShape(const RankSet::Interval &A, const RankSet::Interval &B) { return A.Last - A.First == B.Last - B.First; }
const Block &blockOf(const Block &B) { return B; }
Block blockOf(const RankSet::Interval &I) { return {I.First, I.Last - I.First + 1, {}}; }
} // namespace

/// Joins runs of equally shaped, equally spaced blocks, or intervals, into one block with a level more.
template <typename T> static std::vector<Block> fold(std::span<const T> In) {
  std::vector<Block> Out;
  for (size_t I = 0; I < In.size();) {
    size_t N = 1;
    uint32_t Stride = 0;
    if (I + 1 < In.size() && sameShape(In[I], In[I + 1])) {
      Stride = In[I + 1].First - In[I].First;
      while (I + N < In.size() && sameShape(In[I + N], In[I]) && In[I + N].First - In[I + N - 1].First == Stride)
        ++N;
    }
    Out.push_back(blockOf(In[I]));
    if (N > 1)
      Out.back().Levels.push_back({Stride, static_cast<uint32_t>(N)});
    I += N;
  }
  return Out;
}

std::vector<RankBlock> blocksOf(const RankSet &Ranks) {
  std::vector<Block> Blocks = fold(Ranks.intervals());
  for (size_t Before = Ranks.intervals().size(); Blocks.size() < Before;) {
    Before = Blocks.size();
    Blocks = fold(std::span<const Block>(Blocks));
  }
  return Blocks;
}

void RankSet::write(ByteWriter &W) const {
  const std::vector<Block> Blocks = blocksOf(*this);
  W.varint(Blocks.size());
  uint64_t At = 0;
  for (const Block &B : Blocks) {
    // Blocks are in order of their first rank, but a block may interleave with
    // the one before it.
    W.svarint(static_cast<int64_t>(B.First) - static_cast<int64_t>(At));
    W.varint(uint64_t(B.Length - 1) << 2 | std::min<size_t>(B.Levels.size(), 3));
    if (B.Levels.size() >= 3)
      W.varint(B.Levels.size() - 3);
    for (const auto &L : B.Levels) {
      W.varint(L.Stride);
      W.varint(L.Count - 2);
    }
    At = B.First;
  }
}

/// Reads blocks of ranks below Limit without making a list of their ranks.
static std::vector<Block> readBlocks(ByteReader &R, uint32_t Limit, uint64_t &Intervals) {
  std::vector<Block> Blocks;
  int64_t At = 0;
  uint64_t Members = 0; // no more than there are ranks
  for (size_t N = R.count(2); N-- && R.ok();) {
    const int64_t Delta = R.svarint();
    if (Delta < -int64_t(Limit) || Delta > int64_t(Limit))
      R.fail("a rank that is not in the world");
    else
      At += Delta;
    const uint64_t V = R.varint();
    uint64_t Levels = V & 3, Length = (V >> 2) + 1;
    if (Levels == 3)
      Levels += R.varintMax(29);
    if (At < 0 || uint64_t(At) + Length > Limit || Members + Length > Limit)
      R.fail("a rank that is not in the world");
    if (!R.ok())
      return {};
    R.spend(sizeof(Block) + Levels * sizeof(Block::Level));
    Block B{static_cast<uint32_t>(At), static_cast<uint32_t>(Length), {}};
    uint64_t Last = uint64_t(At) + Length - 1, One = 1;
    for (; Levels-- && R.ok();) {
      const uint64_t Stride = R.varint(), Count = R.varint();
      if (Stride == 0 || Stride > Limit || Count >= Limit || Last + Stride * (Count + 1) >= Limit) {
        R.fail("a rank that is not in the world");
        break;
      }
      Last += Stride * (Count + 1);
      Length *= Count + 2;
      One *= Count + 2;
      if (Members + Length > Limit)
        R.fail("a rank that is not in the world");
      B.Levels.push_back({static_cast<uint32_t>(Stride), static_cast<uint32_t>(Count + 2)});
    }
    Intervals += One;
    Members += Length;
    Blocks.push_back(std::move(B));
  }
  return Blocks;
}

RankSet RankSet::read(ByteReader &R, const RankScope &Scope) {
  const size_t Begin = R.offset();
  uint64_t Intervals = 0;
  const std::vector<Block> Blocks = readBlocks(R, Scope.World, Intervals);
  if (!R.ok())
    return {};
  const auto Bytes = R.since(Begin);
  if (const RankSet *Known = Scope.Sets ? Scope.Sets->find(Bytes) : nullptr)
    return *Known;
  R.spend(Intervals * (sizeof(Interval) + sizeof(uint32_t)));
  if (!R.ok())
    return {};
  std::vector<Interval> All;
  All.reserve(Intervals);
  for (const Block &B : Blocks) {
    const size_t First = All.size();
    All.push_back({B.First, B.First + B.Length - 1});
    for (const Block::Level &L : B.Levels)
      for (size_t One = All.size() - First, K = 1; K < L.Count; ++K)
        for (size_t J = 0; J < One; ++J) {
          const Interval X = All[First + J];
          All.push_back({static_cast<uint32_t>(X.First + K * L.Stride), static_cast<uint32_t>(X.Last + K * L.Stride)});
        }
  }
  auto Before = [](const Interval &A, const Interval &B) { return A.First < B.First; };
  if (!std::is_sorted(All.begin(), All.end(), Before))
    std::sort(All.begin(), All.end(), Before);
  Shared S;
  for (const Interval &I : All) {
    if (!S.Intervals.empty() && S.Intervals.back().Last >= I.First) {
      R.fail("a rank that is in a set twice"); // members twice: no writer does that
      return {};
    }
    if (!S.Intervals.empty() && S.Intervals.back().Last + 1 == I.First)
      S.extend(I.Last);
    else
      S.add(I);
  }
  RankSet Out = of(std::move(S));
  return Scope.Sets ? Scope.Sets->add(Bytes, std::move(Out)) : Out;
}

} // namespace pilgrim
