//===- NumberFit.cpp - a number as a function of how many ranks there are -===//
#include "proxygen/extrapolate/NumberFit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

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
  for (size_t I = 0; I < Points[0].Sides.size(); ++I)
    for (auto &Own = Sides.emplace_back(); const Point &P : Points)
      Own.push_back(P.Sides[I]);
  for (auto &Own = Sides.emplace_back(); const Point &P : Points)
    Own.push_back(P.Count);
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
    // Two different values are always on a line. A third one confirms it.
    std::set<std::pair<int64_t, int64_t>> Different;
    for (size_t I = 0; I < T.Numerators.size(); ++I)
      Different.emplace(T.Numerators[I], T.Denominators[I]); // one of them is 1
    if (Different.size() >= 3)
      Terms.push_back(std::move(T));
  };
  Add([](const Point &P) { return std::pair(P.Count, int64_t(1)); });
  auto AddLogarithm = [&](const std::function<int64_t(const Point &)> &Of) {
    if (std::ranges::all_of(Points, [&](const Point &P) { return std::has_single_bit(static_cast<uint64_t>(Of(P))); }))
      Add([&](const Point &P) {
        return std::pair(int64_t(std::countr_zero(static_cast<uint64_t>(Of(P)))), int64_t(1));
      });
  };
  AddLogarithm([](const Point &P) { return P.Count; });
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
  for (size_t I = 0; I < Sides; ++I)
    AddLogarithm([I](const Point &P) { return P.Sides[I]; });
  Add([](const Point &P) { return std::pair(int64_t(1), P.Count); });
}

/// V = A * term + B with fractions A and B that the first two different points give, and all others confirm.
NumberFit::Answer NumberFit::withOneTerm(std::span<const int64_t> Values) const {
  Answer Out;
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
        Out.add(*V);
  }
  return Out;
}

/// V = A * max(N / f, 1): parts of a grid of N points, which get no smaller than one. One of the values has to be at
/// the limit already, with parts that are smaller by N / f.
NumberFit::Answer NumberFit::withLimit(std::span<const int64_t> Values) const {
  Answer Out;
  const int64_t A = *std::ranges::min_element(Values);
  for (const auto &Own : Sides) {
    const size_t Most = static_cast<size_t>(std::ranges::max_element(Values) - Values.begin());
    if (A <= 0 || Values[Most] % A)
      continue;
    const Wide N = Wide(Values[Most] / A) * Own[Most];
    auto At = [&](int64_t Side) -> std::optional<int64_t> {
      if (Side >= N)
        return A;
      const Wide V = N / Side * A;
      return N % Side || V > INT64_MAX ? std::nullopt : std::optional(static_cast<int64_t>(V));
    };
    bool Good = true, IsBeyond = false;
    std::set<int64_t> Smaller;
    for (size_t I = 0; I < Values.size(); ++I) {
      Good &= At(Own[I]) == Values[I];
      IsBeyond |= Own[I] > N;
      if (Own[I] <= N)
        Smaller.insert(Values[I]);
    }
    if (auto V = Good && IsBeyond && Smaller.size() > 1 ? At(Own.back()) : std::nullopt)
      Out.add(*V);
  }
  return Out;
}

/// What it takes to say a whole number, in bits.
static double sizeInBits(int64_t V) { return std::log2(2 * std::abs(static_cast<double>(V)) + 1); }

/// V = a * f + c * g + b with small whole numbers a and c: these are how the edges of grids grow. The smallest ones are
/// taken, if they are clearly the smallest. Some numbers a, c and b fit any three values, so they have to be shorter
/// than these.
NumberFit::Answer NumberFit::withTwoTerms(std::span<const int64_t> Values) const {
  constexpr int64_t Most = 8, Margin = 1;
  constexpr double Shorter = 6; // bits; among them those that say which terms it is
  double All = 0;
  for (int64_t V : Values)
    All += std::log2(std::abs(static_cast<double>(V)) + 1);
  std::vector<std::pair<int64_t, int64_t>> Found; // cost, value
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
          if (Good && sizeInBits(A) + sizeInBits(C) + sizeInBits(B) + Shorter <= All)
            Found.emplace_back(std::abs(A) + std::abs(C) + std::min<int64_t>(std::abs(B), 64),
                               A * F.Numerator + C * G.Numerator + B);
        }
    }
  Answer Out;
  std::ranges::sort(Found);
  for (const auto &[Cost, Value] : Found)
    if (Cost <= Found[0].first + Margin)
      Out.add(Value);
  return Out;
}

