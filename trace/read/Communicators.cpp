//===- Communicators.cpp - asking who is in which communicator ------------===//
#include "trace/read/Communicators.h"
#include "trace/read/Strands.h"

#include <algorithm>

namespace pilgrim {

Communicators::Facts Communicators::factsOf(uint32_t Thread, uint32_t Object, uint32_t Rank) const {
  const auto &Words = W.object(Thread, Object).Words;
  auto Word = [&](unsigned I) { return Words[I].eval(Rank, {Rank, W.world()}); };
  return {Word(0), Word(1), Word(2), Word(3), Word(4)};
}

Communicators::View Communicators::find(uint32_t Thread, uint32_t Object, uint32_t Rank) const {
  const ObjectShape &O = W.object(Thread, Object);
  if (O.K != Kind::Comm || Rank >= World.size())
    return {};
  if (O.Name == "MPI_COMM_WORLD")
    return {true, false, World, {}};
  if (O.Name == "MPI_COMM_SELF")
    return {true, false, std::span(World).subspan(Rank, 1), {}};
  if (!O.Name.empty())
    return {};
  const Known *K = known(Rank, factsOf(Thread, Object, Rank));
  return K ? view(K->Place) : View();
}

const Communicators::Known *Communicators::known(uint32_t Rank, const Facts &F) const {
  const auto &L = OfRank[Rank];
  auto It = std::lower_bound(L.begin(), L.end(), F, [](const Known &X, const Facts &Y) { return X.Of < Y; });
  return It == L.end() || It->Of != F ? nullptr : &*It;
}

Communicators::View Communicators::view(uint32_t Place) const {
  if (Place == Unknown)
    return {};
  const Side &S = Sides[Place];
  View V{true, S.Remote != Unknown, Lists[S.Local], {}};
  if (V.IsInter)
    V.Remote = Lists[S.Remote];
  return V;
}

bool Communicators::isMade(const CallShape &C, unsigned Slot) const {
  if (C.Slots[Slot].T != Tag::Object)
    return false;
  const ObjectShape &O = W.object(C.Thread, C.Slots[Slot].Ref);
  return O.K == Kind::Comm && O.Name.empty();
}

RankSet Communicators::reused(const CallShape &C, unsigned Slot) const {
  if (Reusing.empty() || !isMade(C, Slot))
    return {};
  std::vector<RankSet::Interval> L;
  C.Ranks.common(Reusing).forEach([&](uint32_t Rank) {
    const Known *K = known(Rank, factsOf(C.Thread, C.Slots[Slot].Ref, Rank));
    if (K && K->IsReused)
      L.push_back({Rank, Rank});
  });
  return setOf(L);
}

bool Communicators::inOrder(uint32_t Thread, std::span<const CallShape> Calls, std::span<const unsigned> Slots,
                            const RankSet &Ranks, const std::function<void(const Use &)> &F) const {
  const Creations &Of = Made[Thread];
  std::vector<CallShape> All = Of.Calls;
  All.insert(All.end(), Calls.begin(), Calls.end());
  uint64_t Budget = MaxWork, Work = 0;
  const auto Strands = strandsOf(W, Thread, All, Budget);
  if (!Strands)
    return false;
  for (const Strand &S : *Strands)
    Work += S.Calls.size() * commonSize(S.Ranks, Ranks);
  if (Work > MaxWork)
    return false;
  for (const Strand &S : *Strands)
    S.Ranks.common(Ranks).forEach([&](uint32_t Rank) {
      auto Places = InOrder.find(Rank);
      if (Places == InOrder.end())
        return;
      std::map<Facts, uint32_t> Now;
      std::map<std::pair<uint32_t, uint32_t>, uint64_t> Times;
      size_t Next = 0;
      for (uint32_t Index : S.Calls) {
        const bool IsCreation = Index < Of.Calls.size();
        const CallShape &C = All[Index];
        const unsigned Slot = IsCreation ? Of.New[Index] : Slots[Index - Of.Calls.size()];
        if (!isMade(C, Slot))
          continue;
        const Facts About = factsOf(Thread, C.Slots[Slot].Ref, Rank);
        if (IsCreation) {
          Now[About] = Next < Places->second.size() ? Places->second[Next++] : Unknown;
        } else {
          auto It = Now.find(About);
          ++Times[{Index - static_cast<uint32_t>(Of.Calls.size()), It == Now.end() ? Unknown : It->second}];
        }
      }
      for (const auto &[Key, N] : Times)
        F({Key.first, Rank, view(Key.second), N});
    });
  return true;
}

std::optional<uint32_t> Communicators::worldRank(uint32_t Thread, uint32_t Object, uint32_t Rank, int64_t K) const {
  const View V = find(Thread, Object, Rank);
  const auto Peers = V.peers();
  if (!V.IsKnown || K < 0 || static_cast<uint64_t>(K) >= Peers.size())
    return std::nullopt;
  return Peers[static_cast<size_t>(K)];
}

} // namespace pilgrim
