//===- TorusFit.cpp - values by place in a torus, step by step ------------===//
#include "proxygen/extrapolate/TorusFit.h"

#include <algorithm>

namespace pilgrim {

namespace {
/// (I * i + J * j + Step * step + Shift) mod n.
struct Distance {
  int I, J, Step, Shift;
  int64_t at(int64_t Row, int64_t Column, int64_t InStep, int64_t Side) const {
    const int64_t V = (I * Row + J * Column + Step * InStep + Shift) % Side;
    return V < 0 ? V + Side : V;
  }
};

/// All of them that may differ.
std::vector<Distance> distances() {
  constexpr int MostShift = 2;
  std::vector<Distance> Out;
  for (int I : {0, 1, -1})
    for (int J : {0, 1, -1})
      for (int Step : {0, 1, -1})
        for (int Shift = -MostShift; (I || J || Step) && Shift <= MostShift; ++Shift)
          Out.push_back({I, J, Step, Shift});
  return Out;
}

/// a + b * u + c * v.
struct Plane {
  int64_t A, B, C;
  __int128 at(int64_t U, int64_t V) const { return A + __int128(B) * U + __int128(C) * V; }
};

/// The plane of the values at one count; nullopt: they are in none, or in several.
std::optional<Plane> planeOf(Distance U, Distance V, int64_t Side, const TorusValues &Values) {
  struct Point {
    int64_t U, V, Value;
  };
  auto ForEach = [&](auto &&F) {
    for (size_t S = 0; S < Values.size(); ++S)
      for (int64_t R = 0; R < Side * Side; ++R)
        if (const auto InStep = static_cast<int64_t>(S);
            !F(Point{U.at(R / Side, R % Side, InStep, Side), V.at(R / Side, R % Side, InStep, Side),
                     Values[S][static_cast<size_t>(R)]}))
          return false;
    return true;
  };
  std::optional<Point> First;
  std::optional<int64_t> B, C;
  auto Slope = [&](std::optional<int64_t> &To, int64_t Value, int64_t Apart) {
    int64_t More;
    if (__builtin_sub_overflow(Value, First->Value, &More) || More % Apart)
      return false;
    To = To.value_or(More / Apart);
    return *To == More / Apart;
  };
  const bool Good = ForEach([&](const Point &P) {
    if (!First)
      First = P;
    else if (P.U != First->U && P.V == First->V)
      return Slope(B, P.Value, P.U - First->U);
    else if (P.U == First->U && P.V != First->V)
      return Slope(C, P.Value, P.V - First->V);
    return true;
  });
  if (!Good || !First || !B || !C)
    return std::nullopt;
  const __int128 A = First->Value - __int128(*B) * First->U - __int128(*C) * First->V;
  if (A > INT64_MAX || A < INT64_MIN)
    return std::nullopt;
  const Plane Out{static_cast<int64_t>(A), *B, *C};
  return ForEach([&](const Point &P) { return Out.at(P.U, P.V) == P.Value; }) ? std::optional(Out) : std::nullopt;
}
} // namespace

std::optional<TorusValues> torusSteps(const NumberFit &Numbers, std::span<const int64_t> Sides,
                                      const std::vector<TorusValues> &Values, size_t Steps) {
  const std::vector<Distance> All = distances();
  const int64_t Side = Sides.back();
  std::optional<TorusValues> Found;
  for (size_t U = 0; U < All.size(); ++U)
    for (size_t V = U + 1; V < All.size(); ++V) {
      std::vector<int64_t> A, B, C;
      for (size_t T = 0; T < Values.size(); ++T) {
        const auto P = planeOf(All[U], All[V], Sides[T], Values[T]);
        if (!P)
          break;
        A.push_back(P->A);
        B.push_back(P->B);
        C.push_back(P->C);
      }
      if (A.size() < Values.size())
        continue;
      const auto AThen = Numbers.at(A), BThen = Numbers.at(B), CThen = Numbers.at(C);
      if (!AThen || !BThen || !CThen)
        continue;
      TorusValues Then(Steps);
      for (size_t S = 0; S < Steps; ++S)
        for (int64_t R = 0; R < Side * Side; ++R) {
          const auto InStep = static_cast<int64_t>(S);
          Then[S].push_back(static_cast<int64_t>(Plane{*AThen, *BThen, *CThen}.at(
              All[U].at(R / Side, R % Side, InStep, Side), All[V].at(R / Side, R % Side, InStep, Side))));
        }
      if (Found && *Found != Then)
        return std::nullopt;
      Found = std::move(Then);
    }
  return Found;
}

} // namespace pilgrim
