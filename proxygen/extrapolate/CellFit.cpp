//===- CellFit.cpp - values by place in a grid or a torus -----------------===//
#include "proxygen/extrapolate/CellFit.h"

#include <algorithm>

namespace pilgrim {

PlaceLayout::Place PlaceLayout::at(size_t Count, size_t Symbol) const {
  const Place &L = Lengths[Count];
  Place Out{};
  auto Rest = static_cast<int64_t>(Symbol);
  if (Around.empty()) {
    for (size_t I = Sides; I-- > 0; Rest /= L[I])
      Out[I] = Rest % L[I];
    return Out;
  }
  const int64_t N = L[0], Step = Rest / (N * N), I = Rest / N % N, J = Rest % N;
  for (size_t D = 0; D < Around.size(); ++D) {
    const TorusDistance &X = Around[D];
    const int64_t V = (X.I * I + X.J * J + X.Step * Step + X.Shift) % N;
    Out[D] = V < 0 ? V + N : V;
  }
  return Out;
}

namespace {
/// Of 2 * Border + 1 parts of a side, the one that a place is in.
int64_t partOf(int64_t Place, int64_t Length, int64_t Border) {
  return Place < Border ? Place : Place >= Length - Border ? 2 * Border - (Length - 1 - Place) : Border;
}
int64_t firstOf(int64_t Part, int64_t Length, int64_t Border) {
  return Part <= Border ? Part : Length - 1 - (2 * Border - Part);
}
/// Which cell a place is in.
size_t cellOf(const PlaceLayout &L, size_t Count, int64_t Border, const PlaceLayout::Place &P) {
  size_t Out = 0;
  for (size_t I = 0; I < L.Sides; ++I)
    Out = Out * static_cast<size_t>(2 * Border + 1) + static_cast<size_t>(partOf(P[I], L.Lengths[Count][I], Border));
  return Out;
}
/// The first place of a cell.
PlaceLayout::Place firstOf(const PlaceLayout &L, size_t Count, int64_t Border, size_t Cell) {
  PlaceLayout::Place Out{};
  const auto Parts = static_cast<size_t>(2 * Border + 1);
  for (size_t I = L.Sides; I-- > 0; Cell /= Parts)
    Out[I] = firstOf(static_cast<int64_t>(Cell % Parts), L.Lengths[Count][I], Border);
  return Out;
}
} // namespace

std::optional<int64_t> CellFit::Cell::valueAt(const PlaceLayout::Place &P) const {
  __int128 V = First.V;
  for (size_t I = 0; I < MostSides; ++I)
    if (P[I] != At[I]) {
      if (!Slopes[I])
        return std::nullopt;
      V += __int128(*Slopes[I]) * (P[I] - At[I]);
    }
  return V > INT64_MAX || V < INT64_MIN ? std::nullopt : std::optional(static_cast<int64_t>(V));
}

std::optional<CellFit::Cells> CellFit::cells(const PlaceLayout &L, size_t Count, int64_t Border,
                                             const PlaceSymbols &Of) {
  size_t Number = 1;
  for (size_t I = 0; I < L.Sides; ++I) {
    if (L.Lengths[Count][I] < 2 * Border)
      return std::nullopt; // a place would be in two parts
    Number *= static_cast<size_t>(2 * Border + 1);
  }
  Cells Out(Number);
  // First what the slopes are, from neighbours of the first place of a cell; then whether all agree.
  for (bool IsCheck : {false, true})
    for (size_t Symbol = 0; Symbol < Of.size(); ++Symbol) {
      const PlaceSymbol &S = Of[Symbol];
      if (S.Kind == PlaceSymbol::None)
        continue;
      const PlaceLayout::Place P = L.at(Count, Symbol);
      Cell &C = Out[cellOf(L, Count, Border, P)];
      if (!C.IsSeen) {
        C.IsSeen = true;
        C.At = P;
        C.First = S;
        continue;
      }
      // What is known does not change any more: most layouts are wrong and end here, after few symbols.
      const auto Known = C.valueAt(P);
      if (S.Kind != C.First.Kind || (Known ? *Known != S.V : IsCheck))
        return std::nullopt;
      if (Known)
        continue;
      size_t Differ = 0, HowMany = 0;
      for (size_t I = 0; I < MostSides; ++I)
        if (P[I] != C.At[I]) {
          Differ = I;
          ++HowMany;
        }
      if (HowMany != 1 || C.Slopes[Differ])
        continue;
      const __int128 More = __int128(S.V) - C.First.V, Apart = P[Differ] - C.At[Differ];
      if (More % Apart || More > INT64_MAX || More < INT64_MIN)
        return std::nullopt;
      C.Slopes[Differ] = static_cast<int64_t>(More / Apart);
    }
  // As it would be at the cell's first place, whether something is there or not.
  for (size_t Part = 0; Part < Out.size(); ++Part) {
    Cell &C = Out[Part];
    if (!C.IsSeen)
      continue;
    const PlaceLayout::Place First = firstOf(L, Count, Border, Part);
    const auto V = C.valueAt(First);
    if (!V)
      return std::nullopt;
    C.First.V = *V;
    C.At = First;
  }
  return Out;
}

std::optional<std::vector<CellFit::Cells>> CellFit::cellsOf(const PlaceLayout &L, int64_t Border,
                                                            std::span<const PlaceSymbols> Of) {
  std::vector<Cells> Own;
  for (size_t T = 0; T < Of.size(); ++T) {
    auto C = cells(L, T, Border, Of[T]);
    if (!C)
      return std::nullopt;
    Own.push_back(std::move(*C));
  }
  return Own;
}

/// By count: what is in a cell's first place, or one of the slopes.
static auto numbersOfCell(const auto &Own, size_t Part, size_t Which) {
  std::vector<std::optional<int64_t>> Out;
  for (const auto &C : Own)
    Out.push_back(!C[Part].IsSeen ? std::nullopt : Which ? C[Part].Slopes[Which - 1] : std::optional(C[Part].First.V));
  return Out;
}

std::vector<std::vector<int64_t>> CellFit::numbersOf(const std::vector<Cells> &Own) {
  std::vector<std::vector<int64_t>> All;
  for (size_t Part = 0; Part < Own[0].size(); ++Part)
    for (size_t Which = 0; Which <= MostSides; ++Which)
      if (const auto V = numbersOfCell(Own, Part, Which);
          std::ranges::all_of(V, [](const auto &X) { return X.has_value(); })) {
        auto &Known = All.emplace_back();
        for (const auto &X : V)
          Known.push_back(*X);
      }
  return All;
}

std::optional<int64_t> CellFit::number(std::span<const std::optional<int64_t>> Values,
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
  // Another cell's number, which is known at more counts, is the same wherever both are known.
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
    Out = Fits.try_emplace(Told, By, At, To).first->second.at(Own);
  return Out;
}

std::optional<CellFit::Cells> CellFit::cellsThen(const std::vector<Cells> &Own, const PlaceLayout &L, int64_t Border,
                                                 bool ArePlaces) {
  const size_t Then = L.Lengths.size() - 1;
  for (size_t I = 0; I < L.Sides; ++I)
    if (L.Lengths[Then][I] < 2 * Border)
      return std::nullopt;
  const std::vector<std::vector<int64_t>> All = numbersOf(Own);
  Cells Out(Own[0].size());
  for (size_t Part = 0; Part < Out.size(); ++Part) {
    Cell &C = Out[Part];
    for (const auto &Of : Own)
      if (Of[Part].IsSeen) {
        if (C.IsSeen && C.First.Kind != Of[Part].First.Kind)
          return std::nullopt;
        C.IsSeen = true;
        C.First.Kind = Of[Part].First.Kind;
      }
    if (!C.IsSeen)
      continue;
    if (ArePlaces) {
      C = Own.back()[Part];
      for (const auto &Of : Own)
        if (std::ranges::any_of(Of[Part].Slopes, [](const auto &S) { return S.value_or(0) != 0; }))
          return std::nullopt;
    } else {
      const auto First = number(numbersOfCell(Own, Part, 0), All);
      C.IsSeen = First.has_value();
      C.First.V = First.value_or(0);
      for (size_t I = 0; I < MostSides; ++I)
        C.Slopes[I] = number(numbersOfCell(Own, Part, I + 1), All);
    }
    C.At = firstOf(L, Then, Border, Part);
  }
  return Out;
}

bool CellFit::fit(std::span<const PlaceLayout> Layouts, int64_t Border, std::span<const PlaceSymbols> Of,
                  bool ArePlaces, PlaceSymbols &Wanted, bool &IsAmbiguous) {
  /// Where several layouts explain all, they are compared at so many places.
  constexpr size_t MostCompared = size_t(1) << 12;
  const size_t Apart = Wanted.size() / MostCompared + 1;
  bool IsFound = false;
  for (const PlaceLayout &L : Layouts) {
    const auto Own = cellsOf(L, Border, Of);
    const auto Cells = Own ? cellsThen(*Own, L, Border, ArePlaces) : std::nullopt;
    if (!Cells)
      continue;
    PlaceSymbols Made = IsFound ? PlaceSymbols() : Wanted;
    bool Good = true;
    for (size_t I = 0; I < Wanted.size() && Good; I += IsFound ? Apart : 1) {
      if (Wanted[I].Kind == PlaceSymbol::None)
        continue;
      const PlaceLayout::Place P = L.at(L.Lengths.size() - 1, I);
      const Cell &C = (*Cells)[cellOf(L, L.Lengths.size() - 1, Border, P)];
      const auto V = C.IsSeen ? C.valueAt(P) : std::nullopt;
      Good = V.has_value();
      if (!Good)
        break;
      const PlaceSymbol Then{C.First.Kind, *V};
      if (IsFound && !(Then == Wanted[I])) {
        IsAmbiguous = true;
        return false;
      }
      if (!IsFound)
        Made[I] = Then;
    }
    if (Good && !IsFound) {
      Wanted = std::move(Made);
      IsFound = true;
    }
  }
  return IsFound;
}

bool CellFit::learn(const PlaceLayout &L, int64_t Border, std::span<const PlaceSymbols> Of) {
  const auto Own = cellsOf(L, Border, Of);
  if (Own)
    for (const std::vector<int64_t> &Values : numbersOf(*Own))
      Numbers.learn(Values);
  return Own.has_value();
}

} // namespace pilgrim
