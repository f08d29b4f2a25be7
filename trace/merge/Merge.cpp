//===- Merge.cpp - joining traces of different ranks ----------------------===//
//
// Sequences of items say which calls of two groups stand at the same place. Those that are equal on both sides are
// joined item by item, and so are those of the same functions at the same sites whose calls are equal in different
// ways.
//
//===----------------------------------------------------------------------===//
#include "trace/merge/Merge.h"
#include "trace/merge/HostList.h"
#include "trace/merge/MergeSequences.h"
#include "trace/sequences/SequenceHash.h"

#include <algorithm>
#include <ranges>
#include <tuple>

namespace pilgrim {

namespace {
constexpr uint32_t None = UINT32_MAX;

/// The first of them that is equal; that number if none is.
size_t findEqual(const RankedStreams &Of, const RankedStream &S) {
  return static_cast<size_t>(std::ranges::find_if(Of,
                                                  [&](const RankedStream &O) {
                                                    return O.Values == S.Values && O.Functions.empty() &&
                                                           S.Functions.empty();
                                                  }) -
                             Of.begin());
}

/// Of so few streams none has to be hashed.
constexpr size_t FewStreams = 8;

/// Those that are equal become one.
RankedStreams mergeStreams(RankedStreams &A, RankedStreams &B) {
  if (A.empty() || B.empty())
    return std::move(A.empty() ? B : A);
  RankedStreams To = std::move(A);
  const bool AreFew = To.size() + B.size() <= FewStreams;
  To.reserve(To.size() + B.size());
  Finder Find(AreFew ? 0 : To.size());
  for (size_t I = 0; !AreFew && I < To.size(); ++I)
    Find.add(pilgrim::hashOf(To[I].Values), I);
  for (RankedStream &V : B) {
    size_t I = AreFew ? findEqual(To, V) : Find.find(pilgrim::hashOf(V.Values), [&](size_t J) {
      return To[J].Values == V.Values && To[J].Functions.empty() && V.Functions.empty();
    });
    if (I < To.size()) {
      To[I].Ranks.unite(V.Ranks);
      continue;
    }
    To.push_back(std::move(V));
  }
  return To;
}

class GroupMerge {
public:
  GroupMerge(Group A, Group B, uint32_t World, bool AtAnyCost)
      : World(World), Tables(std::move(A), std::move(B), World), Sides{Side{Tables.Sides[0]}, Side{Tables.Sides[1]}} {
    Alignments.AtAnyCost = AtAnyCost;
  }

  Group run() {
    Out.Thread = Sides[0].G.Thread;
    Out.Timed = Sides[0].G.Timed && Sides[1].G.Timed;
    Out.Nodes.clear();
    for (Side &S : Sides)
      placeNodes(S);
    for (size_t I = 0; I < Out.Nodes.size(); ++I) {
      NodeData *Parts[] = {part(0, I), part(1, I)};
      mergeNode(Out.Nodes[I], Parts[0], Parts[1]);
      for (NodeData *P : Parts)
        if (P)
          *P = {}; // its memory is used again for the next ones
    }
    mergeTimes();
    return std::move(Out);
  }

private:
  struct Side {
    explicit Side(TableMerge::Side &Tables) : Tables(Tables), G(Tables.G) {}
    TableMerge::Side &Tables;
    Group &G;
    std::vector<uint32_t> Node;  ///< of the result, by node of this side
    std::vector<uint32_t> Parts; ///< node of this side, by node of the result
  };

  NodeData *part(unsigned S, size_t I) {
    const auto &Parts = Sides[S].Parts;
    return I < Parts.size() && Parts[I] != None ? &Sides[S].G.Nodes[Parts[I]] : nullptr;
  }

  /// Nodes are the same where their parents, events and regions are.
  void placeNodes(Side &S) {
    for (uint32_t I = 0; I < S.G.Nodes.size(); ++I) {
      const NodeData &N = S.G.Nodes[I];
      std::tuple<uint32_t, uint32_t, uint32_t> Key{None, 0, 0};
      if (I)
        Key = {S.Node[N.Parent], N.Event, N.Region};
      auto [It, New] = Places.try_emplace(Key, static_cast<uint32_t>(Out.Nodes.size()));
      if (New) {
        NodeData &Made = Out.Nodes.emplace_back();
        if (I)
          std::tie(Made.Parent, Made.Event, Made.Region) = Key;
      }
      S.Node.push_back(It->second);
      S.Parts.resize(std::max<size_t>(S.Parts.size(), It->second + 1), None);
      S.Parts[It->second] = I;
    }
  }

