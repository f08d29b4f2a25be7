//===- RankSet.cpp - sets of ranks ----------------------------------------===//
#include "trace/ranks/RankSet.h"
#include "trace/base/Hash.h"

#include <algorithm>

namespace pilgrim {

void RankSet::Shared::add(const Interval &I) {
  Before.push_back(Intervals.empty() ? 0 : Before.back() + (Intervals.back().Last - Intervals.back().First + 1));
  Intervals.push_back(I);
}

RankSet RankSet::of(Shared &&S) {
  RankSet Out;
  if (S.Intervals.empty())
    return Out;
  Out.One = {S.Intervals.front().First, S.Intervals.back().Last};
  if (S.Intervals.size() > 1)
    Out.Many = std::make_shared<Shared>(std::move(S));
  return Out;
}

/// The intervals of this set alone, to be changed. The set is not empty.
RankSet::Shared &RankSet::own() {
  if (!Many) {
    Many = std::make_shared<Shared>();
    Many->add(One);
  } else if (Many.use_count() > 1) {
    Many = std::make_shared<Shared>(*Many);
  }
  return *Many;
}

RankSet RankSet::below(uint32_t N) {
  RankSet S;
  if (N)
    S.One = {0, N - 1};
  return S;
}

RankSet RankSet::between(uint32_t First, uint32_t Last) {
  RankSet S;
  S.One = {First, Last};
  return S;
}

uint64_t RankSet::size() const {
  if (!Many)
    return empty() ? 0 : uint64_t(One.Last) - One.First + 1;
  return uint64_t(Many->Before.back()) + Many->Intervals.back().Last - Many->Intervals.back().First + 1;
}

bool RankSet::contains(uint32_t Rank) const {
  if (Rank < One.First || Rank > One.Last)
    return false;
  if (!Many)
    return true;
  const auto &L = Many->Intervals;
  return std::partition_point(L.begin(), L.end(), [&](const Interval &X) { return X.Last < Rank; })->First <= Rank;
}

uint64_t RankSet::indexOf(uint32_t Rank) const {
  if (Rank <= One.First || empty())
    return 0;
  if (Rank > One.Last)
    return size();
  if (!Many)
    return Rank - One.First;
  const auto &L = Many->Intervals;
  auto I = std::partition_point(L.begin(), L.end(), [&](const Interval &X) { return X.Last < Rank; });
  return Many->Before[static_cast<size_t>(I - L.begin())] + uint64_t(std::max(Rank, I->First) - I->First);
}

uint32_t RankSet::at(uint64_t Place) const {
  if (!Many)
    return static_cast<uint32_t>(One.First + Place);
  auto After = std::upper_bound(Many->Before.begin(), Many->Before.end(), Place);
  size_t I = static_cast<size_t>(After - Many->Before.begin()) - 1;
  return static_cast<uint32_t>(Many->Intervals[I].First + (Place - Many->Before[I]));
}

bool RankSet::operator==(const RankSet &Other) const {
  if (!(One == Other.One) || !Many != !Other.Many)
    return false;
  return Many == Other.Many || (size() == Other.size() && Many->Intervals == Other.Many->Intervals);
}

void RankSet::unite(const RankSet &Other) {
  if (Other.empty() || isShared(Other))
    return;
  if (empty()) {
    *this = Other;
    return;
  }
  // Sets mostly grow at their end.
  if (Other.One.First > One.Last) {
    const bool Continues = Other.One.First == One.Last + 1;
    auto New = Other.intervals();
    if (Many || Other.Many || !Continues) {
      Shared &S = own();
      if (Continues) {
        S.extend(New.front().Last);
        New = New.subspan(1);
      }
      for (const Interval &I : New)
        S.add(I);
    }
    One.Last = Other.One.Last;
    return;
  }
  if (Other.isIn(*this))
    return;
  Shared Out;
  auto X = intervals(), Y = Other.intervals();
  auto A = X.begin();
  auto B = Y.begin();
  auto Add = [&](const Interval &I) {
    if (!Out.Intervals.empty() && uint64_t(Out.Intervals.back().Last) + 1 >= I.First)
      Out.extend(std::max(Out.Intervals.back().Last, I.Last));
    else
      Out.add(I);
  };
  while (A != X.end() || B != Y.end())
    if (B == Y.end() || (A != X.end() && A->First <= B->First))
      Add(*A++);
    else
      Add(*B++);
  *this = of(std::move(Out));
}

RankSet RankSet::without(const RankSet &Other) const {
  if (empty() || Other.empty() || Other.One.First > One.Last || Other.One.Last < One.First)
    return *this;
  if (*this == Other)
    return {};
  Shared Out;
  auto Y = Other.intervals();
  auto B = std::partition_point(Y.begin(), Y.end(), [&](const Interval &X) { return X.Last < One.First; });
  for (const Interval &I : intervals()) {
    uint64_t Next = I.First;
    while (B != Y.end() && B->Last < Next)
      ++B;
    for (auto C = B; C != Y.end() && C->First <= I.Last; ++C) {
      if (C->First > Next)
        Out.add({static_cast<uint32_t>(Next), C->First - 1});
      Next = std::max<uint64_t>(Next, uint64_t(C->Last) + 1);
    }
    if (Next <= I.Last)
      Out.add({static_cast<uint32_t>(Next), I.Last});
  }
  return of(std::move(Out));
}

RankSet RankSet::common(const RankSet &Other) const {
  if (empty() || Other.empty() || Other.One.First > One.Last || Other.One.Last < One.First)
    return {};
  if (!Many && !Other.Many)
    return between(std::max(One.First, Other.One.First), std::min(One.Last, Other.One.Last));
  if (*this == Other)
    return *this;
  Shared Out;
  auto X = intervals(), Y = Other.intervals();
  // The shorter of two very different lists leads, and looks its places in the other one up.
  if (X.size() > Y.size())
    return Other.common(*this);
  auto B = Y.begin();
  for (const Interval &I : X) {
    if (X.size() * 16 < Y.size())
      B = std::partition_point(B, Y.end(), [&](const Interval &Z) { return Z.Last < I.First; });
    while (B != Y.end() && B->Last < I.First)
      ++B;
    for (; B != Y.end() && B->First <= I.Last; ++B) {
      Out.add({std::max(I.First, B->First), std::min(I.Last, B->Last)});
      if (B->Last > I.Last)
        break; // it goes on in the next interval
    }
  }
  RankSet Both = of(std::move(Out));
  // What is all of one of them shares its memory.
  return Both == Other ? Other : Both == *this ? *this : Both;
}

bool RankSet::isIn(const RankSet &Other) const {
  if (empty() || isShared(Other))
    return true;
  if (One.First < Other.One.First || One.Last > Other.One.Last)
    return false;
  auto Y = Other.intervals();
  auto B = Y.begin();
  for (const Interval &I : intervals()) {
    B = std::partition_point(B, Y.end(), [&](const Interval &Z) { return Z.Last < I.First; });
    if (B == Y.end() || B->First > I.First || B->Last < I.Last)
      return false;
  }
  return true;
}

void RankSetUnions::unite(RankSet &A, const RankSet &B) {
  // What nobody else has is not copied, and what is short is copied soon.
  constexpr size_t Short = 64;
  if (A.intervals().size() <= Short || A.Many.use_count() == 1) {
    A.unite(B);
    return;
  }
  auto [Begin, End] = Made.equal_range(A.Many.get());
  for (auto It = Begin; It != End; ++It)
    if (It->second.B.isShared(B)) {
      A = It->second.Both;
      return;
    }
  RankSet Both = A;
  Both.unite(B);
  Made.emplace(A.Many.get(), Union{A, B, Both});
  A = std::move(Both);
}

RankSet RankSetPool::intern(RankSet S) {
  if (S.intervals().size() < 2)
    return S; // nothing to share
  uint64_t Hash = S.size();
  for (const RankSet::Interval &I : S.intervals())
    Hash = mix(Hash, uint64_t(I.First) << 32 | I.Last);
  auto [Begin, End] = Known.equal_range(Hash);
  for (auto It = Begin; It != End; ++It)
    if (It->second == S)
      return It->second;
  Known.emplace(Hash, S);
  return S;
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
  for (const Interval &I : intervals())
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

static std::string key(std::span<const uint8_t> Bytes) { return std::string(Bytes.begin(), Bytes.end()); }

const RankSet *RankSetPool::find(std::span<const uint8_t> Bytes) const {
  auto It = Read.find(key(Bytes));
  return It == Read.end() ? nullptr : &It->second;
}

RankSet RankSetPool::add(std::span<const uint8_t> Bytes, RankSet S) {
  return Read.try_emplace(key(Bytes), intern(std::move(S))).first->second;
}

void splitSets(std::vector<RankSet> &Sets, const RankSet &By) {
  for (size_t I = 0, N = Sets.size(); I < N; ++I) {
    RankSet In = Sets[I].common(By);
    if (In.empty() || In == Sets[I])
      continue;
    Sets.push_back(Sets[I].without(In));
    Sets[I] = std::move(In);
  }
}

} // namespace pilgrim
