//===- Starts.cpp - what a started request sends --------------------------===//
#include "driver/Starts.h"
#include "trace/base/Saturate.h"
#include "trace/read/Strands.h"

#include <algorithm>

namespace pilgrim {

void Starts::find(const UseFn &F) {
  OnUse = &F;
  for (uint32_t Thread = 0; Thread < W.threads().size(); ++Thread)
    findOf(Thread);
}

/// The requests of a call by number; false: they cannot be told.
bool Starts::requestsOf(size_t Index, Requests &Out) const {
  const Entry &E = Entries[Index];
  const CallShape &C = E.C;
  if (E.Rule.Request == MessageRule::None)
    return false;
  const SlotShape &S = C.Slots[static_cast<size_t>(E.Rule.Request)];
  auto Add = [&](const RankSet &Ranks, const Fixed &Values, uint64_t N) {
    auto Put = [&](int64_t Number, const RankSet &R) {
      // Numbers below zero are names, such as MPI_REQUEST_NULL.
      if (Number >= 0 && !R.empty())
        Out[Number].push_back({Index, Values, R, N});
    };
    for (const auto &[Slot, V] : Values)
      if (Slot == E.Rule.Request) {
        Put(V[0], Ranks);
        return;
      }
    for (const RankFn &F : S.Words) {
      const auto Ctx = W.contextOf(C);
      for (const RankFn::Level &L : levelsBy(Ranks, [&](uint32_t R) { return F.eval(R, Ctx(R)); }))
        Put(L.Value, L.Ranks);
    }
  };
  std::vector<unsigned> Streamed = E.Rule.streamed(C);
  if (S.IsStreamed)
    Streamed.push_back(static_cast<unsigned>(E.Rule.Request));
  if (Streamed.empty()) {
    for (const RankedCount &X : C.Calls)
      Add(X.Ranks, {}, X.N);
    return true;
  }
  return W.forEachCase(C, Streamed, [&](const RankSet &Ranks, std::span<const int64_t> V, uint64_t N) {
    Fixed Values;
    for (size_t I = 0; I < Streamed.size(); ++I)
      Values.push_back({static_cast<int>(Streamed[I]), {V[I]}});
    Add(Ranks, Values, N);
  });
}

void Starts::findOf(uint32_t Thread) {
  Requests Made, Started;
  RankSet Lost, Unclear;
  for (size_t I = 0; I < Entries.size(); ++I)
    if (Entries[I].C.Thread == Thread && !requestsOf(I, Entries[I].isStart() ? Started : Made))
      Lost.unite(Entries[I].C.Ranks);
  // Of a number that several calls made, the order says which.
  for (const auto &[Number, L] : Started) {
    RankSet Once, More;
    for (const Request &M : Made[Number]) {
      More.unite(Once.common(M.Ranks));
      Once.unite(M.Ranks);
    }
    if (!More.empty())
      for (const Request &S : L)
        Unclear.unite(S.Ranks.common(More));
  }
  Unclear = Unclear.without(Lost);
  const RankSet Aside = [&] {
    RankSet R = Unclear;
    R.unite(Lost);
    return R;
  }();
  for (const auto &[Number, L] : Started)
    for (const Request &S : L) {
      RankSet Left = S.Ranks.without(Aside);
      for (const Request &M : Made[Number]) {
        RankSet Both = Left.common(M.Ranks);
        if (Both.empty())
          continue;
        Left = Left.without(Both);
        (*OnUse)({&Entries[M.Of].C, M.Values, {std::move(Both), S.N}});
      }
      if (!Left.empty())
        Unknown.push_back({std::move(Left), S.N});
    }
  if (!Lost.empty())
    callByCall(Thread, Lost);
  if (!Unclear.empty())
    inOrder(Thread, Unclear);
}

/// What requests are, and what the calls that make them send, is told by each call.
void Starts::callByCall(uint32_t Thread, const RankSet &Ranks) {
  CallByCall All(W);
  for (size_t I = 0; I < Entries.size(); ++I)
    if (Entries[I].C.Thread == Thread)
      All.add(Entries[I].C, I);
  constexpr size_t Most = 4096; // kinds that are told together
  RankSet Lost;
  Ranks.forEach([&](uint32_t Rank) {
    using Made = std::pair<size_t, Fixed>; // the entry that made a request, and with which values
    std::map<int64_t, Made> Now;
    std::map<Made, uint64_t> Times;
    uint64_t Nobody = 0;
    auto Tell = [&] {
      for (const auto &[Of, N] : Times)
        (*OnUse)({&Entries[Of.first].C, Of.second, {RankSet(Rank), N}});
      Times.clear();
    };
    const std::string Why = All.run(Thread, Rank, [&](size_t I, const Call &C) {
      const Entry &E = Entries[I];
      for (const int64_t Number : C.Slots[static_cast<size_t>(E.Rule.Request)].Words) {
        if (!E.isStart())
          Now[Number] = {I, CallByCall::valuesOf(C, E.Rule.streamed(E.C))};
        else if (const auto At = Now.find(Number); At != Now.end())
          ++Times[At->second];
        else
          Nobody += Number >= 0;
      }
      if (Times.size() >= Most)
        Tell();
    });
    if (!Why.empty())
      return Lost.unite(RankSet(Rank));
    Tell();
    if (Nobody)
      Unknown.push_back({RankSet(Rank), Nobody});
  });
  if (!Lost.empty())
    lose(Thread, Lost);
}

/// Starts of ranks of which nothing else is known.
void Starts::lose(uint32_t Thread, const RankSet &Ranks) {
  for (const Entry &E : Entries)
    if (E.C.Thread == Thread && E.isStart())
      for (const RankedCount &X : E.C.Calls)
        if (RankSet R = X.Ranks.common(Ranks); !R.empty()) {
          const SlotShape &S = E.C.Slots[static_cast<size_t>(E.Rule.Request)];
          uint64_t N = 0;
          addProduct(N, X.N, S.IsStreamed ? 1 : S.Words.size());
          Unknown.push_back({std::move(R), N});
        }
}

void Starts::inOrder(uint32_t Thread, const RankSet &Ranks) {
  constexpr uint64_t MaxSteps = 1 << 24;
  std::vector<CallShape> Calls;
  std::vector<size_t> Index;
  RankSet Lost; // order is not enough for what is streamed
  for (size_t I = 0; I < Entries.size(); ++I) {
    const Entry &E = Entries[I];
    if (E.C.Thread != Thread)
      continue;
    for (const SlotShape &S : E.C.Slots)
      if (S.IsStreamed)
        Lost.unite(E.C.Ranks.common(Ranks));
    Calls.push_back(E.C);
    Index.push_back(I);
  }
  uint64_t Budget = MaxSteps;
  auto Strands = strandsOf(W, Thread, Calls, Budget);
  uint64_t Steps = 0;
  if (Strands)
    for (const Strand &S : *Strands)
      Steps += S.Calls.size() * commonSize(S.Ranks, Ranks);
  if (!Strands || Steps > MaxSteps)
    return lose(Thread, Ranks);
  if (!Lost.empty())
    callByCall(Thread, Lost);
  for (const Strand &S : *Strands)
    S.Ranks.common(Ranks).without(Lost).forEach([&](uint32_t Rank) {
      std::map<int64_t, const CallShape *> Now;
      std::map<const CallShape *, uint64_t> Times;
      uint64_t Nobody = 0;
      for (uint32_t At : S.Calls) {
        const Entry &E = Entries[Index[At]];
        const SlotShape &R = E.C.Slots[static_cast<size_t>(E.Rule.Request)];
        for (const RankFn &F : R.Words) {
          const int64_t Number = F.eval(Rank, W.context(E.C, Rank));
          if (!E.isStart())
            Now[Number] = &E.C;
          else if (auto It = Now.find(Number); It != Now.end())
            ++Times[It->second];
          else
            Nobody += Number >= 0;
        }
      }
      for (auto [Made, N] : Times)
        (*OnUse)({Made, {}, {RankSet(Rank), N}});
      if (Nobody)
        Unknown.push_back({RankSet(Rank), Nobody});
    });
}

} // namespace pilgrim
