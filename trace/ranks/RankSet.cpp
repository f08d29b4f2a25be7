//===- RankSet.cpp - sets of ranks ----------------------------------------===//
#include "trace/ranks/RankSet.h"

#include <algorithm>

namespace pilgrim {

RankSet RankSet::below(uint32_t N) {
  RankSet S;
  if (N)
    S.Intervals.push_back({0, N - 1});
  return S;
}

uint64_t RankSet::size() const {
  uint64_t N = 0;
  for (const Interval &I : Intervals)
    N += uint64_t(I.Last) - I.First + 1;
  return N;
}

bool RankSet::contains(uint32_t Rank) const {
  auto I = std::partition_point(Intervals.begin(), Intervals.end(), [&](const Interval &X) { return X.Last < Rank; });
  return I != Intervals.end() && I->First <= Rank;
}

uint64_t RankSet::indexOf(uint32_t Rank) const {
  uint64_t N = 0;
  for (const Interval &I : Intervals) {
    if (I.First >= Rank)
      break;
    N += uint64_t(std::min(I.Last, Rank - 1)) - I.First + 1;
  }
  return N;
}

void RankSet::unite(const RankSet &Other) {
  if (Other.empty())
    return;
  if (Other.Intervals.size() == 1 && !Intervals.empty() && Other.first() > Intervals.back().Last) {
    if (Other.first() == Intervals.back().Last + 1)
      Intervals.back().Last = Other.Intervals[0].Last;
    else
      Intervals.push_back(Other.Intervals[0]);
    return;
  }
  std::vector<Interval> Out;
  Out.reserve(Intervals.size() + Other.Intervals.size());
  auto A = Intervals.begin();
  auto B = Other.Intervals.begin();
  auto Add = [&](const Interval &I) {
    if (!Out.empty() && uint64_t(Out.back().Last) + 1 >= I.First)
      Out.back().Last = std::max(Out.back().Last, I.Last);
    else
      Out.push_back(I);
  };
  while (A != Intervals.end() || B != Other.Intervals.end())
    if (B == Other.Intervals.end() || (A != Intervals.end() && A->First <= B->First))
      Add(*A++);
    else
      Add(*B++);
  Intervals = std::move(Out);
}

RankSet RankSet::without(const RankSet &Other) const {
  RankSet Out;
  auto B = Other.Intervals.begin();
  for (Interval I : Intervals) {
    uint64_t Next = I.First;
    while (B != Other.Intervals.end() && B->Last < Next)
      ++B;
    for (auto C = B; C != Other.Intervals.end() && C->First <= I.Last; ++C) {
      if (C->First > Next)
        Out.Intervals.push_back({static_cast<uint32_t>(Next), C->First - 1});
      Next = std::max<uint64_t>(Next, uint64_t(C->Last) + 1);
    }
    if (Next <= I.Last)
      Out.Intervals.push_back({static_cast<uint32_t>(Next), I.Last});
  }
  return Out;
}

namespace {
/// A nested arrangement of equal intervals: Levels[0] is the innermost
/// repetition.
struct Block {
  struct Level {
    uint32_t Stride, Count;
    bool operator==(const Level &) const = default;
  };
  uint32_t First, Length;
  std::vector<Level> Levels;
  bool sameShape(const Block &B) const { return Length == B.Length && Levels == B.Levels; }
  uint64_t end() const {
    uint64_t E = uint64_t(First) + Length;
    for (const Level &L : Levels)
      E += uint64_t(L.Stride) * (L.Count - 1);
    return E;
  }
};
} // namespace

/// Joins runs of equally shaped, equally spaced blocks into one block with a
/// level more.
static std::vector<Block> fold(const std::vector<Block> &In) {
  std::vector<Block> Out;
  for (size_t I = 0; I < In.size();) {
    size_t N = 1;
    uint32_t Stride = 0;
    if (I + 1 < In.size() && In[I].sameShape(In[I + 1])) {
      Stride = In[I + 1].First - In[I].First;
      while (I + N < In.size() && In[I + N].sameShape(In[I]) && In[I + N].First - In[I + N - 1].First == Stride)
        ++N;
    }
    Out.push_back(In[I]);
    if (N > 1)
      Out.back().Levels.push_back({Stride, static_cast<uint32_t>(N)});
    I += N;
  }
  return Out;
}

void RankSet::write(ByteWriter &W) const {
  std::vector<Block> Blocks;
  for (const Interval &I : Intervals)
    Blocks.push_back({I.First, I.Last - I.First + 1, {}});
  for (;;) {
    auto Folded = fold(Blocks);
    bool Done = Folded.size() == Blocks.size();
    Blocks = std::move(Folded);
    if (Done)
      break;
  }
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

RankSet RankSet::read(ByteReader &R, uint32_t Limit) {
  size_t N = R.count(2);
  int64_t At = 0;
  std::vector<Interval> All;
  uint64_t Members = 0; // of the blocks so far: no more than there are ranks
  for (size_t I = 0; I < N && R.ok(); ++I) {
    int64_t Delta = R.svarint();
    if (Delta < -int64_t(Limit) || Delta > int64_t(Limit))
      R.fail();
    else
      At += Delta;
    uint64_t V = R.varint();
    uint64_t Levels = V & 3, Length = (V >> 2) + 1;
    if (Levels == 3)
      Levels += R.varintMax(29);
    if (At < 0 || uint64_t(At) + Length > Limit || Members + Length > Limit)
      R.fail();
    if (!R.ok())
      return {};
    size_t Begin = All.size();
    R.spend(sizeof(Interval));
    All.push_back({static_cast<uint32_t>(At), static_cast<uint32_t>(At + Length - 1)});
    for (uint64_t L = 0; L < Levels && R.ok(); ++L) {
      uint64_t Stride = R.varint(), Count = R.varint();
      if (Stride == 0 || Stride > Limit || Count >= Limit || All.back().Last + Stride * (Count + 1) >= Limit) {
        R.fail();
        break;
      }
      Length *= Count + 2;
      if (Members + Length > Limit) {
        R.fail();
        break;
      }
      size_t One = All.size() - Begin;
      R.spend(One * (Count + 1) * sizeof(Interval));
      if (!R.ok())
        break;
      for (uint64_t K = 1; K < Count + 2; ++K)
        for (size_t J = 0; J < One; ++J) {
          Interval X = All[Begin + J];
          All.push_back({static_cast<uint32_t>(X.First + K * Stride), static_cast<uint32_t>(X.Last + K * Stride)});
        }
    }
    Members += Length;
  }
  if (!R.ok())
    return {};
  auto Before = [](const Interval &A, const Interval &B) { return A.First < B.First; };
  if (!std::is_sorted(All.begin(), All.end(), Before))
    std::sort(All.begin(), All.end(), Before);
  // Neighbours become one, in place.
  size_t Kept = 0;
  for (const Interval &I : All) {
    if (Kept && All[Kept - 1].Last >= I.First) {
      R.fail(); // members twice: no writer does that
      return {};
    }
    if (Kept && All[Kept - 1].Last + 1 == I.First)
      All[Kept - 1].Last = I.Last;
    else
      All[Kept++] = I;
  }
  All.resize(Kept);
  RankSet S;
  S.Intervals = std::move(All);
  return S;
}

} // namespace pilgrim
