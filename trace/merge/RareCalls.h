//===- RareCalls.h - calls that hardly come again -----------------*- C++ -*-===//
//
// A rank of an irregular program may have thousands of signatures that it uses once or twice, a few at each of many
// places. Each of them is written and compared with those of other ranks, which seldom have the same. A stream says the
// same values in a byte or two each.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_RARECALLS_H
#define PILGRIM_TRACE_MERGE_RARECALLS_H

#include "trace/model/TraceData.h"
#include "trace/sequences/Chunk.h"

namespace pilgrim {

/// Moves numbers and addresses from signatures to streams, where the calls of one function and site hardly come again.
/// Nothing happens if G has few such calls. G: what one rank recorded, before deriveCandidates(). T: has the functions.
/// Store: keeps chunks of long sequences. Decoded calls stay the same.
void streamRareCalls(const TraceData &T, Group &G, ChunkStore &Store);

} // namespace pilgrim

#endif
