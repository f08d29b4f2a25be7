//===- Soundness.h - whether a trace can be read to its end -----*- C++ -*-===//
//
// Decoding checks each value by itself. These checks compare values with each other, so that a cursor over a sound
// trace reaches the end: streams hold the values that calls take, sequences have the lengths that visits require, turns
// fit their threads. All checks work on the compressed form. What would take going through chunks is not done when a
// trace is opened.
//
// Two errors are missed: a visit without a call, and a sequence that ends early, if the numbers of an event's items
// change so often and so irregularly that finding them would take more than MaxWalk changes or visits. A cursor still
// refuses these.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_SOUNDNESS_H
#define PILGRIM_TRACE_READ_SOUNDNESS_H

#include "trace/model/Lengths.h"
#include "trace/read/Reader.h"

namespace pilgrim {

/// The reason why a cursor cannot read all calls, in one line; empty: there is none.
std::string findInconsistency(const Trace &T);

/// A communicator, window or file whose size does not allow a rank's own number in it, in one line; empty: none.
std::string findBadObject(const Trace &T);

/// Times of single calls whose checksum does not match, in one line; empty: none.
std::string findBadTimes(const Trace &T);

/// A chunk that does not have the elements that are said of it, in one line; empty: none. All chunks are decoded.
std::string findBadChunk(const Trace &T);

/// Turns in chunks that do not fit their threads, in one line; empty: none. All are gone through. A RankCursor refuses
/// such turns when it comes to them.
std::string findBadTurnsInChunks(const Trace &T);

// The separate parts of findInconsistency (internal to trace/).
std::string findBadStreams(const Trace &T);
std::string findBadStructure(const TraceData &T);
std::string findBadTurns(const TraceData &T);

/// Limit on the steps of a stream or sequence that are taken one by one, where there is no faster way.
constexpr uint64_t MaxWalk = uint64_t(1) << 22;

/// Adds the number of calls that each rank of a group has at an event; Nodes: activations of nodes too.
void addItems(Tally &To, const Group &G, const EventData &E, uint32_t World, bool Nodes, ByteReader *Payer);
/// Whether all values of a stream are Least or more.
bool areAtLeast(const IntStreamData &S, int64_t Least);
/// The sum of a stream whose values are 0 or more; Tally::Unknown if the sum is larger.
uint64_t sumOfCounts(const IntStreamData &S);

} // namespace pilgrim

#endif
