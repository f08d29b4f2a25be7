//===- Encode.cpp - TraceData to section bytes ----------------------------===//
//
// Groups have tables of their own in memory; in the file every distinct entry
// stands once, and references are to that common table. An entry whose ranks
// matter (several variants, or words that are more than one explanation) names
// its ranks; any other can serve several groups. Of the structure only what was
// visited is written.
//
//===----------------------------------------------------------------------===//
#include "trace/Format.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace pilgrim {

namespace {
class TableEncoder {
public:
  /// Enters a group; afterwards entry() takes indices of its tables.
  void enter(const Group &Entered) {
    G = &Entered;
    for (auto &Map : Local)
      Map.clear();
  }
  /// Index of a group's entry in the common table. Signatures and paths are
  /// those of one place, so each is asked for once.
  uint32_t entry(TableId Id, uint32_t Index) {
    if (Id == TableId::Signatures || Id == TableId::Paths)
      return encode(Id, G->table(Id)[Index]);
    auto &Map = Local[static_cast<unsigned>(Id)];
    if (auto It = Map.find(Index); It != Map.end())
      return It->second;
    return Map[Index] = encode(Id, G->table(Id)[Index]);
  }
  uint32_t string(const std::string &S) { return encode(TableId::Strings, {{{}, packString(S), {}, {}}}); }

  std::vector<uint8_t> bytes() const {
    ByteWriter W;
    for (unsigned I = 0; I < NumTables; ++I) {
      W.varint(Order[I].size());
      for (const auto *E : Order[I])
        W.bytes(*E);
    }
    return std::move(W.Data);
  }

private:
  uint32_t encode(TableId Id, const Entry &E) {
    bool Ranked = E.size() > 1;
    for (const Variant &V : E)
      for (const RankFn &F : V.Words)
        Ranked |= !F.isSingle();
    ByteWriter W;
    W.varint(E.size() << 1 | uint64_t(Ranked));
    for (const Variant &V : E) {
      if (Ranked)
        V.Ranks.write(W);
      writeTokens(W, Id, V.Tokens);
      for (const RankFn &F : V.Words)
        F.write(W);
    }
    unsigned I = static_cast<unsigned>(Id);
    auto [It, New] = Index[I].try_emplace(std::move(W.Data), static_cast<uint32_t>(Order[I].size()));
    if (New)
      Order[I].push_back(&It->first);
    return It->second;
  }

  void writeTokens(ByteWriter &W, TableId Id, const std::vector<uint32_t> &Tokens) {
    switch (Id) {
    case TableId::Strings:
      W.string(unpackString(Tokens));
      return;
    case TableId::Sites:
      W.varint(entry(TableId::Strings, Tokens[0]));
      return;
    case TableId::Objects:
      W.varint(Tokens[0]);
      W.varint(Tokens[1] ? entry(TableId::Strings, Tokens[1] - 1) + 1 : 0);
      return;
    case TableId::Paths:
      W.varint(Tokens.size());
      for (uint32_t Event : Tokens)
        W.varint(Event);
      return;
    case TableId::Signatures:
      break;
    }
    W.varint(Tokens[0]);
    W.varint(Tokens[1] ? entry(TableId::Sites, Tokens[1] - 1) + 1 : 0);
    W.varint(Tokens[2]);
    SlotWalker Walk(Tokens);
    for (SlotView S; Walk.next(S);) {
      for (size_t I = S.FirstToken; I < S.FirstToken + S.Tokens; ++I) {
        uint32_t V = Tokens[I];
        if (S.RefToken && I >= S.RefToken)
          V = entry(S.T == Tag::Object || S.T == Tag::Objects ? TableId::Objects : TableId::Strings, V);
        W.varint(V);
      }
    }
  }

  const Group *G = nullptr;
  std::map<std::vector<uint8_t>, uint32_t> Index[NumTables];
  std::vector<const std::vector<uint8_t> *> Order[NumTables];
  std::map<uint32_t, uint32_t> Local[NumTables];
};

/// The regions that were visited, and their events that some visit came by.
/// These keep their numbers: other ranks' traces have others of them.
class StructureEncoder {
public:
  explicit StructureEncoder(const TraceData &T) : T(T), Used(T.Regions.size()) {
    for (const Group &G : T.Groups)
      for (size_t I = 1; I < G.Nodes.size(); ++I)
        note(G, G.Nodes[I]);
    for (uint32_t R = 0; R < Used.size(); ++R) {
      if (Used[R].empty())
        continue;
      // Arms around what is there.
      const auto &Events = T.Regions[R].Events;
      for (size_t E = Events.size(); E > 0; --E)
        if (Used[R][E])
          Used[R][Events[E - 1].Arm] = true;
      Written.push_back(R);
    }
    std::stable_sort(Written.begin(), Written.end(), [&](uint32_t A, uint32_t B) {
      return std::tie(T.Regions[A].Function, T.Regions[A].Index) < std::tie(T.Regions[B].Function, T.Regions[B].Index);
    });
    Places.resize(Used.size());
    for (uint32_t I = 0; I < Written.size(); ++I)
      Places[Written[I]] = I;
  }

