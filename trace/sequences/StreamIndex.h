//===- StreamIndex.h - looking into a stream anywhere ------------*- C++ -*-===//
//
// The value at a place of a compressed stream, or the sum of all values before it, without going through those: the
// lengths of rules are added up once.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_STREAMINDEX_H
#define PILGRIM_TRACE_SEQUENCES_STREAMINDEX_H

#include "trace/sequences/GrammarIndex.h"
#include "trace/sequences/IntStream.h"

namespace pilgrim {

/// Of a stream that every function is given again, so that both can be moved.
class StreamIndex {
public:
  explicit StreamIndex(const IntStreamData &S) : Index(S.Order, [&](uint32_t Run) { return S.Runs[Run].Count; }) {}
  uint64_t length() const { return Index.length(); }
  /// The value at a place below length(). Not of a stream of steps.
  int64_t at(const IntStreamData &S, uint64_t Place) const;
  /// The sum of the first Place values, at most length(), modulo 2^64. Goes through a stream of steps.
  uint64_t sumBefore(const IntStreamData &S, uint64_t Place) const;
  /// Gives the value at Place, then those behind it.
  IntStreamData::Cursor cursorAt(const IntStreamData &S, uint64_t Place) const;

private:
  uint64_t sumOfRuns(const IntStreamData &S, uint64_t Place) const;
  GrammarIndex Index;
};

} // namespace pilgrim

#endif
