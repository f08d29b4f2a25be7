//===- DecodeCalls.cpp - the tree of nodes from bytes ---------------------===//
//===----------------------------------------------------------------------===//
#include "trace/file/DecodeItems.h"
#include "trace/file/JointVisits.h"

#include <algorithm>

namespace pilgrim {

namespace {
/// The section calls.
class CallDecoder : ItemDecoder {
public:
  using ItemDecoder::ItemDecoder;

  bool run() {
    for (size_t Groups = R.count(3); Groups-- && R.ok();) {
      G = Group();
      G.Thread = static_cast<uint32_t>(R.varintMax(1u << 20));
      G.Timed = Timed;
      if (!T.Groups.empty() && G.Thread <= T.Groups.back().Thread)
        R.fail("groups are not in the order of their threads");
      R.spend(sizeof(Group));
      readRanks(G.Nodes[0].Ranks);
      // Nobody's calls, or those of ranks that are not in the trace.
      if (!G.Nodes[0].Ranks.isIn(T.Ranks))
        R.fail("a group has ranks that the trace lacks");
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
    return R.ok() && R.atEnd();
  }

private:
  void readRoot() {
    Id = 0;
    Usual = TableDecoder::None;
    readEvent({});
  }

  void readNode() {
    const uint64_t Head = R.varintMax(NodeHead::Max), How = Head & NodeHead::VisitsMask,
                   Path = Head & NodeHead::PathsMask;
    HasArms = Head & NodeHead::Arms;
    Events.clear();
    for (const TableDecoder::KnownEvent &K : D.Known[N.Region])
      Events.push_back(K.Id);
    if (Path == NodeHead::PathsMask)
      R.fail("paths in two ways");
    if (How == NodeHead::Joint || How == NodeHead::JointEqual) {
      if (Path != NodeHead::Whole || Head & NodeHead::EventZero)
        R.fail("joint visits with paths or event 0");
      return readJoint(How == NodeHead::JointEqual);
    }
    if (How == NodeHead::Once)
      addVisits(N.Ranks, 1);
    else
      readVisits();
    Tally Visited = countVisits(N, T.World, &R);
    if (!R.ok())
      return;
    if (Path == NodeHead::ListedPaths)
      readItems(N.Paths, Visited, true);
    else
      readAlways(N.Paths, N.Ranks, Visited, true, Path == NodeHead::OnePath ? R.varint() : 0);
    if (!R.ok())
      return;
    const EventPasses Passes = countPasses(G, N, T.World, &R);
    if (Head & NodeHead::EventZero)
      readKnownEvent({0, TableDecoder::None}, Passes);
    readKnownEvents(Passes);
  }

  /// Visits that follow from the sequence, so that this is read before more is known of them than how many they are
  /// together.
  void readJoint(bool Equal) {
    IntStreamData Joint;
    if (Equal) {
      const auto Stretches = Activations[Index].always(N.Ranks);
      if (!Stretches || !happens(Activations[Index], N.Ranks))
        return R.fail("joint visits of an unequal number");
      Joint.Runs = {{static_cast<int64_t>(R.varintMax(INT64_MAX)), 0, *Stretches}};
      Joint.Order.Rules = {{{0, false, 1}}};
    } else {
      Joint = IntStreamData::read(R);
    }
    readKnownEvents({Events, Tally(N.Ranks, R.ok() ? sumOf(Joint) : 0)});
    partVisits(G, N, Joint, R);
    readAlways(N.Paths, N.Ranks, countVisits(N, T.World, &R), true, 0);
  }

  void readKnownEvents(const EventPasses &Passes) {
    for (const TableDecoder::KnownEvent &K : D.Known[N.Region]) {
      if (!R.ok())
        return;
      if (HasArms || T.Regions[N.Region].Events[K.Id - 1].K != Region::Arm)
        readKnownEvent(K, Passes);
    }
  }

  void readKnownEvent(const TableDecoder::KnownEvent &K, const EventPasses &Passes) {
    Id = K.Id;
    Usual = K.Region;
    readEvent(Passes.of(Id));
  }

  void readEvent(const Tally &Passes) {
    uint64_t Head = R.varint();
    if (Head == EventHead::Nothing)
      return;
    R.spend(sizeof(EventData) + 64);
    if (!R.ok())
      return;
    EventData &E = N.Events[Id];
    Places.push_back({static_cast<uint32_t>(T.Groups.size()), Index, Id});
    Made.clear();
    if (Head == EventHead::UsualItem || Head > EventHead::OtherItem) {
      readAlways(E.Items, N.Ranks, countItems(N, E, Id, Passes, &R), false, Head ? Head - EventHead::OtherItem : 0);
      return;
    }
    Head -= EventHead::Items;
    const bool HasChanges = Head & EventHead::Changes, HasColumns = Head & EventHead::Columns;
    if (Head & EventHead::SameNumber) {
      uint64_t Number = R.varintMax(INT64_MAX);
      if (HasChanges || !Number)
        R.fail("a number of items in two ways, or none");
      setStream(E.PassesToChange, 0);
      setStream(E.UsualItems, static_cast<int64_t>(Number));
    }
    if (HasChanges) {
      readStreams(E.PassesToChange, IntStreamData::NoFeature);
      readStreams(E.UsualItems, IntStreamData::NoFeature);
    }
    readItems(E.Items, countItems(N, E, Id, Passes, &R), false);
    for (size_t S = HasColumns ? R.count(5) : 0; S-- && R.ok();) {
      SlotStreamKey K;
      K.Function = static_cast<uint32_t>(R.varintMax(UINT32_MAX));
      uint64_t Site = R.varintMax(D.table(TableId::Sites).size());
      K.Slot = static_cast<uint32_t>(R.varintMax(255));
      K.Column = static_cast<uint32_t>(R.varintMax(255));
      if (!R.ok())
        return;
      K.Site = Site ? L->site(static_cast<uint32_t>(Site - 1)) + 1 : 0;
      readStreams(E.Streams[K], T.isUntraced(K.Function) ? IntStreamData::NoFeature : IntStreamData::AnyFeature);
    }
  }

  void setStream(RankedStreams &To, int64_t Value) {
    R.spend(sizeof(RankedStream) + 64);
    if (R.ok())
      To.push_back({N.Ranks, {{{Value, 0, 1}}, {{{{0, false, 1}}}}, false}});
  }

  void readStreams(RankedStreams &To, unsigned Features) {
    readVariants([&](RankSet Ranks) {
      RankedStream S{std::move(Ranks), {}};
      S.read(R, D.scope(), Features);
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
      S.read(R, D.scope(), IntStreamData::HasFunctions);
      // Numbers that all differ are added up rank by rank.
      if (!S.Functions.empty())
        R.spend(S.Ranks.size() * S.Values.Runs.size());
      N.Visits.push_back(std::move(S));
    });
  }

  /// The same number at each activation.
  void addVisits(const RankSet &Ranks, uint64_t Always) {
    if (!happens(Activations[Index], Ranks))
      return;
    const RankFn &Times = numbers(Activations[Index], Ranks);
    RankedStream S{Ranks, {}};
    S.Values.Runs = {{static_cast<int64_t>(Always), 0, Times.isConst() ? static_cast<uint64_t>(Times.single().C) : 2}};
    S.Values.Order.Rules = {{{0, false, 1}}};
    if (!Times.isConst())
      S.Functions.emplace(RankedStream::CountField, Times);
    N.Visits.push_back(std::move(S));
  }
};
} // namespace

bool decodeCalls(ByteReader &R, TraceData &T, const TableDecoder &D, bool Timed, std::vector<EventPlace> &Events) {
  return CallDecoder(R, T, D, Timed, Events).run();
}

} // namespace pilgrim
