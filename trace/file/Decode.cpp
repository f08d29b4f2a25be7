//===- Decode.cpp - section bytes to TraceData ----------------------------===//
//
// Trusts nothing: every reference is checked against the table it points into,
// every signature against the schema of its function, so that whatever is read
// can be expanded without further checks.
//
//===----------------------------------------------------------------------===//
#include "trace/file/TimesCodec.h"

#include <algorithm>

namespace pilgrim {

static constexpr uint32_t MaxWorld = 1u << 24;

static std::unexpected<TraceError> bad(const char *Section, const ByteReader &R) {
  const std::string Place = std::string("section ") + Section + ", unpacked offset " + std::to_string(R.offset());
  if (R.isTooLarge())
    return std::unexpected(
        TraceError{"too large for this reader: " + Place + ", limit " + std::to_string(R.limit()) + " " + R.reason()});
  return std::unexpected(TraceError{"damaged: " + Place + ": " + (R.ok() ? "bytes are left over" : R.reason())});
}

static bool decodeMeta(ByteReader &R, TraceData &T) {
  T.World = static_cast<uint32_t>(R.varintMax(MaxWorld, "a world of more than 2^24 ranks"));
  T.Ranks = RankSet::read(R, T.World);
  for (size_t N = R.count(2); N-- && R.ok();) {
    std::string K = R.string();
    T.Meta[K] = R.string();
  }
  return R.ok() && R.atEnd();
}

uint64_t sizeOf(const Entry &E) {
  uint64_t N = sizeof(Entry);
  for (const Variant &V : E)
    N += sizeof(Variant) + V.Tokens.size() * sizeof(uint32_t) + V.Words.memory();
  return N;
}

bool TableDecoder::read(ByteReader &R) {
  for (unsigned I = 0; I < NumTables; ++I) {
    TableId Id = static_cast<TableId>(I);
    if (Id == TableId::Signatures)
      readSignatures(R);
    else if (Id == TableId::Sites)
      for (size_t N = R.count(3); N-- && R.ok();)
        readSite(R);
    else
      for (size_t N = R.count(2); N-- && R.ok();)
        readEntry(R, Id, Tables[I].emplace_back());
  }
  readRegions(R);
  return R.ok() && R.atEnd();
}

uint32_t TableDecoder::ref(ByteReader &R, TableId Id, bool Optional) {
  uint64_t V = R.varint();
  if (V >= size(Id) + Optional)
    R.fail("a reference to an entry that the table does not have");
  return static_cast<uint32_t>(V);
}

/// The number of an entry's variants.
size_t TableDecoder::readVariants(ByteReader &R, bool &Ranked) {
  uint64_t V = R.varint();
  Ranked = V & 1;
  size_t N = V >> 1;
  if (N == 0 || N > R.remaining() || (N > 1 && !Ranked))
    R.fail("an entry has no variants, more than bytes are left, or several without ranks");
  return R.ok() ? N : 0;
}

RankSet TableDecoder::readRanks(ByteReader &R) {
  RankSet Ranks = RankSet::read(R, scope());
  if (Ranks.empty())
    R.fail("a variant is of no rank");
  return Ranks;
}

RankFn TableDecoder::readWord(ByteReader &R, const RankSet &Ranks, bool Ranked, AffineReader *Earlier) {
  RankFn F = RankFn::read(R, Ranks, scope(), Earlier);
  if (!Ranked && !F.isSingle())
    R.fail("a value that differs by rank in an entry that names no ranks");
  return F;
}

void TableDecoder::readEntry(ByteReader &R, TableId Id, Entry &E) {
  bool Ranked;
  size_t N = readVariants(R, Ranked);
  if (N > 1 && Id != TableId::Paths)
    R.fail("a string or an object has several variants");
  for (size_t I = 0; I < N && R.ok(); ++I) {
    Variant X;
    if (Ranked)
      X.Ranks = readRanks(R);
    for (size_t Words = readTokens(R, Id, X.Tokens); Words-- && R.ok();)
      X.Words.push_back(readWord(R, X.Ranks, Ranked));
    E.push_back(std::move(X));
  }
  R.spend(sizeOf(E));
}

/// A caller stands before those that it calls, and there are not too many of them: who follows them may recur.
void TableDecoder::readSite(ByteReader &R) {
  uint64_t Head = R.varint();
  if (Head != SiteAlone && Head != SiteWithCaller)
    R.fail("a site begins with neither 2 nor 4");
  Variant X;
  X.Tokens = {ref(R, TableId::Strings), 0};
  unsigned Depth = 0;
  if (Head == SiteWithCaller) {
    uint32_t Caller = ref(R, TableId::Sites);
    if (!R.ok())
      return;
    X.Tokens[1] = Caller + 1;
    Depth = Callers[Caller] + 1;
    if (Depth > MaxCallers)
      R.fail("a site has more than 255 callers, one above the other");
  }
  X.Words.push_back(readWord(R, {}, false));
  Callers.push_back(Depth);
  Entry &E = Tables[static_cast<unsigned>(TableId::Sites)].emplace_back();
  E.push_back(std::move(X));
  R.spend(sizeOf(E));
}

/// Reads the tokens and returns the number of words behind them.
size_t TableDecoder::readTokens(ByteReader &R, TableId Id, std::vector<uint32_t> &Tokens) {
  switch (Id) {
  case TableId::Strings:
    Tokens = packString(R.string());
    return 0;
  case TableId::Objects: {
    uint32_t K = static_cast<uint32_t>(R.varintMax(UINT8_MAX));
    Tokens = {K, ref(R, TableId::Strings, true)};
    if (!isTableObject(static_cast<Kind>(K))) {
      R.fail("an object of a kind that has no objects");
      return 0;
    }
    return objectWords(static_cast<Kind>(K));
  }
  case TableId::Paths: {
    uint64_t Next = 1;
    for (size_t N = R.count(); N-- && R.ok();) {
      uint64_t Event = Next + static_cast<uint64_t>(R.svarint());
      if (Event > UINT32_MAX)
        R.fail("the number of an event is out of range");
      Tokens.push_back(static_cast<uint32_t>(Event));
      Next = Event + 1;
    }
    return 0;
  }
  case TableId::Sites:
  case TableId::Signatures:
    break;
  }
  return 0;
}

std::expected<TraceData, TraceError> decodeHead(std::span<const uint8_t> Meta, MemoryBudget &Memory) {
  TraceData T;
  ByteReader R(Meta, Memory.Left, Memory.Limit);
  if (!decodeMeta(R, T))
    return bad("meta", R);
  Memory.Left = R.memoryLeft();
  return T;
}

std::expected<TraceData, TraceError> decodeSections(SectionBytes S, MemoryBudget Memory) {
  auto Head = decodeHead(S.Meta, Memory);
  if (!Head)
    return Head;
  TraceData &T = *Head;
  ByteReader Schema(S.Schema, Memory.Left, Memory.Limit);
  std::vector<uint32_t> Order;
  if (!decodeSchema(Schema, T, Order))
    return bad("schema", Schema);
  TableDecoder D(T, Order);
  ByteReader Tables(S.Tables, Schema.memoryLeft(), Memory.Limit);
  if (!D.read(Tables))
    return bad("tables", Tables);
  T.Regions = std::move(D.Regions);
  ByteReader Calls(S.Calls, Tables.memoryLeft(), Memory.Limit);
  Calls.Chunks = S.Chunks;
  std::vector<EventPlace> Events;
  if (!decodeCalls(Calls, T, D, !S.Measures.empty(), Events))
    return bad("calls", Calls);
  ByteReader Measures(S.Measures, Calls.memoryLeft(), Memory.Limit);
  if (!S.Measures.empty() && !decodeMeasures(Measures, T, Events))
    return bad("measures", Measures);
  ByteReader Times(S.Times, Measures.memoryLeft(), Memory.Limit);
  Times.Chunks = std::move(S.Chunks);
  if (!S.Times.empty())
    Times.varint(); // chunks that were summed
  if (!S.Times.empty() && !decodeTimesSection(Times, T, Events))
    return bad("times", Times);
  return Head;
}

} // namespace pilgrim
