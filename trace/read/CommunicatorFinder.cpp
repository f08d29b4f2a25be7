//===- CommunicatorFinder.cpp - who is in which communicator --------------===//
//
// Every rank's creations of communicators are gone through, and each gives its communicators a key from what it knows:
// the parent's key, the number of the creation over it, the smallest world rank. Members of one communicator come to
// the same key by themselves, without looking at each other.
//
//===----------------------------------------------------------------------===//
#include "trace/base/Wrap.h"
#include "trace/read/CommunicatorMaker.h"
#include "trace/read/Communicators.h"
#include "trace/read/FoundGroups.h"
#include "trace/read/RankGroups.h"
#include "trace/read/Strands.h"
#include "trace/read/Untraced.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace pilgrim {

namespace {
/// Rounds in which intercommunicators are tied, which may stand on each other.
constexpr size_t MaxRounds = 16;

using Key = FoundGroups::Key;

Key mix(std::initializer_list<uint64_t> Words) { return FoundGroups::mix(Words); }
} // namespace

/// Finds all communicators of a trace, round by round: in a round every rank goes through its creations, and what ties
/// two sides together in one round is known in the next one.
class CommunicatorFinder {
public:
  CommunicatorFinder(const Walk &W, Communicators &Out) : W(W), Out(Out) {}

  void run() {
    Lost.resize(W.world(), false);
    collect();
    // What a round finds may be what the next one needs: a peer communicator that was made of others.
    for (size_t Round = 0; Round < MaxRounds && Groups.beginRound(); ++Round) {
      Entries.assign(W.world(), {});
      Now.assign(W.world(), {});
      for (const ThreadStrands &T : Threads)
        for (const Strand &S : T.Parts)
          S.Ranks.forEach([&](uint32_t Rank) {
            if (!Lost[Rank])
              follow(Rank, T, S);
          });
      Groups.endRound();
    }
    publish();
  }

private:
  using Facts = Communicators::Facts;
  struct ThreadStrands {
    std::vector<CallShape> Calls; ///< those that make communicators, then those that make groups
    std::vector<CommunicatorMaker> Makers;
    std::vector<GroupMaker> GroupMakers;
    std::vector<Strand> Parts;
  };
  /// What a rank has under a number at the moment.
  struct Current {
    int64_t Id = 0;
    Key K = 0;
    bool IsInter = false;
  };
  using Ordinals = std::unordered_map<Key, uint64_t>;

  void lose(const RankSet &Ranks) {
    Ranks.forEach([&](uint32_t Rank) { Lost[Rank] = true; });
  }

  void collect() {
    Threads.resize(W.threads().size());
    bool NeedsGroups = false;
    W.forEachCall(
        [&](const CallShape &C) {
          if (isUntraced(*C.Function))
            return lose(C.Ranks);
          Threads[C.Thread].Calls.push_back(C);
          Threads[C.Thread].Makers.push_back(*makerOf(*C.Function));
          NeedsGroups |= Threads[C.Thread].Makers.back().How == CommunicatorMaker::BetweenGroups;
        },
        [](const FunctionSchema &F) { return isUntraced(F) || (isCall(F) && makerOf(F)); });
    if (NeedsGroups)
      W.forEachCall(
          [&](const CallShape &C) {
            Threads[C.Thread].Calls.push_back(C);
            Threads[C.Thread].GroupMakers.push_back(*groupMakerOf(*C.Function));
          },
          [](const FunctionSchema &F) { return isCall(F) && groupMakerOf(F); });
    uint64_t Budget = Communicators::MaxWork, Work = 0;
    RankSet Seen;
    for (uint32_t Thread = 0; Thread < Threads.size(); ++Thread) {
      ThreadStrands &T = Threads[Thread];
      RankSet Own;
      for (const CallShape &C : T.Calls)
        Own.unite(C.Ranks);
      lose(Seen.common(Own));
      Seen.unite(Own);
      auto Parts = strandsOf(W, Thread, T.Calls, Budget);
      if (!Parts) {
        lose(Own);
        continue;
      }
      T.Parts = std::move(*Parts);
      for (const Strand &P : T.Parts)
        Work += P.Ranks.size() * P.Calls.size();
    }
    if (Work > Communicators::MaxWork)
      lose(Seen);
  }

