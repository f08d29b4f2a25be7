//===- Merge.cpp - joining traces of different ranks ----------------------===//
#include "trace/Merge.h"

#include <algorithm>

namespace pilgrim {

namespace {
/// One pair of groups being joined; gives each side's rank contexts as they
/// were before.
class GroupMerge {
public:
  GroupMerge(Group &A, Group &&B, uint32_t World) : A(A), B(std::move(B)), World(World) {}

  void run() {
    RankSet Before = A.Ranks;
    // Contexts of signatures are looked up in the object tables, which must
    // still be each side's own then.
    mergeTable(TableId::Signatures);
    mergeTable(TableId::Strings);
    mergeTable(TableId::Sites);
    mergeTable(TableId::Objects);
    for (auto &[Key, Theirs] : B.Streams) {
      auto &Ours = A.Streams[Key];
      for (SlotStreamVariant &V : Theirs) {
        auto Same = std::find_if(Ours.begin(), Ours.end(), [&](auto &O) { return O.Values == V.Values; });
        if (Same != Ours.end())
          Same->Ranks.unite(V.Ranks);
        else
          Ours.push_back(std::move(V));
      }
    }
    A.Timed &= B.Timed;
    A.Ranks.unite(B.Ranks);
  }

private:
  void mergeTable(TableId T) {
    Table &Ours = A.table(T), &Theirs = B.table(T);
    for (size_t I = 0; I < Theirs.size(); ++I) {
      if (I >= Ours.size()) {
        // Only entries that no signature of ours needs can be missing here.
        own(Theirs[I], B.Ranks);
        Ours.push_back(std::move(Theirs[I]));
        continue;
      }
      mergeEntry(T, Ours[I], Theirs[I]);
    }
    for (size_t I = Theirs.size(); I < Ours.size(); ++I)
      own(Ours[I], A.Ranks);
  }

  /// An entry that only one side has names its ranks.
  static void own(Entry &E, const RankSet &Ranks) {
    if (E.size() == 1 && E[0].Ranks.empty())
      E[0].Ranks = Ranks;
  }

  void mergeEntry(TableId T, Entry &Ours, Entry &Theirs) {
    for (Variant &V : Theirs) {
      const RankSet &VRanks = B.ranks(V);
      auto Same = std::find_if(Ours.begin(), Ours.end(), [&](const Variant &O) {
        return O.Tokens == V.Tokens && O.Words.size() == V.Words.size();
      });
      if (Same == Ours.end()) {
        if (Ours.size() == 1 && Ours[0].Ranks.empty())
          Ours[0].Ranks = A.Ranks;
        if (V.Ranks.empty())
          V.Ranks = B.Ranks;
        Ours.push_back(std::move(V));
        continue;
      }
      const RankSet &SRanks = A.ranks(*Same);
      auto Ctx = [&](const Group &G) -> RankFn::ContextFn {
        return [&, GP = &G](uint32_t R) -> RankContext {
          return T == TableId::Signatures ? GP->context(Same->Tokens, R, World) : RankContext{R, World};
        };
      };
      for (size_t W = 0; W < V.Words.size(); ++W)
        if (!Same->Words[W].mergeSingle(V.Words[W]))
          Same->Words[W].merge(V.Words[W], SRanks, VRanks, Ctx(A), Ctx(B));
      Same->Time.Duration += V.Time.Duration;
      Same->Time.Gap += V.Time.Gap;
      if (!Same->Ranks.empty() || !V.Ranks.empty() || Ours.size() > 1) {
        if (Same->Ranks.empty())
          Same->Ranks = A.Ranks;
        Same->Ranks.unite(VRanks);
      }
    }
    // One variant for everybody needs no ranks.
    if (Ours.size() == 1 && Ours[0].Ranks.size() == A.Ranks.size() + B.Ranks.size())
      Ours[0].Ranks = {};
  }

  Group &A;
  Group B;
  uint32_t World;
};
} // namespace

void merge(TraceData &Into, TraceData From) {
  Into.Ranks.unite(From.Ranks);
  Into.Meta.merge(From.Meta);
  Into.Functions.merge(From.Functions);
  Into.Names.merge(From.Names);
  for (Group &G : From.Groups) {
    auto Same = std::find_if(Into.Groups.begin(), Into.Groups.end(),
                             [&](const Group &O) { return O.Thread == G.Thread && O.Calls == G.Calls; });
    if (Same == Into.Groups.end())
      Into.Groups.push_back(std::move(G));
    else
      GroupMerge(*Same, std::move(G), Into.World).run();
  }
}

static void deriveEntryWords(Group &G, TableId T, uint32_t World) {
  for (Entry &E : G.table(T))
    for (Variant &V : E) {
      // A group of several ranks has been merged already: its explanations are
      // what is left of them.
      const RankSet &Ranks = G.ranks(V);
      if (Ranks.size() != 1)
        continue;
      uint32_t R = Ranks.first();
      RankContext Ctx = T == TableId::Signatures ? G.context(V.Tokens, R, World) : RankContext{R, World};
      for (RankFn &W : V.Words)
        W.derive(&Ctx);
    }
}

void deriveCandidates(TraceData &T) {
  for (Group &G : T.Groups) {
    deriveEntryWords(G, TableId::Signatures, T.World);
    deriveEntryWords(G, TableId::Objects, T.World);
    deriveEntryWords(G, TableId::Sites, T.World);
  }
}

void chooseCandidates(TraceData &T) {
  for (Group &G : T.Groups)
    for (Table &Tab : G.Tables)
      for (Entry &E : Tab)
        for (Variant &V : E)
          for (RankFn &W : V.Words)
            W.choose();
}

} // namespace pilgrim
