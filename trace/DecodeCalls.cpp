//===- DecodeCalls.cpp - the tree of nodes from bytes ---------------------===//
//
// Sequences that are as long as the structure makes them get their lengths here.
//
//===----------------------------------------------------------------------===//
#include "trace/JointVisits.h"
#include "trace/Localizer.h"
#include "trace/Tally.h"

#include <algorithm>

namespace pilgrim {

/// Whether a region has the events of a path.
static bool isOn(const Region &X, const Entry &Path) {
  for (const Variant &V : Path)
    for (uint32_t Event : V.Tokens)
      if (Event == 0 || Event > X.Events.size() || X.Events[Event - 1].K == Region::Unknown)
        return false;
  return true;
}

namespace {
/// The sections calls and times.
class CallDecoder {
public:
  CallDecoder(ByteReader &R, ByteReader &Times, TraceData &T, const TableDecoder &D)
      : R(R), Times(Times), T(T), D(D), Timed(!Times.atEnd()) {}

  bool run() {
    for (size_t Groups = R.count(3); Groups-- && R.ok();) {
      G = Group();
      G.Thread = static_cast<uint32_t>(R.varintMax(1u << 20));
      G.Timed = Timed;
      if (!T.Groups.empty() && G.Thread <= T.Groups.back().Thread)
        R.fail();
      R.spend(sizeof(Group));
      readRanks(G.Nodes[0].Ranks);
      // Nobody's calls, or those of ranks that are not in the trace.
      if (!G.Nodes[0].Ranks.without(T.Ranks).empty())
        R.fail();
      Localizer Local(D, G, R);
      L = &Local;
      Expected = ExpectedPath = 0;
      Activations.assign(1, {});
      Pending.assign(1, 0);
      while (!Pending.empty() && R.ok()) {
        Index = Pending.back();
        Pending.pop_back();
        size_t Inside = Pending.size();
        N = std::move(G.Nodes[Index]); // the list grows
        Index ? readNode() : readRoot();
        G.Nodes[Index] = std::move(N);
        Activations[Index] = {};
        std::reverse(Pending.begin() + static_cast<ptrdiff_t>(Inside), Pending.end());
      }
      T.Groups.push_back(std::move(G));
    }
    if (T.Groups.size() > 1 && R.ok()) {
      N.Ranks = T.Ranks;
      readStreams(T.TurnThreads, IntStreamData::NoFeature);
      readStreams(T.TurnLengths, IntStreamData::NoFeature);
    }
    if (!Times.ok())
      R.fail();
    return R.ok() && R.atEnd() && Times.ok() && Times.atEnd();
  }

private:
  void readRoot() {
    Id = 0;
    Region = TableDecoder::None;
    if (uint64_t Head = R.varint())
      readEvent(Head, {});
  }

  void readNode() {
    uint64_t Head = R.varintMax(7);
    if (Head == 2 && R.isNext(JointVisitsHead))
      return readJoint();
    if (Head & 1)
      addVisits(N.Ranks, 1);
    else
      readVisits();
    Tally Visited = countVisits(N, T.World, &R);
    if (!R.ok())
      return;
    if (Head & 2)
      readAlways(N.Paths, N.Ranks, Visited, true, R.varint());
    else
      readItems(N.Paths, Visited, true);
    if (!R.ok())
      return;
    auto Passes = countPasses(G, N, T.World, &R);
    if (Head & 4)
      readKnownEvent({0, TableDecoder::None}, Passes);
    readKnownEvents(Passes);
  }

  /// Visits that follow from the sequence, so that this is read before anything is known of them.
  void readJoint() {
    R.byte();
    IntStreamData Joint = IntStreamData::read(R);
    const uint64_t Path = R.varint();
    std::map<uint32_t, Tally> Unknown;
    readKnownEvents(Unknown);
    partVisits(G, N, Joint, R);
    readAlways(N.Paths, N.Ranks, countVisits(N, T.World, &R), true, Path);
    if (R.ok() && !passesOnce(G.table(TableId::Paths)[N.Paths[0].Items[0].Index], N.Events.begin()->first))
      R.fail();
  }

  void readKnownEvents(std::map<uint32_t, Tally> &Passes) {
    for (const TableDecoder::KnownEvent &K : D.Known[N.Region]) {
      if (!R.ok())
        return;
      readKnownEvent(K, Passes);
    }
  }

