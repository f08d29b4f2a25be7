//===- PlainTrace.cpp - a trace as lists of numbers -----------------------===//
//
// One description of a trace, visit(), serves both ways: PlainWriter makes the lists, PlainReader fills a trace from
// them. Both have the same functions.
//
//===----------------------------------------------------------------------===//
#include "proxygen/extrapolate/PlainTrace.h"
#include "trace/model/Signature.h"

namespace pilgrim {

namespace {
/// Values of what is written to bytes and read from them by From: how many, and then each.
template <typename T, typename Read> std::vector<PlainValue> valuesOf(const T &X, Read &&From) {
  ByteWriter W;
  X.write(W);
  std::vector<ByteToken> Tokens;
  ByteReader R(W.Data);
  R.Tokens = &Tokens;
  From(R);
  std::vector<PlainValue> Out{{PlainValue::Fixed, 0}};
  for (const ByteToken &Y : Tokens)
    if (Y.K == ByteToken::Raw)
      for (size_t I = 0; I < Y.Size; ++I)
        Out.push_back({PlainValue::Fixed, W.Data[Y.At + I]});
    else
      Out.push_back({Y.K == ByteToken::Byte     ? PlainValue::Fixed
                     : Y.K == ByteToken::Varint ? PlainValue::Natural
                                                : PlainValue::Whole,
                     Y.number()});
  Out[0].V = static_cast<int64_t>(Out.size() - 1);
  return Out;
}

/// The bytes that values stand for.
void write(ByteWriter &W, const PlainValue &V) {
  if (V.K == PlainValue::Whole)
    W.svarint(V.V);
  else if (V.K == PlainValue::Natural)
    W.varint(static_cast<uint64_t>(V.V));
  else
    W.byte(static_cast<uint8_t>(V.V));
}

class PlainWriter {
public:
  explicit PlainWriter(std::vector<PlainList> &Lists) : Lists(Lists) {}

  /// Where the following lists belong to.
  void place(std::string What) {
    Where = std::move(What);
    Single = false;
  }
  template <typename T> void fixed(T &V) { add(PlainValue::Fixed, static_cast<int64_t>(V)); }
  template <typename T> void natural(T &V) { add(PlainValue::Natural, static_cast<int64_t>(V)); }
  void whole(int64_t &V) { add(PlainValue::Whole, V); }
  /// A value that is written to bytes and read from them, and how else it is known.
  template <typename T, typename Read> void coded(T &X, Read &&From, PlainPart Part) {
    PlainRecord &Record = open();
    const std::vector<PlainValue> Values = valuesOf(X, From);
    Part.From = Record.Values.size();
    Part.Size = Values.size();
    Record.Values.insert(Record.Values.end(), Values.begin(), Values.end());
    Record.Parts.push_back(std::move(Part));
  }
  /// As many on all numbers of ranks.
  template <typename T, typename Fn> void each(std::vector<T> &L, Fn &&F) {
    size_t N = L.size();
    fixed(N);
    for (T &X : L)
      F(X);
  }
  template <typename Fn> void each(Entry &E, Fn &&F) {
    size_t N = E.size();
    fixed(N);
    for (Variant &V : E.own())
      F(V);
  }
  template <typename K, typename V, typename Key, typename Fn> void each(std::map<K, V> &M, Key &&OfKey, Fn &&F) {
    size_t N = M.size();
    fixed(N);
    for (auto &[Name, X] : M) {
      K Copy = Name;
      OfKey(Copy);
      F(Copy, X);
    }
  }
  /// Maybe more on more ranks. F adds to the element's record alone.
  template <typename T, typename Fn> void list(std::vector<T> &L, Fn &&F) {
    Lists.push_back({Where, {}});
    Single = true;
    for (T &X : L) {
      Lists.back().Records.emplace_back();
      F(X);
    }
    Single = false;
  }
  void function(uint32_t Id) { Lists.back().Records.back().Function = Id; }
  void noChunks(bool None) { HasChunks |= !None; }
  bool hasChunks() const { return HasChunks; }

private:
  PlainRecord &open() {
    if (!Single)
      Lists.push_back({Where, std::vector<PlainRecord>(1)});
    Single = true;
    return Lists.back().Records.back();
  }
  void add(PlainValue::Kind K, int64_t V) { open().Values.push_back({K, V}); }

  std::vector<PlainList> &Lists;
  std::string Where;
  bool Single = false; ///< whether the last record may be added to
  bool HasChunks = false;
};

class PlainReader {
public:
  explicit PlainReader(const std::vector<PlainList> &Lists) : Lists(Lists) {}
  bool ok() const { return Good; }

