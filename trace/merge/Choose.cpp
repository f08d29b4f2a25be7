//===- Choose.cpp - which explanations a trace keeps ------------------===//
//
// Before ranks are merged every value gets all its explanations; of those that are left at the end one is kept.
//
//===----------------------------------------------------------------------===//
#include "trace/merge/Merge.h"

#include <map>

namespace pilgrim {

static void deriveEntryWords(Group &G, TableId T, uint32_t World) {
  changeVariants(G.table(T), [&](Variant &V) {
    // What several ranks have in common was merged already: its explanations
    // are what is left of them.
    if (V.Ranks.size() != 1)
      return;
    uint32_t R = V.Ranks.first();
    RankContext Ctx = T == TableId::Signatures ? G.context(V.Tokens, R, World) : RankContext{R, World};
    if (!V.Words.areNumbers()) // these get theirs where other ranks have other ones: joinWords()
      V.Words.derive(Ctx);
  });
}

void deriveCandidates(TraceData &T) {
  for (Group &G : T.Groups) {
    deriveEntryWords(G, TableId::Signatures, T.World);
    deriveEntryWords(G, TableId::Objects, T.World);
  }
}

/// Replaces the functions of a group's words by shorter ones.
static void shortenWords(Group &G, uint32_t World) {
  std::map<const Variant *, Shortener> ByObject;
  for (TableId Id : {TableId::Signatures, TableId::Objects})
    changeVariants(G.table(Id), [&](Variant &V) {
      std::span<const uint32_t> Tokens; // objects are numbered in the context of the world
      if (Id == TableId::Signatures)
        Tokens = V.Tokens;
      const RankFn::ContextFn Ctx = G.contexts(Tokens, World);
      Shortener &Own = ByObject[G.contextObject(Tokens)];
      if (!V.Words.areNumbers())
        for (RankFn &W : V.Words.own())
          Own.shorten(W, V.Ranks, Ctx);
    });
}

void chooseCandidates(TraceData &T) {
  if (T.Ranks.size() == T.World)
    rejoin(T);
  for (Group &G : T.Groups) {
    for (Table &Tab : G.Tables)
      changeVariants(Tab, [](Variant &V) {
        if (V.Words.areNumbers())
          return;
        for (RankFn &W : V.Words.own())
          W.choose();
        V.Words.pack();
      });
    shortenWords(G, T.World);
  }
  Shortener Counts;
  auto Choose = [&](auto &Sequences) {
    for (auto &X : Sequences)
      chooseByRank(X.Functions, X.Ranks, T.World, Counts);
  };
  for (Group &G : T.Groups)
    for (NodeData &N : G.Nodes) {
      Choose(N.Visits);
      Choose(N.Paths);
      for (auto &[Id, E] : N.Events) {
        Choose(E.Items);
        for (auto &[Key, Streams] : E.Streams)
          Choose(Streams);
      }
    }
  if (T.Ranks.size() == T.World)
    prune(T);
}

} // namespace pilgrim
