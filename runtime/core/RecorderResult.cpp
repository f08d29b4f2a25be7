//===- RecorderResult.cpp - the calls of one thread: as a trace ------------===//
#include "core/Recorder.h"
#include "trace/merge/RareCalls.h"

#include <algorithm>

namespace pilgrim {

static Variant variantOf(const InternTable &From, uint32_t I, uint32_t Rank) {
  auto C = From[I];
  Variant V;
  V.Ranks = RankSet(Rank);
  V.Tokens.assign(C.Tokens.begin(), C.Tokens.end());
  V.Words = WordList::ofNumbers(C.Words);
  return V;
}

static void copyTable(const InternTable &From, Table &To, uint32_t Rank) {
  To.reserve(From.size());
  for (uint32_t I = 0; I < From.size(); ++I)
    To.push_back({variantOf(From, I, Rank)});
}

static FunctionSchema schemaOf(const FunctionInfo &F) {
  FunctionSchema S;
  S.Id = F.Id;
  S.Name = F.Name;
  S.IsCollective = F.IsCollective;
  S.L = F.L;
  for (size_t N = 0; N < F.Slots.size(); ++N) {
    const SlotInfo &I = F.Slots[N];
    S.Slots.push_back({I.Name, I.K, I.IsArray, I.IsOutput, I.IsMachine, I.IsHidden, I.IsFlags, I.Names ? I.Names : ""});
    for (const SlotRelation &R : I.Relations)
      if (R.Meaning != Relation::None)
        S.Slots.back().Said.push_back(R);
  }
  return S;
}

/// Converts ticks to nanoseconds. Sums are rounded together, so that they add up to that of all ticks.
class Recorder::TimeResult {
public:
  TimeResult(const Contexts &Tree, uint32_t Rank, double TicksToNano) : Rank(Rank), TicksToNano(TicksToNano) {
    if (TicksToNano > 0)
      Events = Tree.eventPlaces();
  }

  /// The measures that follow are of the items of E that are calls. Returns the number of each item's measure. Mostly
  /// an item has its own. At a call of the structure, items of one function, site and depth share one if there are more
  /// of them than a cell of a grid has faces: that place says enough, and each measure takes a dozen bytes.
  const std::vector<uint32_t> &begin(const EventState &E, const InternTable &Signatures) {
    constexpr size_t MaxOwn = 6;
    auto PlaceOf = [&](const EventItem &I) { return placeOf(Signatures[I.Index].Tokens); };
    std::map<MeasuredPlace, std::pair<size_t, uint32_t>> Shared; // how many items, and their measure
    if (E.Site != NoFunction && E.Items.size() > MaxOwn)
      for (const EventItem &I : E.Items)
        if (!I.IsNode)
          ++Shared.try_emplace(PlaceOf(I), 0, NoMeasure).first->second.first;
    std::erase_if(Shared, [](const auto &S) { return S.second.first <= MaxOwn; });
    MeasureOf.clear();
    uint32_t Measures = 0;
    for (const EventItem &I : E.Items) {
      const auto At = I.IsNode || Shared.empty() ? Shared.end() : Shared.find(PlaceOf(I));
      if (At != Shared.end() && At->second.second != NoMeasure) {
        MeasureOf.push_back(At->second.second);
        continue;
      }
      if (At != Shared.end())
        At->second.second = Measures;
      MeasureOf.push_back(I.IsNode ? Measures : Measures++);
    }
    return MeasureOf;
  }
  template <typename Tokens> static MeasuredPlace placeOf(const Tokens &T) { return {T[0], T[1], T[2]}; }

  /// Bins: null without histograms.
  Measure measure(const EventItem &I, const ItemBins *Bins, uint64_t Calls, MeasuredPlace Place) {
    Measure M;
    M.Place = Place;
    M.Duration = spread(I.Durations, Calls, Durations);
    for (size_t P = 0; P < I.Paths.size(); ++P) {
      Spread Gap = spread(I.Paths[P].Gaps, I.Paths[P].Count, Gaps);
      if (Bins && P < Bins->OfPaths.size())
        Gap.Bins = Bins->OfPaths[P];
      M.addGap(pathOf(I.Paths[P].Key), Gap);
    }
    if (Bins) {
      M.Duration.Bins = Bins->Durations;
      M.GapBins = Bins->Gaps;
    }
    return M;
  }

  /// What was logged, with places as in the trace.
  CallTimes times(TimeLog &Log, TickOrigin Origin) const {
    auto Contexts = std::make_shared<TimeContexts>();
    CallTimes Out = Log.take(*Contexts);
    for (TimeContexts::Place &P : Contexts->Places) {
      const Contexts::EventPlace E = Events.at(P.Event);
      P.Node = E.Node;
      P.Event = E.Id;
    }
    Out.Rank = Rank;
    Out.NanoPerTick = TicksToNano;
    Out.Origin = Origin.Begin;
    Out.Clock = Origin.Clock;
    Out.Contexts = std::move(Contexts);
    return Out;
  }

private:
  uint64_t nano(uint64_t Ticks) const { return static_cast<uint64_t>(static_cast<double>(Ticks) * TicksToNano); }

