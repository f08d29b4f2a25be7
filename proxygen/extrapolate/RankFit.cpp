//===- RankFit.cpp - functions of the rank at another number of ranks -----===//
#include "proxygen/extrapolate/RankFit.h"
#include "proxygen/extrapolate/PartFit.h"

#include <algorithm>
#include <set>

namespace pilgrim {

namespace {
/// Places at each end of a side that are looked at by themselves.
constexpr int64_t MostBorder = 2;
constexpr int64_t MostGroups = 4;
/// More ranks, or ranks times steps, are not looked at one by one.
constexpr int64_t MostLooked = int64_t(1) << 20;

/// Calls F(first, last) for ranks of Of that follow each other and have the same symbol.
template <typename Fn> void forEachRun(const PlaceSymbols &Symbols, const RankSet &Of, Fn &&F) {
  for (const RankSet::Interval &I : Of.intervals())
    for (uint32_t First = I.First; First <= I.Last;) {
      uint32_t Last = First;
      while (Last < I.Last && Symbols[Last + 1] == Symbols[First])
        ++Last;
      F(First, Last);
      First = Last + 1;
    }
}

/// All pairs of distances that may differ, in several steps or in one.
std::vector<std::vector<TorusDistance>> torusDistances(bool HasSteps) {
  constexpr int MostShift = 2;
  std::vector<TorusDistance> All;
  for (int I : {0, 1, -1})
    for (int J : {0, 1, -1})
      for (int Step = HasSteps ? -1 : 0; Step <= HasSteps; ++Step)
        for (int Shift = -MostShift; (I || J || Step) && Shift <= MostShift; ++Shift)
          All.push_back({I, J, Step, Shift});
  std::vector<std::vector<TorusDistance>> Out;
  for (size_t U = 0; U < All.size(); ++U)
    for (size_t V = U + 1; V < All.size(); ++V)
      Out.push_back({All[U], All[V]});
  return Out;
}
} // namespace

RankFit::RankFit(Shape S, std::span<const int64_t> Of, int64_t To, NumberFit &Numbers)
    : By(S), Counts(Of.begin(), Of.end()), Cells(S, Of, To, Numbers) {
  Counts.push_back(To);
  for (size_t Sides = 1; Sides <= (S == Shape::Line ? 1u : S == Shape::Square ? 2u : 3u); ++Sides) {
    // Each order of the sides.
    std::array<size_t, PlaceLayout::MostSides> Order{0, 1, 2};
    auto &Own = Layouts.emplace_back();
    do {
      PlaceLayout L{Sides, {}};
      for (int64_t Count : Counts) {
        const std::vector<int64_t> Grid = Sides == 1 ? std::vector{Count} : gridSides(Count, Sides);
        auto &Lengths = L.Lengths.emplace_back();
        Lengths.fill(1);
        for (size_t I = 0; I < Sides; ++I)
          Lengths[I] = Grid[Order[I]];
      }
      if (std::ranges::none_of(Own, [&](const PlaceLayout &O) { return O.Lengths == L.Lengths; }))
        Own.push_back(std::move(L));
    } while (std::next_permutation(Order.begin(), Order.begin() + static_cast<ptrdiff_t>(Sides)));
  }
  for (int64_t N = 2; N <= MostGroups; ++N) {
    if (!std::ranges::all_of(Counts, [&](int64_t Count) { return Count % N == 0; }))
      continue;
    auto &Own = Groups.emplace_back(2, PlaceLayout{2, {}});
    for (int64_t Count : Counts) {
      Own[0].Lengths.push_back({N, Count / N, 1});
      Own[1].Lengths.push_back({Count / N, N, 1});
    }
  }
}

bool RankFit::fit(std::span<const PlaceSymbols> Of, bool ArePlaces, PlaceSymbols &Wanted) {
  bool IsAmbiguous = false;
  for (const auto *Kinds : {&Layouts, &Groups})
    for (const auto &Own : *Kinds)
      for (int64_t Border = 0; Border <= MostBorder && !IsAmbiguous; ++Border)
        if (Cells.fit(Own, Border, Of, ArePlaces, Wanted, IsAmbiguous))
          return true;
  return false;
}

bool RankFit::areAround(std::span<const RankFn> Functions, std::span<const RankSet> Of) const {
  const size_t N = Functions.size();
  auto IsModulo = [](const RankFn &F) { return F.isSingle() && F.single().Mask == Candidates::Modulo; };
  const RankFn &Last = Functions[N - 1], &Before = Functions[N - 2];
  if (!IsModulo(Last) || !IsModulo(Before) || Last.single().Mod != Before.single().Mod)
    return false;
  for (size_t T = 0; T + 2 < N; ++T) {
    if (Counts[T] > MostLooked)
      return false;
    bool IsSame = true;
    Of[T].forEach([&](uint32_t R) {
      const RankContext World{R, Counts[T]};
      IsSame &= Functions[T].eval(R, World) == Last.single().eval(World);
    });
    if (!IsSame)
      return false;
  }
  return true;
}

/// The values of all places along two sides, or one if both are the same: none if there are several somewhere, or none
/// at all. At one end of a line one may be missing, as of a rank that has no neighbour: then it may be any of the
/// others.
static std::vector<Plane> planesOf(const PlaceLayout &L, size_t Count, std::array<size_t, 2> Of,
                                   const PlaceSymbols &Symbols) {
  const bool IsLine = Of[0] == Of[1];
  const auto Length = static_cast<size_t>(L.Lengths[Count][Of[0]]),
             Width = IsLine ? 1 : static_cast<size_t>(L.Lengths[Count][Of[1]]);
  std::vector<std::vector<std::optional<int64_t>>> Known(Length, std::vector<std::optional<int64_t>>(Width));
  std::set<int64_t> All;
  for (size_t I = 0; I < Symbols.size(); ++I)
    if (Symbols[I].Kind != PlaceSymbol::None) {
      const PlaceLayout::Place At = L.at(Count, I);
      auto &V = Known[static_cast<size_t>(At[Of[0]])][IsLine ? 0 : static_cast<size_t>(At[Of[1]])];
      if (V && *V != Symbols[I].V)
        return {};
      V = Symbols[I].V;
      All.insert(*V);
    }
  Plane Out(Length);
  bool IsWhole = true;
  for (size_t I = 0; I < Length; ++I)
    for (const auto &V : Known[I]) {
      if (!V && !(IsLine && (I == 0 || I + 1 == Length) && IsWhole))
        return {};
      IsWhole &= V.has_value();
      Out[I].push_back(V.value_or(0));
    }
  if (IsWhole)
    return {Out};
  // A share has one of two lengths, and the last one what is left.
  constexpr size_t MostLengths = 3;
  std::vector<Plane> Ways;
  for (int64_t V : All.size() <= MostLengths ? All : std::set<int64_t>()) {
    Out[Known[0][0] ? Length - 1 : 0][0] = V;
    Ways.push_back(Out);
  }
  return Ways;
}

/// The same where they are wanted.
static std::optional<Plane> planeThen(const std::vector<Plane> &Planes, bool IsLine, int64_t First, int64_t Second,
                                      bool &AreSeveral) {
  if (!IsLine)
    return fitFaces(Planes, First, Second);
  std::vector<std::vector<int64_t>> Lines;
  for (const Plane &P : Planes)
    for (auto &Line = Lines.emplace_back(); const auto &Row : P)
      Line.push_back(Row[0]);
  const auto Then = fitParts(Lines, First, &AreSeveral);
  if (!Then)
    return std::nullopt;
  Plane Out;
  for (int64_t V : *Then)
    Out.push_back({V});
  return Out;
}

bool RankFit::parts(std::span<const PlaceSymbols> Of, PlaceSymbols &Wanted) const {
  bool IsFound = false, AreSeveral = false;
  const size_t Last = Counts.size() - 1;
  auto Take = [&](const PlaceLayout &L, std::array<size_t, 2> Sides, const Plane &Then) {
    for (size_t I = 0; I < Wanted.size(); ++I) {
      if (Wanted[I].Kind == PlaceSymbol::None)
        continue;
      const PlaceLayout::Place At = L.at(Last, I);
      const int64_t V =
          Then[static_cast<size_t>(At[Sides[0]])][Sides[0] == Sides[1] ? 0 : static_cast<size_t>(At[Sides[1]])];
      AreSeveral |= IsFound && Wanted[I].V != V; // two ways differ
      Wanted[I].V = V;
    }
    IsFound = true;
  };
  for (const auto &Own : Layouts)
    for (const PlaceLayout &L : Own)
      for (size_t Side = 0; Side < L.Sides; ++Side)
        for (size_t Other = Side; Other < L.Sides; ++Other) {
          std::vector<std::vector<Plane>> Each; // by count: what there may be
          size_t Ways = 1;
          for (size_t T = 0; T < Of.size() && Ways; ++T)
            Ways *= Each.emplace_back(planesOf(L, T, {Side, Other}, Of[T])).size();
          for (size_t Way = 0; Way < Ways && !AreSeveral; ++Way) {
            std::vector<Plane> Planes;
            size_t Rest = Way;
            for (const auto &Own : Each) {
              Planes.push_back(Own[Rest % Own.size()]);
              Rest /= Own.size();
            }
            if (const auto Then =
                    planeThen(Planes, Side == Other, L.Lengths[Last][Side], L.Lengths[Last][Other], AreSeveral))
              Take(L, {Side, Other}, *Then);
          }
          if (AreSeveral)
            return false;
        }
  return IsFound;
}

std::optional<RankSet> RankFit::set(std::span<const RankSet> Sets) {
  if (std::ranges::any_of(Counts, [](int64_t N) { return N > MostLooked; }))
    return std::nullopt;
  // Members and others are told apart by kind, so that a cell has either.
  const PlaceSymbol Member{Candidates::Const, 0}, Other{Candidates::Offset, 0};
  std::vector<PlaceSymbols> Of;
  for (size_t T = 0; T < Sets.size(); ++T) {
    auto &Own = Of.emplace_back(static_cast<size_t>(Counts[T]), Other);
    Sets[T].forEach([&](uint32_t R) { Own[R] = Member; });
  }
  PlaceSymbols Then(static_cast<size_t>(Counts.back()), Other);
  if (!fit(Of, false, Then))
    return std::nullopt;
  RankSet Out;
  forEachRun(Then, RankSet::below(static_cast<uint32_t>(Counts.back())), [&](uint32_t First, uint32_t Last) {
    if (Then[First] == Member)
      Out.unite(RankSet::between(First, Last));
  });
  return Out;
}

RankFn RankFit::ofValues(const std::vector<int64_t> &Values, const RankSet &Ranks, bool InWorld) const {
  RankFn F = RankFn::ofValues(Values, Ranks);
  if (InWorld)
    F.shorten(Ranks, [&](uint32_t R) { return RankContext{R, Counts.back()}; });
  return F.compressed();
}

std::optional<std::vector<RankFn>> RankFit::steps(const std::vector<std::vector<RankFn>> &Functions,
                                                  std::span<const RankSet> Of, const RankSet &OfThen, size_t Steps) {
  static const std::vector<std::vector<TorusDistance>> Distances[] = {torusDistances(false), torusDistances(true)};
  std::vector<PlaceLayout::Place> Lengths;
  for (size_t T = 0; T < Counts.size(); ++T) {
    const std::vector<int64_t> Grid = gridSides(Counts[T], 2);
    const RankSet &Own = T < Of.size() ? Of[T] : OfThen;
    const size_t Times = T < Functions.size() ? Functions[T].size() : Steps;
    if (By != Shape::Square || Grid[0] != Grid[1] || Counts[T] > MostLooked ||
        Times > static_cast<size_t>(MostLooked / Counts[T]) ||
        !(Own == RankSet::below(static_cast<uint32_t>(Counts[T]))))
      return std::nullopt;
    Lengths.push_back({Grid[0], Grid[0], 1});
  }
  std::vector<PlaceSymbols> Values;
  for (size_t T = 0; T < Functions.size(); ++T) {
    PlaceSymbols &Own = Values.emplace_back();
    for (const RankFn &F : Functions[T])
      Of[T].forEach([&](uint32_t R) { Own.push_back({Candidates::Const, F.eval(R, {R, Counts[T]})}); });
  }
  std::vector<PlaceLayout> Tori;
  if (std::ranges::all_of(Values, [](const PlaceSymbols &Own) {
        return std::ranges::adjacent_find(Own, std::not_equal_to<>()) == Own.end();
      }))
    Tori.push_back({2, Lengths, {{1, 0, 0, 0}, {0, 1, 0, 0}}}); // what is the same everywhere is so by any distances
  else
    for (const auto &Around : Distances[Steps > 1])
      Tori.push_back({2, Lengths, Around});
  PlaceSymbols Then(static_cast<size_t>(Counts.back()) * Steps, PlaceSymbol{Candidates::Const, 0});
  bool IsAmbiguous = false;
  // The cells at the borders of a torus have boundaries of the program's grid.
  if (!Cells.fit(Tori, 0, Values, false, Then, IsAmbiguous) &&
      (IsAmbiguous || !Cells.fit(Tori, 1, Values, false, Then, IsAmbiguous)))
    return std::nullopt;
  std::vector<RankFn> Out;
  for (size_t S = 0; S < Steps; ++S) {
    std::vector<int64_t> Own;
    OfThen.forEach([&](uint32_t R) { Own.push_back(Then[S * OfThen.size() + R].V); });
    Out.push_back(ofValues(Own, OfThen, true));
  }
  return Out;
}

std::optional<std::vector<PlaceSymbols>> RankFit::symbolsOf(std::span<const RankFn> Functions,
                                                            std::span<const RankSet> Of, bool ByValue) const {
  if (std::ranges::any_of(Counts, [](int64_t N) { return N > MostLooked; }))
    return std::nullopt;
  std::vector<PlaceSymbols> All;
  for (size_t T = 0; T < Functions.size(); ++T) {
    auto &Own = All.emplace_back(static_cast<size_t>(Counts[T]));
    auto Add = [&](const RankSet &Ranks, const RankFn::Piece &P) {
      if (P.In && P.hasContext() && !ByValue)
        return false; // in a communicator that is not known
      Ranks.forEach([&](uint32_t R) {
        const Candidates &C = P.Cand;
        if (ByValue || !P.isExplained() || C.Mask & Candidates::Const)
          Own[R] = {Candidates::Const, P.eval(R, {R, Counts[T]})};
        else if (C.Mask & Candidates::Offset)
          Own[R] = {Candidates::Offset, C.Off};
        else if (C.Mask & Candidates::Modulo)
          Own[R] = {Candidates::Modulo, C.Mod};
        else
          Own[R] = {Candidates::Xor, C.Flip};
      });
      return true;
    };
    if (Functions[T].isSingle() && !Add(Of[T], {Of[T], Functions[T].single()}))
      return std::nullopt;
    for (const RankFn::Piece &P : Functions[T].pieces())
      if (!Add(P.Ranks, P))
        return std::nullopt;
  }
  return All;
}

void RankFit::learn(std::span<const RankFn> Functions, std::span<const RankSet> Of) {
  const auto All = symbolsOf(Functions, Of, false);
  for (size_t Sides = 0; All && Sides < Layouts.size(); ++Sides)
    for (int64_t Border = 0; Border <= MostBorder; ++Border)
      for (const PlaceLayout &L : Layouts[Sides])
        if (Cells.learn(L, Border, *All))
          return; // the layouts that follow have more cells
}

std::optional<RankFn> RankFit::function(std::span<const RankFn> Functions, std::span<const RankSet> Of,
                                        const RankSet &OfThen, bool ArePlaces, bool InWorld) {
  if (InWorld && areAround(Functions, Of))
    return Functions.back();
  PlaceSymbols Then;
  bool IsFound = false;
  for (bool ByValue : {false, true}) {
    if (IsFound || OfThen.empty() || (ByValue && !InWorld))
      continue;
    if (const auto All = symbolsOf(Functions, Of, ByValue)) {
      Then.assign(static_cast<size_t>(Counts.back()), {});
      OfThen.forEach([&](uint32_t R) { Then[R].Kind = Candidates::Const; });
      IsFound = fit(*All, ArePlaces, Then) || (ByValue && !ArePlaces && parts(*All, Then));
    }
  }
  if (!IsFound) {
    std::vector<std::vector<RankFn>> OneStep;
    for (const RankFn &F : Functions)
      OneStep.push_back({F});
    const auto Around = InWorld && !ArePlaces ? steps(OneStep, Of, OfThen, 1) : std::nullopt;
    return Around ? std::optional((*Around)[0]) : std::nullopt;
  }
  std::vector<int64_t> Values;
  bool HasContext = false;
  OfThen.forEach([&](uint32_t R) {
    Values.push_back(Then[R].V);
    HasContext |= Then[R].Kind != Candidates::Const;
  });
  if (!HasContext)
    return ofValues(Values, OfThen, InWorld);
  std::vector<RankFn::Piece> Pieces;
  forEachRun(Then, OfThen, [&](uint32_t First, uint32_t Last) {
    const PlaceSymbol &S = Then[First];
    Candidates C;
    C.Mask = S.Kind;
    (S.Kind == Candidates::Const    ? C.C
     : S.Kind == Candidates::Offset ? C.Off
     : S.Kind == Candidates::Modulo ? C.Mod
                                    : C.Flip) = S.V;
    auto P = std::ranges::find(Pieces, C, &RankFn::Piece::Cand);
    if (P == Pieces.end() && Pieces.size() <= RankFn::MaxPieces)
      P = Pieces.insert(P, {RankSet(), C});
    if (P != Pieces.end())
      P->Ranks.unite(RankSet::between(First, Last));
  });
  return Pieces.size() > RankFn::MaxPieces ? std::nullopt : std::optional(RankFn::ofPieces(std::move(Pieces)));
}

} // namespace pilgrim