  /// The communicator in a slot of a call; K 0: unknown.
  Current current(const CallShape &C, int Slot, uint32_t Rank) const {
    if (Slot < 0 || C.Slots[static_cast<size_t>(Slot)].T != Tag::Object)
      return {};
    const ObjectShape &O = W.object(C.Thread, C.Slots[static_cast<size_t>(Slot)].Ref);
    if (O.Name == "MPI_COMM_WORLD")
      return {0, WorldKey, false};
    if (O.Name == "MPI_COMM_SELF")
      return {0, mix({SelfKey, Rank}), false};
    if (O.K != Kind::Comm || !O.Name.empty())
      return {};
    const int64_t Id = O.Words[0].eval(Rank, {Rank, W.world()});
    for (const Current &X : Now[Rank])
      if (X.Id == Id)
        return X;
    return {};
  }

  std::optional<int64_t> word(const CallShape &C, int Slot, uint32_t Rank) const { return plainWord(W, C, Slot, Rank); }

  /// A hash of the string in a slot.
  std::optional<uint64_t> text(const CallShape &C, int Slot) const {
    if (Slot < 0)
      return std::nullopt;
    const SlotShape &S = C.Slots[static_cast<size_t>(Slot)];
    if (S.T != Tag::String || S.IsStreamed)
      return std::nullopt;
    return std::hash<std::string>()(W.string(C.Thread, S.Ref));
  }

  void follow(uint32_t Rank, const ThreadStrands &T, const Strand &S) {
    Ordinals Made;
    RankGroups OwnGroups(W, Rank);
    for (uint32_t Index : S.Calls) {
      const CallShape &C = T.Calls[Index];
      if (Index < T.Makers.size()) {
        create(Rank, C, T.Makers[Index], Made, OwnGroups);
      } else {
        const GroupMaker &M = T.GroupMakers[Index - T.Makers.size()];
        OwnGroups.make(C, M, current(C, M.Comm, Rank).K);
      }
    }
  }

  void create(uint32_t Rank, const CallShape &C, const CommunicatorMaker &M, Ordinals &Made,
              const RankGroups &OwnGroups) {
    const bool IsMade = Out.isMade(C, static_cast<unsigned>(M.New));
    const Facts F = IsMade ? Out.factsOf(C.Thread, C.Slots[static_cast<size_t>(M.New)].Ref, Rank) : Facts();
    const Current Parent = current(C, M.Parent, Rank);
    Key K = 0, Family = 0;
    // All of the parent count a creation, also those that get nothing.
    const uint64_t N =
        Parent.K && (M.How == CommunicatorMaker::Over || M.How == CommunicatorMaker::Between) ? ++Made[Parent.K] : 0;
    if (!IsMade)
      return;
    if (Parent.K && M.How == CommunicatorMaker::Over) {
      K = Parent.IsInter ? overInter(Rank, C, M, F, Parent, N) : mix({Parent.K, N, bits(F.Leader)});
    } else if (Parent.K && M.How == CommunicatorMaker::Between) {
      K = mix({Parent.K, N, BetweenKey});
      lead(Rank, C, M, K, Made);
    } else if (auto Tag = word(C, M.Tag, Rank); Parent.K && M.How == CommunicatorMaker::Group && Tag) {
      Family = mix({Parent.K, GroupKey, bits(*Tag), bits(F.Leader), bits(F.Size)});
      K = mix({Family, ++Made[Family]});
    } else if (const auto Text = text(C, M.Text)) {
      Family = mix({FromGroupKey, *Text, bits(F.Leader), bits(F.Size), bits(F.Remote)});
      K = mix({Family, ++Made[Family]});
      if (M.How == CommunicatorMaker::BetweenGroups && F.Own == word(C, M.Leader, Rank))
        leadGroup(Rank, C, M, K, *Text, Made, OwnGroups);
    }
    enter(Rank, F, K, Family);
  }

