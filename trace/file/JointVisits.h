//===- JointVisits.h - visits of all ranks together --------------*- C++ -*-===//
//
// A loop over what each rank has for itself, such as neighbours, is visited by each as often as it has calls in it.
// Where the ranks' calls are one sequence, of which some lack some, the numbers of visits follow from how this is
// divided: one list for all ranks says it (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_JOINTVISITS_H
#define PILGRIM_TRACE_FILE_JOINTVISITS_H

#include "trace/model/TraceData.h"

#include <optional>

namespace pilgrim {

/// Lengths of the stretches of the sequence of N's only event: each activation of a rank is the next stretch that the
/// rank has calls in, and has a visit for each of them. Nothing where N's visits are not so, or to find
/// out takes more than Work, from which that is taken.
std::optional<IntStreamData> joinVisits(const Group &G, const NodeData &N, uint32_t World, uint64_t &Work);

/// Gives N, which has its items, the visits of all ranks. On damaged input R.ok() is false afterwards.
void partVisits(const Group &G, NodeData &N, const IntStreamData &Joint, ByteReader &R);

} // namespace pilgrim

#endif