  void mergeNode(NodeData &To, NodeData *A, NodeData *B) {
    NodeData Nothing;
    if (A)
      To.Ranks = A->Ranks;
    if (B)
      To.Ranks.unite(B->Ranks);
    NodeData &X = A ? *A : Nothing, &Y = B ? *B : Nothing;
    To.Paths = mergeItems(X.Paths, Y.Paths, TableId::Paths, nullptr);
    To.Visits = joinStreams(X.Visits, Y.Visits);
    if (Out.Timed) {
      To.Times.add(X.Times);
      To.Times.add(Y.Times);
    }
    for (auto &[Id, E] : X.Events) {
      auto Same = Y.Events.find(Id);
      EventData None;
      mergeEvent(To.Events[Id], E, Same == Y.Events.end() ? None : Same->second);
    }
    for (auto &[Id, E] : Y.Events)
      if (EventData None; !X.Events.contains(Id))
        mergeEvent(To.Events[Id], None, E);
  }

  /// The times of calls stay each rank's own; only what their contexts are called changes.
  void mergeTimes() {
    std::map<const TimeContexts *, std::shared_ptr<const TimeContexts>> Known; // by the one that it was
    std::map<TimeContexts, std::shared_ptr<const TimeContexts>> Same;
    for (unsigned S = 0; S < 2; ++S)
      for (CallTimes &X : Sides[S].G.Times) {
        auto &New = Known[X.Contexts.get()];
        if (!New) {
          TimeContexts Renamed = *X.Contexts;
          for (TimeContexts::Place &P : Renamed.Places) {
            P.Node = Sides[S].Node[P.Node];
            P.Call.Site = P.Call.Site ? Tables.site(Sides[S].Tables, P.Call.Site - 1) + 1 : 0;
          }
          auto [It, IsNew] = Same.try_emplace(Renamed);
          if (IsNew)
            It->second = std::make_shared<const TimeContexts>(std::move(Renamed));
          New = It->second;
          Kept.push_back(std::move(X.Contexts)); // its address must not be another's
        }
        X.Contexts = New;
        Out.Times.push_back(std::move(X));
      }
    std::ranges::sort(Out.Times, {}, &CallTimes::Rank);
  }

  void mergeEvent(EventData &To, EventData &A, EventData &B) {
    MeasureMerge Measures(Tables, Out.Timed, A, B, {&Sides[0].Node, &Sides[1].Node});
    To.Items = mergeItems(A.Items, B.Items, TableId::Signatures, &Measures);
    Measures.finish(To);
    To.PassesToChange = mergeStreams(A.PassesToChange, B.PassesToChange);
    To.UsualItems = mergeStreams(A.UsualItems, B.UsualItems);
    EventData *Parts[2] = {&A, &B};
    for (unsigned S = 0; S < 2; ++S)
      for (auto &[Key, Streams] : Parts[S]->Streams) {
        SlotStreamKey New = Key;
        New.Site = Key.Site ? Tables.site(Sides[S].Tables, Key.Site - 1) + 1 : 0;
        RankedStreams &Ours = To.Streams[New];
        if (Ours.empty())
          Ours = std::move(Streams);
        else // readers add up what was not traced
          Ours = Key.Function == UntracedId ? mergeStreams(Ours, Streams) : joinStreams(Ours, Streams);
      }
  }

  /// Those that run alike become one.
  RankedStreams joinStreams(RankedStreams &A, RankedStreams &B) {
    constexpr size_t MaxTries = 8;
    RankedStreams To = mergeStreams(A, B);
    if (To.size() == 1) // the frequent case
      return To;
    const bool AreFew = To.size() <= FewStreams; // as many as are tried
    size_t Kept = 0;
    Finder Find(AreFew ? 0 : To.size());
    for (RankedStream &S : To) {
      auto Joins = [&](size_t I) { return To[I].join(S, World); };
      if (AreFew) {
        const auto Before = std::views::iota(size_t(0), Kept);
        if (std::ranges::any_of(Before, Joins))
          continue;
      } else {
        const uint64_t Hash = hashOf(S.Values.Order);
        std::vector<size_t> Alike = Find.all(Hash);
        Alike.resize(std::min(Alike.size(), MaxTries));
        if (std::ranges::any_of(Alike, Joins))
          continue;
        Find.add(Hash, Kept);
      }
      if (&To[Kept] != &S)
        To[Kept] = std::move(S);
      ++Kept;
    }
    To.resize(Kept);
    return To;
  }