  void readKnownEvent(const TableDecoder::KnownEvent &K, std::map<uint32_t, Tally> &Passes) {
    Id = K.Id;
    Region = K.Region;
    if (uint64_t Head = R.varint())
      readEvent(Head, Passes[Id]);
  }

  void readEvent(uint64_t Head, const Tally &Passes) {
    R.spend(sizeof(EventData) + 64);
    if (!R.ok())
      return;
    EventData &E = N.Events[Id];
    Made.clear();
    if (Head >= EventHead::OneItem) {
      readAlways(E.Items, N.Ranks, countItems(E, Id, Passes, &R), false, Head - EventHead::OneItem);
      return;
    }
    Head -= EventHead::Items;
    const bool HasChanges = Head & EventHead::Changes, HasColumns = Head & EventHead::Columns;
    if (Head & EventHead::SameNumber) {
      uint64_t Number = R.varintMax(INT64_MAX);
      if (HasChanges || !Number)
        R.fail();
      setStream(E.Passes, 0);
      setStream(E.Counts, static_cast<int64_t>(Number));
    }
    if (HasChanges) {
      readStreams(E.Passes, IntStreamData::NoFeature);
      readStreams(E.Counts, IntStreamData::NoFeature);
    }
    readItems(E.Items, countItems(E, Id, Passes, &R), false);
    for (size_t S = HasColumns ? R.count(5) : 0; S-- && R.ok();) {
      SlotStreamKey K;
      K.Function = static_cast<uint32_t>(R.varintMax(UINT32_MAX));
      uint64_t Site = R.varintMax(D.table(TableId::Sites).size());
      K.Slot = static_cast<uint32_t>(R.varintMax(255));
      K.Column = static_cast<uint32_t>(R.varintMax(255));
      if (!R.ok())
        return;
      K.Site = Site ? L->site(static_cast<uint32_t>(Site - 1)) + 1 : 0;
      readStreams(E.Streams[K], K.Function == UntracedId ? IntStreamData::NoFeature : IntStreamData::AnyFeature);
    }
  }

  void spendFor(const RankSet &S) { R.spend(sizeOf(S)); }
  void readRanks(RankSet &S) {
    S = RankSet::read(R, T.World);
    spendFor(S);
    if (S.empty())
      R.fail();
  }

  /// Reads a list of variants: One reads what stands behind the ranks.
  template <typename Fn> void readVariants(Fn &&One) {
    uint64_t V = R.varint();
    bool Ranked = V & 1;
    if (V >> 1 > R.remaining() || (V >> 1 > 1 && !Ranked))
      R.fail();
    for (V >>= 1; V-- && R.ok();) {
      RankSet Ranks;
      if (Ranked)
        readRanks(Ranks);
      else
        spendFor(N.Ranks), Ranks = N.Ranks;
      if (R.ok())
        One(std::move(Ranks));
    }
  }

  void setStream(RankedStreams &To, int64_t Value) {
    spendFor(N.Ranks);
    R.spend(sizeof(RankedStream) + 64);
    if (R.ok())
      To.push_back({N.Ranks, {{{Value, 0, 1}}, {{{{0, false, 1}}}}, false}});
  }

  void readStreams(RankedStreams &To, unsigned Features) {
    readVariants([&](RankSet Ranks) {
      RankedStream S{std::move(Ranks), {}};
      S.read(R, T.World, Features);
      To.push_back(std::move(S));
    });
  }

  // Visits.

  void readVisits() {
    readVariants([&](RankSet Ranks) {
      uint64_t Always = R.varintMax(INT64_MAX);
      if (Always) {
        addVisits(Ranks, Always);
        return;
      }
      RankedStream S{std::move(Ranks), {}};
      S.read(R, T.World, IntStreamData::HasFunctions);
      if (!S.Functions.empty())
        R.spend(S.Ranks.size() * S.Values.Runs.size() * sizeof(LinearRun)); // each rank's own are looked at
      N.Visits.push_back(std::move(S));
    });
  }

