//===- TimeCounts.h - how often each time occurs in each context --*- C++ -*-===//
//
// Exact histograms: of the durations in each place, and of the gaps on each path. They can be added, over blocks,
// threads and ranks that number contexts alike. A TimeModel is made from them.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TIMES_TIMECOUNTS_H
#define PILGRIM_TRACE_TIMES_TIMECOUNTS_H

#include "trace/times/TimeBounds.h"

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace pilgrim {

/// A symbol in a context behind a call of a class (classOfTime() of its decoded duration), ordered by kind, context,
/// class, symbol. The class matters for gaps and durations, as what delays one call of a loop delays the next one.
class TimeKey {
public:
  /// Symbols of gaps also say whether the gap is negative.
  static constexpr unsigned SymbolBits = 13, ClassBits = 4;
  static constexpr uint32_t Negative = TimeBins::MaxSymbols;

  TimeKey() = default;
  TimeKey(TimeKind Kind, uint32_t Context, unsigned Class, uint32_t Symbol)
      : TimeKey((uint64_t(1 + static_cast<unsigned>(Kind)) << 32 | Context) << ClassBits | Class, Symbol) {}
  TimeKey(uint64_t Group, uint32_t Symbol) : Bits(Group << SymbolBits | Symbol) {}
  TimeKind kind() const { return static_cast<TimeKind>((Bits >> (32 + ClassBits + SymbolBits)) - 1); }
  uint32_t context() const { return static_cast<uint32_t>(Bits >> (ClassBits + SymbolBits)); }
  uint32_t symbol() const { return Bits & ((1u << SymbolBits) - 1); }
  /// Kind, context and class. Those of a context are 2^ClassBits in succession.
  uint64_t group() const { return Bits >> SymbolBits; }
  uint64_t bits() const { return Bits; } ///< 0: a key that stands for nothing
  auto operator<=>(const TimeKey &) const = default;

private:
  uint64_t Bits = 0;
};

struct TimeCount {
  TimeKey Key;
  uint64_t Count = 0;
  bool operator==(const TimeCount &) const = default;
};

/// The sum of two lists that are sorted by key, into the first.
void addCounts(std::vector<TimeCount> &To, std::span<const TimeCount> Counts);

} // namespace pilgrim

#endif
