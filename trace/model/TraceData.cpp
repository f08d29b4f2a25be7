//===- TraceData.cpp - a trace in memory ----------------------------------===//
#include "trace/model/TraceData.h"

namespace pilgrim {

std::vector<uint32_t> packString(std::string_view S) {
  std::vector<uint32_t> T;
  T.reserve(1 + (S.size() + 3) / 4);
  T.push_back(static_cast<uint32_t>(S.size()));
  for (size_t I = 0; I < S.size(); I += 4) {
    uint32_t V = 0;
    for (size_t J = I; J < I + 4 && J < S.size(); ++J)
      V |= static_cast<uint32_t>(static_cast<uint8_t>(S[J])) << (8 * (J - I));
    T.push_back(V);
  }
  return T;
}

std::string unpackString(std::span<const uint32_t> Tokens) {
  std::string S;
  if (Tokens.empty())
    return S;
  size_t N = Tokens[0];
  for (size_t I = 0; I < N && 1 + I / 4 < Tokens.size(); ++I)
    S.push_back(static_cast<char>(Tokens[1 + I / 4] >> (8 * (I % 4))));
  return S;
}

const Variant *Group::find(TableId T, uint32_t Index, uint32_t Rank) const { return ofRank(table(T)[Index], Rank); }

const Variant &Group::variant(TableId T, uint32_t Index, uint32_t Rank) const {
  const Variant *V = find(T, Index, Rank);
  return V ? *V : table(T)[Index].front();
}

const Variant *Group::contextObject(std::span<const uint32_t> Tokens) const {
  SlotWalker W(Tokens);
  for (SlotView S; W.next(S);) {
    if (S.T != Tag::Object)
      continue;
    const Entry &E = table(TableId::Objects)[S.Ref];
    if (E.size() == 1 && static_cast<Kind>(E[0].Tokens[0]) != Kind::Datatype)
      return &E[0];
  }
  return nullptr;
}

RankFn::ContextFn Group::contexts(std::span<const uint32_t> Tokens, uint32_t World) const {
  if (const Variant *Of = contextObject(Tokens)) {
    return [Own = Of->Words[1], Size = Of->Words[2], World](uint32_t R) {
      return RankContext{Own.eval(R, {R, World}), Size.eval(R, {R, World})};
    };
  }
  return [World](uint32_t R) { return RankContext{R, World}; };
}

RankContext Group::context(std::span<const uint32_t> Tokens, uint32_t Rank, uint32_t World) const {
  SlotWalker W(Tokens);
  for (SlotView S; W.next(S);) {
    if (S.T != Tag::Object)
      continue;
    const Variant &O = variant(TableId::Objects, S.Ref, Rank);
    Kind K = static_cast<Kind>(O.Tokens[0]);
    if (K != Kind::Comm && K != Kind::Win && K != Kind::File)
      continue;
    RankContext World1{Rank, World};
    return {O.Words[1].eval(Rank, World1), O.Words[2].eval(Rank, World1)};
  }
  return {Rank, World};
}

uint64_t TraceData::calls() const {
  uint64_t N = 0;
  for (const Group &G : Groups)
    G.forEachEvent([&](const NodeData &, uint32_t, const EventData &E) {
      for (const RankedItems &X : E.Items) {
        const auto Calls = X.calls(World);
        for (size_t I = 0; I < X.Items.size() && I < Calls.size(); ++I)
          if (!X.Items[I].IsNode)
            for (const Variant &V : G.table(TableId::Signatures)[X.Items[I].Index])
              N += this->isCall(V.Tokens[0]) ? Calls[I].sum(V.Ranks) : 0;
      }
    });
  return N;
}

void NodeSums::add(uint32_t Node, const Measure &M) {
  if (M.Place.Depth)
    return; // part of the call around it
  addProduct(T.isCall(M.Place.Function) ? Own[Node].InMpi : Own[Node].Outside, M.Duration.Sum, 1);
  addProduct(Own[Node].Outside, M.sum(Metric::Gap), 1);
}

std::vector<NodeSums::Sum> NodeSums::take() {
  for (size_t N = Own.size(); N-- > 1;) {
    Sum &Around = Own[G.Nodes[N].Parent]; // which comes before it
    addProduct(Around.InMpi, Own[N].InMpi, 1);
    addProduct(Around.Outside, Own[N].Outside, 1);
  }
  return std::move(Own);
}

void sumUpTimes(const TraceData &T, Group &G, uint32_t Rank) {
  NodeSums Sums(T, G);
  for (uint32_t N = 0; N < G.Nodes.size(); ++N)
    for (auto &[Id, E] : G.Nodes[N].Events) {
      E.Places.clear();
      for (const Measure &M : E.Measures) {
        Sums.add(N, M);
        if (!M.hasTimes())
          continue;
        PlaceTimes &P = E.Places[M.Place];
        P.Durations = Spread::of(P.Durations.Sum + M.Duration.Sum, Rank);
        P.Gaps = Spread::of(P.Gaps.Sum + M.sum(Metric::Gap), Rank);
      }
    }
  const auto All = Sums.take();
  for (size_t N = 0; N < All.size(); ++N)
    G.Nodes[N].Times = {Spread::of(All[N].InMpi, Rank), Spread::of(All[N].Outside, Rank)};
}

} // namespace pilgrim
