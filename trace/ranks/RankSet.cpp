//===- RankSet.cpp - sets of ranks ----------------------------------------===//
#include "trace/ranks/RankSet.h"
#include "trace/base/Hash.h"

#include <algorithm>

namespace pilgrim {

void RankSet::Shared::add(Interval I) {
  if (Intervals.capacity() == 0)
    Intervals.reserve(4); // sets mostly grow
  if (!Intervals.empty()) {
    const Interval &Last = Intervals.back();
    I.Before = Last.Before + (Last.Last - Last.First + 1);
  } else {
    I.Before = 0;
  }
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
  const Interval &Last = Many->Intervals.back();
  return uint64_t(Last.Before) + Last.Last - Last.First + 1;
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
  return I->Before + uint64_t(std::max(Rank, I->First) - I->First);
}

uint32_t RankSet::at(uint64_t Place) const {
  if (!Many)
    return static_cast<uint32_t>(One.First + Place);
  const auto &L = Many->Intervals;
  const Interval &I =
      *(std::partition_point(L.begin(), L.end(), [&](const Interval &X) { return X.Before <= Place; }) - 1);
  return static_cast<uint32_t>(I.First + (Place - I.Before));
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

using Intervals = std::span<const RankSet::Interval>;

/// Moves B, in the list Y, to the first interval that does not end before Rank. X: how many such moves there are; where
/// they are few for Y, the place is looked up.
static void moveTo(Intervals::iterator &B, Intervals Y, uint32_t Rank, size_t X) {
  if (X * 16 < Y.size())
    B = std::partition_point(B, Y.end(), [&](const RankSet::Interval &Z) { return Z.Last < Rank; });
  while (B != Y.end() && B->Last < Rank)
    ++B;
}

/// Calls F(first, last) for what is in both lists. X is the shorter one.
template <typename Fn> static void forEachCommon(Intervals X, Intervals Y, Fn &&F) {
  auto B = Y.begin();
  for (const RankSet::Interval &I : X) {
    moveTo(B, Y, I.First, X.size());
    for (; B != Y.end() && B->First <= I.Last; ++B) {
      F(std::max(I.First, B->First), std::min(I.Last, B->Last));
      if (B->Last > I.Last)
        break; // it goes on in the next interval
    }
  }
}

RankSet RankSet::common(const RankSet &Other) const {
  if (empty() || Other.empty() || Other.One.First > One.Last || Other.One.Last < One.First)
    return {};
  if (!Many && !Other.Many)
    return between(std::max(One.First, Other.One.First), std::min(One.Last, Other.One.Last));
  // What is all of one of them shares its memory.
  if (isIn(Other))
    return *this;
  if (Other.isIn(*this))
    return Other;
  const auto X = intervals(), Y = Other.intervals();
  Shared Out;
  forEachCommon(X.size() > Y.size() ? Y : X, X.size() > Y.size() ? X : Y,
                [&](uint32_t First, uint32_t Last) { Out.add({First, Last}); });
  return of(std::move(Out));
}

bool RankSet::isIn(const RankSet &Other) const {
  if (empty() || isShared(Other))
    return true;
  if (One.First < Other.One.First || One.Last > Other.One.Last)
    return false;
  const auto X = intervals(), Y = Other.intervals();
  auto B = Y.begin();
  for (const Interval &I : X) {
    moveTo(B, Y, I.First, X.size());
    if (B == Y.end() || B->First > I.First || B->Last < I.Last)
      return false;
  }
  return true;
}

uint64_t commonSize(const RankSet &A, const RankSet &B) {
  if (A.isShared(B))
    return A.size();
  const auto X = A.intervals(), Y = B.intervals();
  uint64_t N = 0;
  forEachCommon(X.size() > Y.size() ? Y : X, X.size() > Y.size() ? X : Y,
                [&](uint32_t First, uint32_t Last) { N += uint64_t(Last) - First + 1; });
  return N;
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
