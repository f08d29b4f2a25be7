//===- PartFit.cpp - parts of something that does not divide --------------===//
#include "proxygen/extrapolate/PartFit.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace pilgrim {

using Wide = __int128;

static constexpr int64_t Largest = int64_t(1) << 40;

int64_t beginOf(Division D, int64_t N, int64_t Length, int64_t Place) {
  const int64_t Part = N / Length, More = N % Length;
  switch (D) {
  case Division::FirstMore:
    return Place * Part + std::min(Place, More);
  case Division::LastMore:
    return Place * Part + std::max<int64_t>(Place - (Length - More), 0);
  case Division::Spread:
    return static_cast<int64_t>(Wide(Place) * N / Length);
  case Division::LastRest:
    return Place == Length ? N : Place * Part;
  case Division::Ceiling:
    return std::min(N, Place * (Part + (More != 0)));
  }
  return 0;
}

namespace {
/// Values are A * part + B, or A * begin + B.
struct Model {
  Division D;
  bool IsBegin;
  int64_t N, A, B;

  int64_t at(int64_t Place, int64_t Length) const {
    const int64_t Begin = beginOf(D, N, Length, Place);
    return A * (IsBegin ? Begin : beginOf(D, N, Length, Place + 1) - Begin) + B;
  }
  bool explains(const std::vector<int64_t> &Line) const {
    const auto Length = static_cast<int64_t>(Line.size());
    for (int64_t I = Length; I-- > 0;)
      if (at(I, Length) != Line[static_cast<size_t>(I)])
        return false;
    return true;
  }
};

/// Y = Up + Slope * X with whole numbers through all points; of at least three different X.
struct Line {
  int64_t Up, Slope;
};
std::optional<Line> lineThrough(std::span<const std::pair<int64_t, int64_t>> Points) {
  const std::set<std::pair<int64_t, int64_t>> Different(Points.begin(), Points.end());
  if (Different.size() < 3)
    return std::nullopt;
  const auto [X0, Y0] = *Different.begin();
  const auto [X1, Y1] = *std::next(Different.begin());
  if (X0 == X1 || (Y1 - Y0) % (X1 - X0))
    return std::nullopt;
  const int64_t Slope = (Y1 - Y0) / (X1 - X0);
  for (const auto &[X, Y] : Different)
    if (Wide(Y) - Y0 != Wide(Slope) * (X - X0))
      return std::nullopt;
  const Wide Up = Y0 - Wide(Slope) * X0;
  return Up > INT64_MAX || Up < INT64_MIN ? std::nullopt : std::optional(Line{static_cast<int64_t>(Up), Slope});
}

/// What divides both, ascending, if it is not too much.
std::vector<int64_t> commonDivisors(int64_t A, int64_t B) {
  constexpr int64_t Most = 1 << 20;
  std::vector<int64_t> Out;
  const int64_t G = std::gcd(A, B);
  for (int64_t D = 1; D <= std::min(G, Most) && D * D <= G; ++D)
    if (G % D == 0) {
      Out.push_back(D);
      if (D * D != G)
        Out.push_back(G / D);
    }
  std::ranges::sort(Out);
  return Out;
}

/// Of values that are parts: all parts together are N.
std::vector<Model> modelsOfParts(std::span<const std::vector<int64_t>> Lines) {
  std::vector<std::pair<int64_t, int64_t>> Sums;
  int64_t Apart = 0;
  for (const auto &L : Lines) {
    for (int64_t V : L)
      Apart = std::gcd(Apart, V - L[0]);
    Sums.emplace_back(static_cast<int64_t>(L.size()), std::accumulate(L.begin(), L.end(), int64_t(0)));
  }
  std::vector<Model> Out;
  if (const auto Sum = Apart ? lineThrough(Sums) : std::nullopt; Sum && Sum->Up > 0)
    for (int64_t A : commonDivisors(Apart, Sum->Up))
      Out.push_back({{}, false, Sum->Up / A, A, Sum->Slope});
  return Out;
}

/// Of values that are begins: the first one is B. The last part is not seen. Where it is like the first one, N is one
/// of three. What is left for the last place, or may be missing to the last one, leaves a range of N; with more points
/// no part begins earlier, so its ends stand for all of it.
std::vector<Model> modelsOfBegins(std::span<const std::vector<int64_t>> Lines) {
  int64_t Apart = 0;
  std::set<size_t> Lengths;
  for (const auto &L : Lines) {
    Lengths.insert(L.size());
    for (int64_t V : L)
      Apart = std::gcd(Apart, V - L[0]);
  }
  std::vector<Model> Out;
  if (Lengths.size() < 3)
    return Out;
  const int64_t B = Lines[0][0];
  for (int64_t A : commonDivisors(Apart, Apart)) {
    std::set<int64_t> All;
    int64_t LeastRest = 0, MostRest = INT64_MAX, LeastCeiling = 0, MostCeiling = INT64_MAX;
    for (const auto &L : Lines) {
      if (L.size() < 2)
        continue;
      const auto Length = static_cast<int64_t>(L.size());
      const int64_t Part = (L[1] - L[0]) / A, Last = (L.back() - L[0]) / A;
      All.insert({Last + Part - 1, Last + Part, Last + Part + 1});
      LeastRest = std::max(LeastRest, Length * Part);
      MostRest = std::min(MostRest, Length * Part + Length - 1);
      // Where a part begins is N if it is empty.
      const bool IsEmpty = Last < (Length - 1) * Part;
      LeastCeiling = std::max({LeastCeiling, Last, Length * (Part - 1) + 1});
      MostCeiling = std::min(MostCeiling, IsEmpty ? Last : Last + Part);
    }
    All.insert({LeastRest, MostRest, LeastCeiling, MostCeiling});
    for (int64_t N : All)
      if (N > 0 && N < INT64_MAX)
        Out.push_back({{}, true, N, A, B});
  }
  return Out;
}
} // namespace

