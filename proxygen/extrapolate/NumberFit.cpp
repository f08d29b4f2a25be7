//===- NumberFit.cpp - a number as a function of how many ranks there are -===//
#include "proxygen/extrapolate/NumberFit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <set>

namespace pilgrim {

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
    Points.push_back({Count, gridSides(Count, S == Shape::Cube ? 3 : 2)});
  Points.push_back({To, gridSides(To, S == Shape::Cube ? 3 : 2)});
  addTerms(S, Points);
  for (size_t I = 0; I < Points[0].Sides.size() && S != Shape::Line; ++I)
    for (auto &Own = Sides.emplace_back(); const Point &P : Points)
      Own.push_back(P.Sides[I]);
  for (auto &Own = Sides.emplace_back(); const Point &P : Points)
    Own.push_back(P.Count);
}

void NumberFit::addTerms(Shape S, std::span<const Point> Points) {
  bool IsOwn = true;            // of this shape
  bool AddProportional = false; // for nothing but what is proportional to it
  auto Add = [&](const std::function<std::pair<int64_t, int64_t>(const Point &)> &F) {
    Term T;
    for (const Point &P : Points.first(Points.size() - 1)) {
      const auto [Numerator, Denominator] = F(P);
      T.Numerators.push_back(Numerator);
      T.Denominators.push_back(Denominator);
    }
    std::tie(T.Numerator, T.Denominator) = F(Points.back());
    // Two different values are always on a line. A third one confirms it.
    std::set<std::pair<int64_t, int64_t>> Different;
    for (size_t I = 0; I < T.Numerators.size(); ++I)
      Different.emplace(T.Numerators[I], T.Denominators[I]); // one of them is 1
    if (Different.size() >= 2)
      (Different.size() == 2 || AddProportional ? Weak : IsOwn ? Terms : OfOthers).push_back(std::move(T));
  };
  auto AddLogarithm = [&](const std::function<int64_t(const Point &)> &Of, bool IsBelow = false) {
    if (std::ranges::all_of(Points, [&](const Point &P) { return std::has_single_bit(static_cast<uint64_t>(Of(P))); }))
      Add([&](const Point &P) {
        const auto Log = int64_t(std::countr_zero(static_cast<uint64_t>(Of(P))));
        return IsBelow ? std::pair(int64_t(1), std::max<int64_t>(Log, 1)) : std::pair(Log, int64_t(1));
      });
  };
  Add([](const Point &P) { return std::pair(P.Count, int64_t(1)); });
  Add([](const Point &P) { return std::pair(int64_t(1), P.Count); });
  AddLogarithm([](const Point &P) { return P.Count; });
  AddLogarithm([](const Point &P) { return P.Count; }, true);
  // Rounded down: 240 / log2(p) on 4, 9, 16 and 25 ranks is 240 / s, too, if parts get no smaller than 60.
  AddProportional = true;
  auto Log = [](const Point &P) { return int64_t(std::bit_width(static_cast<uint64_t>(P.Count)) - 1); };
  Add([&](const Point &P) { return std::pair(Log(P), int64_t(1)); });
  Add([&](const Point &P) { return std::pair(int64_t(1), std::max<int64_t>(Log(P), 1)); });
  AddProportional = false;
  IsOwn = S != Shape::Line;
  const size_t Sides = Points[0].Sides.size();
  for (size_t I = 0; I < Sides; ++I) {
    Add([I](const Point &P) { return std::pair(P.Sides[I], int64_t(1)); });
    Add([I](const Point &P) { return std::pair(int64_t(1), P.Sides[I]); });
    AddLogarithm([I](const Point &P) { return P.Sides[I]; });
  }
  for (size_t I = 0; I < Sides; ++I)
    for (size_t J = I + 1; J < Sides && Sides > 2; ++J)
      Add([I, J](const Point &P) { return std::pair(P.Sides[I] * P.Sides[J], int64_t(1)); });
}

const NumberFit::Answer &NumberFit::find(std::span<const int64_t> Values) const {
  const auto [It, IsNew] = Known.try_emplace(std::vector<int64_t>(Values.begin(), Values.end()));
  Answer &A = It->second;
  if (!IsNew)
    return A;
  if (std::ranges::adjacent_find(Values, std::not_equal_to<>()) == Values.end()) {
    A.Value = Values[0];
    return A;
  }
  // Nobody would call the number of ranks, or one or two more or less, anything else.
  for (int64_t More : {0, -1, 1, -2, 2})
    if (std::ranges::equal(Values, std::span(Sides.back()).first(Values.size()), {}, {},
                           [&](int64_t Count) { return Count + More; })) {
      A.Value = Sides.back().back() + More;
      return A;
    }
  std::vector<Model> Own, Rivals;
  addOneTerm(Terms, Values, Own);
  addLimits(Values, Own);
  addTwoTerms(Values, Own);
  addPolynomials(Values, Own);
  const double Room = sizeInBits(Values);
  std::erase_if(Own, [&](const Model &M) { return M.Bits > Room; });
  if (Own.empty())
    return A;
  const Model Best = *std::ranges::min_element(Own, {}, &Model::Bits);
  addOneTerm(OfOthers, Values, Rivals);
  addRounded(Values, Rivals);
  addGroups(Values, Rivals);
  addProportionalToWeak(Values, Rivals);
  constexpr double Clearly = 3; // bits
  auto Contradicts = [&](const Model &M) { return M.Bits <= Best.Bits + Clearly && M.Value != Best.Value; };
  A.Value = Best.Value;
  A.Several = std::ranges::any_of(Own, Contradicts) || std::ranges::any_of(Rivals, Contradicts);
  return A;
}

std::optional<int64_t> NumberFit::at(std::span<const int64_t> Values) const {
  const Answer &A = find(Values);
  return A.Several ? std::nullopt : A.Value;
}

NumberFit::Guess NumberFit::guess(std::span<const int64_t> Values, bool IsLast) const {
  const auto Last = static_cast<double>(Values.back());
  auto ErrorOf = [&](auto &&At) {
    double Most = 0;
    for (size_t I = 0; I < Values.size(); ++I)
      Most = std::max(Most, std::abs(At(I) - static_cast<double>(Values[I])) /
                                std::max(1.0, std::abs(static_cast<double>(Values[I]))));
    return Most;
  };
  Guess Best{Values.back(), ErrorOf([&](size_t) { return Last; })};
  for (const Term &T : IsLast ? std::span<const Term>() : Terms) {
    auto At = [&](size_t I) { return static_cast<double>(T.Numerators[I]) / static_cast<double>(T.Denominators[I]); };
    // Through the first and the last one.
    const double Slope = (Last - static_cast<double>(Values[0])) / (At(Values.size() - 1) - At(0));
    auto Line = [&](double X) { return Last + Slope * (X - At(Values.size() - 1)); };
    const double Error = ErrorOf([&](size_t I) { return Line(At(I)); }),
                 Then = std::round(Line(static_cast<double>(T.Numerator) / static_cast<double>(T.Denominator)));
    if (std::isfinite(Slope) && Error < Best.Error && std::abs(Then) < 1e15)
      Best = {static_cast<int64_t>(Then), Error};
  }
  return Best;
}

bool NumberFit::isAmbiguous(std::span<const int64_t> Values) const { return find(Values).Several; }

} // namespace pilgrim
