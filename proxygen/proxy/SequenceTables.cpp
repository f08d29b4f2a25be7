//===- SequenceTables.cpp - grammars and streams as tables of C -----------===//
#include "proxygen/proxy/SequenceTables.h"

#include <algorithm>

namespace pilgrim {

/// As next() in the prelude reads it. HasCount: its count stands there even if it is 1.
static std::string symbolText(const GrammarSymbol &X, bool HasCount) {
  const std::string Value = std::to_string(X.Value);
  if (!X.IsRule && X.Count == 1 && !HasCount)
    return Value + ", ";
  return std::string(X.IsRule ? "RULE" : "TIMES") + ", " + std::to_string(X.Count) + ", " + Value + ", ";
}

/// How deep rules are nested.
static unsigned depthOf(const GrammarData &G) {
  std::vector<unsigned> Deep(G.Rules.size(), 1);
  for (size_t R = G.Rules.size(); R-- > 0;)
    for (const GrammarSymbol &X : G.Rules[R])
      if (X.IsRule)
        Deep[R] = std::max(Deep[R], Deep[X.Value] + 1);
  return Deep[0];
}

RuleTables ruleTables(Source &S, const GrammarData &G, const std::map<uint32_t, std::string> &OwnCounts) {
  S.use("next");
  S.Depth = std::max(S.Depth, depthOf(G));
  std::string List;
  uint32_t Place = 0;
  for (const auto &Rule : G.Rules) {
    std::string Content;
    std::map<uint32_t, size_t> CountAt; ///< of symbols whose counts ranks change: where the table has them
    size_t Numbers = 0;
    for (const GrammarSymbol &X : Rule) {
      const bool IsOwn = OwnCounts.contains(Place);
      if (IsOwn)
        CountAt[Place] = Numbers + 1;
      const std::string Text = symbolText(X, IsOwn);
      Numbers += static_cast<size_t>(std::ranges::count(Text, ','));
      Content += Text;
      ++Place;
    }
    Content += "END";
    // Tables that ranks change are not shared.
    const std::string Name = S.table("long", "symbols_", Content, CountAt.empty());
    for (const auto &[Symbol, At] : CountAt)
      S.setUp(Name + "[" + std::to_string(At) + "] = " + OwnCounts.at(Symbol) + ";");
    List += (List.empty() ? "" : ", ") + Name;
  }
  return {S.table("long *const", "rules_", List, OwnCounts.empty()), List.substr(0, List.find(','))};
}

std::string runTable(Source &S, const IntStreamData &D, bool IsShared) {
  std::string Content;
  for (const LinearRun &R : D.Runs)
    Content += (Content.empty() ? "{" : ", {") + numberText(R.First) + ", " + numberText(R.Stride) + ", " +
               std::to_string(R.Count) + "}";
  return S.table("struct run", "runs_", Content.empty() ? "{0, 0, 0}" : Content, IsShared);
}

std::string startInts(Source &S, const std::string &Name, const IntStreamData &D, const std::string &Runs) {
  S.use("next_int");
  return "start_ints(&" + Name + ", " + ruleTables(S, D.Order).Rules + ", " + Runs + ", " + (D.AreSteps ? "1" : "0") +
         ");";
}

std::optional<IntStreamData> shorterStream(const std::vector<int64_t> &Numbers) {
  constexpr size_t Many = 200; // fewer are a table
  constexpr size_t Room = 4;   // numbers that are as long in C as a run or a symbol
  if (Numbers.size() < Many)
    return std::nullopt;
  IntStream Steps;
  uint64_t Before = 0;
  for (const int64_t N : Numbers) {
    Steps.append(static_cast<int64_t>(static_cast<uint64_t>(N) - Before));
    Before = static_cast<uint64_t>(N);
  }
  IntStreamData D = Steps.data().expanded();
  if (D.AreSteps || 2 * Room * (D.Runs.size() + D.Order.symbols()) > Numbers.size())
    return std::nullopt;
  D.AreSteps = true;
  return D;
}

} // namespace pilgrim
