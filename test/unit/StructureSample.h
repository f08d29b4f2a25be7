//===- StructureSample.h - a trace with structure, by hand ------*- C++ -*-===//
#ifndef PILGRIM_TEST_UNIT_STRUCTURESAMPLE_H
#define PILGRIM_TEST_UNIT_STRUCTURESAMPLE_H

#include "test/unit/RandomTrace.h"

#include <functional>

namespace pilgrim::test {

/// Rank R of some: a body with a call, a loop, the loop again in another place, and a call. The loop is run 3 or 5
/// times (unless it is said how often); it has a call, and a branch to another, which the last rank makes twice.
TraceData structuredRank(uint32_t Ranks, uint32_t R, int64_t Iterations = 0);

/// Rank R of some: in each step a loop over what it has at the time of 5 neighbours, for which it makes a call each.
/// AreSame: it always has the same.
TraceData neighboursOfRank(uint32_t Ranks, uint32_t R, bool AreSame = false);

/// The events that a step of the first loop of pathsOfRank() comes by: arms at every third step, and when it is the
/// rank's turn; the last rank leaves one step early.
std::vector<uint32_t> stepOfRank(uint32_t Ranks, uint32_t R, uint32_t Step);

/// The events that a visit of a loop comes by, of its number.
using StepFn = std::function<std::vector<uint32_t>(uint32_t Step)>;

/// Rank R of some: a loop in which 2 is an arm around 3, and 4 around 5; calls are made at all events but 4, so at one
/// of the arms themselves, too. Then a loop with more events than masks have bits, of which the last one is left out
/// once.
TraceData pathsOfRank(uint32_t Ranks, uint32_t R, uint32_t Steps, const StepFn &StepOf);

TraceData pathsOfRank(uint32_t Ranks, uint32_t R);

} // namespace pilgrim::test

#endif
