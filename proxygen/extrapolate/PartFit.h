//===- PartFit.h - parts of something that does not divide -------*- C++ -*-===//
//
// N points are divided among the n places along a side of a grid. If n does not divide N, some places get more than
// others, in one of a few ways that programs have. What a place sends, and where in a file it writes, is then a * part
// + b or a * begin of the part + b, with the same N, a and b at every number of ranks.
//
// All parts together are N. So the sums of values over a side are a * N + b * n: a line over n, which three lengths of
// the side confirm.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_PARTFIT_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_PARTFIT_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pilgrim {

/// The ways to divide N points among Length places.
enum class Division : uint8_t {
  FirstMore, ///< the first N mod Length places get one more than the others
  LastMore,  ///< the last ones do
  Spread,    ///< place i ends where (i + 1) * N / Length, rounded down, is
  LastRest,  ///< all get N / Length, rounded down, the last one also what is left
  Ceiling    ///< all get N / Length, rounded up, but for the last ones, for which less is left
};
/// Where the part of a place begins, of 0 to Length; at Length it is N.
int64_t beginOf(Division D, int64_t N, int64_t Length, int64_t Place);

/// The values along a side with Length places, from those at three lengths or more; each of Lines has as many values as
/// its side is long. nullopt: no division explains all of them, or several do that differ at Length (AreSeveral, if it
/// is given, is set then).
std::optional<std::vector<int64_t>> fitParts(std::span<const std::vector<int64_t>> Lines, int64_t Length,
                                             bool *AreSeveral = nullptr);

/// The values along two sides, which are a * part * part of something else + b. Of each of Planes, the values by the
/// place along the first side, and for each of these along the second one.
using Plane = std::vector<std::vector<int64_t>>;
std::optional<Plane> fitFaces(std::span<const Plane> Planes, int64_t First, int64_t Second);

} // namespace pilgrim

#endif