  void place(const std::string &) { Single = false; }
  template <typename T> void fixed(T &V) { number(V); }
  template <typename T> void natural(T &V) { number(V); }
  void whole(int64_t &V) { number(V); }
  template <typename T, typename Read> void coded(T &X, Read &&From, const PlainPart &) {
    size_t Values = 0;
    fixed(Values);
    ByteWriter W;
    while (Good && Values--)
      write(W, next());
    ByteReader R(W.Data);
    X = From(R);
    Good &= R.ok() && R.atEnd();
  }
  template <typename List, typename Fn> void each(List &L, Fn &&F) {
    size_t N = 0;
    fixed(N);
    L.clear();
    for (; N-- && Good;)
      F(L.emplace_back());
  }
  template <typename K, typename V, typename Key, typename Fn> void each(std::map<K, V> &M, Key &&OfKey, Fn &&F) {
    size_t N = 0;
    fixed(N);
    M.clear();
    for (; N-- && Good;) {
      K Name{};
      OfKey(Name);
      F(Name, M[Name]);
    }
  }
  template <typename T, typename Fn> void list(std::vector<T> &L, Fn &&F) {
    open();
    const size_t N = Good ? Lists[At - 1].Records.size() : 0;
    L.clear();
    for (Record = 0; Record < N && Good; ++Record) {
      Value = 0;
      F(L.emplace_back());
      Good &= Value == Lists[At - 1].Records[Record].Values.size();
    }
    Single = false;
  }
  void function(uint32_t) {}
  void noChunks(bool) {}

private:
  void open() {
    Good &= At < Lists.size();
    ++At;
    Record = Value = 0;
    Single = true;
  }
  PlainValue next() {
    if (!Single)
      open();
    if (!Good || Value >= Lists[At - 1].Records[Record].Values.size()) {
      Good = false;
      return {PlainValue::Fixed, 0};
    }
    return Lists[At - 1].Records[Record].Values[Value++];
  }
  template <typename T> void number(T &V) {
    const int64_t N = next().V;
    V = static_cast<T>(N);
    Good &= static_cast<int64_t>(V) == N;
  }

