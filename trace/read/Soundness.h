//===- Soundness.h - whether a trace can be read to its end -----*- C++ -*-===//
//
// Decoding checks each value by itself. Here is what values must agree on, so that a cursor which has begun to give
// calls comes to the end: streams hold what the calls take, sequences are as long as visits ask for, turns fit their
// threads. All of it is found from the compressed form.
//
// What is not found: a visit without a call, or a sequence that ends early, where the numbers of an event's items
// change so often and so irregularly that this would take a walk through more than MaxWalk changes or visits. A cursor
// still refuses these.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_SOUNDNESS_H
#define PILGRIM_TRACE_READ_SOUNDNESS_H

#include "trace/model/Lengths.h"
#include "trace/read/Reader.h"

namespace pilgrim {

/// What keeps a trace from giving all its calls, in one line; empty: nothing.
std::string findInconsistency(const Trace &T);

/// A communicator, window or file in which a rank has a number that its size does not allow, in one line; empty: none.
std::string findBadObject(const Trace &T);

// The parts of findInconsistency, each for itself (internal to trace/).
std::string findBadStreams(const Trace &T);
std::string findBadStructure(const TraceData &T);
std::string findBadTurns(const TraceData &T);

/// Steps of a stream or a sequence that are gone through one by one, where nothing better is known.
constexpr uint64_t MaxWalk = uint64_t(1) << 22;

/// How many calls the ranks of a group have at an event; Nodes: activations of nodes as well.
void addItems(Tally &To, const Group &G, const EventData &E, uint32_t World, bool Nodes, ByteReader *Payer);
/// Whether all values of a stream are Least or more.
bool areAtLeast(const IntStreamData &S, int64_t Least);
/// The sum of a stream whose values are 0 or more; Tally::Unknown: it is more than that.
uint64_t sumOfCounts(const IntStreamData &S);

} // namespace pilgrim

#endif
