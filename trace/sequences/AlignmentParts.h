//===- AlignmentParts.h - what alignments are made from ----------*- C++ -*-===//
//
// Right-hand sides of rules, and the rules and pairs of an alignment under construction (internal to trace/sequences/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_ALIGNMENTPARTS_H
#define PILGRIM_TRACE_SEQUENCES_ALIGNMENTPARTS_H

#include "trace/sequences/Alignment.h"

#include <numeric>
#include <unordered_map>

namespace pilgrim::alignment {

using Body = std::vector<GrammarSymbol>;

inline void append(Body &To, const GrammarSymbol &S) {
  if (!To.empty() && To.back().Value == S.Value && To.back().IsRule == S.IsRule)
    To.back().Count += S.Count;
  else
    To.push_back(S);
}

/// Pairs and rules of an alignment under construction.
class Result {
public:
  uint32_t pair(uint32_t X, uint32_t Y) {
    auto [It, New] = Number.try_emplace(uint64_t(X) << 32 | Y, static_cast<uint32_t>(Pairs.size()));
    return New ? add(X, Y) : It->second;
  }
  /// The same for a pair that is known to be new; pair() does not find it.
  uint32_t add(uint32_t X, uint32_t Y) {
    Pairs.emplace_back(X, Y);
    return static_cast<uint32_t>(Pairs.size() - 1);
  }
  /// Adds a rule. The rules that B refers to must have been added before.
  uint32_t rule(Body B) {
    Rules.push_back(std::move(B));
    return static_cast<uint32_t>(Rules.size() - 1);
  }
  /// A symbol for B, repeated Times times.
  GrammarSymbol repeated(Body B, uint64_t Times) {
    if (B.size() == 1)
      return {B[0].Value, B[0].IsRule, B[0].Count * Times};
    return {rule(std::move(B)), true, Times};
  }
  Alignment finish(Body Start) {
    rule(std::move(Start));
    GrammarData Out;
    Out.Rules.assign(Rules.rbegin(), Rules.rend());
    for (Body &B : Out.Rules)
      for (GrammarSymbol &S : B)
        if (S.IsRule)
          S.Value = static_cast<uint32_t>(Rules.size() - 1 - S.Value);
    std::vector<uint32_t> Same(Pairs.size());
    std::iota(Same.begin(), Same.end(), 0);
    return {Out.renamed(Same), std::move(Pairs)};
  }

private:
  std::unordered_map<uint64_t, uint32_t> Number; ///< of each pair
  std::vector<std::pair<uint32_t, uint32_t>> Pairs;
  std::vector<Body> Rules; ///< each after the rules that it refers to
};

} // namespace pilgrim::alignment

#endif
