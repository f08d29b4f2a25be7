//===- NumberFit.cpp - a number as a function of how many ranks there are -===//
#include "proxygen/extrapolate/NumberFit.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace pilgrim {

using Wide = __int128;

const char *nameOf(Shape S) {
  return S == Shape::Line ? "a line" : S == Shape::Square ? "a square grid" : "a cubic grid";
}

std::vector<int64_t> gridSides(int64_t Ranks, unsigned Dimensions) {
  std::vector<int64_t> Best;
  std::vector<int64_t> Sides;
  std::function<void(int64_t, int64_t)> Divide = [&](int64_t Rest, int64_t Most) {
    if (Sides.size() + 1 == Dimensions) {
      if (Rest > Most)
        return;
      Sides.push_back(Rest);
      if (Best.empty() || Sides.front() - Sides.back() < Best.front() - Best.back())
        Best = Sides;
      Sides.pop_back();
      return;
    }
    for (int64_t Side = 1; Side <= std::min(Rest, Most); ++Side)
      if (Rest % Side == 0) {
        Sides.push_back(Side);
        Divide(Rest / Side, Side);
        Sides.pop_back();
      }
  };
  Divide(Ranks, Ranks);
  return Best;
}

NumberFit::NumberFit(Shape S, std::span<const int64_t> Counts, int64_t To) {
  std::vector<Point> Points;
  for (int64_t Count : Counts)
    Points.push_back({Count, S == Shape::Line ? std::vector<int64_t>() : gridSides(Count, S == Shape::Square ? 2 : 3)});
  Points.push_back({To, S == Shape::Line ? std::vector<int64_t>() : gridSides(To, S == Shape::Square ? 2 : 3)});
  addTerms(S, Points);
}

void NumberFit::addTerms(Shape S, std::span<const Point> Points) {
  auto Add = [&](const std::function<std::pair<int64_t, int64_t>(const Point &)> &F) {
    Term T;
    for (const Point &P : Points.first(Points.size() - 1)) {
      const auto [Numerator, Denominator] = F(P);
      T.Numerators.push_back(Numerator);
      T.Denominators.push_back(Denominator);
    }
    std::tie(T.Numerator, T.Denominator) = F(Points.back());
    // A term that does not change says nothing.
    if (std::ranges::adjacent_find(T.Numerators, std::not_equal_to<>()) != T.Numerators.end() ||
        std::ranges::adjacent_find(T.Denominators, std::not_equal_to<>()) != T.Denominators.end())
      Terms.push_back(std::move(T));
  };
  Add([](const Point &P) { return std::pair(P.Count, int64_t(1)); });
  if (std::ranges::all_of(Points, [](const Point &P) { return std::has_single_bit(static_cast<uint64_t>(P.Count)); }))
    Add([](const Point &P) {
      return std::pair(int64_t(std::countr_zero(static_cast<uint64_t>(P.Count))), int64_t(1));
    });
  if (S == Shape::Line)
    return Add([](const Point &P) { return std::pair(int64_t(1), P.Count); });
  const size_t Sides = Points[0].Sides.size();
  for (size_t I = 0; I < Sides; ++I)
    Add([I](const Point &P) { return std::pair(P.Sides[I], int64_t(1)); });
  for (size_t I = 0; I < Sides; ++I)
    for (size_t J = I + 1; J < Sides && Sides > 2; ++J)
      Add([I, J](const Point &P) { return std::pair(P.Sides[I] * P.Sides[J], int64_t(1)); });
  for (size_t I = 0; I < Sides; ++I)
    Add([I](const Point &P) { return std::pair(int64_t(1), P.Sides[I]); });
  Add([](const Point &P) { return std::pair(int64_t(1), P.Count); });
}

/// V = A * term + B with fractions A and B that the first two different points give, and all others confirm.
std::optional<int64_t> NumberFit::withOneTerm(std::span<const int64_t> Values) const {
  for (const Term &T : Terms) {
    size_t Other = 1;
    auto Differs = [&](size_t I) {
      return Wide(T.Numerators[I]) * T.Denominators[0] != Wide(T.Numerators[0]) * T.Denominators[I];
    };
    while (Other < Values.size() && !Differs(Other))
      ++Other;
    if (Other == Values.size())
      continue;
    // A = (V1 - V0) / (f1 - f0), as AN / AD.
    const Wide AN = (Wide(Values[Other]) - Values[0]) * T.Denominators[0] * T.Denominators[Other];
    const Wide AD = Wide(T.Numerators[Other]) * T.Denominators[0] - Wide(T.Numerators[0]) * T.Denominators[Other];
    // V(x) = V0 + A (f(x) - f0).
    auto At = [&](int64_t Numerator, int64_t Denominator) -> std::optional<int64_t> {
      const Wide Up = AN * (Wide(Numerator) * T.Denominators[0] - Wide(T.Numerators[0]) * Denominator);
      const Wide Down = AD * Denominator * T.Denominators[0];
      if (Up % Down)
        return std::nullopt;
      const Wide V = Values[0] + Up / Down;
      return V > INT64_MAX || V < INT64_MIN ? std::nullopt : std::optional(static_cast<int64_t>(V));
    };
    bool Good = true;
    for (size_t I = 0; I < Values.size() && Good; ++I)
      Good = At(T.Numerators[I], T.Denominators[I]) == Values[I];
    if (Good)
      if (auto V = At(T.Numerator, T.Denominator))
        return V;
  }
  return std::nullopt;
}

/// V = a * f + c * g + b with small whole numbers a and c: these are how the edges of grids grow.
std::optional<int64_t> NumberFit::withTwoTerms(std::span<const int64_t> Values) const {
  constexpr int64_t Most = 16;
  std::optional<int64_t> Best;
  int64_t BestCost = INT64_MAX;
  for (size_t I = 0; I < Terms.size(); ++I)
    for (size_t J = I + 1; J < Terms.size(); ++J) {
      const Term &F = Terms[I], &G = Terms[J];
      if (std::ranges::any_of(F.Denominators, [](int64_t D) { return D != 1; }) ||
          std::ranges::any_of(G.Denominators, [](int64_t D) { return D != 1; }))
        continue;
      for (int64_t A = -Most; A <= Most; ++A)
        for (int64_t C = -Most; A && C <= Most; ++C) {
          if (!C)
            continue;
          auto Rest = [&](size_t N) { return Values[N] - A * F.Numerators[N] - C * G.Numerators[N]; };
          const int64_t B = Rest(0);
          bool Good = true;
          for (size_t N = 1; N < Values.size() && Good; ++N)
            Good = Rest(N) == B;
          const int64_t Cost = std::abs(A) + std::abs(C) + std::min<int64_t>(std::abs(B), 64);
          if (Good && Cost < BestCost) {
            BestCost = Cost;
            Best = A * F.Numerator + C * G.Numerator + B;
          }
        }
    }
  return Best;
}

std::optional<int64_t> NumberFit::at(std::span<const int64_t> Values) const {
  if (std::ranges::adjacent_find(Values, std::not_equal_to<>()) == Values.end())
    return Values[0];
  if (auto V = withOneTerm(Values))
    return V;
  return withTwoTerms(Values);
}

} // namespace pilgrim
