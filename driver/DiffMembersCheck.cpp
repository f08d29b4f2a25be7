//===- DiffMembersCheck.cpp - whether another rank compares alike ---------===//
#include "driver/DiffMembers.h"
#include "trace/read/Levels.h"

#include <algorithm>

namespace pilgrim {

void DiffMembers::evaluate(Side &S, uint32_t Rank) {
  std::vector<std::optional<RankContext>> Contexts(S.Contexts.size());
  for (Term &T : S.Terms) {
    if (!T.IsUsed || T.F.isConst())
      continue;
    auto &Context = Contexts[T.Context];
    if (!Context)
      Context = S.Contexts[T.Context](Rank);
    T.Now = T.F.eval(Rank, *Context);
  }
}

bool DiffMembers::check(const NumberUse &U) {
  const int64_t X = A.Terms[U.A].Now, Y = B.Terms[U.B].Now;
  if (X == A.Terms[U.A].First && Y == B.Terms[U.B].First)
    return true;
  return (U.PA ? Compare.sameNumber(*U.PA, *U.PB, X, Y) : X == Y) == U.AreSame;
}

bool DiffMembers::check(const StatusUse &U) {
  std::array<int64_t, StatusWords> X, Y;
  for (size_t I = 0; I < StatusWords; ++I) {
    X[I] = A.Terms[U.A[I]].Now;
    Y[I] = B.Terms[U.B[I]].Now;
  }
  return Compare.sameStatus(X, Y) == U.AreSame;
}

namespace {
/// Whether pairs of names are a mapping one to one.
bool isOneToOne(std::vector<std::array<int64_t, 3>> &Names) {
  std::sort(Names.begin(), Names.end());
  Names.erase(std::unique(Names.begin(), Names.end()), Names.end());
  auto Repeats = [&](size_t By) {
    for (size_t I = 1; I < Names.size(); ++I)
      if (Names[I][0] == Names[I - 1][0] && Names[I][By] == Names[I - 1][By])
        return true;
    return false;
  };
  if (Repeats(1))
    return false;
  for (auto &[Ref, First, Now] : Names)
    std::swap(First, Now);
  std::sort(Names.begin(), Names.end());
  return !Repeats(1);
}
} // namespace

bool DiffMembers::check(const Space &S) {
  bool MustBeOwn = false, MustBeIdentical = false, IsFirstIdentical = true;
  for (uint32_t I : S.Streams) {
    (Streams[I].IsSame ? MustBeOwn : MustBeIdentical) = true;
    IsFirstIdentical = IsFirstIdentical && Streams[I].IsFirstIdentical;
  }
  bool AreOwn = true, AreIdentical = S.MayBeIdentical && IsFirstIdentical, MayBeRenamed = true;
  std::vector<std::array<int64_t, 3>> NamesA, NamesB;
  auto PartOf = [](Part P, int64_t V) -> int64_t {
    return P == Part::All ? V : P == Part::Number ? SegmentName::of(V).Number : SegmentName::of(V).Device;
  };
  for (const SymbolUse &U : S.Uses) {
    const Term &X = A.Terms[U.A], &Y = B.Terms[U.B];
    AreOwn = AreOwn && X.First == X.Now && Y.First == Y.Now;
    const bool Were = !U.PA || CallCompare::areSymbols(U.PA->K, X.First, Y.First);
    const bool Are = !U.PA || CallCompare::areSymbols(U.PA->K, X.Now, Y.Now);
    // Constants are compared by themselves.
    const bool WereSame = Were || Compare.sameNumber(*U.PA, *U.PB, X.First, Y.First);
    const bool AreSame = Are || Compare.sameNumber(*U.PA, *U.PB, X.Now, Y.Now);
    if (WereSame != AreSame)
      return false;
    MayBeRenamed = MayBeRenamed && Were == Are;
    AreIdentical = AreIdentical && (!Were || PartOf(U.Of, X.First) == PartOf(U.Of, Y.First)) &&
                   (!Are || PartOf(U.Of, X.Now) == PartOf(U.Of, Y.Now));
    if (!Were || !Are)
      continue;
    NamesA.push_back({U.RefA, PartOf(U.Of, X.First), PartOf(U.Of, X.Now)});
    NamesB.push_back({U.RefB, PartOf(U.Of, Y.First), PartOf(U.Of, Y.Now)});
  }
  if (AreIdentical || (AreOwn && !MustBeIdentical))
    return true;
  return !MustBeOwn && !MustBeIdentical && MayBeRenamed && isOneToOne(NamesA) && isOneToOne(NamesB);
}

/// Whether so many values are the same.
static bool agree(const IntStreamData &X, const IntStreamData &Y, uint64_t Values) {
  if (X == Y)
    return true;
  IntStreamData::Cursor InX(X), InY(Y);
  for (int64_t VX, VY; Values; --Values) {
    const bool MoreX = InX.next(VX), MoreY = InY.next(VY);
    if (MoreX != MoreY || (MoreX && VX != VY))
      return false;
    if (!MoreX)
      return true;
  }
  return true;
}

/// Whether a stream holds for a rank what it holds for the first one, as far as that was read.
bool DiffMembers::isSame(const Side &S, uint32_t Stream, uint32_t Rank) const {
  if (S.IsConstant[Stream])
    return true;
  const RankedStream *X = ofRank(S.V->streamOfAll(Stream), Rank);
  if (!X)
    return false;
  if (X == S.First[Stream]) {
    const uint32_t First = S.V->rank();
    if (std::all_of(X->Functions.begin(), X->Functions.end(), [&](const auto &F) {
          return F.second.eval(Rank, {Rank, S.World}) == F.second.eval(First, {First, S.World});
        }))
      return true;
  }
  return agree(X->of(Rank, S.World), S.V->stream(Stream), HasCallbacks ? UINT64_MAX : S.Read[Stream]);
}

bool DiffMembers::isIdentical(uint32_t StreamA, uint32_t StreamB, uint32_t Rank) const {
  if (A.Partner[StreamA] != StreamB || B.Partner[StreamB] != StreamA)
    return false;
  const RankedStream *X = ofRank(A.V->streamOfAll(StreamA), Rank);
  const RankedStream *Y = ofRank(B.V->streamOfAll(StreamB), Rank);
  return X && Y &&
         agree(X->of(Rank, A.World), Y->of(Rank, B.World),
               HasCallbacks ? UINT64_MAX : std::min(A.Read[StreamA], B.Read[StreamB]));
}

bool DiffMembers::check(StreamUse &U, uint32_t Rank) {
  auto IsOwn = [&](const Side &S, bool IsB) {
    return std::ranges::all_of(U.Columns[IsB], [&](uint32_t C) { return isSame(S, C, Rank); }) &&
           std::ranges::all_of(U.Words[IsB], [&](uint32_t T) { return S.Terms[T].Now == S.Terms[T].First; });
  };
  U.IsSame = IsOwn(A, false) && IsOwn(B, true);
  U.IsIdentical = U.MayBeIdentical && !U.IsSame;
  for (size_t I = 0; U.IsIdentical && I < U.Columns[0].size(); ++I)
    U.IsIdentical = isIdentical(U.Columns[0][I], U.Columns[1][I], Rank);
  return U.IsSame || U.IsIdentical;
}

uint32_t DiffMembers::check(uint32_t Rank) {
  evaluate(A, Rank);
  evaluate(B, Rank);
  uint32_t Place = 1;
  for (const Side *S : {&A, &B})
    for (uint32_t T : S->Kinds) {
      const int64_t First = S->Terms[T].First, Now = S->Terms[T].Now;
      if (First != Now && SegmentName::of(First).Kind != SegmentName::of(Now).Kind)
        return Place;
      ++Place;
    }
  for (const NumberUse &U : Numbers) {
    if (!check(U))
      return Place;
    ++Place;
  }
  for (const StatusUse &U : Statuses) {
    if (!check(U))
      return Place;
    ++Place;
  }
  for (StreamUse &U : Streams) {
    if (!check(U, Rank))
      return Place;
    ++Place;
  }
  for (const Space &S : Spaces) {
    if (!check(S))
      return Place;
    ++Place;
  }
  return 0;
}

bool DiffMembers::hasSameValues() const {
  auto Has = [&](const Side &S) {
    return std::ranges::all_of(S.Shown, [&](uint32_t T) { return S.Terms[T].Now == S.Terms[T].First; }) &&
           std::ranges::all_of(S.ShownStreams, [&](uint32_t I) { return S.IsConstant[I]; });
  };
  return Has(A) && Has(B);
}

/// Whether all that was met is the same for the whole class.
bool DiffMembers::hasConstants(const RankSet &Class) {
  bool All = true;
  for (Side *S : {&A, &B}) {
    for (const Term &T : S->Terms)
      All = All && (!T.IsUsed || T.F.isConst());
    S->IsConstant.clear();
    for (const RankedStream *First : S->First) {
      bool Is = First && Class.isIn(First->Ranks) &&
                std::ranges::all_of(First->Functions, [](const auto &F) { return F.second.isConst(); });
      S->IsConstant.push_back(Is);
    }
    for (const StreamUse &U : Streams)
      for (uint32_t I : U.Columns[S == &B])
        All = All && S->IsConstant[I];
    for (uint32_t I : S->ShownStreams)
      All = All && S->IsConstant[I];
  }
  return All;
}

DiffMembers::Answer DiffMembers::find(const RankSet &Class) {
  Answer Out;
  Out.Alike = RankSet(Class.first());
  if (Class.size() == 1)
    return Out;
  if (!IsClear) {
    Out.Apart.push_back(Class.without(Out.Alike));
    return Out;
  }
  if (hasConstants(Class)) {
    Out.Alike = Class;
    return Out;
  }
  std::map<uint32_t, std::vector<RankSet::Interval>> Found;
  Class.forEach([&](uint32_t Rank) {
    const uint32_t Place = Rank == Class.first() ? 0 : check(Rank);
    if (!Place && Rank != Class.first())
      Out.HaveSameValues = Out.HaveSameValues && hasSameValues();
    auto &I = Found[Place];
    if (!I.empty() && I.back().Last + 1 == Rank)
      I.back().Last = Rank;
    else
      I.push_back({Rank, Rank});
  });
  for (const auto &[Place, Ranks] : Found)
    if (Place)
      Out.Apart.push_back(setOf(Ranks));
    else
      Out.Alike = setOf(Ranks);
  return Out;
}

} // namespace pilgrim
