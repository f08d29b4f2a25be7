//===- TrafficCollectives.cpp - what collectives move ---------------------===//
//
// What has to get from one process to another by what a collective call means, whatever way it takes.
//
//===----------------------------------------------------------------------===//
#include "driver/TrafficFinder.h"

#include <algorithm>

namespace pilgrim {

static bool isAllgatherv(const CallShape &C) { return C.Function->Name.find("llgatherv") != std::string::npos; }

std::vector<TrafficFinder::Team> TrafficFinder::teams(const CallShape &C, const MessageRule &Rule,
                                                      const RankSet &Ranks) {
  const SlotShape &S = C.Slots[static_cast<size_t>(Rule.Comm)];
  if (S.T != Tag::Object)
    return {{Ranks, {}, false}};
  if (isWorld(C, Rule)) {
    if (AllRanks.empty())
      for (uint32_t R = 0; R < W.world(); ++R)
        AllRanks.push_back(R);
    return {{Ranks, AllRanks, false}};
  }
  std::map<std::pair<const uint32_t *, bool>, std::pair<std::span<const uint32_t>, std::vector<RankSet::Interval>>>
      Found;
  Ranks.forEach([&](uint32_t Rank) {
    const auto V = communicator(C, S, Rank);
    const auto Peers = V.peers();
    auto &[Span, L] = Found[{Peers.data(), V.IsInter}];
    Span = Peers;
    L.push_back({Rank, Rank});
  });
  std::vector<Team> Out;
  for (auto &[Key, X] : Found)
    Out.push_back({setOf(X.second), X.first, Key.second});
  return Out;
}

static std::shared_ptr<const RankSet> setOfPeers(std::span<const uint32_t> Peers) {
  std::vector<uint32_t> Sorted(Peers.begin(), Peers.end());
  std::sort(Sorted.begin(), Sorted.end());
  std::vector<RankSet::Interval> L;
  for (uint32_t R : Sorted)
    if (!L.empty() && L.back().Last + 1 == R)
      ++L.back().Last;
    else
      L.push_back({R, R});
  return std::make_shared<const RankSet>(setOf(L));
}

void TrafficFinder::addCollective(const CallShape &C, const MessageRule &Rule, const RankSet &Ranks,
                                  const Fixed &Values, uint64_t N, uint32_t Part) {
  for (const Team &T : teams(C, Rule, Ranks)) {
    const bool IsKnown = !T.Peers.empty();
    if (!IsKnown || (T.IsInter && Rule.IsByReceiver)) {
      for (const RankFn::Level &L : bytes(C, Rule, T.From, Values, 0))
        add(L.Ranks, Flow::Unknown, 0, N, static_cast<uint64_t>(L.Value), Part);
      continue;
    }
    if (Rule.How == MessageRule::FromRoot || Rule.How == MessageRule::ToRoot)
      addRooted(C, Rule, T, Values, N, Part);
    else if (Rule.How == MessageRule::ToAll)
      addToEach(C, Rule, T.From, T.Peers, Values, N, Part);
    else
      addToHigher(C, Rule, T, Values, N, Part);
  }
}

/// Between a root and the others.
void TrafficFinder::addRooted(const CallShape &C, const MessageRule &Rule, const Team &T, const Fixed &Values,
                              uint64_t N, uint32_t Part) {
  // Between two groups the root says MPI_ROOT, its group MPI_PROC_NULL, the others whose rank it is.
  const auto Ctx = W.contextOf(C);
  const RankFn Root = word(C, Values, Rule.Root, 0);
  for (const RankFn::Level &L : levelsBy(T.From, [&](uint32_t R) { return Root.eval(R, Ctx(R)); })) {
    const bool IsMember = L.Value >= 0 && static_cast<uint64_t>(L.Value) < T.Peers.size();
    if (Rule.How == MessageRule::FromRoot && T.IsInter) {
      if (L.Value == rootOfOther())
        addToEach(C, Rule, L.Ranks, T.Peers, Values, N, Part);
      continue;
    }
    if (!IsMember)
      continue;
    const uint32_t Peer = T.Peers[static_cast<size_t>(L.Value)];
    if (Rule.How == MessageRule::FromRoot)
      addToEach(C, Rule, L.Ranks.common(RankSet(Peer)), T.Peers, Values, N, Part);
    else
      for (const RankFn::Level &B : bytes(C, Rule, L.Ranks.without(RankSet(Peer)), Values, 0))
        add(B.Ranks, Flow::Rank, Peer, N, static_cast<uint64_t>(B.Value), Part);
  }
}

/// From each of a team to all behind it.
void TrafficFinder::addToHigher(const CallShape &C, const MessageRule &Rule, const Team &T, const Fixed &Values,
                                uint64_t N, uint32_t Part) {
  constexpr size_t MaxUnordered = 4096;
  if (std::is_sorted(T.Peers.begin(), T.Peers.end())) {
    const auto All = setOfPeers(T.Peers);
    for (const RankFn::Level &L : bytes(C, Rule, T.From, Values, 0))
      addSet(L.Ranks, Flow::Higher, All, N, static_cast<uint64_t>(L.Value), Part);
  } else if (T.Peers.size() <= MaxUnordered) {
    for (size_t I = 0; I < T.Peers.size(); ++I)
      if (T.From.contains(T.Peers[I]))
        addToEach(C, Rule, RankSet(T.Peers[I]), T.Peers.subspan(I + 1), Values, N, Part);
  } else {
    Out.Error = C.Function->Name + " on a communicator of " + std::to_string(T.Peers.size()) +
                " processes in another order than that of their ranks is too large for a matrix";
  }
}

void TrafficFinder::addSet(const RankSet &From, Flow::Target Target, const std::shared_ptr<const RankSet> &All,
                           uint64_t N, uint64_t Bytes, uint32_t Part) {
  add(From, Target, 0, N, Bytes, Part);
  if (!From.empty())
    Out.Flows.back().All = All;
}

/// The value of MPI_ROOT in this trace.
int64_t TrafficFinder::rootOfOther() const {
  for (const auto &[Key, Name] : W.trace().names())
    if (Key.first == "rank" && Name == "MPI_ROOT")
      return Key.second;
  return INT64_MIN;
}

/// From each of From to each of Peers but itself.
void TrafficFinder::addToEach(const CallShape &C, const MessageRule &Rule, const RankSet &From,
                              std::span<const uint32_t> Peers, const Fixed &Values, uint64_t N, uint32_t Part) {
  if (From.empty() || Peers.empty())
    return;
  int Count = Rule.Count;
  bool IsInPlace = C.Slots[static_cast<size_t>(Count)].T == Tag::Absent && Rule.InPlaceCount != MessageRule::None;
  if (IsInPlace)
    Count = Rule.InPlaceCount;
  const bool IsByPeer = C.Slots[static_cast<size_t>(Count)].T == Tag::Array;
  const bool IsOwnPart = IsByPeer && isAllgatherv(C);
  if (!IsByPeer || IsOwnPart) {
    auto All = setOfPeers(Peers);
    auto Add = [&](const RankSet &R, size_t Own) {
      for (const RankFn::Level &L : bytes(C, Rule, R, Values, Own))
        addSet(L.Ranks, Flow::Each, All, N, static_cast<uint64_t>(L.Value), Part);
    };
    if (!IsOwnPart)
      return Add(From, 0);
    // In place, what a rank sends is its own part of what all receive.
    for (size_t I = 0; I < Peers.size(); ++I)
      if (From.contains(Peers[I]))
        Add(RankSet(Peers[I]), I);
    return;
  }
  for (size_t I = 0; I < Peers.size(); ++I)
    for (const RankFn::Level &L : bytes(C, Rule, From.without(RankSet(Peers[I])), Values, I))
      add(L.Ranks, Flow::Rank, Peers[I], N, static_cast<uint64_t>(L.Value), Part);
}

} // namespace pilgrim