std::optional<int64_t> NumberFit::Polynomial::at(int64_t Side) const {
  const Wide Up = Wide(A) + Wide(B) * Side + Wide(C) * Side * Side;
  Wide Down = 1;
  for (int I = 0; I < Power; ++I)
    Down *= Side;
  const Wide V = Up / Down;
  return Up % Down || V > INT64_MAX || V < INT64_MIN ? std::nullopt : std::optional(static_cast<int64_t>(V));
}

/// Whether a number is the square of a whole one.
static bool isSquare(Wide N) {
  if (N < 0)
    return false;
  Wide Root = 0;
  for (Wide Bit = Wide(1) << 62; Bit; Bit >>= 1)
    if ((Root + Bit) * (Root + Bit) <= N)
      Root += Bit;
  return Root * Root == N;
}

/// Through the first three different sides. Three numbers are always on such a curve. What speaks for it is that its
/// coefficients are whole, and that it is a product of two edges, (N + a * s) * (M + b * s), as the faces of blocks
/// are; or that it needs but two coefficients, or that more numbers confirm it.
std::vector<NumberFit::Polynomial> NumberFit::polynomials(const std::vector<int64_t> &Sides,
                                                          std::span<const int64_t> Values) {
  std::vector<size_t> Three;
  for (size_t I = 0; I < Values.size() && Three.size() < 3; ++I)
    if (std::ranges::none_of(Three, [&](size_t J) { return Sides[J] == Sides[I]; }))
      Three.push_back(I);
  std::vector<Polynomial> Out;
  if (Three.size() < 3)
    return Out;
  const bool HasMore = std::set(Sides.begin(), Sides.begin() + static_cast<ptrdiff_t>(Values.size())).size() > 3;
  constexpr Wide Most = Wide(1) << 40;
  for (int Power : {0, 1, 2}) {
    Wide S[3], F[3];
    bool Good = true;
    for (size_t I = 0; I < 3; ++I) {
      S[I] = Sides[Three[I]];
      F[I] = Values[Three[I]];
      Good &= S[I] < Most && F[I] < Most && F[I] > -Most;
      for (int P = 0; P < Power; ++P)
        F[I] *= S[I];
    }
    if (!Good)
      continue;
    // Newton's divided differences.
    const Wide D1 = F[1] - F[0], D2 = F[2] - F[1], S10 = S[1] - S[0], S21 = S[2] - S[1], S20 = S[2] - S[0];
    const Wide Up = D2 * S10 - D1 * S21, Down = S10 * S21 * S20;
    if (Up % Down)
      continue;
    const Wide C = Up / Down, Slope = D1 - C * S10 * (S[0] + S[1]);
    if (Slope % S10)
      continue;
    const Wide B = Slope / S10, A = F[0] - B * S[0] - C * S[0] * S[0];
    if (A > INT64_MAX || A < INT64_MIN || B > Most || B < -Most || C > Most || C < -Most)
      continue;
    const bool IsConfirmed = HasMore || C == 0;
    // Two edges that get shorter are N / s + a, whose a have the same sign.
    if (!IsConfirmed && (!isSquare(B * B - 4 * A * C) || (Power && (A <= 0 || C <= 0))))
      continue;
    const Polynomial P{static_cast<int64_t>(A), static_cast<int64_t>(B), static_cast<int64_t>(C), Power, IsConfirmed};
    for (size_t I = 0; I < Values.size() && Good; ++I)
      Good = P.at(Sides[I]) == Values[I];
    if (Good)
      Out.push_back(P);
  }
  if (std::ranges::any_of(Out, &Polynomial::IsConfirmed))
    std::erase_if(Out, [](const Polynomial &P) { return !P.IsConfirmed; });
  return Out;
}

