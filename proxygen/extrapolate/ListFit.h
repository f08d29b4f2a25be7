//===- ListFit.h - a list that is longer on more ranks -----------*- C++ -*-===//
//
// A loop over log2(p) steps that differ, such as a butterfly, makes more calls on more ranks. In each trace they are a
// run of records whose numbers follow from the number of the step and from the number of ranks: 1, 2, 4, ... ranks
// away, half of the data each time. A list is divided into parts: records that all traces have, and such runs.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_LISTFIT_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_LISTFIT_H

#include "proxygen/extrapolate/RecordFit.h"

namespace pilgrim {

/// The numbers of a run at its steps. Values: by trace, by step. Steps: how many are wanted. nullopt: no model gives
/// all of them.
std::optional<std::vector<int64_t>> stepsAt(const NumberFit &Fit, const std::vector<std::vector<int64_t>> &Values,
                                            size_t Steps);

/// The list at the number of ranks that Fit is for. Lists: of the traces in ascending order of their ranks, not all
/// with as many records. nullopt: it cannot be divided so that all numbers follow.
std::optional<std::vector<PlainRecord>> longerList(RecordFit &Fit, const std::vector<const PlainList *> &Lists);

} // namespace pilgrim

#endif
