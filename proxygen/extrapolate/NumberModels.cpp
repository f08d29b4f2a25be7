//===- NumberModels.cpp - the functions that numbers are tried with -------===//
#include "proxygen/extrapolate/NumberFit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace pilgrim {

using Wide = __int128;

/// What it takes to say how large a number is, in bits.
static double bitsOf(Wide V) { return std::log2(std::abs(static_cast<double>(V)) + 1); }

/// The same for a number that may be negative.
static double signedBitsOf(Wide V) { return std::log2(2 * std::abs(static_cast<double>(V)) + 1); }

/// For what is added: a little is as often taken away, by what lies inside a grid.
static double bitsOfRest(Wide V) { return V >= -4 && V <= 4 ? bitsOf(V) : signedBitsOf(V); }

/// For what a function is multiplied by, which is not 0.
static double bitsOfFactor(Wide V) { return std::log2(std::abs(static_cast<double>(V))) + (V < 0); }

/// Functions of more than one term are rarer than those of one.
constexpr double Involved = 2;

static Wide gcdOf(Wide A, Wide B) {
  while (B)
    A = std::exchange(B, A % B);
  return A < 0 ? -A : A;
}

/// A number on its own, or by how much it differs from the first one.
double NumberFit::sizeInBits(std::span<const int64_t> Values) {
  double Each = bitsOf(Values[0]), Steps = Each;
  for (int64_t V : Values.subspan(1)) {
    Each += bitsOf(V);
    Steps += signedBitsOf(Wide(V) - Values[0]);
  }
  return std::min(Each, Steps);
}

/// V = A * term + B with fractions A and B that the first two different points give, and all others confirm.
void NumberFit::addOneTerm(std::span<const Term> Of, std::span<const int64_t> Values, std::vector<Model> &Out) {
  for (const Term &T : Of) {
    size_t Other = 1;
    auto Differs = [&](size_t I) {
      return Wide(T.Numerators[I]) * T.Denominators[0] != Wide(T.Numerators[0]) * T.Denominators[I];
    };
    while (Other < Values.size() && !Differs(Other))
      ++Other;
    if (Other == Values.size())
      continue;
    // A = (V1 - V0) / (f1 - f0), as AN / AD.
    Wide AN = (Wide(Values[Other]) - Values[0]) * T.Denominators[0] * T.Denominators[Other];
    Wide AD = Wide(T.Numerators[Other]) * T.Denominators[0] - Wide(T.Numerators[0]) * T.Denominators[Other];
    if (AN == 0)
      continue;
    const Wide Common = AD < 0 ? -gcdOf(AN, AD) : gcdOf(AN, AD);
    AN /= Common;
    AD /= Common;
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
    if (!Good)
      continue;
    // As G * (a * f + b) / D.
    const Wide D = AD * T.Denominators[0], A = AN * T.Denominators[0], B = Values[0] * D - AN * T.Numerators[0];
    const Wide All = gcdOf(gcdOf(A, B), D), G = gcdOf(A, B) / All;
    Out.push_back({std::log2(static_cast<double>(Of.size())) + bitsOfFactor(G) + bitsOfFactor(A / All / G) +
                       bitsOfRest(B / All / G) + bitsOfFactor(D / All),
                   At(T.Numerator, T.Denominator)});
  }
}

/// V = A * term, of terms that are no answer: with two different values, which confirm too little, or rounded.
void NumberFit::addProportionalToWeak(std::span<const int64_t> Values, std::vector<Model> &Out) const {
  for (const Term &T : Weak) {
    const Wide Up = Wide(Values[0]) * T.Denominators[0];
    bool Good = Values[0] != 0;
    for (size_t I = 1; I < Values.size() && Good; ++I)
      Good = Up * T.Numerators[I] == Wide(Values[I]) * T.Denominators[I] * T.Numerators[0];
    const Wide V = Good ? Up * T.Numerator / (Wide(T.Denominator) * T.Numerators[0]) : 0;
    if (Good && V <= INT64_MAX && V >= INT64_MIN)
      Out.push_back({std::log2(static_cast<double>(Weak.size())) + bitsOfFactor(Up) + bitsOfFactor(T.Numerators[0]) -
                         2 * bitsOfFactor(gcdOf(Up, T.Numerators[0])),
                     static_cast<int64_t>(V)});
  }
}

/// V = A * max(N / f, 1): parts of a grid of N points, which get no smaller than one. One of the values has to be at
/// the limit already, with parts that are smaller by N / f.
void NumberFit::addLimits(std::span<const int64_t> Values, std::vector<Model> &Out) const {
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
    if (Good && IsBeyond && Smaller.size() > 1)
      Out.push_back({std::log2(static_cast<double>(Sides.size())) + bitsOfFactor(A) + bitsOfFactor(N), At(Own.back())});
  }
}

