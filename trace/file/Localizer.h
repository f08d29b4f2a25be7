//===- Localizer.h - a group's own tables -----------------------*- C++ -*-===//
//
// The file has common tables. In memory each group has its own (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_LOCALIZER_H
#define PILGRIM_TRACE_FILE_LOCALIZER_H

#include "trace/base/Hash.h"
#include "trace/file/Decoder.h"

#include <map>

namespace pilgrim {

/// Copies the entries that a group needs from the common tables into its own,
/// in order of first reference.
class Localizer {
public:
  Localizer(const TableDecoder &D, Group &G, ByteReader &R) : D(D), G(G), R(R) {}

  /// Local index of a site; 0 if R has failed.
  uint32_t site(uint32_t Global) { return local(TableId::Sites, Global, {}); }
  /// Adds a signature or a path, which belongs to one place, and returns its local index. Entries of the same ranks
  /// share their variants.
  uint32_t add(TableId Id, uint32_t Global, const RankSet &Ranks) {
    Table &T = G.table(Id);
    const uint64_t Hash = mix(mix(mix(Global, static_cast<unsigned>(Id)), Ranks.first()), Ranks.last());
    const size_t I = Find.find(Hash, [&](size_t J) {
      return Placed[J].Id == Id && Placed[J].Global == Global && Placed[J].Ranks.isShared(Ranks);
    });
    if (I != Finder::None) {
      R.spend(sizeof(Entry));
      T.push_back(T[Placed[I].Local]);
      return static_cast<uint32_t>(T.size() - 1);
    }
    Entry E = copy(Id, Global);
    for (Variant &V : E.own()) {
      if (V.Ranks.empty())
        V.Ranks = Ranks;
      if (Id == TableId::Signatures)
        relocate(V);
    }
    const auto Local = static_cast<uint32_t>(T.size());
    Find.add(Hash, Placed.size());
    Placed.push_back({Id, Global, Ranks, Local});
    T.push_back(std::move(E));
    return Local;
  }

private:
  struct Placing {
    TableId Id;
    uint32_t Global;
    RankSet Ranks;
    uint32_t Local; ///< the entry that was made first
  };

  /// Charges R for the group's own copy of an entry. Otherwise a small file with many groups could use any amount of
  /// memory.
  Entry copy(TableId Id, uint32_t Global) {
    const Entry &E = D.table(Id)[Global];
    R.spend(pilgrim::sizeOf(E));
    return R.ok() ? E : Entry();
  }
  uint32_t local(TableId Id, uint32_t Global, const RankSet &Ranks) {
    unsigned I = static_cast<unsigned>(Id);
    // Callers come before their callees in the table.
    uint32_t Caller = Id == TableId::Sites ? D.table(Id)[Global][0].Tokens[1] : 0;
    if (Caller && !Map[I].contains(Global))
      Caller = local(Id, Caller - 1, {}) + 1;
    auto [It, New] = Map[I].try_emplace(Global, static_cast<uint32_t>(G.Tables[I].size()));
    uint32_t Index = It->second;
    if (New) {
      G.Tables[I].emplace_back();
      Entry E = copy(Id, Global);
      for (Variant &V : E.own()) {
        if (Id == TableId::Sites)
          V.Tokens = {local(TableId::Strings, V.Tokens[0], {}), Caller};
        if (Id == TableId::Objects && V.Tokens[1])
          V.Tokens[1] = local(TableId::Strings, V.Tokens[1] - 1, {}) + 1;
      }
      G.Tables[I][Index] = std::move(E);
    }
    if (Id == TableId::Objects && R.ok()) {
      // An object is known on the ranks that use it. If it names its ranks, no others may use it.
      const RankSet &Known = G.Tables[I][Index][0].Ranks;
      bool IsRanked = !D.table(Id)[Global][0].Ranks.empty();
      if (!(Known == Ranks)) {
        R.spend(Known.intervals().size() + Ranks.intervals().size());
        if (IsRanked && !Ranks.isIn(Known))
          R.fail("an object is used by a rank that lacks it");
        if (R.ok() && !IsRanked)
          G.Tables[I][Index].own()[0].Ranks.unite(Ranks);
      }
    }
    return Index;
  }
  void relocate(Variant &X) {
    if (X.Tokens[1])
      X.Tokens[1] = site(X.Tokens[1] - 1) + 1;
    SlotWalker Walk(X.Tokens);
    for (SlotView S; Walk.next(S);)
      if (S.RefToken)
        for (size_t I = S.RefToken; I < S.FirstToken + S.Tokens; ++I)
          X.Tokens[I] = local(S.hasObjects() ? TableId::Objects : TableId::Strings, X.Tokens[I], X.Ranks);
  }

  const TableDecoder &D;
  Group &G;
  ByteReader &R;
  std::map<uint32_t, uint32_t> Map[NumTables];
  std::vector<Placing> Placed; ///< of signatures and paths
  Finder Find{0};
};

} // namespace pilgrim

#endif
