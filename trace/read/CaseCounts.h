//===- CaseCounts.h - values of streamed slots, call by call -----*- C++ -*-===//
//
// Where values and calls are irregular, to lay them side by side as grammars once for each call of the sequence
// (WalkCases.cpp) takes as often as long as there are different calls. So all calls are counted in one pass, element by
// element (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_CASECOUNTS_H
#define PILGRIM_TRACE_READ_CASECOUNTS_H

#include "trace/model/TraceData.h"

#include <map>

namespace pilgrim {

/// The calls of one function at one site, on one rank, whose slots are streamed.
struct CasesWanted {
  const RankedItems *Sequence = nullptr;
  uint32_t Function = 0, Site = 0; ///< tokens of the signatures
  std::vector<unsigned> Slots;
  uint32_t Rank = 0;
  auto operator<=>(const CasesWanted &) const = default;
};

struct CaseCounts {
  /// Values in the order of the slots, and how often.
  struct Case {
    std::vector<int64_t> Values;
    uint64_t Number = 0;
  };
  bool IsFound = false;                ///< false: streams and calls do not belong together, or there are too many cases
  std::vector<std::vector<Case>> Of{}; ///< by terminal of the sequence
};

/// Users: by terminal, which of the slots it takes a value for, as bits; Columns: values by slot. MostCases: of all
/// calls together.
CaseCounts countCases(const GrammarData &Order, std::span<const uint64_t> Users, std::span<const IntStreamData> Columns,
                      size_t MostCases);

/// Those of one sequence.
class KnownCases {
public:
  /// The counts that Make() makes, which is called once while the same sequence is asked about.
  template <typename Fn> const CaseCounts &get(const CasesWanted &Wanted, Fn &&Make) {
    if (!Known.empty() && Known.begin()->first.Sequence != Wanted.Sequence)
      Known.clear();
    const auto [It, IsNew] = Known.try_emplace(Wanted);
    if (IsNew)
      It->second = Make();
    return It->second;
  }

private:
  std::map<CasesWanted, CaseCounts> Known;
};

} // namespace pilgrim

#endif
