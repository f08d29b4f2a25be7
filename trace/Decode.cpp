//===- Decode.cpp - section bytes to TraceData ----------------------------===//
//
// Trusts nothing: every reference is checked against the table it points into,
// every signature against the schema of its function, so that whatever is read
// can be expanded without further checks.
//
//===----------------------------------------------------------------------===//
#include "trace/Format.h"

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

namespace {
/// What an entry takes in memory.
uint64_t sizeOf(const Entry &E) {
  uint64_t N = sizeof(Entry);
  for (const Variant &V : E)
    N += sizeof(Variant) + V.Tokens.size() * sizeof(uint32_t) + V.Words.size() * sizeof(RankFn) +
         V.Ranks.intervals().size() * sizeof(RankSet::Interval);
  return N;
}

/// The common tables of the file, with references between them checked.
class TableDecoder {
public:
  explicit TableDecoder(const TraceData &T) : T(T) {}
  Table Tables[NumTables];

  bool read(ByteReader &R) {
    for (unsigned I = 0; I < NumTables; ++I) {
      for (size_t N = R.count(2); N-- && R.ok();)
        readEntry(R, static_cast<TableId>(I), Tables[I].emplace_back());
    }
    return R.ok() && R.atEnd();
  }

private:
  size_t size(TableId Id) const { return Tables[static_cast<unsigned>(Id)].size(); }
  uint32_t ref(ByteReader &R, TableId Id, bool Optional = false) {
    uint64_t V = R.varint();
    if (V >= size(Id) + Optional)
      R.fail();
    return static_cast<uint32_t>(V);
  }

  void readEntry(ByteReader &R, TableId Id, Entry &E) {
    uint64_t V = R.varint();
    bool Ranked = V & 1;
    size_t N = V >> 1;
    if (N == 0 || N > R.remaining() || (N > 1 && !Ranked)) {
      R.fail();
      return;
    }
    for (size_t I = 0; I < N && R.ok(); ++I) {
      Variant X;
      if (Ranked) {
        X.Ranks = RankSet::read(R, T.World);
        if (X.Ranks.empty())
          R.fail();
      }
      size_t Words = readTokens(R, Id, X.Tokens);
      for (size_t W = 0; W < Words && R.ok(); ++W) {
        X.Words.push_back(RankFn::read(R, X.Ranks, T.World));
        if (!Ranked && !X.Words.back().isSingle())
          R.fail();
      }
      E.push_back(std::move(X));
    }
    R.spend(sizeOf(E));
  }

  /// Reads the tokens and returns the number of words behind them.
  size_t readTokens(ByteReader &R, TableId Id, std::vector<uint32_t> &Tokens) {
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
    case TableId::Signatures:
      break;
    }
    auto F = T.Functions.find(static_cast<uint32_t>(R.varintMax(UINT32_MAX)));
    if (F == T.Functions.end()) {
      R.fail();
      return 0;
    }
    Tokens = {F->first, ref(R, TableId::Sites, true), static_cast<uint32_t>(R.varintMax(255))};
    for (size_t I = 0; I < F->second.Slots.size() && R.ok(); ++I)
      readSlot(R, Tokens);
    SlotWalker Walk(Tokens);
    size_t Slots = 0;
    for (SlotView S; Walk.next(S);)
      ++Slots;
    if (!R.ok() || Walk.bad() || Slots != F->second.Slots.size()) {
      R.fail();
      return 0;
    }
    return Walk.words();
  }

  void readSlot(ByteReader &R, std::vector<uint32_t> &Tokens) {
    uint32_t Code = static_cast<uint32_t>(R.varintMax(NumTags - 1));
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

  const TraceData &T;
};

/// Copies the entries that a group needs from the common tables into its own,
/// in order of first reference.
class Localizer {
public:
  Localizer(const TableDecoder &D, Group &G, ByteReader &R) : D(D), G(G), R(R) {}

  /// 0 when R has failed.
  uint32_t local(TableId Id, uint32_t Global) {
    unsigned I = static_cast<unsigned>(Id);
    auto [It, New] = Map[I].try_emplace(Global, static_cast<uint32_t>(G.Tables[I].size()));
    if (!New)
      return It->second;
    uint32_t Index = It->second;
    G.Tables[I].push_back({});
    Entry E = copy(Id, Global);
    for (Variant &V : E)
      relocate(Id, V.Tokens);
    G.Tables[I][Index] = std::move(E);
    return Index;
  }
  /// Signatures are numbered by terminal, however often the same one is named.
  void addSignature(uint32_t Global) {
    Entry E = copy(TableId::Signatures, Global);
    for (Variant &V : E)
      relocate(TableId::Signatures, V.Tokens);
    G.table(TableId::Signatures).push_back(std::move(E));
  }

private:
  /// A group's own copy of an entry is paid for, or a small file of many groups
  /// could ask for any amount of memory.
  Entry copy(TableId Id, uint32_t Global) {
    const Entry &E = D.Tables[static_cast<unsigned>(Id)][Global];
    R.spend(sizeOf(E));
    return R.ok() ? E : Entry();
  }
  void relocate(TableId Id, std::vector<uint32_t> &Tokens) {
    if (Id == TableId::Sites)
      Tokens[0] = local(TableId::Strings, Tokens[0]);
    if (Id == TableId::Objects && Tokens[1])
      Tokens[1] = local(TableId::Strings, Tokens[1] - 1) + 1;
    if (Id != TableId::Signatures)
      return;
    if (Tokens[1])
      Tokens[1] = local(TableId::Sites, Tokens[1] - 1) + 1;
    SlotWalker Walk(Tokens);
    for (SlotView S; Walk.next(S);)
      if (S.RefToken)
        for (size_t I = S.RefToken; I < S.FirstToken + S.Tokens; ++I)
          Tokens[I] = local(S.T == Tag::Object || S.T == Tag::Objects ? TableId::Objects : TableId::Strings, Tokens[I]);
  }

