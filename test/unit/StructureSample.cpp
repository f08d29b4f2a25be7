#include "test/unit/StructureSample.h"

namespace pilgrim::test {

TraceData structuredRank(uint32_t Ranks, uint32_t R, int64_t Iterations) {
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
    G.table(TableId::Paths).push_back({{Own, std::move(Events), {}}});
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
      G.Nodes[I].Events[3].PassesToChange = Stream({0});
      G.Nodes[I].Events[3].UsualItems = Stream({2});
    }
  }
  measureCalls(G, 1024, 16);
  return T;
}

TraceData neighboursOfRank(uint32_t Ranks, uint32_t R, bool AreSame) {
  LeafBuilder B(Ranks, R, 0);
  std::map<int64_t, uint32_t> Number;
  Grammar Calls;
  IntStream Numbers;
  int64_t Steps = 0;
  for (uint32_t Epoch = 0; Epoch < 4; ++Epoch)
    for (uint32_t Step = 0; Step < 5; ++Step) {
      int64_t Here = 0;
      const uint32_t Links = AreSame ? 0 : Epoch;
      for (uint32_t K = 0; K < 5 && (AreSame || (R + Epoch) % 5); ++K) {
        if ((R * 7 + K * 3 + Links * 5) % 4 == 0)
          continue;
        ModelValue V{Tag::Word, {Links * 10 + K}, {}, {}, false};
        B.add({3, "", 0, std::vector<ModelValue>(4, V), {}});
        Calls.append(Number.try_emplace(V.Words[0], Number.size()).first->second);
        ++Here;
      }
      if (Here)
        Numbers.append(Here);
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
  G.table(TableId::Paths).assign(3, {{Own, {1}, {}}});
  G.Nodes.resize(4);
  G.Nodes[0].Events.clear();
  auto Times = [](int64_t N) { return GrammarData{{{{0, false, static_cast<uint64_t>(N)}}}}; };
  auto Only = [](int64_t N) {
    IntStream S;
    S.append(N);
    return S.data();
  };
  int64_t Visited = 0;
  IntStreamData All = Numbers.data();
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
  measureCalls(G, 1024, 16);
  return T;
}

std::vector<uint32_t> stepOfRank(uint32_t Ranks, uint32_t R, uint32_t Step) {
  std::vector<uint32_t> Path{1};
  if (Step % 3 == 0)
    Path.insert(Path.end(), {2, 3});
  if (Step % Ranks == R)
    Path.insert(Path.end(), {4, 5});
  if (R + 1 < Ranks || Step != 5)
    Path.push_back(6);
  return Path;
}

TraceData pathsOfRank(uint32_t Ranks, uint32_t R, uint32_t Steps, const StepFn &StepOf) {
  constexpr uint32_t Many = 64;
  LeafBuilder B(Ranks, R, 0);
  struct Node {
    std::map<uint32_t, std::pair<uint32_t, uint64_t>> Calls; ///< by event: signature, and how many
    std::map<std::vector<uint32_t>, uint32_t> Known;
    std::vector<std::vector<uint32_t>> Paths;
    Grammar Order;
  };
  Node Nodes[2];
  uint32_t Signatures = 0;
  auto Visit = [&](uint32_t N, std::vector<uint32_t> Path, const std::vector<uint32_t> &Calls) {
    Node &X = Nodes[N];
    for (uint32_t Event : Calls) {
      auto [It, New] = X.Calls.try_emplace(Event, Signatures, 0);
      Signatures += New;
      ++It->second.second;
      ModelValue V{Tag::Word, {N * 100 + Event}, {}, {}, false};
      B.add({3, "", 0, std::vector<ModelValue>(4, V), {}});
    }
    auto [It, New] = X.Known.try_emplace(Path, X.Paths.size());
    if (New)
      X.Paths.push_back(std::move(Path));
    X.Order.append(It->second);
  };
  for (uint32_t S = 0; S < Steps; ++S) {
    std::vector<uint32_t> Path = StepOf(S), Calls = Path;
    std::erase(Calls, 4);
    Visit(0, Path, Calls);
  }
  std::vector<uint32_t> Long;
  for (uint32_t Event = 1; Event <= Many; ++Event)
    Long.push_back(Event);
  for (uint32_t S = 0; S < 3; ++S) {
    std::vector<uint32_t> Path = Long, Calls{1, Many};
    if (S == 1) {
      Path.pop_back();
      Calls.pop_back();
    }
    Visit(1, Path, Calls);
  }

  TraceData T = B.take(true);
  T.Regions.assign(3, {});
  for (uint32_t I = 0; I < 3; ++I) {
    T.Regions[I].Function = 0x123456789abcdef0;
    T.Regions[I].Name = "main";
    T.Regions[I].File = "main.c";
    T.Regions[I].Index = I;
  }
  T.Regions[0].Events = {{Region::Loop, 10, 0, 1, ""}, {Region::Loop, 20, 0, 2, ""}};
  T.Regions[1].Events = {{Region::Site, 11, 0, 0, "F3"}, {Region::Arm, 12, 0, 1, ""},
                         {Region::Site, 13, 2, 0, "F3"}, {Region::Arm, 14, 0, 1, ""},
                         {Region::Site, 15, 4, 0, "F3"}, {Region::Site, 16, 0, 0, "F3"}};
  for (uint32_t Event = 1; Event <= Many; ++Event)
    T.Regions[2].Events.push_back({Region::Site, 20 + Event, 0, 0, "F3"});

  Group &G = T.Groups[0];
  RankSet Own(R);
  auto Times = [](uint64_t N) { return GrammarData{{{{0, false, N}}}}; };
  auto Path = [&](std::vector<uint32_t> Events) {
    G.table(TableId::Paths).push_back({{Own, std::move(Events), {}}});
    return Item{false, static_cast<uint32_t>(G.table(TableId::Paths).size() - 1)};
  };
  auto Only = [&](int64_t N) {
    IntStream S;
    S.append(N);
    return RankedStreams{{Own, S.data()}};
  };
  G.Nodes.resize(4);
  G.Nodes[0].Events.clear();
  G.Nodes[0].Events[0].Items = {{Own, Times(1), {{true, 1}}}};
  for (uint32_t I = 1; I < 4; ++I) {
    NodeData &N = G.Nodes[I];
    N.Ranks = Own;
    N.Parent = I > 1;
    N.Event = I - 1;
    N.Region = I - 1;
    N.Visits = Only(I == 1 ? 1 : I == 2 ? Steps : 3);
  }
  G.Nodes[1].Paths = {{Own, Times(1), {Path({1, 2})}}};
  for (uint32_t I = 0; I < 2; ++I) {
    G.Nodes[1].Events[I + 1].Items = {{Own, Times(1), {{true, I + 2}}}};
    NodeData &N = G.Nodes[I + 2];
    N.Paths = {{Own, Nodes[I].Order.data(), {}}};
    for (const auto &Events : Nodes[I].Paths)
      N.Paths[0].Items.push_back(Path(Events));
    for (const auto &[Event, Calls] : Nodes[I].Calls)
      N.Events[Event].Items = {{Own, Times(Calls.second), {{false, Calls.first}}}};
  }
  measureCalls(G, 1024, 16);
  return T;
}

TraceData pathsOfRank(uint32_t Ranks, uint32_t R) {
  return pathsOfRank(Ranks, R, 12, [&](uint32_t Step) { return stepOfRank(Ranks, R, Step); });
}

} // namespace pilgrim::test
