//===- StructureSample.h - a trace with structure, by hand ------*- C++ -*-===//
#ifndef PILGRIM_TEST_UNIT_STRUCTURESAMPLE_H
#define PILGRIM_TEST_UNIT_STRUCTURESAMPLE_H

#include "test/unit/RandomTrace.h"

namespace pilgrim::test {

/// Rank R of some: a body with a call, a loop, the loop again in another place, and a call. The loop is run 3 or 5
/// times (unless it is said how often); it has a call, and a branch to another, which the last rank makes twice.
inline TraceData structuredRank(uint32_t Ranks, uint32_t R, int64_t Iterations = 0) {
  LeafBuilder B(Ranks, R, 0);
  auto Call = [&](uint32_t Function, int64_t Value, std::string Module, int64_t Site) {
    ModelValue V{Tag::Word, {Value}, {}, {}, false};
    B.add({Function, std::move(Module), Site, std::vector<ModelValue>(Function % 4 + 1, V), {}});
  };
  if (!Iterations)
    Iterations = R % 3 ? 3 : 5;
  int64_t Twice = R + 1 == Ranks ? 2 : 1;
  Call(0, 0, "", 0);
  for (int Loop = 0; Loop < 2; ++Loop)
    for (int64_t I = 0; I < Iterations; ++I) {
      Call(3, R + 1, "", 0);
      for (int64_t K = 0; I % 2 && K < Twice; ++K)
        Call(7, Loop, "app", 16);
    }
  Call(0, 1, "", 0);
  TraceData T = B.take(true);

  Region Body, Inner;
  Body.Function = Inner.Function = 0x123456789abcdef0;
  Body.Name = Inner.Name = "main";
  Body.File = Inner.File = "main.c";
  Body.Line = 10;
  Inner.Index = 1;
  Inner.Line = 13;
  // Kind, line, arm, number, name.
  Body.Events = {{Region::Site, 11, 0, 0, "F0"},
                 {Region::Loop, 13, 0, 1, ""},
                 {Region::Call, 20, 0, 0, "nothing"},
                 {Region::Loop, 13, 0, 1, ""},
                 {Region::Site, 22, 0, 0, "F0"}};
  Inner.Events = {{Region::Site, 14, 0, 0, "F3"}, {Region::Arm, 15, 0, 1, ""}, {Region::Call, 16, 2, 0, "other"}};
  T.Regions = {Body, Inner};

  Group &G = T.Groups[0];
  RankSet Own(R);
  auto Once = [&](const IntStream &S) { return RankedStreams{{Own, IntStream(S).data()}}; };
  auto Stream = [&](std::vector<int64_t> Values) {
    IntStream S;
    for (int64_t V : Values)
      S.append(V);
    return Once(S);
  };
  auto Order = [](uint64_t Count) {
    GrammarData D;
    D.Rules = {{{0, false, Count}}};
    return D;
  };
  auto Path = [&](std::vector<uint32_t> Events) {
    G.table(TableId::Paths).push_back({{Own, std::move(Events), {}, {}}});
    return Item{false, static_cast<uint32_t>(G.table(TableId::Paths).size() - 1)};
  };
  auto Put = [&](uint32_t Node, uint32_t Event, uint64_t Count, Item I) {
    G.Nodes[Node].Events[Event].Items.push_back({Own, Order(Count), {I}});
  };
  // Signatures are numbered by their first use: the loop's first call is the same in both places.
  uint32_t Last = static_cast<uint32_t>(G.table(TableId::Signatures).size() - 1);
  Entry Shared = G.table(TableId::Signatures)[1];
  G.table(TableId::Signatures).push_back(Shared);
  G.Nodes.resize(4);
  G.Nodes[0].Events.clear();
  for (uint32_t I = 1; I < 4; ++I) {
    NodeData &N = G.Nodes[I];
    N.Ranks = Own;
    N.Parent = I > 1;
    N.Event = I == 1 ? 0 : 2 * I - 2;
    N.Region = I > 1;
    N.Visits = Stream({I > 1 ? Iterations : 1});
  }
  Put(0, 0, 1, {true, 1});
  G.Nodes[1].Paths = {{Own, Order(1), {Path({1, 2, 3, 4, 5})}}};
  Put(1, 1, 1, {false, 0});
  Put(1, 2, 1, {true, 2});
  Put(1, 4, 1, {true, 3});
  Put(1, 5, 1, {false, Last});
  for (uint32_t I = 2; I < 4; ++I) {
    Grammar G2;
    for (int64_t V = 0; V < Iterations; ++V)
      G2.append(V % 2);
    G.Nodes[I].Paths = {{Own, G2.data(), {Path({1}), Path({1, 2, 3})}}};
    Put(I, 1, static_cast<uint64_t>(Iterations), {false, I == 2 ? 1 : Last + 1});
    Put(I, 3, static_cast<uint64_t>(Iterations / 2 * Twice), {false, I});
    if (Twice == 2) {
      G.Nodes[I].Events[3].Passes = Stream({0});
      G.Nodes[I].Events[3].Counts = Stream({2});
    }
  }
  return T;
}

/// Rank R of some: in each step a loop over what it has at the time of 5 neighbours, for which it makes a call each.
inline TraceData neighboursOfRank(uint32_t Ranks, uint32_t R) {
  LeafBuilder B(Ranks, R, 0);
  std::map<int64_t, uint32_t> Number;
  Grammar Calls;
  IntStream Links, One;
  int64_t Steps = 0;
  for (uint32_t Epoch = 0; Epoch < 4; ++Epoch)
    for (uint32_t Step = 0; Step < 5; ++Step) {
      int64_t Here = 0;
      for (uint32_t K = 0; K < 5 && (R + Epoch) % 5; ++K) {
        if ((R * 7 + K * 3 + Epoch * 5) % 4 == 0)
          continue;
        ModelValue V{Tag::Word, {Epoch * 10 + K}, {}, {}, false};
        B.add({3, "", 0, std::vector<ModelValue>(4, V), {}});
        Calls.append(Number.try_emplace(V.Words[0], Number.size()).first->second);
        ++Here;
      }
      if (Here)
        Links.append(Here);
      Steps += Here > 0;
    }
  TraceData T = B.take(true);
  T.Regions.assign(3, {});
  for (uint32_t I = 0; I < 3; ++I) {
    Region &X = T.Regions[I];
    X.Function = 0x123456789abcdef0;
    X.Name = "main";
    X.File = "main.c";
    X.Index = I;
    X.Events = {{I < 2 ? Region::Loop : Region::Site, 11 + I, 0, I < 2 ? I + 1 : 0, I < 2 ? "" : "F3"}};
  }
  Group &G = T.Groups[0];
  RankSet Own(R);
  G.table(TableId::Paths).assign(3, {{Own, {1}, {}, {}}});
  G.Nodes.resize(4);
  G.Nodes[0].Events.clear();
  auto Times = [](int64_t N) { return GrammarData{{{{0, false, static_cast<uint64_t>(N)}}}}; };
  auto Only = [](int64_t N) {
    IntStream S;
    S.append(N);
    return S.data();
  };
  int64_t Visited = 0;
  IntStreamData All = Links.data();
  IntStreamData::Cursor C(All);
  for (int64_t V; C.next(V);)
    Visited += V;
  const int64_t Visits[] = {1, 1, Steps, Visited};
  for (uint32_t I = 1; I < 4; ++I) {
    NodeData &N = G.Nodes[I];
    N.Ranks = Own;
    N.Parent = I - 1;
    N.Event = I > 1;
    N.Region = I - 1;
    N.Visits = {{Own, I < 3 ? Only(Visits[I]) : All}};
    N.Paths = {{Own, Times(Visits[I]), {{false, I - 1}}}};
    G.Nodes[I - 1].Events[I > 1].Items = {{Own, Times(Visits[I - 1]), {{true, I}}}};
  }
  std::vector<Item> Items;
  for (uint32_t I = 0; I < Number.size(); ++I)
    Items.push_back({false, I});
  G.Nodes[3].Events[1].Items = {{Own, Calls.data(), std::move(Items)}};
  return T;
}

} // namespace pilgrim::test

#endif
