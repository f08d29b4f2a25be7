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
    readRegions(R);
    return R.ok() && R.atEnd();
  }
  std::vector<Region> Regions;

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
    if (N > 1 && (Id == TableId::Strings || Id == TableId::Sites || Id == TableId::Objects))
      R.fail();
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
    case TableId::Paths:
      for (size_t N = R.count(); N-- && R.ok();)
        Tokens.push_back(static_cast<uint32_t>(R.varintMax(UINT32_MAX)));
      return 0;
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

  std::string readString(ByteReader &R) {
    uint32_t I = ref(R, TableId::Strings);
    if (!R.ok())
      return {};
    std::string S = unpackString(Tables[static_cast<unsigned>(TableId::Strings)][I][0].Tokens);
    R.spend(sizeof(Region::Event) + S.size());
    return S;
  }

  void readRegions(ByteReader &R) {
    for (size_t N = R.count(4); N-- && R.ok();) {
      Region X;
      uint64_t V = R.varintMax(UINT32_MAX);
      X.Index = static_cast<uint32_t>(V >> 1);
      if (!(V & 1)) {
        X.Function = R.u64();
        X.Name = readString(R);
        X.File = readString(R);
      } else if (Regions.empty()) {
        R.fail();
      } else {
        R.spend(sizeof(Region) + Regions.back().Name.size() + Regions.back().File.size());
        X.Function = Regions.back().Function;
        X.Name = Regions.back().Name;
        X.File = Regions.back().File;
      }
      X.Line = static_cast<uint32_t>(R.varintMax(UINT32_MAX));
      int64_t Line = X.Line;
      for (size_t E = R.count(3); E-- && R.ok();) {
        Region::Event Y;
        uint64_t Head = R.varintMax(UINT32_MAX);
        Y.K = static_cast<Region::Kind>(Head & 3);
        uint64_t Number = X.Events.size() + (Head >> 2), Back = R.varint();
        // What no rank came by leaves a gap.
        R.spend((Head >> 2) * sizeof(Region::Event));
        if (Head >> 2 == 0 || Back >= Number)
          R.fail();
        if (!R.ok())
          return;
        X.Events.resize(Number - 1);
        Y.Arm = static_cast<uint32_t>(Back ? Number - Back : 0);
        Line += R.svarint();
        if ((Y.Arm && X.Events[Y.Arm - 1].K != Region::Arm) || Line < 0 || Line > UINT32_MAX)
          R.fail();
        Y.Line = static_cast<uint32_t>(Line);
        if (Y.K == Region::Loop || Y.K == Region::Arm)
          Y.Number = static_cast<uint32_t>(R.varintMax(UINT32_MAX));
        else
          Y.Name = readString(R);
        X.Events.push_back(std::move(Y));
      }
      Regions.push_back(std::move(X));
    }
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

  /// Of a site; 0 when R has failed.
  uint32_t site(uint32_t Global) { return local(TableId::Sites, Global, {}); }
  /// Of a signature or a path, which are one place's own.
  uint32_t add(TableId Id, uint32_t Global, const RankSet &Ranks) {
    Table &T = G.table(Id);
    Entry E = copy(Id, Global);
    for (Variant &V : E) {
      if (V.Ranks.empty()) {
        R.spend(sizeOf(Ranks));
        V.Ranks = Ranks;
      }
      if (Id == TableId::Signatures)
        relocate(V);
    }
    T.push_back(std::move(E));
    return static_cast<uint32_t>(T.size() - 1);
  }
  static uint64_t sizeOf(const RankSet &S) { return S.intervals().size() * sizeof(RankSet::Interval); }

private:
  /// A group's own copy of an entry is paid for, or a small file of many groups
  /// could ask for any amount of memory.
  Entry copy(TableId Id, uint32_t Global) {
    const Entry &E = D.Tables[static_cast<unsigned>(Id)][Global];
    R.spend(pilgrim::sizeOf(E));
    return R.ok() ? E : Entry();
  }
  uint32_t local(TableId Id, uint32_t Global, const RankSet &Ranks) {
    unsigned I = static_cast<unsigned>(Id);
    auto [It, New] = Map[I].try_emplace(Global, static_cast<uint32_t>(G.Tables[I].size()));
    uint32_t Index = It->second;
    if (New) {
      G.Tables[I].emplace_back();
      Entry E = copy(Id, Global);
      for (Variant &V : E) {
        if (Id == TableId::Sites)
          V.Tokens[0] = local(TableId::Strings, V.Tokens[0], {});
        if (Id == TableId::Objects && V.Tokens[1])
          V.Tokens[1] = local(TableId::Strings, V.Tokens[1] - 1, {}) + 1;
      }
      G.Tables[I][Index] = std::move(E);
    }
    if (Id == TableId::Objects && R.ok()) {
      // Known for those who use it.
      RankSet &Known = G.Tables[I][Index][0].Ranks;
      if (!(Known == Ranks)) {
        R.spend(sizeOf(Ranks));
        if (R.ok())
          Known.unite(Ranks);
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
          X.Tokens[I] = local(S.T == Tag::Object || S.T == Tag::Objects ? TableId::Objects : TableId::Strings,
                              X.Tokens[I], X.Ranks);
  }

  const TableDecoder &D;
  Group &G;
  ByteReader &R;
  std::map<uint32_t, uint32_t> Map[NumTables];
};

/// The sections calls and times.
class CallDecoder {
public:
  CallDecoder(ByteReader &R, ByteReader &Times, TraceData &T, const TableDecoder &D)
      : R(R), Times(Times), T(T), D(D), Timed(!Times.atEnd()) {}

  bool run() {
    for (size_t N = R.count(4); N-- && R.ok();) {
      Group &New = T.Groups.emplace_back();
      New.Thread = static_cast<uint32_t>(R.varintMax(1u << 20));
      New.Timed = Timed;
      if (T.Groups.size() > 1 && New.Thread <= T.Groups[T.Groups.size() - 2].Thread)
        R.fail();
      size_t Nodes = R.count(3);
      R.spend(sizeof(Group) + Nodes * sizeof(NodeData));
      if (Nodes == 0)
        R.fail();
      if (!R.ok())
        break;
      New.Nodes.resize(Nodes);
      G = &New;
      Localizer Local(D, New, R);
      L = &Local;
      Expected = ExpectedPath = ExpectedNode = 0;
      for (uint32_t I = 0; I < Nodes && R.ok(); ++I)
        readNode(I, New.Nodes[I]);
    }
    if (!Times.ok())
      R.fail();
    return R.ok() && R.atEnd() && Times.ok() && Times.atEnd();
  }

private:
  size_t eventsOf(const NodeData &N) const { return &N == G->Nodes.data() ? 0 : T.Regions[N.Region].Events.size(); }

  void readNode(uint32_t Index, NodeData &N) {
    if (Index == 0) {
      readRanks(N.Ranks);
      // Nobody's calls, or those of ranks that are not in the trace.
      if (N.Ranks.empty() || !N.Ranks.without(T.Ranks).empty())
        R.fail();
    } else {
      uint64_t Back = R.varint();
      if (Back == 0 || Back > Index)
        R.fail();
      if (!R.ok())
        return;
      N.Parent = static_cast<uint32_t>(Index - Back);
      const NodeData &Parent = G->Nodes[N.Parent];
      N.Event = static_cast<uint32_t>(R.varintMax(eventsOf(Parent)));
      uint64_t V = R.varint();
      if (V >> 1 >= T.Regions.size())
        R.fail();
      if (!R.ok())
        return;
      N.Region = static_cast<uint32_t>(V >> 1);
      if (V & 1)
        readRanks(N.Ranks);
      else
        spendFor(Parent.Ranks), N.Ranks = Parent.Ranks;
      readItems(N.Paths, N, true);
      readStreams(N.Visits, N.Ranks);
    }
    uint64_t Id = 0;
    for (size_t E = R.count(3), First = E; E-- && R.ok();) {
      uint64_t Step = R.varint();
      Id += Step;
      if (Id > eventsOf(N) || (Step == 0 && E + 1 != First))
        R.fail();
      R.spend(sizeof(EventData) + 64);
      if (R.ok())
        readEvent(Index, N, N.Events[static_cast<uint32_t>(Id)]);
    }
  }

  void readEvent(uint32_t Index, NodeData &N, EventData &E) {
    readItems(E.Items, N, false);
    if (Index) {
      readStreams(E.Passes, N.Ranks);
      readStreams(E.Counts, N.Ranks);
    }
    for (size_t S = R.count(5); S-- && R.ok();) {
      SlotStreamKey K;
      K.Function = static_cast<uint32_t>(R.varintMax(UINT32_MAX));
      uint64_t Site = R.varintMax(D.Tables[static_cast<unsigned>(TableId::Sites)].size());
      K.Slot = static_cast<uint32_t>(R.varintMax(255));
      K.Column = static_cast<uint32_t>(R.varintMax(255));
      if (!R.ok())
        return;
      K.Site = Site ? L->site(static_cast<uint32_t>(Site - 1)) + 1 : 0;
      readStreams(E.Streams[K], N.Ranks);
    }
  }

  void spendFor(const RankSet &S) { R.spend(Localizer::sizeOf(S)); }
  void readRanks(RankSet &S) {
    S = RankSet::read(R, T.World);
    spendFor(S);
    if (S.empty())
      R.fail();
  }

  /// Number of variants of a list; Ranked: whether each names its ranks.
  size_t readHead(bool &Ranked) {
    uint64_t V = R.varint();
    Ranked = V & 1;
    if (V >> 1 > R.remaining() || (V >> 1 > 1 && !Ranked))
      R.fail();
    return R.ok() ? static_cast<size_t>(V >> 1) : 0;
  }

  void readStreams(RankedStreams &To, const RankSet &All) {
    bool Ranked;
    for (size_t N = readHead(Ranked); N-- && R.ok();) {
      RankedStream &S = To.emplace_back();
      if (Ranked)
        readRanks(S.Ranks);
      else
        spendFor(All), S.Ranks = All;
      S.Values = IntStreamData::read(R);
    }
  }

  void readItems(std::vector<RankedItems> &To, const NodeData &N, bool ArePaths) {
    bool Ranked;
    for (size_t V = readHead(Ranked); V-- && R.ok();) {
      RankedItems &X = To.emplace_back();
      R.spend(sizeof X);
      if (Ranked)
        readRanks(X.Ranks);
      else
        spendFor(N.Ranks), X.Ranks = N.Ranks;
      X.Order = GrammarData::read(R);
      uint32_t Terminals = X.Order.terminals();
      if (Terminals > R.remaining())
        R.fail();
      if (!R.ok())
        return;
      auto Counts = X.Order.terminalCounts();
      for (uint32_t I = 0; I < Terminals && R.ok(); ++I)
        readItem(X, N, ArePaths, Counts[I]);
    }
  }

  void readItem(RankedItems &X, const NodeData &N, bool ArePaths, uint64_t Count) {
    uint64_t Code = R.varint();
    Item It;
    It.IsNode = Code & 1;
    TableId Id = ArePaths ? TableId::Paths : TableId::Signatures;
    uint64_t Limit = It.IsNode ? G->Nodes.size() : D.Tables[static_cast<unsigned>(Id)].size();
    uint32_t &Next = It.IsNode ? ExpectedNode : ArePaths ? ExpectedPath : Expected;
    int64_t Ref = static_cast<int64_t>(static_cast<uint64_t>(Next) + static_cast<uint64_t>(unzigzag(Code >> 1)));
    // A node comes after its parent, so activations cannot go round in circles.
    if (Ref < 0 || static_cast<uint64_t>(Ref) >= Limit || (It.IsNode && (ArePaths || &G->Nodes[Ref] <= &N)))
      R.fail();
    if (!R.ok())
      return;
    Next = static_cast<uint32_t>(Ref) + 1;
    It.Index = static_cast<uint32_t>(Ref);
    if (!It.IsNode) {
      It.Index = L->add(Id, It.Index, X.Ranks);
      if (R.ok() && ArePaths)
        checkPath(G->table(Id)[It.Index], T.Regions[N.Region]);
      if (R.ok() && Timed && !ArePaths)
        for (Variant &V : G->table(Id)[It.Index]) {
          uint64_t Calls = Count * V.Ranks.size();
          uint64_t Duration = Times.varint(), Gap = Times.varint();
          V.Time = {Duration * Calls, Gap * Calls};
        }
    }
    X.Items.push_back(It);
  }

  void checkPath(const Entry &E, const Region &X) {
    for (const Variant &V : E)
      for (uint32_t Event : V.Tokens)
        if (Event == 0 || Event > X.Events.size() || X.Events[Event - 1].K == Region::Unknown)
          R.fail();
  }

  ByteReader &R, &Times;
  TraceData &T;
  const TableDecoder &D;
  bool Timed;
  Group *G = nullptr;
  Localizer *L = nullptr;
  uint32_t Expected = 0, ExpectedPath = 0, ExpectedNode = 0;
};
} // namespace

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
  if (!CallDecoder(Calls, Times, T, D).run()) {
    bool InTimes = Calls.ok() ? Calls.atEnd() : !Times.ok();
    return InTimes ? bad("times", Times, OutOfRange) : bad("calls", Calls, OutOfRange);
  }
  return T;
}

} // namespace pilgrim
