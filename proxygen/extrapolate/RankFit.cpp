//===- RankFit.cpp - functions of the rank at another number of ranks -----===//
#include "proxygen/extrapolate/RankFit.h"
#include "proxygen/extrapolate/TorusFit.h"

#include <algorithm>

namespace pilgrim {

namespace {
/// Places at each end of a side that are looked at by themselves.
constexpr int64_t MostBorder = 2;
/// More ranks are not looked at one by one.
constexpr int64_t MostLooked = int64_t(1) << 20;

/// Of 2 * Border + 1 parts of a side, the one that a place is in.
int64_t partOf(int64_t Place, int64_t Length, int64_t Border) {
  return Place < Border ? Place : Place >= Length - Border ? 2 * Border - (Length - 1 - Place) : Border;
}
int64_t firstOf(int64_t Part, int64_t Length, int64_t Border) {
  return Part <= Border ? Part : Length - 1 - (2 * Border - Part);
}

/// Calls F(first, last) for ranks of Of that follow each other and have the same symbol.
template <typename Symbol, typename Fn> void forEachRun(const std::vector<Symbol> &Symbols, const RankSet &Of, Fn &&F) {
  for (const RankSet::Interval &I : Of.intervals())
    for (uint32_t First = I.First; First <= I.Last;) {
      uint32_t Last = First;
      while (Last < I.Last && Symbols[Last + 1] == Symbols[First])
        ++Last;
      F(First, Last);
      First = Last + 1;
    }
}
} // namespace

RankFit::RankFit(Shape S, std::span<const int64_t> Of, int64_t To, NumberFit &Numbers)
    : By(S), Numbers(Numbers), Counts(Of.begin(), Of.end()) {
  Counts.push_back(To);
  for (size_t Sides = 1; Sides <= (S == Shape::Line ? 1u : S == Shape::Square ? 2u : 3u); ++Sides) {
    // Each order of the sides.
    std::array<size_t, MostSides> Order{0, 1, 2};
    auto &Own = Layouts.emplace_back();
    do {
      Layout L{Sides, {}};
      for (int64_t Count : Counts) {
        const std::vector<int64_t> Grid = Sides == 1 ? std::vector{Count} : gridSides(Count, Sides);
        auto &Lengths = L.Lengths.emplace_back();
        Lengths.fill(1);
        for (size_t I = 0; I < Sides; ++I)
          Lengths[I] = Grid[Order[I]];
      }
      if (std::ranges::none_of(Own, [&](const Layout &O) { return O.Lengths == L.Lengths; }))
        Own.push_back(std::move(L));
    } while (std::next_permutation(Order.begin(), Order.begin() + static_cast<ptrdiff_t>(Sides)));
  }
}

std::optional<std::vector<RankFit::Cell>> RankFit::cells(const Layout &L, size_t Count, int64_t Border,
                                                         const Symbols &Of) {
  const auto &Lengths = L.Lengths[Count];
  std::array<int64_t, MostSides> Parts{1, 1, 1};
  for (size_t I = 0; I < L.Sides; ++I) {
    if (Lengths[I] < 2 * Border)
      return std::nullopt; // a place would be in two parts
    Parts[I] = 2 * Border + 1;
  }
  std::vector<Cell> Out(static_cast<size_t>(Parts[0] * Parts[1] * Parts[2]));
  auto Expected = [](const Cell &C, const std::array<int64_t, MostSides> &At) -> std::optional<int64_t> {
    __int128 V = C.First.V;
    for (size_t I = 0; I < MostSides; ++I)
      if (At[I] != C.At[I]) {
        if (!C.Slopes[I])
          return std::nullopt;
        V += __int128(*C.Slopes[I]) * (At[I] - C.At[I]);
      }
    return V > INT64_MAX || V < INT64_MIN ? std::nullopt : std::optional(static_cast<int64_t>(V));
  };
  // First what the slopes are, from neighbours of the first rank of a cell; then whether all agree.
  for (bool IsCheck : {false, true}) {
    std::array<int64_t, MostSides> At{};
    for (const Symbol &S : Of) {
      size_t Part = 0;
      for (size_t I = 0; I < MostSides; ++I)
        Part = Part * static_cast<size_t>(Parts[I]) +
               static_cast<size_t>(I < L.Sides ? partOf(At[I], Lengths[I], Border) : 0);
      Cell &C = Out[Part];
      if (S.K == Symbol::None) {
        // Said by nobody; sets have a symbol for this.
      } else if (!C.IsSeen) {
        C.IsSeen = true;
        C.At = At;
        C.First = S;
      } else if (!IsCheck) {
        size_t Differ = MostSides, Number = 0;
        for (size_t I = 0; I < MostSides; ++I)
          if (At[I] != C.At[I]) {
            Differ = I;
            ++Number;
          }
        if (Number == 1 && !C.Slopes[Differ]) {
          const __int128 More = __int128(S.V) - C.First.V, Apart = At[Differ] - C.At[Differ];
          if (More % Apart || More > INT64_MAX || More < INT64_MIN)
            return std::nullopt;
          C.Slopes[Differ] = static_cast<int64_t>(More / Apart);
        }
      } else if (S.K != C.First.K || Expected(C, At) != S.V) {
        return std::nullopt;
      }
      for (size_t I = MostSides; I-- > 0 && ++At[I] == Lengths[I];)
        At[I] = 0;
    }
  }
  // As it would be at the cell's first place, whether a rank is there or not.
  for (size_t Part = 0; Part < Out.size(); ++Part) {
    Cell &C = Out[Part];
    if (!C.IsSeen)
      continue;
    std::array<int64_t, MostSides> First{};
    size_t Rest = Part;
    for (size_t I = MostSides; I-- > 0;) {
      const auto N = static_cast<size_t>(Parts[I]);
      First[I] = I < L.Sides ? firstOf(static_cast<int64_t>(Rest % N), Lengths[I], Border) : 0;
      Rest /= N;
    }
    const auto V = Expected(C, First);
    if (!V)
      return std::nullopt;
    C.First.V = *V;
    C.At = First;
  }
  return Out;
}

std::optional<int64_t> RankFit::number(std::span<const std::optional<int64_t>> Values,
                                       const std::vector<std::vector<int64_t>> &All) {
  std::vector<bool> Told;
  std::vector<int64_t> Own, At;
  for (size_t T = 0; T < Values.size(); ++T) {
    Told.push_back(Values[T].has_value());
    if (Values[T]) {
      Own.push_back(*Values[T]);
      At.push_back(Counts[T]);
    }
  }
  if (Own.size() < 2)
    return std::nullopt;
  if (std::ranges::adjacent_find(Own, std::not_equal_to<>()) == Own.end())
    return Own[0];
  if (Own.size() == Values.size())
    return Numbers.at(Own);
  // Another cell's number, which more traces tell, is the same wherever both are told.
  std::optional<int64_t> Out;
  for (const auto &Other : All) {
    bool IsSame = true;
    for (size_t T = 0; T < Values.size(); ++T)
      IsSame &= !Values[T] || *Values[T] == Other[T];
    if (!IsSame)
      continue;
    const auto V = Numbers.at(Other);
    if (!V || (Out && *Out != *V))
      return std::nullopt;
    Out = V;
  }
  if (!Out && Own.size() > 2)
    Out = Fits.try_emplace(Told, By, At, Counts.back()).first->second.at(Own);
  return Out;
}

std::optional<std::vector<std::vector<RankFit::Cell>>> RankFit::cellsOf(const Layout &L, int64_t Border,
                                                                        std::span<const Symbols> Of) {
  std::vector<std::vector<Cell>> Own;
  for (size_t T = 0; T < Of.size(); ++T) {
    auto C = cells(L, T, Border, Of[T]);
    if (!C)
      return std::nullopt;
    Own.push_back(std::move(*C));
  }
  return Own;
}

/// By trace: what is in a cell's first place, or one of the slopes.
static auto numbersOfCell(const auto &Own, size_t Part, size_t Which) {
  std::vector<std::optional<int64_t>> Out;
  for (const auto &C : Own)
    Out.push_back(!C[Part].IsSeen ? std::nullopt : Which ? C[Part].Slopes[Which - 1] : std::optional(C[Part].First.V));
  return Out;
}

std::vector<std::vector<int64_t>> RankFit::numbersOf(const std::vector<std::vector<Cell>> &Own) {
  std::vector<std::vector<int64_t>> All;
  for (size_t Part = 0; Part < Own[0].size(); ++Part)
    for (size_t Which = 0; Which <= MostSides; ++Which)
      if (const auto V = numbersOfCell(Own, Part, Which);
          std::ranges::all_of(V, [](const auto &X) { return X.has_value(); })) {
        auto &To = All.emplace_back();
        for (const auto &X : V)
          To.push_back(*X);
      }
  return All;
}

std::optional<std::vector<RankFit::Cell>> RankFit::cellsThen(const std::vector<std::vector<Cell>> &Own,
                                                             bool ArePlaces) {
  const std::vector<std::vector<int64_t>> All = numbersOf(Own);
  std::vector<Cell> Out(Own[0].size());
  for (size_t Part = 0; Part < Out.size(); ++Part) {
    Cell &C = Out[Part];
    for (const auto &Of : Own)
      if (Of[Part].IsSeen) {
        if (C.IsSeen && C.First.K != Of[Part].First.K)
          return std::nullopt;
        C.IsSeen = true;
        C.First.K = Of[Part].First.K;
      }
    if (!C.IsSeen)
      continue;
    if (ArePlaces) {
      C = Own.back()[Part];
      for (const auto &Of : Own)
        if (std::ranges::any_of(Of[Part].Slopes, [](const auto &S) { return S.value_or(0) != 0; }))
          return std::nullopt;
      continue;
    }
    const auto First = number(numbersOfCell(Own, Part, 0), All);
    C.IsSeen = First.has_value();
    C.First.V = First.value_or(0);
    for (size_t I = 0; I < MostSides; ++I)
      C.Slopes[I] = number(numbersOfCell(Own, Part, I + 1), All);
  }
  return Out;
}

std::optional<RankFit::Symbols> RankFit::symbolsThen(const Layout &L, int64_t Border, std::span<const Symbols> Of,
                                                     Wanted W) {
  const auto Own = cellsOf(L, Border, Of);
  const auto Cells = Own ? cellsThen(*Own, W.ArePlaces) : std::nullopt;
  const auto &Lengths = L.Lengths.back();
  for (size_t I = 0; I < L.Sides; ++I)
    if (!Cells || Lengths[I] < 2 * Border)
      return std::nullopt;
  Symbols Out(static_cast<size_t>(Counts.back()));
  std::array<int64_t, MostSides> At{};
  for (size_t R = 0; R < Out.size(); ++R) {
    if (!W.Ranks || W.Ranks->contains(static_cast<uint32_t>(R))) {
      size_t Part = 0;
      for (size_t I = 0; I < L.Sides; ++I)
        Part = Part * static_cast<size_t>(2 * Border + 1) + static_cast<size_t>(partOf(At[I], Lengths[I], Border));
      const Cell &C = (*Cells)[Part];
      if (!C.IsSeen)
        return std::nullopt;
      __int128 V = C.First.V;
      for (size_t I = 0; I < L.Sides; ++I) {
        const int64_t Apart = At[I] - firstOf(partOf(At[I], Lengths[I], Border), Lengths[I], Border);
        if (Apart && !C.Slopes[I])
          return std::nullopt;
        V += Apart ? __int128(*C.Slopes[I]) * Apart : 0;
      }
      if (V > INT64_MAX || V < INT64_MIN)
        return std::nullopt;
      Out[R] = {C.First.K, static_cast<int64_t>(V)};
    }
    for (size_t I = MostSides; I-- > 0 && ++At[I] == Lengths[I];)
      At[I] = 0;
  }
  return Out;
}

/// The layout with the fewest cells that explains everything. Several with as many must say the same.
std::optional<RankFit::Symbols> RankFit::fit(std::span<const Symbols> Of, Wanted W) {
  for (size_t Sides = 0; Sides < Layouts.size(); ++Sides)
    for (int64_t Border = 0; Border <= MostBorder; ++Border) {
      std::optional<Symbols> Found;
      for (const Layout &L : Layouts[Sides]) {
        auto Own = symbolsThen(L, Border, Of, W);
        if (Own && Found && *Own != *Found)
          return std::nullopt;
        if (Own)
          Found = std::move(Own);
      }
      if (Found)
        return Found;
    }
  return std::nullopt;
}

std::optional<RankSet> RankFit::set(std::span<const RankSet> Sets) {
  if (std::ranges::any_of(Counts, [](int64_t N) { return N > MostLooked; }))
    return std::nullopt;
  // Members and others are told apart by kind, so that a cell has either.
  const Symbol Member{Candidates::Const, 0}, Other{Candidates::Offset, 0};
  std::vector<Symbols> Of;
  for (size_t T = 0; T < Sets.size(); ++T) {
    auto &Own = Of.emplace_back(static_cast<size_t>(Counts[T]), Other);
    Sets[T].forEach([&](uint32_t R) { Own[R] = Member; });
  }
  const auto Then = fit(Of, {});
  if (!Then)
    return std::nullopt;
  RankSet Out;
  forEachRun(*Then, RankSet::below(static_cast<uint32_t>(Counts.back())), [&](uint32_t First, uint32_t Last) {
    if ((*Then)[First] == Member)
      Out.unite(RankSet::between(First, Last));
  });
  return Out;
}

std::optional<std::vector<RankFit::Symbols>> RankFit::symbolsOf(std::span<const RankFn> Functions,
                                                                std::span<const RankSet> Of, bool ByValue) const {
  if (std::ranges::any_of(Counts, [](int64_t N) { return N > MostLooked; }))
    return std::nullopt;
  std::vector<Symbols> All;
  for (size_t T = 0; T < Functions.size(); ++T) {
    auto &Own = All.emplace_back(static_cast<size_t>(Counts[T]));
    auto Add = [&](const RankSet &Ranks, const RankFn::Piece &P) {
      if (P.In && P.hasContext() && !ByValue)
        return false; // in a communicator that is not known
      Ranks.forEach([&](uint32_t R) {
        const Candidates &C = P.Cand;
        if (ByValue || !P.isExplained() || C.Mask & Candidates::Const)
          Own[R] = {Symbol::Const, P.eval(R, {R, Counts[T]})};
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
      for (const Layout &L : Layouts[Sides])
        if (const auto Own = cellsOf(L, Border, *All)) {
          for (const std::vector<int64_t> &Values : numbersOf(*Own))
            Numbers.learn(Values);
          return; // the layouts that follow have more cells
        }
}

RankFn RankFit::ofValues(const std::vector<int64_t> &Values, const RankSet &Ranks) const {
  RankFn F = RankFn::ofValues(Values, Ranks);
  F.shorten(Ranks, [&](uint32_t R) { return RankContext{R, Counts.back()}; });
  return F.compressed();
}

std::optional<std::vector<RankFn>> RankFit::steps(const std::vector<std::vector<RankFn>> &Functions,
                                                  std::span<const RankSet> Of, const RankSet &OfThen, size_t Steps) {
  std::vector<int64_t> Sides;
  for (size_t T = 0; T < Counts.size(); ++T) {
    const std::vector<int64_t> Grid = gridSides(Counts[T], 2);
    const RankSet &Own = T < Of.size() ? Of[T] : OfThen;
    if (By != Shape::Square || Grid[0] != Grid[1] || Counts[T] > MostLooked ||
        !(Own == RankSet::below(static_cast<uint32_t>(Counts[T]))))
      return std::nullopt;
    Sides.push_back(Grid[0]);
  }
  std::vector<TorusValues> Values;
  for (size_t T = 0; T < Functions.size(); ++T) {
    TorusValues &Own = Values.emplace_back();
    for (const RankFn &F : Functions[T]) {
      auto &To = Own.emplace_back();
      Of[T].forEach([&](uint32_t R) { To.push_back(F.eval(R, {R, Counts[T]})); });
    }
  }
  const auto Then = torusSteps(Numbers, Sides, Values, Steps);
  if (!Then)
    return std::nullopt;
  std::vector<RankFn> Out;
  for (const std::vector<int64_t> &Own : *Then)
    Out.push_back(ofValues(Own, OfThen));
  return Out;
}

std::optional<RankFn> RankFit::function(std::span<const RankFn> Functions, std::span<const RankSet> Of,
                                        const RankSet &OfThen, bool ArePlaces, bool InWorld) {
  std::optional<Symbols> Then;
  for (bool ByValue : {false, true})
    if (!Then && !OfThen.empty() && (!ByValue || InWorld))
      if (const auto All = symbolsOf(Functions, Of, ByValue))
        Then = fit(*All, {&OfThen, ArePlaces});
  if (!Then)
    return std::nullopt;
  std::vector<int64_t> Values;
  bool HasContext = false;
  OfThen.forEach([&](uint32_t R) {
    Values.push_back((*Then)[R].V);
    HasContext |= (*Then)[R].K != Symbol::Const;
  });
  if (!HasContext)
    return ofValues(Values, OfThen);
  std::vector<RankFn::Piece> Pieces;
  forEachRun(*Then, OfThen, [&](uint32_t First, uint32_t Last) {
    const Symbol &S = (*Then)[First];
    Candidates C;
    C.Mask = S.K;
    (S.K == Candidates::Const    ? C.C
     : S.K == Candidates::Offset ? C.Off
     : S.K == Candidates::Modulo ? C.Mod
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
