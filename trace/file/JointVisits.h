//===- JointVisits.h - visits of all ranks together --------------*- C++ -*-===//
//
// A loop over things of which each rank has its own number, such as neighbours, has as many visits on a rank as the
// rank has calls in it. If the ranks' calls are subsequences of one sequence, one list for all ranks is enough: it
// divides the sequence into stretches, and the lengths of the stretches give each rank's visits (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_JOINTVISITS_H
#define PILGRIM_TRACE_FILE_JOINTVISITS_H

#include "trace/model/TraceData.h"

#include <optional>

namespace pilgrim {

/// Lengths of the stretches of the sequence of N's only event. Each activation of a rank is the next stretch in which
/// the rank has calls, and it has one visit for each of these calls. Nothing if N's visits do not have this form, or if
/// finding out would take more than Work. The work done is subtracted from Work.
std::optional<IntStreamData> joinVisits(const Group &G, const NodeData &N, uint32_t World, uint64_t &Work);

/// Sets the visits of all ranks in N, which must have its items. On damaged input R.ok() is false afterwards.
void partVisits(const Group &G, NodeData &N, const IntStreamData &Joint, ByteReader &R);

} // namespace pilgrim

#endif
