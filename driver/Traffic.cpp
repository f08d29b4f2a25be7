//===- Traffic.cpp - who sends how much to whom ---------------------------===//
#include "driver/SenderBlocks.h"
#include "driver/TrafficFinder.h"

#include <algorithm>

namespace pilgrim {

static int64_t product(int64_t A, int64_t B) {
  int64_t R;
  return __builtin_mul_overflow(std::max<int64_t>(A, 0), std::max<int64_t>(B, 0), &R) ? INT64_MAX : R;
}

Traffic TrafficFinder::run() {
  if (By == Traffic::By::Nothing)
    Out.Parts.emplace_back();
  Starts Started(W);
  W.forEachCall(
      [&](const CallShape &C) {
        const MessageRule &Rule = rule(*C.Function);
        if (Rule.How == MessageRule::Start || Rule.IsPersistent)
          Started.add(C, Rule);
        else
          addCall(C, Rule);
      },
      [&](const FunctionSchema &F) { return isCall(F) && isWanted(F); });
  addIrregular();
  Started.find([&](const Starts::Use &U) {
    const MessageRule &Rule = rule(*U.Made->Function);
    if (!isCounted(Rule))
      return;
    addStarted(*U.Made, Rule, U.Values, U.Times);
    joinMany();
  });
  for (const RankedCount &X : Started.unknown())
    addProduct(Out.UnknownStarts, X.N, X.Ranks.size());
  addAside();
  for (Flow &F : Out.Flows)
    count(F);
  return std::move(Out);
}

uint32_t TrafficFinder::part(const std::string &Name) {
  auto [It, IsNew] = PartOf.try_emplace(Name, static_cast<uint32_t>(Out.Parts.size()));
  if (IsNew)
    Out.Parts.push_back(Name);
  return It->second;
}

RankSet TrafficFinder::succeeded(const CallShape &C) const {
  const SlotShape &S = C.Slots[0];
  if (S.T != Tag::Word || S.IsStreamed)
    return C.Ranks;
  const auto L = S.Words[0].levels(C.Ranks, W.contextOf(C), MaxParts);
  RankSet Good;
  if (L)
    for (const RankFn::Level &X : *L)
      if (X.Value == 0)
        Good.unite(X.Ranks);
  return Good;
}

RankSet TrafficFinder::putAside(const CallShape &C, const MessageRule &Rule) {
  if (C.Slots[static_cast<size_t>(Rule.Comm)].T != Tag::Object)
    return {};
  RankSet Ranks = comms().reused(C, static_cast<unsigned>(Rule.Comm));
  if (!Ranks.empty())
    Aside.push_back({C, Rule, Ranks});
  return Ranks;
}

void TrafficFinder::addAside() {
  for (uint32_t Thread = 0; Thread < W.threads().size(); ++Thread) {
    std::vector<CallShape> Calls;
    std::vector<unsigned> Slots;
    std::vector<const Later *> Of;
    RankSet Ranks;
    for (const Later &L : Aside)
      if (L.C.Thread == Thread) {
        Calls.push_back(L.C);
        Slots.push_back(static_cast<unsigned>(L.Rule.Comm));
        Of.push_back(&L);
        Ranks.unite(L.Ranks);
      }
    if (Calls.empty())
      continue;
    const bool IsFound = comms().inOrder(Thread, Calls, Slots, Ranks, [&](const Communicators::Use &U) {
      const Later &L = *Of[U.Call];
      if (!L.Ranks.contains(U.Rank) || !succeeded(L.C).contains(U.Rank))
        return;
      Told = U.Of;
      addParts(L.C, L.Rule, RankSet(U.Rank), {}, U.Times);
      Told.reset();
    });
    if (IsFound)
      continue;
    Told = Communicators::View();
    for (const Later *L : Of)
      for (const RankedCount &X : L->C.Calls)
        addParts(L->C, L->Rule, X.Ranks.common(L->Ranks).common(succeeded(L->C)), {}, X.N);
    Told.reset();
  }
}

void TrafficFinder::addCall(const CallShape &C, const MessageRule &Rule) {
  RankSet Good = succeeded(C);
  const std::vector<unsigned> Streamed = Rule.streamed(C);
  if (Streamed.empty()) {
    if (!isWorld(C, Rule))
      Good = Good.without(putAside(C, Rule));
    for (const RankedCount &X : C.Calls)
      addParts(C, Rule, X.Ranks.common(Good), {}, X.N);
    return;
  }
  const bool IsFound = W.forEachCase(C, Streamed, [&](const RankSet &Ranks, std::span<const int64_t> V, uint64_t N) {
    Fixed Values;
    for (size_t I = 0; I < Streamed.size(); ++I)
      Values.push_back({static_cast<int>(Streamed[I]), {V[I]}});
    addParts(C, Rule, Ranks.common(Good), Values, N);
  });
  if (!IsFound)
    Irregular.push_back({C, Rule, Good});
}

void TrafficFinder::addIrregular() {
  for (uint32_t Thread = 0; Thread < W.threads().size(); ++Thread) {
    CallByCall All(W);
    RankSet Ranks;
    for (size_t I = 0; I < Irregular.size(); ++I)
      if (Irregular[I].C.Thread == Thread) {
        All.add(Irregular[I].C, I);
        Ranks.unite(Irregular[I].Ranks);
      }
    Ranks.forEach([&](uint32_t Rank) {
      const std::string Why = All.run(Thread, Rank, [&](size_t I, const Call &C) {
        const Later &L = Irregular[I];
        if (!L.Ranks.contains(Rank) || C.result() != 0)
          return;
        addParts(L.C, L.Rule, RankSet(Rank), CallByCall::valuesOf(C, L.Rule.streamed(L.C)), 1);
        joinMany();
      });
      if (!Why.empty())
        Out.Error = Why;
    });
  }
}

/// Adds up flows of one sender to the same receivers, where there are many of them.
void TrafficFinder::joinMany() {
  if (Out.Flows.size() < MostFlows)
    return;
  using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;
  std::map<std::tuple<uint32_t, Flow::Target, int64_t, Pairs, uint32_t>, size_t> Known;
  size_t Kept = 0;
  for (size_t I = 0; I < Out.Flows.size(); ++I) {
    Flow &F = Out.Flows[I];
    if (F.From.size() == 1 && F.T != Flow::Function && F.T != Flow::Listed) {
      Pairs All;
      for (const RankSet::Interval &X : F.All ? F.All->intervals() : std::span<const RankSet::Interval>())
        All.emplace_back(X.First, X.Last);
      const auto [It, IsNew] = Known.try_emplace({F.From.first(), F.T, F.To, std::move(All), F.Part}, Kept);
      if (!IsNew) {
        Flow &To = Out.Flows[It->second];
        addProduct(To.Messages, F.Messages, 1);
        addProduct(To.Bytes, F.Bytes, 1);
        continue;
      }
    }
    if (Kept != I)
      Out.Flows[Kept] = std::move(F);
    ++Kept;
  }
  Out.Flows.resize(Kept);
  MostFlows = std::max(MostFlows, Kept * 2);
}

const std::vector<int64_t> *TrafficFinder::fixed(const Fixed &Values, int Slot) {
  for (const auto &[S, V] : Values)
    if (S == Slot)
      return &V;
  return nullptr;
}

RankFn TrafficFinder::word(const CallShape &C, const Fixed &Values, int Slot, size_t Word) const {
  if (const std::vector<int64_t> *V = fixed(Values, Slot))
    return RankFn(Word < V->size() ? (*V)[Word] : 0);
  const SlotShape &S = C.Slots[static_cast<size_t>(Slot)];
  return (S.T == Tag::Word || S.T == Tag::Array) && Word < S.Words.size() ? S.Words[Word] : RankFn(0);
}

std::vector<RankFn::Level> TrafficFinder::bytes(const CallShape &C, const MessageRule &Rule, const RankSet &Ranks,
                                                const Fixed &Values, size_t Peer) const {
  int Count = Rule.Count, Type = Rule.Type;
  if (C.Slots[static_cast<size_t>(Count)].T == Tag::Absent && Rule.InPlaceCount != MessageRule::None) {
    Count = Rule.InPlaceCount;
    Type = Rule.InPlaceType;
  }
  const SlotShape &T = C.Slots[static_cast<size_t>(Type)];
  const SlotShape &N = C.Slots[static_cast<size_t>(Count)];
  if ((T.T != Tag::Object && T.T != Tag::Objects) || (N.T != Tag::Word && N.T != Tag::Array))
    return {{0, Ranks}};
  if (T.T == Tag::Objects && Peer >= T.Refs.size())
    return {{0, Ranks}};
  const std::vector<int64_t> *Own = fixed(Values, Type);
  const size_t Which = T.T == Tag::Objects ? Peer : 0;
  const RankFn Size = Own && Which < Own->size()
                          ? RankFn((*Own)[Which])
                          : W.object(C.Thread, T.T == Tag::Objects ? T.Refs[Peer] : T.Ref).Words[1];
  const RankFn Elements = word(C, Values, Count, N.T == Tag::Array ? Peer : 0);
  const RankFn Factor = Rule.Factor == MessageRule::None ? RankFn(1) : word(C, Values, Rule.Factor, 0);
  auto Product = [&](int64_t A, int64_t B, int64_t D) { return product(product(A, B), D); };
  if (Size.isConst() && Elements.isConst() && Factor.isConst())
    return {{Product(Elements.single().C, Size.single().C, Factor.single().C), Ranks}};
  const auto Ctx = W.contextOf(C);
  return levelsBy(Ranks, [&](uint32_t Rank) {
    const RankContext Own = Ctx(Rank);
    return Product(Elements.eval(Rank, Own), Size.eval(Rank, {Rank, W.world()}), Factor.eval(Rank, Own));
  });
}

void TrafficFinder::addAlike(const CallShape &C, const MessageRule &Rule, const RankSet &Ranks, const Fixed &Values,
                             uint64_t N, uint32_t Part) {
  if (Rule.How == MessageRule::Send) {
    const RankFn Dest = word(C, Values, Rule.Dest, 0);
    for (const RankFn::Level &L : bytes(C, Rule, Ranks, Values, 0))
      addTo(C, Rule, Dest, L.Ranks, N, static_cast<uint64_t>(L.Value), Part);
    return;
  }
  addCollective(C, Rule, Ranks, Values, N, Part);
}

void TrafficFinder::add(RankSet From, Flow::Target T, int64_t To, uint64_t N, uint64_t Bytes, uint32_t Part) {
  if (From.empty())
    return;
  Flow F;
  F.From = std::move(From);
  F.T = T;
  F.To = To;
  F.Messages = N;
  addProduct(F.Bytes, N, Bytes);
  F.Part = Part;
  Out.Flows.push_back(std::move(F));
}

void TrafficFinder::addTo(const CallShape &C, const MessageRule &Rule, const RankFn &Dest, const RankSet &Ranks,
                          uint64_t N, uint64_t Bytes, uint32_t Part) {
  const auto Ctx = W.contextOf(C);
  const SlotShape &S = C.Slots[static_cast<size_t>(Rule.Comm)];
  const bool IsWorld = isWorld(C, Rule);
  RankSet Rest = Ranks; // that are asked one by one
  if (IsWorld)
    for (Piece &P : pieces(Dest, Ranks, Ctx, W.isInWorld(C), Rest))
      addPiece(std::move(P), N, Bytes, Part);
  if (IsWorld && W.isInWorld(C))
    Rest = Rest.without(addFunction(Dest, Rest, N, Bytes, Part));
  std::vector<RankSet::Interval> IsFound, IsUnknown;
  std::vector<uint32_t> Receivers;
  auto Put = [](std::vector<RankSet::Interval> &L, uint32_t Rank) {
    if (!L.empty() && L.back().Last + 1 == Rank)
      ++L.back().Last;
    else
      L.push_back({Rank, Rank});
  };
  Rest.forEach([&](uint32_t Rank) {
    const int64_t K = Dest.eval(Rank, Ctx(Rank));
    if (K < 0)
      return;
    const auto Peers = IsWorld ? std::span<const uint32_t>() : communicator(C, S, Rank).peers();
    const bool IsKnown = static_cast<uint64_t>(K) < (IsWorld ? W.world() : Peers.size());
    Put(IsKnown ? IsFound : IsUnknown, Rank);
    if (IsKnown)
      Receivers.push_back(IsWorld ? static_cast<uint32_t>(K) : Peers[static_cast<size_t>(K)]);
  });
  add(setOf(IsUnknown), Flow::Unknown, 0, N, Bytes, Part);
  RankSet Senders = setOf(IsFound);
  if (auto Pieces = pieces(Receivers, Senders)) {
    for (Piece &P : *Pieces)
      addPiece(std::move(P), N, Bytes, Part);
  } else {
    add(std::move(Senders), Flow::Listed, 0, N, Bytes, Part);
    Out.Flows.back().Receivers = std::move(Receivers);
  }
}

RankSet TrafficFinder::addFunction(const RankFn &Dest, const RankSet &Ranks, uint64_t N, uint64_t Bytes,
                                   uint32_t Part) {
  RankSet Added;
  auto Look = [&](const RankFn::Piece &P) {
    const RankSet Own = P.Ranks.common(Ranks);
    if (P.List || Own.empty() || !leadsInto(P, Own, W.world()))
      return;
    add(Own, Flow::Function, 0, N, Bytes, Part);
    Out.Flows.back().Of = P;
    Added.unite(Own);
  };
  if (Dest.isSingle())
    Look({Ranks, Dest.single()});
  else
    for (const RankFn::Piece &P : Dest.pieces())
      Look(P);
  return Added;
}

void TrafficFinder::addPiece(Piece P, uint64_t N, uint64_t Bytes, uint32_t Part) {
  const auto World = static_cast<int64_t>(W.world());
  if (!P.IsRelative) {
    if (P.Value >= 0)
      add(std::move(P.Ranks), P.Value < World ? Flow::Rank : Flow::Unknown, P.Value, N, Bytes, Part);
    return;
  }
  // A distance that leads out of the world is a damaged trace's; below zero, nobody's.
  RankSet In;
  if (P.Value > -World && P.Value < World) {
    In = P.Ranks.common(RankSet::below(static_cast<uint32_t>(World - std::max<int64_t>(P.Value, 0))));
    if (P.Value < 0)
      In = In.without(RankSet::below(static_cast<uint32_t>(-P.Value)));
  }
  add(std::move(In), Flow::Distance, P.Value, N, Bytes, Part);
}

uint64_t pairsOf(const Flow &F) {
  uint64_t Pairs = 0;
  if (F.T == Flow::Each) {
    addProduct(Pairs, F.From.size(), F.All->size());
    return Pairs - commonSize(F.From, *F.All);
  }
  if (F.T != Flow::Higher)
    return F.From.size();
  const uint64_t All = F.All->size();
  auto Next = F.All->intervals().begin();
  uint64_t Below = 0; // of All, up to the sender
  F.From.forEach([&](uint32_t Rank) {
    for (; Next != F.All->intervals().end() && Next->Last <= Rank; ++Next)
      Below += Next->Last - Next->First + 1;
    const bool IsInside = Next != F.All->intervals().end() && Next->First <= Rank;
    Pairs += All - Below - (IsInside ? Rank - Next->First + 1 : 0);
  });
  return Pairs;
}

Traffic findTraffic(const Walk &W, Traffic::By By, bool Collectives) {
  return TrafficFinder(W, By, Collectives, MessageRule::of).run();
}

Traffic findReceives(const Walk &W) {
  return TrafficFinder(W, Traffic::By::Nothing, false, MessageRule::ofReceive).run();
}

} // namespace pilgrim
