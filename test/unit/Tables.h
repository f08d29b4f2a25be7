// Entries of a group's tables, one by one.
#ifndef PILGRIM_TEST_UNIT_TABLES_H
#define PILGRIM_TEST_UNIT_TABLES_H

#include "test/unit/Ranks.h"
#include "trace/model/TraceData.h"

namespace pilgrim::test {

inline uint32_t add(Group &G, TableId Id, Entry E) {
  G.table(Id).push_back(std::move(E));
  return static_cast<uint32_t>(G.table(Id).size() - 1);
}
/// Measures: of the variants.
inline Entry measured(const std::vector<Variant> &Variants, const std::vector<uint32_t> &Measures) {
  Entry E{Variants};
  for (size_t I = 0; I < Measures.size(); ++I)
    E.setMeasure(I, Measures[I]);
  return E;
}
inline Variant variant(const RankSet &Ranks, std::vector<uint32_t> Tokens, const std::vector<int64_t> &Words = {}) {
  Variant V{Ranks, std::move(Tokens), {}};
  for (int64_t W : Words)
    V.Words.emplace_back(W);
  return V;
}
inline uint32_t addString(Group &G, const std::string &S) {
  return add(G, TableId::Strings, {variant({}, packString(S))});
}
/// Caller: site + 1.
inline uint32_t addSite(Group &G, const std::string &Module, int64_t Offset, uint32_t Caller = 0) {
  const uint32_t Name = addString(G, Module);
  return add(G, TableId::Sites, {variant({}, {Name, Caller}, {Offset})});
}
inline uint32_t addObject(Group &G, const RankSet &Ranks, Kind K, const std::string &Name, std::vector<int64_t> Words) {
  const uint32_t Token = Name.empty() ? 0 : addString(G, Name) + 1;
  return add(G, TableId::Objects, {variant(Ranks, {static_cast<uint32_t>(K), Token}, Words)});
}

/// A call whose slots are words. Site: site + 1.
inline Variant call(const RankSet &Ranks, uint32_t Function, std::vector<int64_t> Words, uint32_t Site = 0,
                    uint32_t Depth = 0) {
  std::vector<uint32_t> Tokens{Function, Site, Depth};
  Tokens.insert(Tokens.end(), Words.size(), static_cast<uint32_t>(Tag::Word));
  return variant(Ranks, std::move(Tokens), Words);
}

} // namespace pilgrim::test

#endif