  uint32_t region(uint32_t R) const { return Places[R]; }

  void write(ByteWriter &W, TableEncoder &Tables) const {
    W.varint(Written.size());
    for (size_t I = 0; I < Written.size(); ++I) {
      const Region &R = T.Regions[Written[I]];
      bool IsNext = I && T.Regions[Written[I - 1]].Function == R.Function;
      W.varint(uint64_t(R.Index) << 1 | uint64_t(IsNext));
      if (!IsNext) {
        W.u64(R.Function);
        W.varint(Tables.string(R.Name));
        W.varint(Tables.string(R.File));
      }
      W.varint(R.Line);
      const auto &Known = Used[Written[I]];
      W.varint(static_cast<uint64_t>(std::count(Known.begin() + 1, Known.end(), true)));
      int64_t Line = R.Line;
      size_t Last = 0;
      for (size_t E = 1; E <= R.Events.size(); ++E) {
        if (!Known[E])
          continue;
        const Region::Event &X = R.Events[E - 1];
        W.varint(uint64_t(E - Last) << 2 | X.K);
        Last = E;
        W.varint(X.Arm ? E - X.Arm : 0);
        W.svarint(X.Line - Line);
        Line = X.Line;
        if (X.K == Region::Loop || X.K == Region::Arm)
          W.varint(X.Number);
        else
          W.varint(Tables.string(X.Name));
      }
    }
  }

private:
  void note(const Group &G, const NodeData &N) {
    auto Mark = [&](uint32_t R, uint32_t E) {
      Used[R].resize(T.Regions[R].Events.size() + 1);
      Used[R][0] = Used[R][E] = true;
    };
    Mark(N.Region, 0);
    if (N.Parent)
      Mark(G.Nodes[N.Parent].Region, N.Event);
    for (const auto &[Id, E] : N.Events)
      Mark(N.Region, Id);
    for (const RankedItems &P : N.Paths)
      for (const Item &I : P.Items)
        for (const Variant &V : G.table(TableId::Paths)[I.Index])
          for (uint32_t E : V.Tokens)
            Mark(N.Region, E);
  }

  const TraceData &T;
  std::vector<std::vector<bool>> Used; ///< by region and event; empty: not visited
  std::vector<uint32_t> Written, Places;
};

/// The sections calls and times.
class CallEncoder {
public:
  CallEncoder(const TraceData &T, TableEncoder &Tables, const StructureEncoder &Structure)
      : T(T), Tables(Tables), Structure(Structure) {}
  ByteWriter Calls, Times;

  void run() {
    for (const Group &X : T.Groups)
      Timed |= X.Timed;
    Calls.varint(T.Groups.size());
    for (const Group &X : T.Groups) {
      G = &X;
      Tables.enter(X);
      Calls.varint(X.Thread);
      Calls.varint(X.Nodes.size());
      Expected = ExpectedPath = ExpectedNode = 0;
      for (uint32_t I = 0; I < X.Nodes.size(); ++I)
        writeNode(I, X.Nodes[I]);
    }
  }

private:
  void writeNode(uint32_t Index, const NodeData &N) {
    if (Index == 0) {
      N.Ranks.write(Calls);
    } else {
      const NodeData &Parent = G->Nodes[N.Parent];
      bool Own = !(N.Ranks == Parent.Ranks);
      Calls.varint(Index - N.Parent);
      Calls.varint(N.Event);
      Calls.varint(uint64_t(Structure.region(N.Region)) << 1 | uint64_t(Own));
      if (Own)
        N.Ranks.write(Calls);
      writeItems(N.Paths, N.Ranks, true);
      writeStreams(N.Visits, N.Ranks);
    }
    Calls.varint(N.Events.size());
    uint32_t Last = 0;
    for (const auto &[Id, E] : N.Events) {
      Calls.varint(Id - Last);
      Last = Id;
      writeItems(E.Items, N.Ranks, false);
      if (Index) {
        writeStreams(E.Passes, N.Ranks);
        writeStreams(E.Counts, N.Ranks);
      }
      Calls.varint(E.Streams.size());
      for (const auto &[Key, Streams] : E.Streams) {
        Calls.varint(Key.Function);
        Calls.varint(Key.Site ? Tables.entry(TableId::Sites, Key.Site - 1) + 1 : 0);
        Calls.varint(Key.Slot);
        Calls.varint(Key.Column);
        writeStreams(Streams, N.Ranks);
      }
    }
  }