  /// The same number at each activation.
  void addVisits(const RankSet &Ranks, uint64_t Always) {
    auto Parts = parts(Activations[Index], Ranks);
    if (Parts.empty())
      return;
    RankedStream S{Ranks, {}};
    S.Values.Runs = {{static_cast<int64_t>(Always), 0, Parts.size() == 1 ? Parts[0].N : 2}};
    S.Values.Order.Rules = {{{0, false, 1}}};
    if (Parts.size() > 1)
      S.Functions.emplace(RankedStream::CountField, numbersOf(Parts));
    N.Visits.push_back(std::move(S));
  }

  /// Ranks by how often something happens, which it does.
  std::vector<Tally::Part> parts(const Tally &Numbers, const RankSet &Ranks) {
    auto Parts = Numbers.of(Ranks, &R);
    for (const Tally::Part &P : Parts)
      if (P.N == 0 || P.N >= Tally::Unknown)
        R.fail();
    // What differs by rank is found rank by rank.
    R.spend(sizeof(RankedStream) + sizeof(RankedItems) + (Parts.size() > 1 ? Ranks.size() * 64 : 0));
    return R.ok() ? std::move(Parts) : std::vector<Tally::Part>();
  }

  // Items and paths.

  void readItems(std::vector<RankedItems> &To, const Tally &Numbers, bool ArePaths) {
    readVariants([&](RankSet Ranks) {
      R.spend(sizeof(RankedItems));
      size_t Rules = R.count();
      if (Rules == 0) {
        readAlways(To, Ranks, Numbers, ArePaths, R.varint());
        return;
      }
      RankedItems X;
      X.Ranks = std::move(Ranks);
      readOrder(X, Rules);
      uint32_t Terminals = X.Order.terminals();
      if (Terminals > R.remaining())
        R.fail();
      if (!R.ok())
        return;
      const Shares All = X.shares(T.World);
      for (const RankedItems::Share &S : All)
        R.spend(S.Calls.size() * sizeof(uint64_t));
      for (uint32_t I = 0; I < Terminals && R.ok(); ++I)
        readItem(X, All, ArePaths, R.varint());
      To.push_back(std::move(X));
    });
  }

  void readOrder(RankedItems &X, size_t Rules) {
    std::vector<uint32_t> Open;
    X.Order = GrammarData::read(R, Rules, &Open);
    for (uint32_t Place : Open) {
      R.spend(sizeof *X.Counts.begin());
      if (R.ok())
        X.Counts.emplace(Place, RankFn::read(R, X.Ranks, T.World));
    }
    if (R.ok() && !X.Counts.empty() && !X.isSane(R, T.World))
      R.fail();
    // For what is found rank by rank from here on.
    R.spend(X.Counts.empty() ? 0 : X.Ranks.size() * X.Counts.size() * sizeof(uint64_t));
  }

  /// One item, as often as the structure asks for it.
  void readAlways(std::vector<RankedItems> &To, const RankSet &Ranks, const Tally &Numbers, bool IsPath,
                  uint64_t Code) {
    auto Parts = parts(Numbers, Ranks);
    if (Parts.empty())
      return;
    RankedItems X{Ranks, {}, {}};
    X.Order.Rules = {{{0, false, Parts.size() == 1 ? Parts[0].N : 2}}};
    if (Parts.size() > 1)
      X.Counts.emplace(0, numbersOf(Parts));
    Shares All;
    for (Tally::Part &P : Parts)
      All.push_back({std::move(P.Ranks), {P.N}});
    readItem(X, All, IsPath, Code);
    To.push_back(std::move(X));
  }

  /// Who does how many of the items.
  using Shares = std::vector<RankedItems::Share>;

  /// Gives X its next item.
  void readItem(RankedItems &X, const Shares &All, bool IsPath, uint64_t Code) {
    if (!R.ok())
      return;
    if (IsPath) {
      if (Code == 0)
        addWholePath(X);
      else
        addEntry(X, TableId::Paths, ExpectedPath, Code - 1);
    } else if ((Code & 1) != isForNodes()) {
      addActivation(X, All, Code >> 1);
    } else {
      addEntry(X, TableId::Signatures, Expected, Code >> 1);
      if (Timed && R.ok())
        readTimes(X, All);
    }
  }

  bool isForNodes() const { return Id && Region::activates(T.Regions[N.Region].Events[Id - 1].K); }

