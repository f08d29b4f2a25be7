//===- PlainTrace.h - a trace as lists of numbers ----------------*- C++ -*-===//
//
// For comparing traces of one program at several numbers of ranks: all that a trace has, but names, as lists of records
// of numbers. Most lists have one record. Lists that may be longer on more ranks (different calls, the order of calls,
// runs of streams, objects) have one for each element.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_PLAINTRACE_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_PLAINTRACE_H

#include "trace/model/TraceData.h"

#include <expected>
#include <optional>

namespace pilgrim {

struct PlainValue {
  enum Kind : uint8_t {
    Fixed,   ///< part of the form: traces that differ in it differ in more than numbers
    Natural, ///< 0 or more
    Whole,
  } K;
  int64_t V;
  bool operator==(const PlainValue &) const = default;
};

/// A set of ranks, or a function of the rank, among the values of a record.
struct PlainPart {
  size_t From = 0, Size = 0; ///< the values that say it
  enum Kind : uint8_t { Set, Function, Place } K = Set;
  RankSet Ranks;       ///< the set, or the ranks that the function is for
  RankFn Values;       ///< not of a Set; of a Place: where in the program a call or a variable is
  bool InWorld = true; ///< the rank that it is a function of is that in MPI_COMM_WORLD
  uint32_t Slot = 0;   ///< of the call's schema, plus 1; 0: it is no parameter
};

struct PlainRecord {
  std::vector<PlainValue> Values;
  uint32_t Function = 0; ///< of a call: its id; 0: no call
  std::vector<PlainPart> Parts{};
};

/// What a set of ranks, or a function of Of, is in a record, in a world of so many ranks.
std::vector<PlainValue> plainValues(const RankSet &Ranks, uint32_t World);
std::vector<PlainValue> plainValues(const RankFn &F, const RankSet &Of, uint32_t World);
/// The set that such values say; nullopt: they say none.
std::optional<RankSet> rankSetOf(std::span<const PlainValue> Values, uint32_t World);

struct PlainList {
  std::string Where; ///< for a user
  std::vector<PlainRecord> Records;
};

/// The trace without times, and without notes, which belong to one run; with streams in one of the forms that they
/// could have.
TraceData withoutTimes(TraceData T);
/// T is without times. nullopt: it has sealed chunks.
std::optional<std::vector<PlainList>> plainLists(TraceData &T);
/// The trace with these lists. Names, schema and regions are those of Like. Error: where a number is out of its range.
std::expected<TraceData, std::string> traceOf(const std::vector<PlainList> &Lists, const TraceData &Like);

} // namespace pilgrim

#endif
