//===- Prune.cpp - leaves out structure in which nothing happened ---------===//
//
// Calls of functions that made no MPI call, branches around nothing but such: a single rank's trace has them, since
// another rank may have something there. When all ranks are there, what is left tells no call from another.
//
//===----------------------------------------------------------------------===//
#include "trace/merge/Merge.h"

#include <algorithm>
#include <map>

namespace pilgrim {

namespace {
class Pruner {
public:
  explicit Pruner(TraceData &T) : T(T), Used(T.Regions.size()) {}

  void run() {
    for (size_t R = 0; R < Used.size(); ++R)
      Used[R].resize(T.Regions[R].Events.size() + 1);
    for (const Group &G : T.Groups)
      for (size_t I = 1; I < G.Nodes.size(); ++I) {
        const NodeData &N = G.Nodes[I];
        if (N.Parent)
          Used[G.Nodes[N.Parent].Region][N.Event] = true;
        for (const auto &[Id, E] : N.Events)
          Used[N.Region][Id] = true;
      }
    for (size_t R = 0; R < Used.size(); ++R)
      for (size_t E = T.Regions[R].Events.size(); E > 0; --E) {
        Region::Event &X = T.Regions[R].Events[E - 1];
        if (Used[R][E])
          Used[R][X.Arm] = true;
        else
          X = {};
      }
    for (Group &G : T.Groups)
      for (size_t I = 1; I < G.Nodes.size(); ++I)
        prunePaths(G, G.Nodes[I]);
  }

private:
  void prunePaths(Group &G, NodeData &N) {
    Table &Paths = G.table(TableId::Paths);
    std::vector<RankedItems> Kept;
    for (RankedItems &X : N.Paths) {
      for (const Item &I : X.Items)
        pruneEntry(Paths[I.Index], Used[N.Region]);
      joinEqual(Paths, X);
      auto Same = std::find_if(Kept.begin(), Kept.end(), [&](const RankedItems &O) { return isSame(Paths, O, X); });
      if (Same == Kept.end()) {
        Kept.push_back(std::move(X));
        continue;
      }
      Same->Ranks.unite(X.Ranks);
      for (size_t I = 0; I < X.Items.size(); ++I)
        Paths[Same->Items[I].Index].own()[0].Ranks.unite(Paths[X.Items[I].Index][0].Ranks);
    }
    N.Paths = std::move(Kept);
  }

  static void pruneEntry(Entry &E, const std::vector<bool> &Used) {
    Entry Kept;
    for (Variant &V : E.own()) {
      std::erase_if(V.Tokens, [&](uint32_t Event) { return Event >= Used.size() || !Used[Event]; });
      const std::span<Variant> Own = Kept.own();
      auto Same = std::find_if(Own.begin(), Own.end(), [&](const Variant &O) { return O.Tokens == V.Tokens; });
      if (Same == Own.end())
        Kept.push_back(std::move(V));
      else
        Same->Ranks.unite(V.Ranks);
    }
    E = std::move(Kept);
  }

  /// Makes paths that are the same now one.
  static void joinEqual(const Table &Paths, RankedItems &X) {
    std::map<std::vector<uint32_t>, uint32_t> Known;
    std::vector<uint32_t> New;
    std::vector<Item> Items;
    for (const Item &I : X.Items) {
      std::vector<uint32_t> C;
      for (const Variant &V : Paths[I.Index]) {
        C.push_back(static_cast<uint32_t>(V.Ranks.intervals().size()));
        for (const RankSet::Interval &R : V.Ranks.intervals())
          C.insert(C.end(), {R.First, R.Last});
        C.push_back(static_cast<uint32_t>(V.Tokens.size()));
        C.insert(C.end(), V.Tokens.begin(), V.Tokens.end());
      }
      auto [It, First] = Known.try_emplace(std::move(C), static_cast<uint32_t>(Items.size()));
      if (First)
        Items.push_back(I);
      New.push_back(It->second);
    }
    if (Items.size() == X.Items.size() || !X.Functions.empty())
      return; // nothing is lost by that
    X.Order = X.Order.renamed(New);
    X.Items = std::move(Items);
  }

  static bool isSame(const Table &Paths, const RankedItems &A, const RankedItems &B) {
    if (A.Items.size() != B.Items.size() || A.Order != B.Order || !A.Functions.empty() || !B.Functions.empty())
      return false;
    for (size_t I = 0; I < A.Items.size(); ++I) {
      const Entry &X = Paths[A.Items[I].Index], &Y = Paths[B.Items[I].Index];
      if (X.size() != 1 || Y.size() != 1 || X[0].Tokens != Y[0].Tokens)
        return false;
    }
    return true;
  }

  TraceData &T;
  std::vector<std::vector<bool>> Used; ///< by region and event
};
} // namespace

void prune(TraceData &T) { Pruner(T).run(); }

} // namespace pilgrim