  const std::vector<PlainList> &Lists;
  size_t At = 0, Record = 0, Value = 0; ///< At: lists that were begun
  bool Single = false, Good = true;
};

template <typename Archive> class Visitor {
public:
  Visitor(Archive &A, TraceData &T) : A(A), T(T) {}

  void trace() {
    A.place("the ranks");
    A.natural(T.World);
    ranks(T.Ranks);
    A.each(T.Groups, [&](Group &G) { group(G); });
    A.place("the order of threads");
    streams(T.TurnThreads);
    streams(T.TurnLengths);
  }

private:
  void ranks(RankSet &R) {
    A.coded(R, [&](ByteReader &From) { return RankSet::read(From, T.World); },
            {.K = PlainPart::Set, .Ranks = R, .Values = {}});
  }
  void function(RankFn &F, const RankSet &Of, PlainPart::Kind K = PlainPart::Function, bool InWorld = true) {
    A.coded(F, [&](ByteReader &From) { return RankFn::read(From, Of, T.World); },
            {.K = K, .Ranks = Of, .Values = F, .InWorld = InWorld});
  }
  void functions(ByRank &X, const RankSet &Of) {
    A.each(X, [&](uint32_t &Place) { A.natural(Place); }, [&](uint32_t, RankFn &F) { function(F, Of); });
  }
  void order(GrammarData &G) {
    A.noChunks(G.Chunks.empty());
    A.each(G.Rules, [&](std::vector<GrammarSymbol> &Rule) {
      A.list(Rule, [&](GrammarSymbol &S) {
        A.fixed(S.IsRule);
        A.natural(S.Value);
        A.natural(S.Count);
      });
    });
  }
  void streams(RankedStreams &L) {
    A.each(L, [&](RankedStream &S) {
      ranks(S.Ranks);
      A.noChunks(S.Values.Chunks.empty());
      A.fixed(S.Values.AreSteps);
      A.list(S.Values.Runs, [&](LinearRun &R) {
        A.whole(R.First);
        A.whole(R.Stride);
        A.natural(R.Count);
      });
      order(S.Values.Order);
      functions(S.Functions, S.Ranks);
    });
  }
  void items(std::vector<RankedItems> &L) {
    A.each(L, [&](RankedItems &X) {
      ranks(X.Ranks);
      order(X.Order);
      A.list(X.Items, [&](Item &I) {
        A.fixed(I.IsNode);
        A.natural(I.Index);
      });
      functions(X.Functions, X.Ranks);
    });
  }

  void event(EventData &E) {
    items(E.Items);
    streams(E.PassesToChange);
    streams(E.UsualItems);
    A.each(
        E.Streams,
        [&](SlotStreamKey &K) {
          A.fixed(K.Function);
          A.fixed(K.Site);
          A.fixed(K.Slot);
          A.fixed(K.Column);
        },
        [&](const SlotStreamKey &, RankedStreams &S) { streams(S); });
  }

  std::string nameOf(const NodeData &N, uint32_t Event) const {
    if (&N == NodesOf || N.Region >= T.Regions.size())
      return "the order of calls";
    const Region &R = T.Regions[N.Region];
    const uint32_t Line = Event && Event <= R.Events.size() ? R.Events[Event - 1].Line : R.Line;
    return R.Name + ", " + R.File + ":" + std::to_string(Line);
  }

  void node(NodeData &N) {
    A.place("the order of calls");
    A.fixed(N.Parent);
    A.fixed(N.Event);
    A.fixed(N.Region);
    A.place(nameOf(N, 0));
    ranks(N.Ranks);
    items(N.Paths);
    streams(N.Visits);
    A.each(
        N.Events, [&](uint32_t &Id) { A.fixed(Id); },
        [&](uint32_t Id, EventData &E) {
          A.place(nameOf(N, Id));
          event(E);
        });
  }

  /// Which words of a variant say where something is in the program: code, or variables with a place of their own.
  static std::vector<bool> placesIn(TableId Id, const Variant &V) {
    std::vector<bool> Out(V.Words.size(), Id == TableId::Sites);
    SlotWalker Slots(V.Tokens);
    for (SlotView S; Id == TableId::Signatures && Slots.next(S);)
      for (size_t I = 0; I < S.Words && (S.T == Tag::Data || S.T == Tag::Stack || S.T == Tag::Raw); ++I)
        if (S.FirstWord + I < Out.size())
          Out[S.FirstWord + I] = true;
    return Out;
  }

  /// Whether ranks in the communicator of a call are those of the world.
  bool isInWorld(Group &G, const Variant &V) const {
    SlotWalker Slots(V.Tokens);
    for (SlotView S; Slots.next(S);) {
      if (S.T != Tag::Object || S.Ref >= G.table(TableId::Objects).size())
        continue;
      const Entry &E = G.table(TableId::Objects)[S.Ref];
      if (E.size() == 1 && !E[0].Tokens.empty() && static_cast<Kind>(E[0].Tokens[0]) == Kind::Datatype)
        continue;
      if (E.size() != 1 || E[0].Words.size() < 3)
        return false;
      const RankFn &Own = E[0].Words[1], &Size = E[0].Words[2];
      return Own.isSingle() && Own.single().Mask & Candidates::Offset && !Own.single().Off && Size.isConst() &&
             Size.single().C == T.World;
    }
    return true;
  }

  /// Strings are names, and not looked at.
  void group(Group &G) {
    A.fixed(G.Thread);
    A.each(G.Nodes, [&](NodeData &N) {
      NodesOf = G.Nodes.data();
      node(N);
    });
    for (TableId Id : {TableId::Sites, TableId::Objects, TableId::Signatures, TableId::Paths}) {
      A.place(Id == TableId::Sites     ? "the lines of calls"
              : Id == TableId::Objects ? "the objects"
                                       : "the order of calls");
      A.list(G.table(Id), [&](Entry &E) {
        A.each(E, [&](Variant &V) {
          ranks(V.Ranks);
          A.each(V.Tokens, [&](uint32_t &Token) { A.fixed(Token); });
          if (Id == TableId::Signatures && !V.Tokens.empty())
            A.function(V.Tokens[0]);
          const RankSet &Of = V.Ranks.empty() ? G.ranks() : V.Ranks;
          const std::vector<bool> Places = placesIn(Id, V);
          const bool InWorld = Id != TableId::Signatures || isInWorld(G, V);
          size_t I = 0;
          A.each(V.Words, [&](RankFn &F) {
            function(F, Of, I < Places.size() && Places[I] ? PlainPart::Place : PlainPart::Function, InWorld);
            ++I;
          });
        });
      });
    }
  }

  Archive &A;
  TraceData &T;
  const NodeData *NodesOf = nullptr;
};
} // namespace

std::vector<PlainValue> plainValues(const RankSet &Ranks, uint32_t World) {
  return valuesOf(Ranks, [&](ByteReader &From) { return RankSet::read(From, World); });
}

std::vector<PlainValue> plainValues(const RankFn &F, const RankSet &Of, uint32_t World) {
  return valuesOf(F, [&](ByteReader &From) { return RankFn::read(From, Of, World); });
}

std::optional<RankSet> rankSetOf(std::span<const PlainValue> Values, uint32_t World) {
  ByteWriter W;
  for (const PlainValue &V : Values.subspan(1)) // the first one says how many there are
    write(W, V);
  ByteReader R(W.Data);
  RankSet Out = RankSet::read(R, World);
  return R.ok() && R.atEnd() ? std::optional(std::move(Out)) : std::nullopt;
}

std::optional<std::vector<PlainList>> plainLists(TraceData &T) {
  std::vector<PlainList> Lists;
  PlainWriter W(Lists);
  Visitor<PlainWriter>(W, T).trace();
  return W.hasChunks() ? std::nullopt : std::optional(std::move(Lists));
}

std::expected<TraceData, std::string> traceOf(const std::vector<PlainList> &Lists, const TraceData &Like) {
  TraceData T;
  T.Functions = Like.Functions;
  T.Names = Like.Names;
  T.Regions = Like.Regions;
  PlainReader R(Lists);
  Visitor<PlainReader>(R, T).trace();
  if (!R.ok() || T.Groups.size() != Like.Groups.size())
    return std::unexpected("a number is out of its range");
  for (size_t I = 0; I < T.Groups.size(); ++I)
    T.Groups[I].table(TableId::Strings) = Like.Groups[I].table(TableId::Strings);
  return T;
}

} // namespace pilgrim
