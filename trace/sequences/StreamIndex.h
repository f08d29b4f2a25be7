//===- StreamIndex.h - looking into a stream anywhere ------------*- C++ -*-===//
//
// Finds the value at a place of a compressed stream, or the sum of all values before it, without expanding the stream.
// The lengths of rules are added up once.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_STREAMINDEX_H
#define PILGRIM_TRACE_SEQUENCES_STREAMINDEX_H

#include "trace/sequences/GrammarIndex.h"
#include "trace/sequences/IntStream.h"

#include <utility>

namespace pilgrim {

/// The index of one stream. Every function takes the stream as an argument, so that both can be moved.
class StreamIndex {
public:
  explicit StreamIndex(const IntStreamData &S) : Index(S.Order, [&](uint32_t Run) { return S.Runs[Run].Count; }) {}
  uint64_t length() const { return Index.length(); }
  /// The value at a place below length(). The stream must not be one of steps.
  int64_t at(const IntStreamData &S, uint64_t Place) const;
  /// The sum of the first Place values, modulo 2^64; Place is at most length(). A stream of steps is expanded.
  uint64_t sumBefore(const IntStreamData &S, uint64_t Place) const;
  /// A cursor that gives the value at Place first.
  IntStreamData::Cursor cursorAt(const IntStreamData &S, uint64_t Place) const;

private:
  uint64_t sumOfRuns(const IntStreamData &S, uint64_t Place) const;
  uint64_t sumOfChunk(const IntStreamData &S, uint32_t Run) const;
  GrammarIndex Index;
  mutable std::vector<std::pair<bool, uint64_t>> ChunkSums; ///< by chunk: whether it is known, and the sum
};

} // namespace pilgrim

#endif
