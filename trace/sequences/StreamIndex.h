//===- StreamIndex.h - looking into a stream anywhere ------------*- C++ -*-===//
//
// The value at a place of a compressed stream, without going through those
// before it: the lengths of rules are added up once.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_STREAMINDEX_H
#define PILGRIM_TRACE_SEQUENCES_STREAMINDEX_H

#include "trace/sequences/IntStream.h"

namespace pilgrim {

class StreamIndex {
public:
  /// Of a stream of values, not of steps.
  explicit StreamIndex(const IntStreamData &S);
  /// The value at a place below length(), of the stream that the index was made of.
  int64_t at(const IntStreamData &S, uint64_t Place) const;
  uint64_t length() const { return Ends[0].empty() ? 0 : Ends[0].back(); }

private:
  uint64_t period(const IntStreamData &S, const GrammarSymbol &X) const;
  std::vector<std::vector<uint64_t>> Ends; ///< by rule and symbol: where in the rule's values it ends
};

} // namespace pilgrim

#endif
