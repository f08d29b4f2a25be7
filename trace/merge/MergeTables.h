//===- MergeTables.h - joining the tables of two groups -----------*- C++ -*-===//
//
// An entry of the result comes from one side, or joins one entry of each side that have the same place. The merged
// sequences of items determine the place: see Merge.cpp. Each side has its own numbers of objects. A pair of objects
// that occurs in a pair of signatures becomes one object (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_MERGETABLES_H
#define PILGRIM_TRACE_MERGE_MERGETABLES_H

#include "trace/model/TraceData.h"

#include <tuple>

namespace pilgrim {

class TableMerge {
public:
  TableMerge(Group A, Group B, uint32_t World) : Sides{Side(std::move(A)), Side(std::move(B))}, World(World) {}

  struct Side {
    explicit Side(Group From)
        : G(std::move(From)), Strings(G.table(TableId::Strings).size(), Unknown),
          Sites(G.table(TableId::Sites).size(), Unknown), Objects(G.table(TableId::Objects).size(), Unknown) {}
    Group G;
    std::vector<uint32_t> Strings, Sites, Objects; ///< by index of this side: index in the result, or Unknown
    OfShared<Entry> Copied;                        ///< signatures, with the references that they have in the result
  };
  static constexpr uint32_t Unknown = UINT32_MAX;
  Side Sides[2];
  Group Out; ///< only its tables are used

  // Each function returns the index of the entry in the result. Signatures, paths, strings and sites are moved out of
  // their side.
  uint32_t copyEntry(Side &S, TableId T, uint32_t Index) { return copy(S, T, std::move(S.G.table(T)[Index])); }
  uint32_t joinEntry(TableId T, uint32_t IndexA, uint32_t IndexB) {
    return join(T, std::move(Sides[0].G.table(T)[IndexA]), std::move(Sides[1].G.table(T)[IndexB]));
  }
  /// E is an entry of side S. A and B are entries of the first and the second side.
  uint32_t copy(Side &S, TableId T, Entry E);
  uint32_t join(TableId T, Entry A, Entry B);
  uint32_t site(Side &S, uint32_t Index);

private:
  uint32_t add(TableId T, Entry E);
  void copyReferences(Side &S, std::vector<uint32_t> &Tokens);
  bool canJoin(TableId T, const std::vector<uint32_t> &A, const std::vector<uint32_t> &B);
  std::vector<uint32_t> joinVariants(TableId T, Entry &A, const Entry &B);
  void join(TableId T, Variant &A, const Variant &B);
  void joinWords(Variant &A, const Variant &B, const RankFn::ContextFn &CtxA, const RankFn::ContextFn &CtxB);
  uint32_t string(Side &S, uint32_t Index);
  uint32_t object(Side &S, uint32_t Index);
  bool canJoinObjects(uint32_t A, uint32_t B);
  bool agree(const Variant &A, const Variant &B) const;
  uint32_t pair(uint32_t A, uint32_t B);

  struct JoinedEntry {
    Entry Variants;
    std::vector<uint32_t> Added; ///< variants of the second side that stand behind those of the first one
  };

  uint32_t World;
  RankSetUnions Unions;
  OfShared<JoinedEntry> Joined;
  std::map<std::vector<uint32_t>, uint32_t> StringByContent;
  std::map<std::tuple<uint32_t, uint32_t, int64_t>, uint32_t> SiteByContent; ///< module, caller, offset
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Pairs;                   ///< of objects
};

} // namespace pilgrim

#endif