  /// Sum: all ticks of this kind so far.
  Spread spread(const TickSpread &S, uint64_t Count, uint64_t &Sum) const {
    const uint64_t Before = nano(Sum);
    Sum += S.Sum;
    const uint64_t Own = nano(Sum) - Before;
    Spread Out{Count, Own, squares(S, Count, Own), nano(S.Min), nano(S.Max), Rank, Rank, {}};
    if (S.Min > S.Max)
      Out.Min = 0; // what takes no time
    if (Count == 1)
      Out = Spread::of(Out.Sum, Rank);
    return Out;
  }
  /// Of nanoseconds, of which Sum is the sum, so that their deviation is that of the ticks: the squares of the ticks,
  /// converted, might be less than numbers of that sum can have.
  UInt128 squares(const TickSpread &S, uint64_t Count, uint64_t Sum) const {
    if (!Count)
      return 0;
    const auto Factor = static_cast<long double>(TicksToNano);
    const UInt128 OfMean = UInt128(Sum) * Sum;
    return static_cast<UInt128>(Spread::aroundMean(S.Squares, S.Sum, Count) * Factor * Factor) +
           (OfMean + Count - 1) / Count;
  }
  GapPath pathOf(uint32_t Key) const {
    if (!Key)
      return {};
    if (Key == TickGap::Others)
      return {GapPath::Others, 0, 0};
    if (Key & TickGap::SameEvent)
      return {GapPath::Call, 0, MeasureOf[(Key & ~TickGap::SameEvent) - 1]};
    const Contexts::EventPlace E = Events.at(Key - 1);
    return {GapPath::Event, E.Node, E.Id};
  }

  const uint32_t Rank;
  const double TicksToNano;
  uint64_t Durations = 0, Gaps = 0;         ///< ticks so far
  std::vector<Contexts::EventPlace> Events; ///< by number
  std::vector<uint32_t> MeasureOf;          ///< by item of the event: index among its measures
};

void Recorder::finish(TraceData &Out, uint32_t Rank, uint32_t Thread, double TicksToNano, TickOrigin Origin,
                      Contexts::After What) {
  if (NumCalls == 0)
    return;
  Group G;
  G.Thread = Thread;
  G.Timed = TicksToNano > 0;
  copyTable(Strings, G.table(TableId::Strings), Rank);
  copyTable(SiteTable, G.table(TableId::Sites), Rank);
  copyTable(Objects, G.table(TableId::Objects), Rank);
  TimeResult Measured(Tree, Rank, TicksToNano);
  std::vector<std::vector<CallSite *>> SitesOf(Tree.events());
  for (auto &S : Sites) {
    auto [It, New] = Out.Functions.try_emplace(S->Function.Id);
    if (New)
      It->second = schemaOf(S->Function);
    if (!S->Streams.empty())
      SitesOf[S->Event].push_back(S.get());
    else if (What == Contexts::After::Free)
      S.reset();
  }
  std::vector<Entry> EntryOf(Signatures.size()); ///< shared by the items that have this signature
  Tree.finish(Out, G, Rank, What, [&](EventState &E, EventData &To) {
    RankedItems &Items = To.Items.emplace_back();
    Items.Ranks = RankSet(Rank);
    Items.Order = E.Order.data();
    const std::vector<uint64_t> Calls = Items.Order.terminalCounts();
    const std::vector<uint32_t> *MeasureOf = G.Timed ? &Measured.begin(E, Signatures) : nullptr;
    for (const EventItem &I : E.Items) {
      if (I.IsNode) {
        Items.Items.push_back({true, I.Index});
        continue;
      }
      Table &T = G.table(TableId::Signatures);
      Items.Items.push_back({false, static_cast<uint32_t>(T.size())});
      if (EntryOf[I.Index].empty())
        EntryOf[I.Index] = {variantOf(Signatures, I.Index, Rank)};
      Entry &Of = T.emplace_back(EntryOf[I.Index]);
      if (G.Timed) {
        const size_t Item = Items.Items.size() - 1;
        const uint32_t Own = (*MeasureOf)[Item];
        Of.setMeasure(0, Own);
        Measure M = Measured.measure(
            I, Histograms && I.TimePlace != TimeLog::NoPlace ? &Histograms->Items[I.TimePlace] : nullptr, Calls[Item],
            TimeResult::placeOf(Of[0].Tokens));
        if (Own == To.Measures.size())
          To.Measures.push_back(std::move(M));
        else
          To.Measures[Own].add(M);
      }
    }
    for (CallSite *S : SitesOf[E.Number]) {
      for (auto &[Slot, Columns] : S->Streams)
        for (uint32_t C = 0; C < Columns.size(); ++C)
          To.Streams[{S->Function.Id, S->Token, Slot, C}].push_back({RankSet(Rank), Columns[C].data()});
      for (auto &[Slot, Text] : S->Texts)
        To.Streams[{S->Function.Id, S->Token, Slot, 1}].push_back({RankSet(Rank), Text.data()});
    }
  });
  streamRareCalls(Out, G, Chunks);
  if (G.Timed)
    sumUpTimes(Out, G, Rank);
  if (G.Timed && Times)
    G.Times.push_back(Measured.times(*Times, Origin));
  Out.Ranks.unite(RankSet(Rank));
  Out.Names.insert(Names.begin(), Names.end());
  auto At =
      std::partition_point(Out.Groups.begin(), Out.Groups.end(), [&](const Group &O) { return O.Thread < Thread; });
  Out.Groups.insert(At, std::move(G));
}

size_t Recorder::memory() const {
  size_t N = Tree.memory() + Chunks.memory() + RawCache.capacity() * sizeof(CachedItem) + AddressIndex.memory() +
             SiteIndex.memory() + Strings.memory() + SiteTable.memory() + Objects.memory() + Signatures.memory() +
             ItemIndex.memory() + ItemPlace.capacity() * 4;
  for (const auto &S : Sites) {
    N += sizeof(CallSite) + S->Signatures.capacity() * 4;
    for (const auto &[Slot, Columns] : S->Streams)
      for (const SlotStream &I : Columns)
        N += sizeof(SlotStream) + I.memory();
    for (const auto &[Slot, Text] : S->Texts)
      N += Text.memory();
  }
  return N + (Times ? Times->memory() : 0);
}

} // namespace pilgrim