  /// What is made over an intercommunicator: one group of both sides, or a new intercommunicator, which has a part of
  /// each side.
  Key overInter(uint32_t Rank, const CallShape &C, const CommunicatorMaker &M, const Facts &F, const Current &Parent,
                uint64_t N) {
    const FoundGroups::Facing *Sides = Groups.facing(Parent.K);
    if (!Sides)
      return 0;
    if (F.Remote < 0)
      return mix({Sides->Both, N, bits(F.Leader)});
    // The smallest ranks of the sides differ, but colors are the same.
    auto Color = M.Color < 0 ? std::optional<int64_t>(0) : word(C, M.Color, Rank);
    if (!Color)
      return 0;
    const Key Token = mix({Sides->Both, N, bits(*Color)}), K = mix({Token, Sides->Number});
    Groups.say(Token, K);
    return K;
  }

  /// What the leader of a side says; others do not see the peer communicator.
  void lead(uint32_t Rank, const CallShape &C, const CommunicatorMaker &M, Key K, Ordinals &Made) {
    const Current Peer = current(C, M.Peer, Rank);
    auto There = word(C, M.RemoteLeader, Rank), Tag = word(C, M.Tag, Rank);
    if (!Peer.K || !There || !Tag)
      return;
    Key Of = Peer.K, Side = Peer.K;
    if (Peer.IsInter) {
      const FoundGroups::Facing *Sides = Groups.facing(Peer.K);
      if (!Sides)
        return;
      Of = Sides->Both;
      Side = Sides->Other;
    }
    if (const auto Members = membersOf(Side, Rank); Members && bits(*There) < Members->size())
      meet(Rank, (*Members)[bits(*There)], Of, bits(*Tag), K, Made);
  }

  /// The same without a peer communicator: the other group says who leads there.
  void leadGroup(uint32_t Rank, const CallShape &C, const CommunicatorMaker &M, Key K, uint64_t Text, Ordinals &Made,
                 const RankGroups &OwnGroups) {
    const auto There = word(C, M.RemoteLeader, Rank);
    const auto Members = OwnGroups.members(
        C, M.RemoteGroup,
        [&](Key Comm, bool IsRemote) -> std::optional<std::span<const uint32_t>> {
          if (!IsRemote)
            return membersOf(Comm, Rank);
          const FoundGroups::Facing *Sides = Groups.facing(Comm);
          return Sides ? membersOf(Sides->Other, Rank) : std::nullopt;
        },
        ListBudget);
    if (Members && There && bits(*There) < Members->size())
      meet(Rank, (*Members)[bits(*There)], FromGroupKey, Text, K, Made);
  }

  /// Two leaders make intercommunicators in one order, so both come to the same word for each.
  void meet(uint32_t Rank, uint32_t Leader, Key Of, uint64_t Tag, Key K, Ordinals &Made) {
    const Key Pair = mix({Of, std::min(Rank, Leader), std::max(Rank, Leader), Tag});
    Groups.say(mix({Pair, ++Made[Pair]}), K);
  }

  /// Members of a communicator that is known from rounds before.
  std::optional<std::span<const uint32_t>> membersOf(Key Comm, uint32_t Rank) const {
    if (Comm == WorldKey)
      return Out.World;
    if (Comm == mix({SelfKey, Rank}))
      return std::span(Out.World).subspan(Rank, 1);
    const std::span<const uint32_t> Members = Groups.members(Comm);
    return Members.empty() ? std::nullopt : std::optional(Members);
  }

  void enter(uint32_t Rank, const Facts &F, Key K, Key Family) {
    Entries[Rank].emplace_back(F, K);
    const Current New{F.Id, K, F.Remote >= 0};
    auto &L = Now[Rank];
    auto Old = std::find_if(L.begin(), L.end(), [&](const Current &X) { return X.Id == F.Id; });
    if (Old == L.end())
      L.push_back(New);
    else
      *Old = New;
    if (K)
      Groups.add(K, {Rank, F.Own, F.Size, F.Leader}, Family);
  }

