//===- EncodeCalls.cpp - the tree of nodes as bytes -----------------------===//
//
// What the regions say already is not written: nodes are made where they are activated first, in the region that the
// event names, and a sequence that is one item again and again is as long as visits and paths make it. So an event
// where one thing happens, always and on all ranks, is a byte.
//
//===----------------------------------------------------------------------===//
#include "trace/Encoder.h"
#include "trace/JointVisits.h"
#include "trace/Tally.h"

#include <algorithm>

namespace pilgrim {

namespace {
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
      Expected = ExpectedPath = 0;
      Number.assign(X.Nodes.size(), None);
      Calls.varint(X.Thread);
      X.ranks().write(Calls);
      Nodes.assign(1, {&X.Nodes[0], X.ranks(), {}});
      Pending.assign(1, 0);
      // What is inside of a node follows it, so that equal subtrees look equal.
      while (!Pending.empty()) {
        uint32_t Next = Pending.back();
        Pending.pop_back();
        size_t Inside = Pending.size();
        At = std::move(Nodes[Next]);
        Next ? writeNode() : writeRoot();
        std::reverse(Pending.begin() + static_cast<ptrdiff_t>(Inside), Pending.end());
      }
    }
    if (T.Groups.size() > 1) {
      At.Ranks = T.Ranks;
      writeStreams(T.TurnThreads);
      writeStreams(T.TurnLengths);
    }
  }