std::optional<std::vector<int64_t>> fitParts(std::span<const std::vector<int64_t>> Lines, int64_t Length,
                                             bool *AreSeveral) {
  for (const auto &L : Lines)
    if (L.empty() || std::ranges::any_of(L, [](int64_t V) { return V > Largest || V < -Largest; }))
      return std::nullopt;
  std::vector<Model> Models = modelsOfParts(Lines);
  const std::vector<Model> Begins = modelsOfBegins(Lines);
  Models.insert(Models.end(), Begins.begin(), Begins.end());
  std::optional<std::vector<int64_t>> Out;
  for (Model M : Models)
    for (const Division D :
         {Division::FirstMore, Division::LastMore, Division::Spread, Division::LastRest, Division::Ceiling}) {
      M.D = D;
      if (!std::ranges::all_of(Lines, [&](const auto &L) { return M.explains(L); }))
        continue;
      std::vector<int64_t> Then;
      for (int64_t I = 0; I < Length; ++I)
        Then.push_back(M.at(I, Length));
      if (Out && *Out != Then) {
        if (AreSeveral)
          *AreSeveral = true;
        return std::nullopt;
      }
      Out = std::move(Then);
    }
  return Out;
}

/// All values together are a * N * M + b * (how many there are), as of parts. Without b, what stands along one side
/// sums up to a * M * part, and a value is the product of two such sums, divided by the sum of all.
std::optional<Plane> fitFaces(std::span<const Plane> Planes, int64_t First, int64_t Second) {
  std::vector<std::pair<int64_t, int64_t>> Sums;
  for (const Plane &P : Planes) {
    int64_t Sum = 0;
    for (const auto &Row : P)
      for (int64_t V : Row) {
        if (V > Largest || V < -Largest)
          return std::nullopt;
        Sum += V;
      }
    Sums.emplace_back(static_cast<int64_t>(P.size() * P[0].size()), Sum);
  }
  const auto Sum = lineThrough(Sums);
  if (!Sum || Sum->Up <= 0)
    return std::nullopt;
  const int64_t All = Sum->Up, B = Sum->Slope;
  const auto Product = [&](int64_t Row, int64_t Column) -> std::optional<int64_t> {
    const Wide Up = Wide(Row) * Column, V = Up / All + B;
    return Up % All || V > Largest || V < -Largest ? std::nullopt : std::optional(static_cast<int64_t>(V));
  };
  std::vector<std::vector<int64_t>> Rows, Columns;
  for (const Plane &P : Planes) {
    auto &Row = Rows.emplace_back(P.size());
    auto &Column = Columns.emplace_back(P[0].size());
    for (size_t I = 0; I < P.size(); ++I)
      for (size_t J = 0; J < P[I].size(); ++J) {
        Row[I] += P[I][J] - B;
        Column[J] += P[I][J] - B;
      }
    for (size_t I = 0; I < P.size(); ++I)
      for (size_t J = 0; J < P[I].size(); ++J)
        if (Product(Row[I], Column[J]) != P[I][J])
          return std::nullopt;
  }
  const auto RowsThen = fitParts(Rows, First), ColumnsThen = fitParts(Columns, Second);
  if (!RowsThen || !ColumnsThen)
    return std::nullopt;
  Plane Out(static_cast<size_t>(First));
  for (size_t I = 0; I < Out.size(); ++I)
    for (int64_t Column : *ColumnsThen) {
      const auto V = Product((*RowsThen)[I], Column);
      if (!V)
        return std::nullopt;
      Out[I].push_back(*V);
    }
  return Out;
}

} // namespace pilgrim