  void publish() {
    std::map<std::vector<uint32_t>, uint32_t> ListOf;
    std::unordered_map<Key, uint32_t> ListOfKey;
    Groups.forEachComplete([&](Key K, const std::vector<uint32_t> &Members) {
      ListOfKey[K] = ListOf.try_emplace(Members, static_cast<uint32_t>(ListOf.size())).first->second;
    });
    Out.Lists.resize(ListOf.size());
    for (auto &[List, Index] : ListOf)
      Out.Lists[Index] = List;
    std::map<Communicators::Side, uint32_t> PlaceOf;
    Out.OfRank.resize(W.world());
    std::vector<RankSet::Interval> Reusing;
    for (uint32_t Rank = 0; Rank < Entries.size(); ++Rank) {
      auto &Known = Out.OfRank[Rank];
      for (const auto &[F, K] : Entries[Rank])
        Known.push_back({F, place(F, K, ListOfKey, PlaceOf), false});
      const auto Plain = Known;
      // One number that stood for several communicators says which only if they have the same members.
      std::stable_sort(Known.begin(), Known.end(), [](const auto &A, const auto &B) { return A.Of < B.Of; });
      size_t Kept = 0;
      bool IsReusing = false;
      for (size_t I = 0; I < Known.size(); ++I)
        if (Kept && Known[Kept - 1].Of == Known[I].Of) {
          if (Known[Kept - 1].Place != Known[I].Place) {
            Known[Kept - 1].Place = Communicators::Unknown;
            Known[Kept - 1].IsReused = IsReusing = true;
          }
        } else {
          Known[Kept++] = Known[I];
        }
      Known.resize(Kept);
      Known.shrink_to_fit();
      if (IsReusing) {
        Reusing.push_back({Rank, Rank});
        for (const auto &X : Plain)
          Out.InOrder[Rank].push_back(X.Place);
      }
    }
    Out.Reusing = setOf(Reusing);
    for (ThreadStrands &T : Threads) {
      auto &Made = Out.Made.emplace_back();
      T.Calls.resize(T.Makers.size());
      Made.Calls = std::move(T.Calls);
      for (const CommunicatorMaker &M : T.Makers)
        Made.New.push_back(static_cast<unsigned>(M.New));
    }
    Out.Sides.resize(PlaceOf.size());
    for (const auto &[Side, Index] : PlaceOf)
      Out.Sides[Index] = Side;
  }

  uint32_t place(const Facts &F, Key K, const std::unordered_map<Key, uint32_t> &ListOfKey,
                 std::map<Communicators::Side, uint32_t> &PlaceOf) const {
    auto Local = ListOfKey.find(K);
    if (Local == ListOfKey.end())
      return Communicators::Unknown;
    Communicators::Side S{Local->second, Communicators::Unknown};
    if (F.Remote >= 0) {
      const FoundGroups::Facing *Sides = Groups.facing(K);
      if (!Sides)
        return Communicators::Unknown;
      auto Remote = ListOfKey.find(Sides->Other);
      if (Remote == ListOfKey.end() || Out.Lists[Remote->second].size() != bits(F.Remote))
        return Communicators::Unknown;
      S.Remote = Remote->second;
    }
    return PlaceOf.try_emplace(S, static_cast<uint32_t>(PlaceOf.size())).first->second;
  }

  static constexpr Key WorldKey = 1, SelfKey = 2, BetweenKey = 3, GroupKey = 4, FromGroupKey = 5;

  const Walk &W;
  Communicators &Out;
  std::vector<ThreadStrands> Threads;
  std::vector<bool> Lost;                       ///< ranks of which nothing is known
  uint64_t ListBudget = Communicators::MaxWork; ///< of members of groups
  FoundGroups Groups;
  // Of a round.
  std::vector<std::vector<Current>> Now;
  std::vector<std::vector<std::pair<Facts, Key>>> Entries;
};

Communicators::Communicators(const Walk &W) : W(W), World(W.world()) {
  std::iota(World.begin(), World.end(), 0);
  CommunicatorFinder(W, *this).run();
}

} // namespace pilgrim