  bool areIn(const Entry &E, const RankSet &Ranks) {
    for (const Variant &V : E) {
      R.spend(V.Ranks.intervals().size() + Ranks.intervals().size());
      if (!R.ok() || !(V.Ranks == Ranks || V.Ranks.without(Ranks).empty()))
        return false;
    }
    return true;
  }

  void addEntry(RankedItems &X, TableId Table, uint32_t &Next, uint64_t Step) {
    uint64_t Ref = Next + static_cast<uint64_t>(unzigzag(Step));
    if (Ref >= D.table(Table).size()) {
      R.fail();
      return;
    }
    Next = static_cast<uint32_t>(Ref + 1);
    const Entry &E = D.table(Table)[Ref];
    // An entry is for ranks of the sequence.
    bool IsRanked = E.size() > 1 || !E[0].Ranks.empty();
    if (IsRanked && !areIn(E, X.Ranks))
      R.fail();
    if (!R.ok())
      return;
    X.Items.push_back({false, L->add(Table, static_cast<uint32_t>(Ref), X.Ranks)});
    if (R.ok() && Table == TableId::Paths && !isOn(T.Regions[N.Region], G.table(Table)[X.Items.back().Index]))
      R.fail();
  }

  /// All events of the region.
  void addWholePath(RankedItems &X) {
    Variant V;
    for (const TableDecoder::KnownEvent &K : D.Known[N.Region])
      V.Tokens.push_back(K.Id);
    Table &Paths = G.table(TableId::Paths);
    V.Ranks = X.Ranks;
    Entry E{V};
    R.spend(pilgrim::sizeOf(E));
    if (!R.ok())
      return;
    X.Items.push_back({false, static_cast<uint32_t>(Paths.size())});
    Paths.push_back(std::move(E));
  }

  void addActivation(RankedItems &X, const Shares &All, uint64_t Which) {
    uint64_t To = Region; // that of a new node
    if (Which == 1)
      To = R.varint();
    if (Which < 2 ? To >= T.Regions.size() : Which - 2 >= Made.size())
      R.fail();
    R.spend(Which < 2 ? sizeof(NodeData) + sizeof(Tally) : 0);
    if (!R.ok())
      return;
    if (Which < 2) {
      Made.push_back(static_cast<uint32_t>(G.Nodes.size()));
      Pending.push_back(Made.back());
      NodeData &New = G.Nodes.emplace_back();
      New.Parent = Index;
      New.Event = Id;
      New.Region = static_cast<uint32_t>(To);
      Activations.emplace_back();
    }
    uint32_t Node = Which < 2 ? Made.back() : Made[Which - 2];
    spendFor(X.Ranks);
    spendFor(G.Nodes[Node].Ranks);
    if (!R.ok())
      return;
    G.Nodes[Node].Ranks.unite(X.Ranks);
    for (const RankedItems::Share &S : All)
      Activations[Node].add(S.Ranks, S.Calls[X.Items.size()], &R);
    X.Items.push_back({true, Node});
  }

  void readTimes(RankedItems &X, const Shares &All) {
    for (Variant &V : G.table(TableId::Signatures)[X.Items.back().Index]) {
      uint64_t Duration = Times.varint(), Gap = Times.varint();
      uint64_t Calls = RankedItems::calls(All, X.Items.size() - 1, V.Ranks);
      V.Time = {Duration * Calls, Gap * Calls};
    }
  }

  ByteReader &R, &Times;
  TraceData &T;
  const TableDecoder &D;
  bool Timed;
  Group G;
  Localizer *L = nullptr;
  uint32_t Expected = 0, ExpectedPath = 0;
  std::vector<Tally> Activations; ///< by node
  std::vector<uint32_t> Pending;  ///< nodes that are still to be read, the next one last
  NodeData N;                     ///< the node that is read
  uint32_t Index = 0;
  uint32_t Id = 0, Region = 0; ///< its event, and the region that is activated there unless it is said otherwise
  std::vector<uint32_t> Made;  ///< nodes that are activated there first
};
} // namespace

bool decodeCalls(ByteReader &R, ByteReader &Times, TraceData &T, const TableDecoder &D) {
  return CallDecoder(R, Times, T, D).run();
}

} // namespace pilgrim
