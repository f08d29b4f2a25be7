//===- Decode.cpp - section bytes to TraceData ----------------------------===//
//
// Trusts nothing: every reference is checked against the table it points into,
// every signature against the schema of its function, so that whatever is read
// can be expanded without further checks.
//
//===----------------------------------------------------------------------===//
#include "trace/file/Decoder.h"

#include <algorithm>

namespace pilgrim {

static constexpr uint32_t MaxWorld = 1u << 24;

static std::unexpected<TraceError> bad(const char *Section, const ByteReader &R, const char *What) {
  return std::unexpected(TraceError{std::string("damaged: section ") + Section + ", unpacked offset " +
                                    std::to_string(R.offset()) + ": " + What});
}

static bool decodeMeta(ByteReader &R, TraceData &T) {
  T.World = static_cast<uint32_t>(R.varintMax(MaxWorld));
  T.Ranks = RankSet::read(R, T.World);
  for (size_t N = R.count(2); N-- && R.ok();) {
    std::string K = R.string();
    T.Meta[K] = R.string();
  }
  return R.ok() && R.atEnd();
}

/// Order: gets the functions' ids.
static bool decodeSchema(ByteReader &R, TraceData &T, std::vector<uint32_t> &Order) {
  size_t NumWords = R.count();
  R.spend(NumWords * sizeof(std::string));
  if (!R.ok())
    return false;
  std::vector<std::string> Words(NumWords);
  for (std::string &S : Words)
    S = R.string();
  auto Word = [&]() -> std::string {
    if (Words.empty())
      R.fail();
    if (!R.ok())
      return {};
    const std::string &S = Words[R.varintMax(Words.size() - 1)];
    R.spend(sizeof(ParamSchema) + S.size());
    return R.ok() ? S : std::string();
  };
  for (size_t N = R.count(3); N-- && R.ok();) {
    FunctionSchema F;
    F.Id = static_cast<uint32_t>(R.varintMax(UINT32_MAX));
    F.Name = Word();
    uint64_t V = R.varint();
    F.IsCollective = V & 1;
    if (V >> 1 == 0 || V >> 1 > R.remaining() || V >> 1 > 255)
      R.fail(); // every call has at least its return code
    for (uint64_t I = 0; R.ok() && I < V >> 1; ++I) {
      ParamSchema P;
      P.Name = Word();
      unsigned K = R.byte(), Bits = R.byte();
      if (K >= NumKinds || Bits > 63)
        R.fail();
      P.K = static_cast<Kind>(K);
      P.IsArray = Bits & 1;
      P.IsOutput = Bits & 2;
      P.IsMachine = Bits & 4;
      P.IsHidden = Bits & 8;
      P.IsFlags = Bits & 16;
      if (Bits & 32)
        P.Names = Word();
      F.Slots.push_back(std::move(P));
    }
    Order.push_back(F.Id);
    if (!T.Functions.try_emplace(F.Id, std::move(F)).second)
      R.fail();
  }
  for (size_t N = R.count(3); N-- && R.ok();) {
    std::string Key = Word();
    int64_t V = R.svarint();
    T.Names[{Key, V}] = Word();
  }
  return R.ok() && R.atEnd();
}

uint64_t sizeOf(const Entry &E) {
  uint64_t N = sizeof(Entry);
  for (const Variant &V : E)
    N += sizeof(Variant) + V.Tokens.size() * sizeof(uint32_t) + V.Words.size() * sizeof(RankFn) +
         V.Ranks.intervals().size() * sizeof(RankSet::Interval);
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
    R.fail();
  return static_cast<uint32_t>(V);
}

/// The number of an entry's variants.
size_t TableDecoder::readVariants(ByteReader &R, bool &Ranked) {
  uint64_t V = R.varint();
  Ranked = V & 1;
  size_t N = V >> 1;
  if (N == 0 || N > R.remaining() || (N > 1 && !Ranked))
    R.fail();
  return R.ok() ? N : 0;
}

RankSet TableDecoder::readRanks(ByteReader &R) {
  RankSet Ranks = RankSet::read(R, T.World);
  if (Ranks.empty())
    R.fail();
  return Ranks;
}

RankFn TableDecoder::readWord(ByteReader &R, const RankSet &Ranks, bool Ranked, AffineReader *Earlier) {
  RankFn F = RankFn::read(R, Ranks, T.World, Earlier);
  if (!Ranked && !F.isSingle())
    R.fail();
  return F;
}

void TableDecoder::readEntry(ByteReader &R, TableId Id, Entry &E) {
  bool Ranked;
  size_t N = readVariants(R, Ranked);
  if (N > 1 && Id != TableId::Paths)
    R.fail();
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
    R.fail();
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
      R.fail();
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
    uint32_t K = static_cast<uint32_t>(R.varint());
    Tokens = {K, ref(R, TableId::Strings, true)};
    if (K >= NumKinds || !isTableObject(static_cast<Kind>(K))) {
      R.fail();
      return 0;
    }
    return objectWords(static_cast<Kind>(K));
  }
  case TableId::Paths: {
    uint64_t Next = 1;
    for (size_t N = R.count(); N-- && R.ok();) {
      uint64_t Event = Next + static_cast<uint64_t>(R.svarint());
      if (Event > UINT32_MAX)
        R.fail();
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

static constexpr char OutOfRange[] = "a value is out of range";

std::expected<TraceData, TraceError> decodeHead(const SectionBytes &S, uint64_t &Memory) {
  TraceData T;
  ByteReader Meta(S.Meta, Memory);
  if (!decodeMeta(Meta, T))
    return bad("meta", Meta, OutOfRange);
  Memory = Meta.memoryLeft();
  return T;
}

std::expected<TraceData, TraceError> decodeSections(const SectionBytes &S, uint64_t Memory) {
  auto Head = decodeHead(S, Memory);
  if (!Head)
    return Head;
  TraceData &T = *Head;
  ByteReader Schema(S.Schema, Memory);
  std::vector<uint32_t> Order;
  if (!decodeSchema(Schema, T, Order))
    return bad("schema", Schema, OutOfRange);
  TableDecoder D(T, Order);
  ByteReader Tables(S.Tables, Schema.memoryLeft());
  if (!D.read(Tables))
    return bad("tables", Tables, OutOfRange);
  T.Regions = std::move(D.Regions);
  ByteReader Calls(S.Calls, Tables.memoryLeft());
  std::vector<EventPlace> Events;
  if (!decodeCalls(Calls, T, D, !S.Times.empty(), Events))
    return bad("calls", Calls, OutOfRange);
  ByteReader Measures(S.Times, Calls.memoryLeft());
  if (!S.Times.empty() && !decodeMeasures(Measures, T, Events))
    return bad("times", Measures, OutOfRange);
  return Head;
}

} // namespace pilgrim
