//===- EncodeCalls.cpp - the tree of nodes as bytes -----------------------===//
//
// What the regions say already is not written: nodes are made where they are activated first, in the region that the
// event names, and a sequence that is one item again and again is as long as visits and paths make it. So an event
// where one thing happens, always and on all ranks, is a byte.
//
//===----------------------------------------------------------------------===//
#include "trace/EncodeVisits.h"
#include "trace/Encoder.h"
#include "trace/JointPaths.h"
#include "trace/JointVisits.h"
#include "trace/PathMask.h"
#include "trace/Tally.h"

#include <algorithm>
#include <map>
#include <numeric>

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
      PathTable = &X.table(TableId::Paths);
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
  /// Items, or paths, of some ranks. Always: there is one, as often as wanted; several parts may have it then. Repeats:
  /// so are all of them together.
  struct ItemForm {
    RankSet Ranks;
    std::vector<const RankedItems *> Parts;
    std::vector<std::vector<RankedItems::Share>> Shares; ///< by part
    bool Always, Repeats;
  };

  void writeRoot() {
    auto E = At.Data->Events.find(0);
    if (E == At.Data->Events.end())
      Calls.varint(EventHead::Nothing);
    else
      writeEvent(0, E->second, {});
  }

  void writeNode() {
    const NodeData &N = *At.Data;
    const std::vector<uint32_t> &Known = Structure.events(N.Region);
    PathMask Masks(T.Regions[N.Region], Known);
    Mask = &Masks;
    std::vector<ItemForm> Paths = itemForms(N.Paths, countVisits(N, T.World, nullptr), TableId::Paths);
    auto IsArm = [&](uint32_t Id) { return Id && T.Regions[N.Region].Events[Id - 1].K == Region::Arm; };
    const bool OnePath = Paths.size() == 1 && Paths[0].Always && Paths[0].Ranks == At.Ranks;
    const bool Whole = OnePath && isWhole(Paths[0].Parts[0]->Items[0]);
    const bool HasZero = N.Events.contains(0);
    const bool HasArms = std::any_of(N.Events.begin(), N.Events.end(), [&](const auto &E) { return IsArm(E.first); });
    const bool MayBeJoint = Whole && !HasZero && N.Events.size() == 1 && passesOnce(Known, N.Events.begin()->first);
    auto Visits = encodeVisits(*G, N, {T.World, At.Ranks, At.Activations}, MayBeJoint ? &Work : nullptr);
    const uint64_t Path = Whole ? NodeHead::Whole : OnePath ? NodeHead::OnePath : NodeHead::ListedPaths;
    Calls.varint(Visits.How | Path | HasZero * NodeHead::EventZero | HasArms * NodeHead::Arms);
    Calls.bytes(Visits.Bytes);
    if (OnePath && !Whole)
      writePath(Paths[0], 0);
    if (!OnePath)
      writePaths(Paths);

    // Where visits follow from the sequence, it is as long as they say together.
    auto Passes = countPasses(*G, N, T.World, nullptr);
    if (Visits.How == NodeHead::Joint || Visits.How == NodeHead::JointEqual) {
      Passes.clear();
      const auto &[Id, E] = *N.Events.begin();
      Passes[Id].add(At.Ranks, E.Items[0].Order.length(), nullptr);
    }
    auto Write = [&](uint32_t Id) {
      auto E = N.Events.find(Id);
      if (E == N.Events.end())
        Calls.varint(EventHead::Nothing);
      else
        writeEvent(Id, E->second, countItems(E->second, Id, Passes[Id], nullptr));
    };
    if (HasZero)
      Write(0);
    for (uint32_t Id : Known)
      if (HasArms || !IsArm(Id))
        Write(Id);
  }

  void writeEvent(uint32_t Id, const EventData &E, const Tally &Items) {
    std::vector<ItemForm> Forms = itemForms(E.Items, Items, TableId::Signatures);
    const uint64_t Same = sameNumber(E);
    bool HasChanges = !Same && (!E.Passes.empty() || !E.Counts.empty()), HasColumns = !E.Streams.empty();
    Made.clear();
    Event = Id;
    if (!HasChanges && !Same && !HasColumns && Forms.size() == 1 && Forms[0].Always && Forms[0].Ranks == At.Ranks) {
      writeItem(Forms[0], 0, EventHead::OtherItem);
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

  void writeStreams(const RankedStreams &L) {
    bool Ranked = writeListHead(L, At.Ranks, Calls);
    for (const RankedStream &S : L) {
      if (Ranked)
        S.Ranks.write(Calls);
      S.write(Calls);
    }
  }

  // Items.

  std::vector<ItemForm> itemForms(const std::vector<RankedItems> &L, const Tally &Numbers, TableId Id) {
    std::vector<ItemForm> Out;
    for (const RankedItems &X : L) {
      ItemForm F{X.Ranks, {&X}, {X.shares(T.World)}, X.Items.size() == 1 && X.Order.isOneTerminal(), X.repeats()};
      for (const RankedItems::Share &S : F.Shares[0]) {
        const bool AllOf = (F.Always || F.Repeats) &&
                           Numbers.isAlways(S.Ranks, std::accumulate(S.Calls.begin(), S.Calls.end(), uint64_t(0)));
        F.Always &= AllOf;
        F.Repeats &= AllOf;
      }
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
    bool Ranked = writeListHead(L, At.Ranks, Calls);
    for (const ItemForm &F : L) {
      if (Ranked)
        F.Ranks.write(Calls);
      if (F.Always)
        Calls.varint(0);
      else
        writeOrder(*F.Parts[0], F.Repeats);
      for (size_t I = 0; I < F.Parts[0]->Items.size(); ++I)
        WriteItem(F, I);
    }
  }

  void writeOrder(const RankedItems &X, bool Repeats) {
    if (Repeats) {
      GrammarData Once;
      Once.Rules.assign(X.Order.Rules.begin() + 1, X.Order.Rules.end());
      for (auto &Body : Once.Rules)
        for (GrammarSymbol &S : Body)
          S.Value -= S.IsRule;
      Calls.varint(Once.Rules.size() << 1 | 1);
      Once.writeRules(Calls);
      return;
    }
    std::vector<uint32_t> Open;
    for (const auto &[Place, F] : X.Counts)
      Open.push_back(Place);
    Calls.varint(X.Order.Rules.size() << 1);
    X.Order.writeRules(Calls, Open);
    for (const auto &[Place, F] : X.Counts)
      F.write(Calls);
  }

  // Paths.

  const Entry &path(const Item &I) const { return (*PathTable)[I.Index]; }
  bool isWhole(const Item &I) const {
    return path(I).size() == 1 && path(I)[0].Tokens == Structure.events(At.Data->Region);
  }

  /// Those of all ranks together, where that can be and is shorter. Nothing can be merged with a trace that has them.
  void writePaths(const std::vector<ItemForm> &L) {
    auto Write = [&](const std::vector<ItemForm> &Forms) {
      writeForms(Forms, [&](const ItemForm &F, size_t I) { writePath(F, I); });
    };
    auto HasMasks = [&](const ItemForm &F) {
      return std::all_of(F.Parts[0]->Items.begin(), F.Parts[0]->Items.end(),
                         [&](const Item &I) { return maskOf(path(I), F.Ranks).has_value(); });
    };
    std::optional<JointPaths> Joint;
    if (T.Ranks.size() == T.World && std::all_of(L.begin(), L.end(), HasMasks))
      Joint = joinPaths(*G, *At.Data, T.World, Work);
    const size_t Before = Calls.Data.size();
    Write(L);
    if (!Joint)
      return;
    const std::vector<uint8_t> Separate(Calls.Data.begin() + static_cast<ptrdiff_t>(Before), Calls.Data.end());
    Calls.Data.resize(Before);
    PathTable = &Joint->Paths;
    Write(itemForms({Joint->Sequence}, countVisits(*At.Data, T.World, nullptr), TableId::Paths));
    PathTable = &G->table(TableId::Paths);
    if (Calls.Data.size() - Before < Separate.size())
      return;
    Calls.Data.resize(Before);
    Calls.bytes(Separate);
  }

  void writePath(const ItemForm &F, size_t Index) {
    const Item &I = F.Parts[0]->Items[Index];
    if (auto Mask = maskOf(path(I), F.Ranks)) {
      if (!Mask->isSingle()) {
        Calls.varint(PathCode::ByRank);
        Mask->write(Calls);
      } else {
        Calls.varint(static_cast<uint64_t>(Mask->single().C) << 1);
      }
      return;
    }
    uint32_t Ref = Tables.entry(TableId::Paths, I.Index);
    Calls.varint(PathCode::Step + (zigzag(static_cast<int64_t>(Ref) - ExpectedPath) << 1));
    ExpectedPath = Ref + 1;
  }

  /// The mask as a function of the rank; nothing if some path has none.
  std::optional<RankFn> maskOf(const Entry &E, const RankSet &Ranks) const {
    std::vector<std::pair<uint32_t, int64_t>> Of;
    for (const Variant &V : E) {
      auto M = Mask->of(V.Tokens);
      if (!M)
        return std::nullopt;
      if (E.size() == 1)
        return RankFn(static_cast<int64_t>(*M));
      V.Ranks.forEach([&](uint32_t R) { Of.emplace_back(R, *M); });
    }
    if (Of.size() != Ranks.size())
      return std::nullopt;
    std::sort(Of.begin(), Of.end());
    std::map<int64_t, RankSet> Same;
    std::vector<int64_t> Values;
    for (auto [Rank, M] : Of) {
      Same[M].unite(RankSet(Rank));
      Values.push_back(M);
    }
    if (Same.size() > RankFn::MaxPieces)
      return RankFn::ofValues(Values, Ranks);
    RankFn All(Same.begin()->first);
    RankSet Before;
    auto NoContext = [](uint32_t) { return RankContext(); };
    for (const auto &[M, Own] : Same) {
      if (!Before.empty())
        All.merge(RankFn(M), Before, Own, NoContext, NoContext);
      Before.unite(Own);
    }
    All.shorten(Ranks, NoContext);
    return All;
  }

  /// Codes but 0 are so much larger, for what may stand in their place.
  void writeItem(const ItemForm &F, size_t Index, uint64_t More) {
    const Item &I = F.Parts[0]->Items[Index];
    if (I.IsNode) {
      writeActivation(F, Index, More);
      return;
    }
    uint32_t Ref = Tables.entry(TableId::Signatures, I.Index, &F.Parts[0]->Ranks);
    writeCode(zigzag(static_cast<int64_t>(Ref) - Expected) << 1 | uint64_t(isForNodes()), More);
    Expected = Ref + 1;
    if (Timed)
      writeTimes(F, Index);
  }

  void writeCode(uint64_t Code, uint64_t More) { Calls.varint(Code ? Code + More : 0); }

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
      writeCode(uint64_t(!IsExpected) << 1 | IsUnusual, More);
      if (!IsExpected)
        Calls.varint(Region);
      Number[N] = static_cast<uint32_t>(Nodes.size());
      Made.push_back(N);
      Pending.push_back(Number[N]);
      Nodes.push_back({&Data, {}, {}});
    } else {
      auto Place = std::find(Made.begin(), Made.end(), N);
      writeCode(static_cast<uint64_t>(Place - Made.begin() + 2) << 1 | IsUnusual, More);
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
  uint64_t Work = uint64_t(1) << 24; ///< that may be spent on finding what can be said of all ranks together
  const Table *PathTable = nullptr;  ///< that paths are from
  uint32_t Expected = 0, ExpectedPath = 0;
  std::vector<Node> Nodes;       ///< in the order in which they are met
  std::vector<uint32_t> Number;  ///< of a node, among them
  std::vector<uint32_t> Pending; ///< met but not written; the next one last
  Node At{};                     ///< the node that is written
  const PathMask *Mask = nullptr;
  uint32_t Event = 0;         ///< and its event
  std::vector<uint32_t> Made; ///< nodes that are activated there first
};
} // namespace

EncodedCalls encodeCalls(const TraceData &T, TableEncoder &Tables, const StructureEncoder &Structure) {
  CallEncoder E(T, Tables, Structure);
  E.run();
  return {std::move(E.Calls.Data), std::move(E.Times.Data)};
}

} // namespace pilgrim