private:
  static constexpr uint32_t None = UINT32_MAX;
  struct Node {
    const NodeData *Data;
    RankSet Ranks;
    Tally Activations;
  };
  /// Items, or paths, of some ranks. Always: there is one, as often as wanted; several parts may have it then.
  struct ItemForm {
    RankSet Ranks;
    std::vector<const RankedItems *> Parts;
    std::vector<std::vector<RankedItems::Share>> Shares; ///< by part
    bool Always;
  };
  /// Numbers of visits of some ranks; if Always is not 0, it is always that.
  struct VisitForm {
    RankedStream Values;
    uint64_t Always;
  };

  void writeRoot() {
    auto E = At.Data->Events.find(0);
    if (E == At.Data->Events.end())
      Calls.varint(0);
    else
      writeEvent(0, E->second, {});
  }

  void writeNode() {
    const NodeData &N = *At.Data;
    std::vector<VisitForm> Visits = visitForms();
    std::vector<ItemForm> Paths = itemForms(N.Paths, countVisits(N, T.World, nullptr), TableId::Paths);
    bool Once = Visits.size() == 1 && Visits[0].Always == 1 && Visits[0].Values.Ranks == At.Ranks;
    bool OnePath = Paths.size() == 1 && Paths[0].Always && Paths[0].Ranks == At.Ranks;
    bool HasFirst = N.Events.contains(0);
    Calls.varint(uint64_t(Once) | uint64_t(OnePath) << 1 | uint64_t(HasFirst) << 2);
    if (!Once && !(OnePath && !HasFirst && writeJoint(Visits, Paths[0])))
      writeVisits(Visits, Calls);
    if (OnePath)
      writePath(Paths[0].Parts[0]->Items[0]);
    else
      writeForms(Paths, [&](const ItemForm &F, size_t I) { writePath(F.Parts[0]->Items[I]); });

    auto Passes = countPasses(*G, N, T.World, nullptr);
    auto Write = [&](uint32_t Id) {
      auto E = N.Events.find(Id);
      if (E == N.Events.end())
        Calls.varint(0);
      else
        writeEvent(Id, E->second, countItems(E->second, Id, Passes[Id], nullptr));
    };
    if (HasFirst)
      Write(0);
    for (uint32_t Id : Structure.events(N.Region))
      Write(Id);
  }

  void writeEvent(uint32_t Id, const EventData &E, const Tally &Items) {
    std::vector<ItemForm> Forms = itemForms(E.Items, Items, TableId::Signatures);
    const uint64_t Same = sameNumber(E);
    bool HasChanges = !Same && (!E.Passes.empty() || !E.Counts.empty()), HasColumns = !E.Streams.empty();
    Made.clear();
    Event = Id;
    if (!HasChanges && !Same && !HasColumns && Forms.size() == 1 && Forms[0].Always && Forms[0].Ranks == At.Ranks) {
      writeItem(Forms[0], 0, EventHead::OneItem);
      return;
    }
    Calls.varint(EventHead::Items + HasChanges * EventHead::Changes + HasColumns * EventHead::Columns +
                 (Same != 0) * EventHead::SameNumber);
    if (Same)
      Calls.varint(Same);
    if (HasChanges) {
      writeStreams(E.Passes);
      writeStreams(E.Counts);
    }
    writeForms(Forms, [&](const ItemForm &F, size_t I) { writeItem(F, I, 0); });
    if (!HasColumns)
      return;
    Calls.varint(E.Streams.size());
    for (const auto &[Key, Streams] : E.Streams) {
      Calls.varint(Key.Function);
      Calls.varint(Key.Site ? Tables.entry(TableId::Sites, Key.Site - 1) + 1 : 0);
      Calls.varint(Key.Slot);
      Calls.varint(Key.Column);
      writeStreams(Streams);
    }
  }

  /// The number of items of each visit if it is the same from the first one on, on all ranks; or 0.
  uint64_t sameNumber(const EventData &E) const {
    auto Single = [&](const RankedStreams &L, int64_t &Value) {
      if (L.size() != 1 || !L[0].Functions.empty() || !(L[0].Ranks == At.Ranks) || L[0].Values.length() != 1)
        return false;
      return IntStreamData::Cursor(L[0].Values).next(Value);
    };
    int64_t Passes, Number;
    return Single(E.Passes, Passes) && Single(E.Counts, Number) && Passes == 0 && Number > 0
               ? static_cast<uint64_t>(Number)
               : 0;
  }

  static const RankSet &ranksOf(const VisitForm &F) { return F.Values.Ranks; }
  template <typename Form> static const RankSet &ranksOf(const Form &F) { return F.Ranks; }
  template <typename List> bool writeHead(const List &L, ByteWriter &To) {
    bool Ranked = L.size() > 1 || (L.size() == 1 && !(ranksOf(L[0]) == At.Ranks));
    To.varint(L.size() << 1 | uint64_t(Ranked));
    return Ranked;
  }

  void writeStreams(const RankedStreams &L) {
    bool Ranked = writeHead(L, Calls);
    for (const RankedStream &S : L) {
      if (Ranked)
        S.Ranks.write(Calls);
      S.write(Calls);
    }
  }

  // Visits.

  /// As functions of the rank, or number by number, where that is shorter.
  std::vector<VisitForm> visitForms() {
    RankedStreams Parts;
    for (const RankedStream &S : At.Data->Visits)
      for (RankedStream &P : S.parts(T.World))
        Parts.push_back(std::move(P));
    std::vector<VisitForm> ByNumber = visitForms(Parts);
    if (Parts.size() == At.Data->Visits.size())
      return ByNumber;
    std::vector<VisitForm> ByFunction = visitForms(At.Data->Visits);
    ByteWriter A, B;
    writeVisits(ByNumber, A);
    writeVisits(ByFunction, B);
    return B.Data.size() < A.Data.size() ? ByFunction : ByNumber;
  }

  std::vector<VisitForm> visitForms(const RankedStreams &L) {
    std::vector<VisitForm> Out;
    for (const RankedStream &S : L) {
      VisitForm F{S, 0};
      const LinearRun *R = S.Functions.empty() && S.Values.Runs.size() == 1 ? &S.Values.Runs[0] : nullptr;
      if (R && !R->Stride && R->First > 0 && isOne(S.Values.Order) && S.Values.Order.Rules[0][0].Count == 1 &&
          isAlways(At.Activations, S.Ranks, R->Count))
        F.Always = static_cast<uint64_t>(R->First);
      auto Same = std::find_if(Out.begin(), Out.end(), [&](const VisitForm &O) { return O.Always == F.Always; });
      if (F.Always && Same != Out.end())
        Same->Values.Ranks.unite(S.Ranks);
      else
        Out.push_back(std::move(F));
    }
    return Out;
  }

  /// Whether the order is one terminal, however often.
  static bool isOne(const GrammarData &G) {
    return G.Rules.size() == 1 && G.Rules[0].size() == 1 && !G.Rules[0][0].IsRule && !G.Rules[0][0].Value;
  }
  /// Whether it is so often for all of Ranks.
  static bool isAlways(const Tally &Numbers, const RankSet &Ranks, uint64_t N) {
    auto Parts = Numbers.of(Ranks, nullptr);
    return N < Tally::Unknown && Parts.size() == 1 && Parts[0].N == N;
  }

  void writeVisits(const std::vector<VisitForm> &L, ByteWriter &To) {
    bool Ranked = writeHead(L, To);
    for (const VisitForm &F : L) {
      if (Ranked)
        F.Values.Ranks.write(To);
      To.varint(F.Always);
      if (!F.Always)
        F.Values.write(To);
    }
  }

  /// The visits of all ranks together, where that can be and is shorter.
  bool writeJoint(const std::vector<VisitForm> &Separate, const ItemForm &Path) {
    const NodeData &N = *At.Data;
    if (Separate.size() == 1 && Separate[0].Values.Functions.empty())
      return false;
    auto Joint = joinVisits(*G, N, T.World, JointWork);
    if (!Joint || !passesOnce(G->table(TableId::Paths)[Path.Parts[0]->Items[0].Index], N.Events.begin()->first))
      return false;
    ByteWriter A, B;
    A.varint(JointVisitsHead);
    Joint->write(A);
    writeVisits(Separate, B);
    if (A.Data.size() >= B.Data.size())
      return false;
    Calls.bytes(A.Data);
    return true;
  }

  // Items.

  std::vector<ItemForm> itemForms(const std::vector<RankedItems> &L, const Tally &Numbers, TableId Id) {
    std::vector<ItemForm> Out;
    for (const RankedItems &X : L) {
      ItemForm F{X.Ranks, {&X}, {X.shares(T.World)}, X.Items.size() == 1 && isOne(X.Order)};
      for (const RankedItems::Share &S : F.Shares[0])
        F.Always = F.Always && isAlways(Numbers, S.Ranks, S.Calls[0]);
      auto Same =
          std::find_if(Out.begin(), Out.end(), [&](const ItemForm &O) { return O.Always && canJoin(O, X, Id); });
      if (F.Always && Same != Out.end()) {
        Same->Ranks.unite(F.Ranks);
        Same->Parts.push_back(&X);
        Same->Shares.push_back(std::move(F.Shares[0]));
      } else {
        Out.push_back(std::move(F));
      }
    }
    return Out;
  }

  /// Whether what is always the one is always the other, which says nothing of the ranks that it is for.
  bool canJoin(const ItemForm &F, const RankedItems &X, TableId T) {
    const Item &A = F.Parts[0]->Items[0], &B = X.Items[0];
    if (A.IsNode || B.IsNode)
      return A == B;
    const Entry &E = G->table(T)[A.Index], &O = G->table(T)[B.Index];
    if (E.size() != 1 || O.size() != 1 || E[0].Tokens != O[0].Tokens || E[0].Words.size() != O[0].Words.size())
      return false;
    for (size_t W = 0; W < E[0].Words.size(); ++W)
      if (!E[0].Words[W].isSingle() || !O[0].Words[W].isSingle() || !(E[0].Words[W].single() == O[0].Words[W].single()))
        return false;
    return true;
  }

  template <typename Fn> void writeForms(const std::vector<ItemForm> &L, Fn &&WriteItem) {
    bool Ranked = writeHead(L, Calls);
    for (const ItemForm &F : L) {
      if (Ranked)
        F.Ranks.write(Calls);
      if (F.Always)
        Calls.varint(0);
      else
        writeOrder(*F.Parts[0]);
      for (size_t I = 0; I < F.Parts[0]->Items.size(); ++I)
        WriteItem(F, I);
    }
  }

  void writeOrder(const RankedItems &X) {
    std::vector<uint32_t> Open;
    for (const auto &[Place, F] : X.Counts)
      Open.push_back(Place);
    X.Order.write(Calls, Open);
    for (const auto &[Place, F] : X.Counts)
      F.write(Calls);
  }

  /// A path: 0 is all events of the region.
  void writePath(const Item &I) {
    const Entry &E = G->table(TableId::Paths)[I.Index];
    if (E.size() == 1 && E[0].Tokens == Structure.events(At.Data->Region)) {
      Calls.varint(0);
      return;
    }
    uint32_t Ref = Tables.entry(TableId::Paths, I.Index);
    Calls.varint(zigzag(static_cast<int64_t>(Ref) - ExpectedPath) + 1);
    ExpectedPath = Ref + 1;
  }

  /// The code is so much larger, for what may stand in its place.
  void writeItem(const ItemForm &F, size_t Index, uint64_t More) {
    const Item &I = F.Parts[0]->Items[Index];
    if (I.IsNode) {
      writeActivation(F, Index, More);
      return;
    }
    uint32_t Ref = Tables.entry(TableId::Signatures, I.Index, &F.Parts[0]->Ranks);
    Calls.varint((zigzag(static_cast<int64_t>(Ref) - Expected) << 1 | uint64_t(isForNodes())) + More);
    Expected = Ref + 1;
    if (Timed)
      writeTimes(F, Index);
  }

  /// Whether the event is one in which nodes are activated.
  bool isForNodes() const { return Event && Region::activates(T.Regions[At.Data->Region].Events[Event - 1].K); }

  void writeActivation(const ItemForm &F, size_t Index, uint64_t More) {
    uint32_t N = F.Parts[0]->Items[Index].Index;
    const NodeData &Data = G->Nodes[N];
    bool IsNew = Number[N] == None;
    const uint64_t IsUnusual = !isForNodes();
    if (IsNew) {
      uint32_t Region = Structure.region(Data.Region);
      bool IsExpected = Event && Structure.expected(At.Data->Region, Event) == Region;
      Calls.varint((uint64_t(!IsExpected) << 1 | IsUnusual) + More);
      if (!IsExpected)
        Calls.varint(Region);
      Number[N] = static_cast<uint32_t>(Nodes.size());
      Made.push_back(N);
      Pending.push_back(Number[N]);
      Nodes.push_back({&Data, {}, {}});
    } else {
      auto Place = std::find(Made.begin(), Made.end(), N);
      Calls.varint((static_cast<uint64_t>(Place - Made.begin() + 2) << 1 | IsUnusual) + More);
    }
    Node &To = Nodes[Number[N]];
    To.Ranks.unite(F.Ranks);
    for (const auto &Shares : F.Shares)
      for (const RankedItems::Share &S : Shares)
        To.Activations.add(S.Ranks, S.Calls[Index], nullptr);
  }

  /// Means: what a reader wants, and shorter than sums. Sums are restored from them to a call's nanosecond.
  void writeTimes(const ItemForm &F, size_t Index) {
    const Entry &First = G->table(TableId::Signatures)[F.Parts[0]->Items[Index].Index];
    for (size_t V = 0; V < First.size(); ++V) {
      uint64_t N = 0, Duration = 0, Gap = 0;
      for (size_t P = 0; P < F.Parts.size(); ++P) {
        const Variant &X = G->table(TableId::Signatures)[F.Parts[P]->Items[Index].Index][V];
        N += RankedItems::calls(F.Shares[P], Index, X.Ranks);
        Duration += X.Time.Duration;
        Gap += X.Time.Gap;
      }
      Times.varint(N ? (Duration + N / 2) / N : 0);
      Times.varint(N ? (Gap + N / 2) / N : 0);
    }
  }

  const TraceData &T;
  TableEncoder &Tables;
  const StructureEncoder &Structure;
  const Group *G = nullptr;
  bool Timed = false;
  uint64_t JointWork = uint64_t(1) << 24; ///< that may be spent on finding joint visits
  uint32_t Expected = 0, ExpectedPath = 0;
  std::vector<Node> Nodes;       ///< in the order in which they are met
  std::vector<uint32_t> Number;  ///< of a node, among them
  std::vector<uint32_t> Pending; ///< met but not written; the next one last
  Node At{};                     ///< the node that is written
  uint32_t Event = 0;            ///< and its event
  std::vector<uint32_t> Made;    ///< nodes that are activated there first
};
} // namespace

EncodedCalls encodeCalls(const TraceData &T, TableEncoder &Tables, const StructureEncoder &Structure) {
  CallEncoder E(T, Tables, Structure);
  E.run();
  return {std::move(E.Calls.Data), std::move(E.Times.Data)};
}

} // namespace pilgrim
