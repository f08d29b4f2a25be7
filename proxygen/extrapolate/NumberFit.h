//===- NumberFit.h - a number as a function of how many ranks there are -*- C++ -*-===//
//
// Numbers in traces of one program at several rank counts are mostly constants, or simple exact functions of the count:
// of the count p itself, of its logarithm, of the sides of a square or cubic grid of p ranks. (Extra-P's performance
// model normal form has p^i * log2(p)^j; here nothing is measured, so a model has to be exact.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_NUMBERFIT_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_NUMBERFIT_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pilgrim {

/// How ranks are arranged. A later one has the terms of the first one, and its own.
enum class Shape : uint8_t { Line, Square, Cube };
const char *nameOf(Shape S);

/// The sides of the most even grid of Ranks ranks, in descending order (MPI_Dims_create's rule).
std::vector<int64_t> gridSides(int64_t Ranks, unsigned Dimensions);

class NumberFit {
public:
  /// Counts: of the traces, ascending, at least two; To: where numbers are wanted.
  NumberFit(Shape S, std::span<const int64_t> Counts, int64_t To);
  /// Whether the shape makes sense for these counts.
  bool isPossible() const { return Possible; }
  /// The number at To, from those at the counts; nullopt: no model gives them exactly.
  std::optional<int64_t> at(std::span<const int64_t> Values) const;

private:
  /// A function of the count, at each of Counts and at To, as a fraction.
  struct Term {
    std::vector<int64_t> Numerators, Denominators;
    int64_t Numerator = 0, Denominator = 1;
  };
  struct Point {
    int64_t Count;
    std::vector<int64_t> Sides;
  };
  void addTerms(Shape S, std::span<const Point> Points);
  std::optional<int64_t> withOneTerm(std::span<const int64_t> Values) const;
  std::optional<int64_t> withTwoTerms(std::span<const int64_t> Values) const;

  std::vector<Term> Terms;
  bool Possible = true;
};

} // namespace pilgrim

#endif
