#include "test/unit/TreeText.h"
#include "test/unit/Sequences.h"

#include <gtest/gtest.h>

#include <map>

namespace pilgrim::test {
namespace {

class TreeText {
public:
  TreeText(const TraceData &T, uint32_t Rank) : T(T), Rank(Rank) {
    for (const Group &X : T.Groups) {
      G = &X;
      if (!X.ranks().contains(Rank))
        continue;
      Out += "thread " + std::to_string(X.Thread) + "\n";
      node(0, "");
    }
    streams("turns", T.TurnThreads);
    streams("lengths", T.TurnLengths);
  }
  std::string Out;

private:
  template <typename List> static std::string numbers(const List &L) {
    std::string S;
    for (auto V : L)
      S += " " + std::to_string(V);
    return S;
  }
  void streams(const std::string &Name, const RankedStreams &L) {
    for (const RankedStream &S : L)
      if (S.Ranks.contains(Rank))
        Out += Name + numbers(expand(S.of(Rank, T.World))) + "\n";
  }
  std::string call(uint32_t Index) {
    const Variant *V = G->find(TableId::Signatures, Index, Rank);
    if (!V)
      return " -";
    std::string S = " F" + std::to_string(V->Tokens[0]);
    for (const RankFn &W : V->Words)
      S += "," + std::to_string(W.eval(Rank, G->context(V->Tokens, Rank, T.World)));
    return S;
  }
  /// Nodes have a number by their first use in the event.
  void event(uint32_t Id, const EventData &E, const std::string &In) {
    Out += In + "event " + std::to_string(Id) + ":";
    std::map<uint32_t, size_t> Nodes;
    for (const RankedItems &X : E.Items)
      if (X.Ranks.contains(Rank))
        for (uint32_t I : expand(X.of(Rank, T.World))) {
          const Item &Of = X.Items[I];
          Out += Of.IsNode ? " node" + std::to_string(Nodes.try_emplace(Of.Index, Nodes.size()).first->second)
                           : call(Of.Index);
        }
    Out += "\n";
    streams(In + "passes", E.PassesToChange);
    streams(In + "counts", E.UsualItems);
    for (const auto &[Key, S] : E.Streams)
      streams(In + "column " + std::to_string(Key.Function) + "." + std::to_string(Key.Slot) + "." +
                  std::to_string(Key.Column),
              S);
    std::map<size_t, uint32_t> InOrder;
    for (auto [Index, Place] : Nodes)
      InOrder[Place] = Index;
    for (auto [Place, Index] : InOrder)
      node(Index, In + "  ");
  }
  void node(uint32_t Index, const std::string &In) {
    const NodeData &N = G->Nodes[Index];
    EXPECT_TRUE(N.Ranks.contains(Rank));
    if (Index)
      Out += In + "region " + T.Regions[N.Region].Name + std::to_string(T.Regions[N.Region].Index) + "\n";
    streams(In + "visits", N.Visits);
    for (const RankedItems &X : N.Paths)
      if (X.Ranks.contains(Rank)) {
        Out += In + "paths:";
        for (uint32_t I : expand(X.of(Rank, T.World)))
          Out += numbers(G->variant(TableId::Paths, X.Items[I].Index, Rank).Tokens) + ";";
        Out += "\n";
      }
    for (const auto &[Id, E] : N.Events)
      if (happens(E))
        event(Id, E, In);
  }
  bool happens(const EventData &E) const {
    for (const RankedItems &X : E.Items)
      if (X.Ranks.contains(Rank))
        return true;
    return false;
  }

  const TraceData &T;
  uint32_t Rank;
  const Group *G = nullptr;
};

} // namespace

SectionBytes expectKept(const TraceData &T) {
  SectionBytes Sections = encodeSections(T);
  const auto Read = decodeSections(Sections);
  EXPECT_TRUE(Read) << Read.error().What;
  if (!Read)
    return Sections;
  T.Ranks.forEach([&](uint32_t R) { EXPECT_EQ(TreeText(*Read, R).Out, TreeText(T, R).Out) << "rank " << R; });
  // What was read is written as it is, from then on.
  const SectionBytes Again = encodeSections(*Read);
  const auto Twice = decodeSections(Again);
  EXPECT_TRUE(Twice && encodeSections(*Twice).Calls == Again.Calls);
  return Sections;
}

} // namespace pilgrim::test
