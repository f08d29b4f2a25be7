//===- Encode.cpp - TraceData to section bytes ----------------------------===//
//
// Groups have tables of their own in memory; in the file every distinct entry
// stands once, and references are to that common table. An entry whose ranks
// matter (several variants, or words that are more than one explanation) names
// its ranks; any other can serve several groups.
//
//===----------------------------------------------------------------------===//
#include "trace/file/ChunkPlaces.h"
#include "trace/file/Encoder.h"

#include <algorithm>

namespace pilgrim {

uint32_t TableEncoder::entry(TableId Id, uint32_t Index, const RankSet *Ranks) {
  if (Id == TableId::Signatures || Id == TableId::Paths)
    return place(Id, G->table(Id)[Index], Ranks);
  auto &Map = Local[static_cast<unsigned>(Id)];
  if (auto It = Map.find(Index); It != Map.end())
    return It->second;
  return Map[Index] = encode(Id, G->table(Id)[Index], isRanked(G->table(Id)[Index]));
}

std::vector<uint8_t> TableEncoder::bytes() const {
  ByteWriter W;
  for (unsigned I = 0; I < NumTables; ++I) {
    if (static_cast<TableId>(I) == TableId::Signatures) {
      Signatures.write(W);
      continue;
    }
    W.varint(Entries[I].size());
    for (const auto &E : Entries[I])
      W.bytes(E);
  }
  return std::move(W.Data);
}

uint32_t TableEncoder::place(TableId Id, const Entry &E, const RankSet *Ranks) {
  const bool IsRanked = isRanked(E, Ranks);
  if (!E.isShared())
    return encode(Id, E, IsRanked);
  return Placed[IsRanked].get(E, [&] { return encode(Id, E, IsRanked); });
}

bool TableEncoder::isRanked(const Entry &E, const RankSet *Ranks) {
  bool Ranked = E.size() > 1 || (Ranks && !(E[0].Ranks == *Ranks));
  for (const Variant &V : E)
    for (const RankFn &F : V.Words)
      Ranked |= !F.isSingle();
  return Ranked;
}

uint32_t TableEncoder::encode(TableId Id, const Entry &E, bool Ranked) {
  if (Id == TableId::Signatures)
    return encodeSignature(E, Ranked);
  ByteWriter W;
  if (Id == TableId::Sites)
    W.varint(E[0].Tokens[1] ? SiteWithCaller : SiteAlone);
  else
    W.varint(E.size() << 1 | uint64_t(Ranked));
  for (const Variant &V : E) {
    if (Ranked)
      V.Ranks.write(W);
    writeTokens(W, Id, V.Tokens);
    for (const RankFn &F : V.Words)
      F.write(W);
  }
  return Entries[static_cast<unsigned>(Id)].number(std::move(W.Data));
}

void TableEncoder::writeTokens(ByteWriter &W, TableId Id, const std::vector<uint32_t> &Tokens) {
  switch (Id) {
  case TableId::Strings:
    W.string(unpackString(Tokens));
    return;
  case TableId::Sites:
    W.varint(entry(TableId::Strings, Tokens[0]));
    if (Tokens[1])
      W.varint(entry(TableId::Sites, Tokens[1] - 1));
    return;
  case TableId::Objects:
    W.varint(Tokens[0]);
    W.varint(Tokens[1] ? entry(TableId::Strings, Tokens[1] - 1) + 1 : 0);
    return;
  case TableId::Paths: {
    // Events mostly stand in their order.
    W.varint(Tokens.size());
    int64_t Next = 1;
    for (uint32_t Event : Tokens) {
      W.svarint(Event - Next);
      Next = int64_t(Event) + 1;
    }
    return;
  }
  case TableId::Signatures:
    return;
  }
}

static std::vector<uint8_t> encodeMeta(const TraceData &T) {
  ByteWriter W;
  W.varint(T.World);
  T.Ranks.write(W);
  W.varint(T.Meta.size());
  for (const auto &[K, V] : T.Meta) {
    W.string(K);
    W.string(V);
  }
  return std::move(W.Data);
}

SectionBytes encodeSections(const TraceData &T, bool IsInTransit) {
  SectionBytes S;
  S.Chunks = placeChunks(T, S.SummedChunks);
  S.Meta = encodeMeta(T);
  TableEncoder Tables;
  StructureEncoder Structure(T);
  S.Schema = encodeSchema(T, Structure.sites().inOrder());
  EncodedCalls Calls = encodeCalls(T, Tables, Structure, IsInTransit);
  ByteWriter Regions;
  Structure.write(Regions, Tables);
  S.Tables = Tables.bytes();
  S.Tables.insert(S.Tables.end(), Regions.Data.begin(), Regions.Data.end());
  S.Calls = std::move(Calls.Calls);
  S.Measures = std::move(Calls.Measures);
  if (!Calls.Times.empty()) {
    ByteWriter Times;
    Times.varint(S.SummedChunks);
    Times.bytes(Calls.Times);
    S.Times = std::move(Times.Data);
  }
  return S;
}

} // namespace pilgrim
