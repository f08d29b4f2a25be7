//===- SequenceTables.cpp - grammars and streams as tables of C -----------===//
#include "proxygen/proxy/SequenceTables.h"

#include <algorithm>

namespace pilgrim {

static std::string symbolText(const GrammarSymbol &X) {
  return "{" + std::string(X.IsRule ? "1" : "0") + ", " + std::to_string(X.Value) + ", " + std::to_string(X.Count) +
         "}, ";
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
    for (const GrammarSymbol &X : Rule)
      Content += symbolText(X);
    Content += "{0, 0, 0}";
    const auto Own = OwnCounts.lower_bound(Place),
               End = OwnCounts.lower_bound(Place + static_cast<uint32_t>(Rule.size()));
    // Tables that ranks change are not shared.
    const std::string Name = S.table("struct symbol", "symbols_", Content, Own == End);
    for (auto It = Own; It != End; ++It)
      S.setUp(Name + "[" + std::to_string(It->first - Place) + "].count = " + It->second + ";");
    List += (List.empty() ? "" : ", ") + Name;
    Place += static_cast<uint32_t>(Rule.size());
  }
  return {S.table("struct symbol *const", "rules_", List, OwnCounts.empty()), List.substr(0, List.find(','))};
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