  template <typename List> bool writeHead(const List &L, const RankSet &All) {
    bool Ranked = L.size() > 1 || (L.size() == 1 && !(L[0].Ranks == All));
    Calls.varint(L.size() << 1 | uint64_t(Ranked));
    return Ranked;
  }

  void writeStreams(const RankedStreams &L, const RankSet &All) {
    bool Ranked = writeHead(L, All);
    for (const RankedStream &S : L) {
      if (Ranked)
        S.Ranks.write(Calls);
      S.Values.write(Calls);
    }
  }

  void writeItems(const std::vector<RankedItems> &L, const RankSet &All, bool ArePaths) {
    bool Ranked = writeHead(L, All);
    for (const RankedItems &X : L) {
      if (Ranked)
        X.Ranks.write(Calls);
      X.Order.write(Calls);
      auto Counts = X.Order.terminalCounts();
      for (size_t I = 0; I < X.Items.size(); ++I) {
        const Item &It = X.Items[I];
        uint32_t Ref = It.IsNode ? It.Index : Tables.entry(ArePaths ? TableId::Paths : TableId::Signatures, It.Index);
        uint32_t &Next = It.IsNode ? ExpectedNode : ArePaths ? ExpectedPath : Expected;
        Calls.varint(zigzag(static_cast<int64_t>(Ref) - Next) << 1 | uint64_t(It.IsNode));
        Next = Ref + 1;
        if (Timed && !ArePaths && !It.IsNode)
          writeTimes(G->table(TableId::Signatures)[It.Index], Counts[I]);
      }
    }
  }

  /// Means: what a reader wants, and shorter than sums. Sums are restored from
  /// them to a call's nanosecond.
  void writeTimes(const Entry &E, uint64_t Count) {
    for (const Variant &V : E) {
      uint64_t N = Count * V.Ranks.size();
      Times.varint(N ? (V.Time.Duration + N / 2) / N : 0);
      Times.varint(N ? (V.Time.Gap + N / 2) / N : 0);
    }
  }

  const TraceData &T;
  TableEncoder &Tables;
  const StructureEncoder &Structure;
  const Group *G = nullptr;
  bool Timed = false;
  uint32_t Expected = 0, ExpectedPath = 0, ExpectedNode = 0;
};
} // namespace

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

static std::vector<uint8_t> encodeSchema(const TraceData &T) {
  ByteWriter W;
  // Parameter names repeat from function to function: they stand once.
  std::map<std::string, uint32_t> Words;
  std::vector<const std::string *> Order;
  auto Word = [&](const std::string &S) {
    auto [It, New] = Words.try_emplace(S, static_cast<uint32_t>(Order.size()));
    if (New)
      Order.push_back(&It->first);
    return It->second;
  };
  ByteWriter Body;
  Body.varint(T.Functions.size());
  for (const auto &[Id, F] : T.Functions) {
    Body.varint(Id);
    Body.varint(Word(F.Name));
    Body.varint(F.Slots.size() << 1 | uint64_t(F.IsCollective));
    for (const ParamSchema &P : F.Slots) {
      Body.varint(Word(P.Name));
      Body.byte(static_cast<uint8_t>(P.K));
      Body.byte(static_cast<uint8_t>(P.IsArray | P.IsOutput << 1 | P.IsMachine << 2 | P.IsHidden << 3 | P.IsFlags << 4 |
                                     (!P.Names.empty()) << 5));
      if (!P.Names.empty())
        Body.varint(Word(P.Names));
    }
  }
  Body.varint(T.Names.size());
  for (const auto &[Key, Name] : T.Names) {
    Body.varint(Word(Key.first));
    Body.svarint(Key.second);
    Body.varint(Word(Name));
  }
  W.varint(Order.size());
  for (const std::string *S : Order)
    W.string(*S);
  W.bytes(Body.Data);
  return std::move(W.Data);
}

SectionBytes encodeSections(const TraceData &T) {
  SectionBytes S;
  S.Meta = encodeMeta(T);
  S.Schema = encodeSchema(T);
  TableEncoder Tables;
  StructureEncoder Structure(T);
  CallEncoder Calls(T, Tables, Structure);
  Calls.run();
  ByteWriter Regions;
  Structure.write(Regions, Tables);
  S.Tables = Tables.bytes();
  S.Tables.insert(S.Tables.end(), Regions.Data.begin(), Regions.Data.end());
  S.Calls = std::move(Calls.Calls.Data);
  S.Times = std::move(Calls.Times.Data);
  return S;
}

} // namespace pilgrim
