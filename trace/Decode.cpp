//===- Decode.cpp - section bytes to TraceData ----------------------------===//
//
// Trusts nothing: every reference is checked against the table it points into,
// every signature against the schema of its function, so that whatever is read
// can be expanded without further checks.
//
//===----------------------------------------------------------------------===//
#include "trace/Decoder.h"

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

static bool decodeSchema(ByteReader &R, TraceData &T) {
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
    for (size_t N = R.count(2); N-- && R.ok();)
      readEntry(R, static_cast<TableId>(I), Tables[I].emplace_back());
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

void TableDecoder::readEntry(ByteReader &R, TableId Id, Entry &E) {
  uint64_t V = R.varint();
  bool Ranked = V & 1;
  size_t N = V >> 1;
  if (N == 0 || N > R.remaining() || (N > 1 && !Ranked)) {
    R.fail();
    return;
  }
  if (N > 1 && (Id == TableId::Strings || Id == TableId::Sites || Id == TableId::Objects))
    R.fail();
  for (size_t I = 0; I < N && R.ok(); ++I) {
    Variant X;
    if (Ranked) {
      X.Ranks = RankSet::read(R, T.World);
      if (X.Ranks.empty())
        R.fail();
    }
    Derived.clear();
    size_t Words = readTokens(R, Id, X.Tokens);
    if (Derived.empty())
      readWords(R, Words, X);
    else
      readWithDerived(R, X);
    for (const RankFn &F : X.Words)
      if (!Ranked && !F.isSingle())
        R.fail();
    E.push_back(std::move(X));
  }
  R.spend(sizeOf(E));
}

/// Reads the tokens and returns the number of words behind them.
size_t TableDecoder::readTokens(ByteReader &R, TableId Id, std::vector<uint32_t> &Tokens) {
  switch (Id) {
  case TableId::Strings:
    Tokens = packString(R.string());
    return 0;
  case TableId::Sites:
    Tokens = {ref(R, TableId::Strings)};
    return 1;
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
  case TableId::Signatures:
    break;
  }
  readSignature(R, Tokens);
  SlotWalker Walk(Tokens);
  size_t Slots = 0;
  for (SlotView S; Walk.next(S);)
    ++Slots;
  if (!R.ok() || Walk.bad() || Slots != Lengths.size()) {
    R.fail();
    return 0;
  }
  return Walk.words();
}

void TableDecoder::readSignature(ByteReader &R, std::vector<uint32_t> &Tokens) {
  auto F = T.Functions.find(static_cast<uint32_t>(R.varintMax(UINT32_MAX)));
  if (F == T.Functions.end())
    return R.fail();
  Tokens = {F->first, ref(R, TableId::Sites, true), static_cast<uint32_t>(R.varintMax(255))};
  Lengths.clear();
  while (Lengths.size() < F->second.Slots.size() && R.ok()) {
    size_t First = Tokens.size();
    readSlot(R, Tokens);
    bool IsArray = R.ok() && Tokens[First] == static_cast<uint32_t>(Tag::Array);
    Lengths.push_back(IsArray ? Tokens.back() : 0);
  }
}

void TableDecoder::readWords(ByteReader &R, size_t N, Variant &X) {
  while (N-- && R.ok())
    X.Words.push_back(RankFn::read(R, X.Ranks, T.World));
}

/// The words of a signature with arrays that follow from others.
void TableDecoder::readWithDerived(ByteReader &R, Variant &X) {
  std::vector<size_t> First;
  SlotWalker Walk(X.Tokens);
  auto D = Derived.begin();
  for (SlotView S; Walk.next(S) && R.ok();) {
    First.push_back(S.FirstWord);
    if (D == Derived.end() || D->Slot + 1 != First.size()) {
      readWords(R, S.Words, X);
      continue;
    }
    R.spend(S.Length * (sizeof(RankFn) + std::max<size_t>(X.Ranks.size(), 1) * 2 * sizeof(int64_t)));
    if (R.ok() && !deriveVector(*D, X, First[D->From], S.Length, X.Words))
      R.fail();
    ++D;
  }
}

/// An array that follows from an earlier one.
void TableDecoder::readDerived(ByteReader &R, std::vector<uint32_t> &Tokens, uint32_t Code) {
  DerivedVector D;
  D.Slot = Lengths.size();
  size_t Distance = R.varint();
  if (Distance == 0 || Distance > D.Slot || !Lengths[D.Slot - Distance])
    return R.fail();
  D.From = D.Slot - Distance;
  D.Code = Code;
  if (Code == SumsCode) {
    D.Base = R.svarint();
    D.Scale = R.svarint();
  }
  Derived.push_back(D);
  Tokens.insert(Tokens.end(), {static_cast<uint32_t>(Tag::Array), Lengths[D.From]});
}

void TableDecoder::readSlot(ByteReader &R, std::vector<uint32_t> &Tokens) {
  uint32_t Code = static_cast<uint32_t>(R.varintMax(NumSlotCodes - 1));
  if (Code >= NumTags)
    return readDerived(R, Tokens, Code);
  Tokens.push_back(Code);
  Tag Value = static_cast<Tag>(Code);
  bool IsStream = Value == Tag::Stream;
  if (IsStream) {
    Code = static_cast<uint32_t>(R.varintMax(NumTags - 1));
    Tokens.push_back(Code);
    Value = static_cast<Tag>(Code);
    if (!streamColumns(Value))
      R.fail();
  }
  switch (Value) {
  case Tag::Name:
  case Tag::String:
  case Tag::Data:
    Tokens.push_back(ref(R, TableId::Strings));
    break;
  case Tag::Object:
    Tokens.push_back(ref(R, TableId::Objects));
    break;
  case Tag::Array:
  case Tag::Statuses:
    if (!IsStream)
      Tokens.push_back(static_cast<uint32_t>(R.count()));
    break;
  case Tag::Objects: {
    size_t N = R.count();
    Tokens.push_back(static_cast<uint32_t>(N));
    for (size_t I = 0; I < N && R.ok(); ++I)
      Tokens.push_back(ref(R, TableId::Objects));
    break;
  }
  default:
    break;
  }
}

std::expected<TraceData, TraceError> decodeSections(const SectionBytes &S, uint64_t Memory) {
  constexpr char OutOfRange[] = "a value is out of range";
  TraceData T;
  ByteReader Meta(S.Meta, Memory);
  if (!decodeMeta(Meta, T))
    return bad("meta", Meta, OutOfRange);
  ByteReader Schema(S.Schema, Meta.memoryLeft());
  if (!decodeSchema(Schema, T))
    return bad("schema", Schema, OutOfRange);
  TableDecoder D(T);
  ByteReader Tables(S.Tables, Schema.memoryLeft());
  if (!D.read(Tables))
    return bad("tables", Tables, OutOfRange);
  T.Regions = std::move(D.Regions);
  ByteReader Calls(S.Calls, Tables.memoryLeft()), Times(S.Times);
  if (!decodeCalls(Calls, Times, T, D)) {
    bool InTimes = Calls.ok() ? Calls.atEnd() : !Times.ok();
    return InTimes ? bad("times", Times, OutOfRange) : bad("calls", Calls, OutOfRange);
  }
  return T;
}

} // namespace pilgrim