  const TableDecoder &D;
  Group &G;
  ByteReader &R;
  std::map<uint32_t, uint32_t> Map[NumTables];
};
} // namespace

static uint64_t sizeOf(const RankSet &S) { return S.intervals().size() * sizeof(RankSet::Interval); }

static void decodeStreams(ByteReader &R, TraceData &T, Group &G, const TableDecoder &D, Localizer &L) {
  for (size_t N = R.count(5); N-- && R.ok();) {
    SlotStreamKey K;
    K.Function = static_cast<uint32_t>(R.varintMax(UINT32_MAX));
    uint64_t Site = R.varintMax(D.Tables[static_cast<unsigned>(TableId::Sites)].size());
    K.Slot = static_cast<uint32_t>(R.varintMax(255));
    K.Column = static_cast<uint32_t>(R.varintMax(255));
    uint64_t V = R.varint();
    if (V >> 1 == 0 || V >> 1 > R.remaining())
      R.fail();
    if (!R.ok())
      return;
    K.Site = Site ? L.local(TableId::Sites, static_cast<uint32_t>(Site - 1)) + 1 : 0;
    auto &Variants = G.Streams[K];
    for (uint64_t I = 0; I < V >> 1 && R.ok(); ++I) {
      SlotStreamVariant X;
      if (!(V & 1))
        R.spend(sizeOf(G.Ranks));
      X.Ranks = V & 1 ? RankSet::read(R, T.World) : G.Ranks;
      X.Values = IntStreamData::read(R);
      Variants.push_back(std::move(X));
    }
  }
}

/// Whether every rank of a group is one of the trace, and in one group of its
/// thread only.
static bool checkMembers(const TraceData &T) {
  struct Members {
    uint32_t Thread;
    RankSet::Interval Ranks;
  };
  std::vector<Members> All;
  for (const Group &G : T.Groups)
    for (const RankSet::Interval &I : G.Ranks.intervals())
      All.push_back({G.Thread, I});
  std::sort(All.begin(), All.end(), [](const Members &A, const Members &B) {
    return A.Thread != B.Thread ? A.Thread < B.Thread : A.Ranks.First < B.Ranks.First;
  });
  for (size_t I = 1; I < All.size(); ++I)
    if (All[I].Thread == All[I - 1].Thread && All[I].Ranks.First <= All[I - 1].Ranks.Last)
      return false;
  const auto &Known = T.Ranks.intervals();
  return std::all_of(All.begin(), All.end(), [&](const Members &M) {
    auto K = std::partition_point(Known.begin(), Known.end(),
                                  [&](const RankSet::Interval &X) { return X.Last < M.Ranks.Last; });
    return K != Known.end() && K->First <= M.Ranks.First;
  });
}

static bool decodeCalls(ByteReader &R, ByteReader &Times, TraceData &T, const TableDecoder &D) {
  bool Timed = !Times.atEnd();
  for (size_t N = R.count(4); N-- && R.ok();) {
    Group G;
    G.Ranks = RankSet::read(R, T.World);
    G.Thread = static_cast<uint32_t>(R.varintMax(1u << 20));
    G.Calls = GrammarData::read(R);
    if (G.Ranks.empty())
      R.fail();
    R.spend(sizeof(Group) + 2 * sizeOf(G.Ranks));
    if (!R.ok())
      break;
    Localizer L(D, G, R);
    uint32_t Terminals = G.Calls.terminals();
    int64_t Ref = 0;
    if (Terminals > R.remaining())
      R.fail();
    for (uint32_t I = 0; I < Terminals && R.ok(); ++I, ++Ref) {
      Ref = static_cast<int64_t>(static_cast<uint64_t>(Ref) + static_cast<uint64_t>(R.svarint()));
      if (Ref < 0 || Ref >= int64_t(D.Tables[static_cast<unsigned>(TableId::Signatures)].size())) {
        R.fail();
        break;
      }
      L.addSignature(static_cast<uint32_t>(Ref));
    }
    decodeStreams(R, T, G, D, L);
    if (Timed && R.ok()) {
      auto Counts = G.Calls.terminalCounts();
      for (uint32_t I = 0; I < Terminals; ++I)
        for (Variant &V : G.table(TableId::Signatures)[I]) {
          uint64_t Calls = Counts[I] * G.ranks(V).size();
          uint64_t Duration = Times.varint(), Gap = Times.varint();
          V.Time = {Duration * Calls, Gap * Calls};
        }
      G.Timed = true;
      if (!Times.ok())
        R.fail();
    }
    T.Groups.push_back(std::move(G));
  }
  if (R.ok() && !checkMembers(T))
    R.fail();
  return R.ok() && R.atEnd() && Times.ok() && Times.atEnd();
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
  ByteReader Calls(S.Calls, Tables.memoryLeft()), Times(S.Times);
  if (!decodeCalls(Calls, Times, T, D)) {
    bool InTimes = Calls.ok() ? Calls.atEnd() : !Times.ok();
    return InTimes ? bad("times", Times, OutOfRange) : bad("calls", Calls, OutOfRange);
  }
  return T;
}

} // namespace pilgrim
