//===- TorusFit.h - values by place in a torus, step by step -----*- C++ -*-===//
//
// A program whose ranks have blocks along the diagonals of a grid (NPB's multipartition) sends its blocks on, step by
// step. What a rank does in a step follows from distances around a torus: (j - i - step) mod n and the like. A value is
// looked for as a + b * u + c * v, where u and v are two such distances.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_TORUSFIT_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_TORUSFIT_H

#include "proxygen/extrapolate/NumberFit.h"

namespace pilgrim {

/// By step and rank.
using TorusValues = std::vector<std::vector<int64_t>>;

/// The values of the first steps at the wanted number of ranks. Sides: of the torus at each of the counts that Numbers
/// is for and, last, where the values are wanted; a torus has Sides[I]^2 ranks. Values: by count; of one step or more.
/// nullopt: nothing explains them all, or several things do that differ there.
std::optional<TorusValues> torusSteps(const NumberFit &Numbers, std::span<const int64_t> Sides,
                                      const std::vector<TorusValues> &Values, size_t Steps);

} // namespace pilgrim

#endif
