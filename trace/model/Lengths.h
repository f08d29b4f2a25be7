//===- Lengths.h - what the structure says of lengths ------------*- C++ -*-===//
//
// How often nodes are visited and events passed. From these follow the lengths
// of sequences, which need not be written (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_LENGTHS_H
#define PILGRIM_TRACE_MODEL_LENGTHS_H

#include "trace/model/TraceData.h"

namespace pilgrim {

// Payer is charged for the work of damaged input, if there is one.

/// How many visits a node has.
Tally countVisits(const NodeData &N, uint32_t World, ByteReader *Payer = nullptr);
/// How often the visits of a node that has its paths pass each of its events.
std::map<uint32_t, Tally> countPasses(const Group &G, const NodeData &N, uint32_t World, ByteReader *Payer = nullptr);
/// How many items an event of a node has, from how often it is passed and how the usual number changes.
Tally countItems(const NodeData &N, const EventData &E, uint32_t Id, const Tally &Passes, ByteReader *Payer = nullptr);
/// The sum of a stream; Tally::Unknown if it is none.
uint64_t sumOf(const IntStreamData &S);

} // namespace pilgrim

#endif