/// V = a * f + c * g + b with small whole numbers a and c: these are how the edges of grids grow.
void NumberFit::addTwoTerms(std::span<const int64_t> Values, std::vector<Model> &Out) const {
  constexpr int64_t Most = 8;
  std::vector<const Term *> Whole;
  for (const Term &T : Terms)
    if (std::ranges::all_of(T.Denominators, [](int64_t D) { return D == 1; }))
      Whole.push_back(&T);
  const double Pairs = Involved + std::log2(static_cast<double>(Whole.size() * Whole.size()) / 2);
  for (size_t I = 0; I < Whole.size(); ++I)
    for (size_t J = I + 1; J < Whole.size(); ++J) {
      const Term &F = *Whole[I], &G = *Whole[J];
      for (int64_t A = -Most; A <= Most; ++A)
        for (int64_t C = -Most; A && C <= Most; ++C) {
          if (!C)
            continue;
          auto Rest = [&](size_t N) { return Values[N] - A * F.Numerators[N] - C * G.Numerators[N]; };
          const int64_t B = Rest(0);
          bool Good = true;
          for (size_t N = 1; N < Values.size() && Good; ++N)
            Good = Rest(N) == B;
          if (Good)
            Out.push_back(
                {Pairs + bitsOfFactor(A) + bitsOfFactor(C) + bitsOfRest(B), A * F.Numerator + C * G.Numerator + B});
        }
    }
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

/// As G * (a + b * s + c * s^2). Or as a product, whose first and last coefficients leave few for the one between; of a
/// square their roots do.
double NumberFit::sizeInBits(const Polynomial &P) {
  const Wide G = gcdOf(gcdOf(P.A, P.B), P.C), Discriminant = Wide(P.B) * P.B - 4 * Wide(P.A) * P.C;
  const double Whole = bitsOfFactor(G) + bitsOfRest(P.A / G) + bitsOfRest(P.B / G) + bitsOfRest(P.C / G);
  if (!P.A || !P.C || !isSquare(Discriminant))
    return Whole;
  constexpr double Way = 2; // which of them it is
  const double Ends = bitsOfRest(P.A) + bitsOfRest(P.C);
  return std::min(Whole, Way + (Discriminant ? Ends : Ends / 2));
}

void NumberFit::addPolynomials(std::span<const int64_t> Values, std::vector<Model> &Out) const {
  const double Forms = Involved + std::log2(static_cast<double>(3 * Sides.size()));
  for (const auto &Own : Sides) {
    std::vector<Polynomial> All = polynomials(Own, Values);
    All.insert(All.end(), Learnt.begin(), Learnt.end());
    for (const Polynomial &P : All) {
      bool Good = true;
      for (size_t I = 0; I < Values.size() && Good; ++I)
        Good = P.at(Own[I]) == Values[I];
      if (Good)
        Out.push_back({Forms + sizeInBits(P), P.at(Own.back())});
    }
  }
}

/// p / D, rounded up or down, with a small D: groups of few ranks.
void NumberFit::addGroups(std::span<const int64_t> Values, std::vector<Model> &Out) const {
  constexpr int64_t Most = 4;
  const std::vector<int64_t> &Counts = Sides.back();
  for (int64_t D = 2; D <= Most; ++D)
    for (const int64_t More : {int64_t(0), D - 1}) {
      bool Good = true;
      for (size_t I = 0; I < Values.size() && Good; ++I)
        Good = (Counts[I] + More) / D == Values[I];
      if (Good)
        Out.push_back({1 + bitsOfFactor(D), (Counts.back() + More) / D});
    }
}

/// A * (N / s), rounded up or down, with whole A and N: what N / s + b gives, too, may be that.
void NumberFit::addRounded(std::span<const int64_t> Values, std::vector<Model> &Out) const {
  int64_t All = 0;
  for (int64_t V : Values)
    All = std::gcd(All, V);
  if (All == 0 || std::ranges::any_of(Values, [](int64_t V) { return V <= 0; }))
    return;
  // What divides needs no rounding.
  if (std::ranges::any_of(Sides, [&](const auto &Own) {
        for (size_t I = 0; I < Values.size(); ++I)
          if (Wide(Values[I]) * Own[I] != Wide(Values[0]) * Own[0])
            return false;
        return true;
      }))
    return;
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
              Out.push_back({std::log2(static_cast<double>(2 * Sides.size())) + bitsOfFactor(A) + bitsOfFactor(N) -
                                 bitsOfFactor(Most[IsDown] - Least[IsDown] + 1),
                             static_cast<int64_t>(A * ((N + (IsDown ? 0 : Then - 1)) / Then))});
      }
}

} // namespace pilgrim