  Sequences mergeItems(Sequences &A, Sequences &B, TableId T, MeasureMerge *Measures) {
    return mergeSequences(Tables, Alignments, T, {std::move(A), Sides[0].Tables, Sides[0].Node},
                          {std::move(B), Sides[1].Tables, Sides[1].Node}, World, Measures);
  }

  uint32_t World;
  TableMerge Tables;
  KnownAlignments Alignments;
  Group &Out = Tables.Out;
  Side Sides[2];
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> Places;
  std::vector<std::shared_ptr<const TimeContexts>> Kept; ///< until all are renamed
};

/// Gives From's nodes the numbers that their regions have in Into.
void mergeRegions(TraceData &Into, TraceData &From) {
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> Known;
  for (uint32_t I = 0; I < Into.Regions.size(); ++I)
    Known[{Into.Regions[I].Function, Into.Regions[I].Index}] = I;
  std::vector<uint32_t> New;
  for (Region &R : From.Regions) {
    auto [It, First] = Known.try_emplace({R.Function, R.Index}, static_cast<uint32_t>(Into.Regions.size()));
    New.push_back(It->second);
    if (First) {
      Into.Regions.push_back(std::move(R));
      continue;
    }
    // The same region; each side has the events that its ranks came by.
    auto &Ours = Into.Regions[It->second].Events;
    if (Ours.size() < R.Events.size())
      Ours.resize(R.Events.size());
    for (size_t E = 0; E < R.Events.size(); ++E)
      if (Ours[E].K == Region::Unknown)
        Ours[E] = std::move(R.Events[E]);
  }
  for (Group &G : From.Groups)
    for (size_t I = 1; I < G.Nodes.size(); ++I)
      G.Nodes[I].Region = New[G.Nodes[I].Region];
}
} // namespace

Group mergeGroups(Group A, Group B, uint32_t World, bool AtAnyCost) {
  return GroupMerge(std::move(A), std::move(B), World, AtAnyCost).run();
}

/// Modules of one name, and not the same.
static void doubtModules(TraceData &Into, const TraceData &From) {
  for (auto It = Into.Meta.lower_bound(std::string(ModuleKey));
       It != Into.Meta.end() && It->first.starts_with(ModuleKey); ++It)
    if (auto Other = From.Meta.find(It->first);
        Other != From.Meta.end() && Other->second.compare(0, ModuleIdDigits, It->second, 0, ModuleIdDigits) != 0)
      It->second = UnclearModule;
}

static void mergeHosts(TraceData &Into, const TraceData &From) {
  const std::string Key(HostsKey);
  const auto Ours = Into.Meta.find(Key);
  const auto Theirs = From.Meta.find(Key);
  if (Ours != Into.Meta.end() && Theirs != From.Meta.end())
    Ours->second = uniteHosts(Ours->second, Theirs->second);
}

/// What ended the run is said rather than that a rank stopped because of it.
static void mergeEnds(TraceData &Into, const TraceData &From) {
  constexpr std::string_view AndOthers = ", and others", BecauseOfOther = "as another rank ends the run";
  const std::string Key(EndedKey);
  const auto Ours = Into.Meta.find(Key);
  const auto Theirs = From.Meta.find(Key);
  if (Ours == Into.Meta.end() || Theirs == From.Meta.end() || Theirs->second.contains(BecauseOfOther))
    return;
  if (Ours->second.contains(BecauseOfOther))
    Ours->second = Theirs->second;
  else if (!Ours->second.ends_with(AndOthers))
    Ours->second += AndOthers;
}

void merge(TraceData &Into, TraceData From) {
  Into.Ranks.unite(From.Ranks);
  doubtModules(Into, From);
  mergeHosts(Into, From);
  mergeEnds(Into, From);
  Into.Meta.merge(From.Meta);
  Into.Functions.merge(From.Functions);
  Into.Names.merge(From.Names);
  Into.Clocks.merge(From.Clocks);
  if (!areSound(Into.Clocks)) // they are of different runs
    Into.Clocks.clear();
  mergeRegions(Into, From);
  Into.TurnThreads = mergeStreams(Into.TurnThreads, From.TurnThreads);
  Into.TurnLengths = mergeStreams(Into.TurnLengths, From.TurnLengths);
  for (Group &G : From.Groups) {
    auto At = std::partition_point(Into.Groups.begin(), Into.Groups.end(),
                                   [&](const Group &O) { return O.Thread < G.Thread; });
    if (At == Into.Groups.end() || At->Thread != G.Thread)
      Into.Groups.insert(At, std::move(G));
    else
      *At = mergeGroups(std::move(*At), std::move(G), Into.World);
  }
}

} // namespace pilgrim