void NumberFit::learn(std::span<const int64_t> Values) {
  if (std::ranges::adjacent_find(Values, std::not_equal_to<>()) == Values.end())
    return;
  for (const auto &Own : Sides)
    for (const Polynomial &P : polynomials(Own, Values))
      if (std::ranges::find(Learnt, P) == Learnt.end())
        Learnt.push_back(P);
}

NumberFit::Answer NumberFit::withPolynomial(std::span<const int64_t> Values) const {
  Answer Confirmed, Others;
  for (const auto &Own : Sides) {
    std::vector<Polynomial> All = polynomials(Own, Values);
    const size_t NotLearnt = All.size();
    All.insert(All.end(), Learnt.begin(), Learnt.end());
    for (size_t N = 0; N < All.size(); ++N) {
      const Polynomial &P = All[N];
      bool Good = true;
      for (size_t I = 0; I < Values.size() && Good; ++I)
        Good = P.at(Own[I]) == Values[I];
      if (auto V = Good ? P.at(Own.back()) : std::nullopt)
        (N < NotLearnt && P.IsConfirmed ? Confirmed : Others).add(*V);
    }
  }
  return Confirmed.isAny() ? Confirmed : Others;
}

NumberFit::Answer NumberFit::rounded(std::span<const int64_t> Values) const {
  Answer Out;
  int64_t All = 0;
  for (int64_t V : Values)
    All = std::gcd(All, V);
  if (All == 0 || std::ranges::any_of(Values, [](int64_t V) { return V <= 0; }))
    return Out;
  // What divides needs no rounding.
  if (std::ranges::any_of(Sides, [&](const auto &Own) {
        for (size_t I = 0; I < Values.size(); ++I)
          if (Wide(Values[I]) * Own[I] != Wide(Values[0]) * Own[0])
            return false;
        return true;
      }))
    return Out;
  constexpr int64_t MostTried = 1 << 20;
  for (const auto &Own : Sides)
    for (int64_t D = 1; D <= std::min(All / D, MostTried); ++D)
      for (const int64_t A : {D, All / D}) {
        if (All % D)
          continue;
        // N that give all of the values, rounded up or down.
        Wide Least[2] = {0, 0}, Most[2] = {INT64_MAX, INT64_MAX};
        for (size_t I = 0; I < Values.size(); ++I) {
          const Wide Parts = Values[I] / A, Side = Own[I];
          Least[0] = std::max(Least[0], Side * (Parts - 1) + 1);
          Most[0] = std::min(Most[0], Side * Parts);
          Least[1] = std::max(Least[1], Side * Parts);
          Most[1] = std::min(Most[1], Side * (Parts + 1) - 1);
        }
        // More parts than points are another matter.
        const Wide Then = Own.back();
        for (const bool IsDown : {false, true})
          for (const Wide N : {Least[IsDown], Most[IsDown]})
            if (Least[IsDown] <= Most[IsDown] && N >= Then && N < INT64_MAX)
              Out.add(static_cast<int64_t>(A * ((N + (IsDown ? 0 : Then - 1)) / Then)));
      }
  return Out;
}

const NumberFit::Answer &NumberFit::find(std::span<const int64_t> Values) const {
  const auto [It, IsNew] = Known.try_emplace(std::vector<int64_t>(Values.begin(), Values.end()));
  Answer &A = It->second;
  if (!IsNew)
    return A;
  if (std::ranges::adjacent_find(Values, std::not_equal_to<>()) == Values.end())
    A.add(Values[0]);
  else if ((A = withOneTerm(Values)).isAny()) {
    if (const Answer Other = rounded(Values); Other.isAny() && (Other.Several || Other.Value != A.Value))
      A.Several = true;
  } else if (!(A = withLimit(Values)).isAny() && !(A = withTwoTerms(Values)).isAny())
    A = withPolynomial(Values);
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
