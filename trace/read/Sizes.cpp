//===- Sizes.cpp - what a trace consists of -------------------------------===//
#include "trace/read/Sizes.h"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <xxhash.h>

namespace pilgrim {

namespace {
/// Bytes that two functions have in common if they are the same. Unlike in a file, lists are not compressed: that would
/// take longer than to read the trace.
void writeKey(ByteWriter &W, const RankFn &F) {
  if (F.isSingle()) {
    F.write(W);
    return;
  }
  for (const RankFn::Piece &P : F.pieces()) {
    if (&P != &F.pieces().back())
      P.Ranks.write(W);
    if (P.In) {
      P.In->write(W);
    } else if (!P.List) {
      P.Cand.write(W);
    } else if (!P.List->isPlain()) {
      P.List->write(W, P.Ranks);
    } else {
      W.byte(0); // no head of the others
      uint64_t Place = 0;
      P.Ranks.forEach([&](uint32_t Rank) { W.svarint(P.List->at(Place++, Rank)); });
    }
  }
}

/// Counts the distinct entries of all groups' tables: equal ones of different
/// groups stand once in a file.
class DistinctEntries {
public:
  explicit DistinctEntries(const TraceData &T) {
    for (const Group &G : T.Groups)
      for (unsigned I = 0; I < NumTables; ++I) {
        const auto Id = static_cast<TableId>(I);
        OfShared<uint32_t> Shared;
        Local[I].clear();
        for (const Entry &E : G.Tables[I])
          Local[I].push_back(E.isShared() ? Shared.get(E, [&] { return enter(Id, E); }) : enter(Id, E));
      }
  }
  size_t count(TableId Id) const { return Known[static_cast<unsigned>(Id)].size(); }

private:
  uint32_t global(TableId Id, uint32_t Index) const { return Local[static_cast<unsigned>(Id)][Index]; }

  uint32_t enter(TableId Id, const Entry &E) {
    W.Data.clear();
    for (const Variant &V : E) {
      if (E.size() > 1)
        V.Ranks.write(W);
      std::vector<uint32_t> Tokens = V.Tokens;
      if (Id == TableId::Sites)
        Tokens = {global(TableId::Strings, Tokens[0]), Tokens[1] ? global(Id, Tokens[1] - 1) + 1 : 0};
      if (Id == TableId::Objects && Tokens[1])
        Tokens[1] = global(TableId::Strings, Tokens[1] - 1) + 1;
      if (Id == TableId::Signatures)
        relocate(Tokens);
      W.varint(Tokens.size());
      for (uint32_t Token : Tokens)
        W.varint(Token);
      for (const RankFn &F : V.Words)
        writeKey(W, F);
    }
    auto &Map = Known[static_cast<unsigned>(Id)];
    return Map.try_emplace(XXH3_128bits(W.Data.data(), W.Data.size()), static_cast<uint32_t>(Map.size())).first->second;
  }

  void relocate(std::vector<uint32_t> &Tokens) {
    if (Tokens[1])
      Tokens[1] = global(TableId::Sites, Tokens[1] - 1) + 1;
    SlotWalker Walk(Tokens);
    for (SlotView S; Walk.next(S);)
      for (size_t I = S.RefToken; S.RefToken && I < S.FirstToken + S.Tokens; ++I)
        Tokens[I] = global(S.hasObjects() ? TableId::Objects : TableId::Strings, Tokens[I]);
  }

  struct Low {
    size_t operator()(const XXH128_hash_t &H) const { return H.low64; }
  };
  struct Same {
    bool operator()(const XXH128_hash_t &A, const XXH128_hash_t &B) const { return XXH128_isEqual(A, B); }
  };

  ByteWriter W;                                                            ///< of one entry; kept for its memory
  std::unordered_map<XXH128_hash_t, uint32_t, Low, Same> Known[NumTables]; ///< by a hash of the entry's bytes
  std::vector<uint32_t> Local[NumTables];
};
} // namespace

TraceSizes sizesOf(const TraceData &D) {
  DistinctEntries Distinct(D);
  TraceSizes Out;
  Out.Signatures = Distinct.count(TableId::Signatures);
  Out.Objects = Distinct.count(TableId::Objects);
  Out.Sites = Distinct.count(TableId::Sites);
  Out.Regions = D.Regions.size();
  std::set<std::pair<uint32_t, uint32_t>> Events; // of regions, which are the sites of their calls
  for (const Group &G : D.Groups) {
    Out.Nodes += G.Nodes.size() - 1;
    auto IsSite = [&](const Item &I) { return !I.IsNode && !G.table(TableId::Signatures)[I.Index][0].Tokens[1]; };
    G.forEachEvent([&](const NodeData &N, uint32_t Id, const EventData &E) {
      Out.Sequences += E.Items.size();
      for (const RankedItems &I : E.Items) {
        Out.Rules += I.Order.Rules.size();
        if (Id && &N != G.Nodes.data() && std::ranges::any_of(I.Items, IsSite))
          Events.insert({N.Region, Id});
      }
    });
  }
  Out.Sites += Events.size();
  return Out;
}

} // namespace pilgrim
