//===- PlainTrace.cpp - a trace as lists of numbers -----------------------===//
//
// One description of a trace, Visitor, serves both ways: PlainWriter makes the lists, PlainReader fills a trace from
// them.
//
//===----------------------------------------------------------------------===//
#include "proxygen/extrapolate/PlainTrace.h"
#include "driver/SiteText.h"
#include "proxygen/extrapolate/PlainArchive.h"
#include "trace/model/Signature.h"

namespace pilgrim {

namespace {
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
  void function(RankFn &F, const RankSet &Of, PlainPart::Kind K = PlainPart::Function, bool InWorld = true,
                uint32_t Slot = 0) {
    A.coded(F, [&](ByteReader &From) { return RankFn::read(From, Of, T.World); },
            {.K = K, .Ranks = Of, .Values = F, .InWorld = InWorld, .Slot = Slot});
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
        [&](const SlotStreamKey &K, RankedStreams &S) {
          if (auto F = T.Functions.find(K.Function); F != T.Functions.end() && K.Slot < F->second.Slots.size())
            A.place(F->second.Slots[K.Slot].Name + " of " + F->second.Name);
          streams(S);
        });
  }

  std::string nameOf(const NodeData &N, uint32_t Event) const {
    if (&N == NodesOf || N.Region >= T.Regions.size())
      return "the order of calls";
    const Region &R = T.Regions[N.Region];
    const uint32_t Line = Event && Event <= R.Events.size() ? R.Events[Event - 1].Line : R.Line;
    return functionText(R) + ", " + R.File + ":" + std::to_string(Line);
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

  /// Of a call's words, the slots that they belong to, plus 1.
  static std::vector<uint32_t> slotsIn(TableId Id, const Variant &V) {
    std::vector<uint32_t> Out(V.Words.size());
    SlotWalker Slots(V.Tokens);
    SlotView S;
    for (uint32_t Slot = 1; Id == TableId::Signatures && Slots.next(S); ++Slot)
      for (size_t I = S.FirstWord; I < std::min<size_t>(S.FirstWord + S.Words, Out.size()); ++I)
        Out[I] = Slot;
    return Out;
  }

  std::vector<ProcessArray> arraysIn(TableId Id, const Variant &V) const {
    const auto F = Id == TableId::Signatures && !V.Tokens.empty() ? T.Functions.find(V.Tokens[0]) : T.Functions.end();
    return F == T.Functions.end() ? std::vector<ProcessArray>() : processArrays(F->second, V.Tokens);
  }

  void tokens(TableId Id, Variant &V) {
    std::vector<bool> IsLength(V.Tokens.size());
    for (const ProcessArray &X : arraysIn(Id, V))
      IsLength[X.LengthToken] = true;
    size_t I = 0;
    A.each(V.Tokens, [&](uint32_t &Token) {
      if (I < IsLength.size() && IsLength[I])
        A.natural(Token);
      else
        A.fixed(Token);
      ++I;
    });
  }

  /// F(function, number of the word): what is to be done for a word, or for the first one of a run.
  template <typename Fn> void words(Variant &V, const std::vector<ProcessArray> &Arrays, Fn &&F) {
    size_t At = 0, Words = 0;
    std::vector<RankFn> &All = V.Words.own();
    if (Arrays.empty())
      return A.each(All, [&](RankFn &Of) { F(Of, At++); });
    SlotWalker Slots(V.Tokens);
    for (SlotView S; Slots.next(S);)
      Words = S.FirstWord + S.Words;
    A.clear(All);
    for (const ProcessArray &X : Arrays) {
      for (; At < X.FirstWord; ++At)
        F(A.element(All, At), At);
      std::vector<ElementRun> Runs;
      if (All.size() >= X.FirstWord + X.Length)
        Runs = runsOf(std::span(All).subspan(X.FirstWord, X.Length));
      A.each(Runs, [&](ElementRun &R) {
        F(R.First, At);
        A.whole(R.Stride);
        A.natural(R.Count);
      });
      A.expand(Runs, X, T.World, All);
      At += X.Length;
    }
    for (; At < Words; ++At)
      F(A.element(All, At), At);
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
          tokens(Id, V);
          if (Id == TableId::Signatures && !V.Tokens.empty())
            A.function(V.Tokens[0]);
          const RankSet &Of = V.Ranks.empty() ? G.ranks() : V.Ranks;
          const std::vector<bool> Places = placesIn(Id, V);
          const std::vector<uint32_t> Slots = slotsIn(Id, V);
          const bool InWorld = Id != TableId::Signatures || isInWorld(G, V);
          words(V, arraysIn(Id, V), [&](RankFn &F, size_t I) {
            function(F, Of, I < Places.size() && Places[I] ? PlainPart::Place : PlainPart::Function, InWorld,
                     I < Slots.size() ? Slots[I] : 0);
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
    return std::unexpected(R.where(Like) + " would have a number that is out of its range");
  for (size_t I = 0; I < T.Groups.size(); ++I)
    T.Groups[I].table(TableId::Strings) = Like.Groups[I].table(TableId::Strings);
  return T;
}

} // namespace pilgrim
