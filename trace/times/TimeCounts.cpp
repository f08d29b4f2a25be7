//===- TimeCounts.cpp - how often each time occurs in each context --------===//
#include "trace/times/TimeCounts.h"

namespace pilgrim {

void addCounts(std::vector<TimeCount> &To, std::span<const TimeCount> Counts) {
  std::vector<TimeCount> Sum;
  Sum.reserve(To.size() + Counts.size());
  auto Own = To.begin();
  for (const TimeCount &C : Counts) {
    for (; Own != To.end() && Own->Key < C.Key; ++Own)
      Sum.push_back(*Own);
    const bool IsBoth = Own != To.end() && Own->Key == C.Key;
    Sum.push_back({C.Key, C.Count + (IsBoth ? Own->Count : 0)});
    Own += IsBoth;
  }
  Sum.insert(Sum.end(), Own, To.end());
  To = std::move(Sum);
}

} // namespace pilgrim
