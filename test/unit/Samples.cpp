#include "test/unit/Samples.h"
#include "trace/model/Turn.h"

namespace pilgrim::test {

ModelValue value(Tag T, std::vector<int64_t> Words, std::string Text, std::vector<ModelObject> Objects) {
  return {T, std::move(Words), std::move(Text), std::move(Objects), false};
}

ModelValue streamed(ModelValue V) {
  V.Streamed = true;
  return V;
}

TraceData join(std::vector<TraceData> Parts) {
  for (TraceData &T : Parts)
    deriveCandidates(T);
  for (size_t I = 1; I < Parts.size(); ++I)
    merge(Parts[0], std::move(Parts[I]));
  chooseCandidates(Parts[0]);
  return std::move(Parts[0]);
}

TraceData tiny() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 3; ++R) {
    LeafBuilder B(3, R, 0);
    ModelObject World{Kind::Comm, "MPI_COMM_WORLD", {0, R, 3, 0, -1}};
    for (int I = 0; I < 4; ++I)
      B.add({2,
             "app",
             0x40,
             {value(Tag::Word, {0}), value(Tag::Word, {(R + 1) % 3}), value(Tag::Object, {}, "", {World})},
             {}});
    Parts.push_back(B.take(true));
  }
  TraceData T = join(std::move(Parts));
  T.Functions[2].Name = "MPI_Send";
  const char *Names[] = {"return", "dest", "comm"};
  Kind Kinds[] = {Kind::Error, Kind::Rank, Kind::Comm};
  for (int I = 0; I < 3; ++I) {
    T.Functions[2].Slots[I] = {};
    T.Functions[2].Slots[I].Name = Names[I];
    T.Functions[2].Slots[I].K = Kinds[I];
  }
  T.Functions[2].Slots[0].Names = "error";
  T.Meta = {{"program", "ring"}};
  return T;
}

TraceData tags() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 4; ++R) {
    LeafBuilder B(4, R, 0);
    int64_t Rank = R;
    ModelObject World{Kind::Comm, "MPI_COMM_WORLD", {0, Rank, 4, 0, -1}},
        Row{Kind::Comm, "", {1, Rank % 2, 2, Rank / 2 * 2, 2}}, Int{Kind::Datatype, "MPI_INT", {0, 4}},
        Win{Kind::Win, "", {0, Rank, 4}}, File{Kind::File, "", {3, Rank, 4}};
    for (int64_t I = 0; I < 3; ++I) {
      B.add(
          {3,
           "app",
           16,
           {value(Tag::Word, {INT64_MIN}), value(Tag::Absent), value(Tag::Null), value(Tag::Name, {}, "MPI_IN_PLACE")},
           {}});
      B.add({7,
             "lib one.so",
             1 << 20,
             {value(Tag::Word, {INT64_MAX}), value(Tag::Array, {1, Rank, -Rank * 1000}),
              value(Tag::String, {}, std::string("a\0'b", 4)), value(Tag::Object, {}, "", {Row})},
             {{11,
               "",
               0,
               {value(Tag::Word, {0}), value(Tag::Objects, {}, "", {World, Int, Win, File}), value(Tag::Objects),
                value(Tag::Heap, {Rank, 64})},
               {{0, "", 0, {value(Tag::Raw, {Rank * 77 % 5})}, {}}}},
              {3,
               "app",
               17,
               {value(Tag::Word, {R == 2 ? -1 : Rank + 1}), value(Tag::Stack, {-8}), value(Tag::Data, {16}, "app"),
                value(Tag::Map, {1, 4096})},
               {}}}});
      B.add({11,
             "app",
             18,
             {value(Tag::Word, {0}), value(Tag::Status, {Rank, 5, 8, 0}),
              value(Tag::Statuses, {1, 2, 3, 4, NoStatus, 0, 0, 1}), value(Tag::Object, {}, "", {R % 2 ? Win : File})},
             {}});
      B.add({15,
             "app",
             19,
             {value(Tag::Word, {0}), streamed(value(Tag::Word, {I * 8 + Rank})),
              streamed(value(Tag::Heap, {I % 2, I * I * I})),
              streamed(value(Tag::Array, std::vector<int64_t>(static_cast<size_t>(I), I)))},
             {}});
      B.add({19,
             "",
             0,
             {streamed(value(Tag::Raw, {I ? INT64_MAX : INT64_MIN})), streamed(value(Tag::Data, {I}, "app")),
              streamed(value(Tag::Status, {I, 1, 2, 3})), streamed(value(Tag::Statuses, {I, 1, 2, 3, 4, 5, 6, I}))},
             {}});
      const ModelObject Type{Kind::Datatype, "", {Rank % 2, SizeInStream}};
      B.add({23,
             "app",
             20,
             {value(Tag::Word, {0}), value(Tag::Word, {I}), streamed(value(Tag::Object, {I * 100 + Rank}, "", {Type})),
              value(Tag::Object, {}, "", {Int})},
             {}});
      B.add({23,
             "app",
             24,
             {value(Tag::Word, {0}), streamed(value(Tag::Objects, {I * 7 + Rank, 4, I * I}, "", {Type, Int, Type})),
              streamed(value(Tag::Objects)), value(Tag::Null)},
             {}});
    }
    Parts.push_back(B.take(true));
  }
  return join(std::move(Parts));
}

TraceData ranks() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 60; ++R) {
    LeafBuilder B(60, R, 0);
    int64_t Rank = R;
    ModelObject Row{Kind::Comm, "", {1, Rank % 7, R < 56 ? 7 : 4, Rank / 7 * 7, -1}};
    int64_t Size = Row.Words[2];
    for (int I = 0; I < 3; ++I) {
      B.add({3,
             "",
             0,
             {value(Tag::Word, {Rank == 59 ? -1 : Rank + 1}), value(Tag::Word, {(Rank + 59) % 60}),
              value(Tag::Word, {Rank * Rank % 23}), value(Tag::Word, {Rank / 30})},
             {}});
      B.add({7,
             "",
             0,
             {value(Tag::Word, {0}), value(Tag::Object, {}, "", {Row}), value(Tag::Word, {(Rank % 7 + 1) % Size}),
              value(Tag::String, {}, "host" + std::to_string(R / 16))},
             {}});
    }
    for (unsigned I = 0; I < 3 + R % 2; ++I) // two groups
      B.add({0, "", 0, {value(Tag::Word, {1})}, {}});
    Parts.push_back(B.take());
  }
  return join(std::move(Parts));
}

TraceData mixed() { return join(rankTraces(randomRun(33, 9))); }

TraceData nodes() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 7; ++R)
    Parts.push_back(structuredRank(7, R));
  return join(std::move(Parts));
}

TraceData vectors(int64_t Shift) {
  std::vector<TraceData> Parts;
  auto Count = [](int64_t From, int64_t To, int64_t I) { return (From * 7 + To * 5 + I * I) % 11; };
  for (uint32_t R = 0; R < 5; ++R) {
    LeafBuilder B(5, R, 0);
    for (int64_t I = 0; I < 4; ++I) {
      std::vector<int64_t> Send, Receive, SendAt{0}, ReceiveAt{100};
      for (int64_t To = 0; To < 5; ++To) {
        Send.push_back(Count(R, To, I));
        Receive.push_back(Count(To, R, I));
        SendAt.push_back(SendAt.back() + Send.back());
        ReceiveAt.push_back(ReceiveAt.back() - 8 * Receive.back());
      }
      SendAt.pop_back();
      ReceiveAt.pop_back();
      if (R == 2)
        SendAt[3] += Shift;
      B.add({3,
             "",
             0,
             {value(Tag::Array, Send), value(Tag::Array, SendAt), value(Tag::Array, Receive),
              value(Tag::Array, ReceiveAt)},
             {}});
      B.add({3,
             "",
             0,
             {value(Tag::Array, {3, 1, 4, 1, 5}), value(Tag::Word, {R}), value(Tag::Array, {0, 6, 8, 16, 18}),
              value(Tag::Array, {0, 0, 0})},
             {}});
    }
    Parts.push_back(B.take());
  }
  return join(std::move(Parts));
}

TraceData vectors() { return vectors(0); }

TraceData border() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 9; ++R) {
    LeafBuilder B(9, R, 0);
    auto Call = [&](uint32_t Function, int64_t Site, int64_t Neighbour) {
      B.add({Function, "app", Site, {value(Tag::Word, {0}), value(Tag::Word, {Neighbour})}, {}});
    };
    for (int I = 0; I < 5; ++I) {
      if (R == 8)
        B.add({0, "app", 0x10, {streamed(value(Tag::Word, {I * I}))}, {}});
      if (R > 0)
        Call(1, 0x20, R - 1);
      if (R < 8)
        Call(5, 0x30, R + 1);
      if (R % 2)
        B.add({4, "app", 0x40, {streamed(value(Tag::Word, {I * I * I}))}, {}});
    }
    Parts.push_back(B.take(true));
  }
  return join(std::move(Parts));
}

TraceData torus() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 24; ++R) {
    LeafBuilder B(24, R, 0);
    ModelObject World{Kind::Comm, "MPI_COMM_WORLD", {0, R, 24, 0, -1}};
    int64_t Beside = (R / 6 + 1) % 4 * 6 + (R + 1) % 6;
    for (int64_t Size : {10, 22, 800})
      B.add({3,
             "",
             0,
             {value(Tag::Word, {0}), value(Tag::Object, {}, "", {World}), value(Tag::Word, {Beside}),
              value(Tag::Array, {Size * (R % 5 + 2), Size, 8 * Size * (R % 5 + 2)})},
             {}});
    Parts.push_back(B.take());
  }
  return join(std::move(Parts));
}

TraceData offsets() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 14; ++R) {
    LeafBuilder B(14, R, 0);
    int64_t Rank = R, Row = Rank / 4, Column = Rank % 4;
    for (int64_t I = 0; I < 60; ++I) {
      int64_t Changing = I < 5 + Row ? 8 * I : 1000;
      B.add({3,
             "",
             0,
             {value(Tag::Word, {Row * 1000 + Column * 10}), streamed(value(Tag::Word, {Row * 4096 + Column * 64 + I})),
              streamed(value(Tag::Word, {R == 12 ? I * I : Changing})),
              streamed(value(Tag::Word, {7 - Rank * Rank % 5 * I}))},
             {}});
      B.add({7,
             "",
             0,
             {value(Tag::Word, {0}),
              streamed(value(Tag::Array, std::vector<int64_t>(static_cast<size_t>(Column), (Rank + 1) % 14))),
              streamed(value(Tag::Heap, {0, Rank * 65536 + I / 4 * 512 + I % 4 * 8})),
              value(Tag::Word, {Rank & (Rank - 1)})},
             {}});
    }
    Parts.push_back(B.take());
  }
  return join(std::move(Parts));
}

TraceData switched() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 3; ++R) {
    LeafBuilder B(3, R, 0);
    auto Missing = [](int64_t N) {
      return ModelCall{UntracedId, "", 0, {value(Tag::Absent), value(Tag::Word, {N})}, {}};
    };
    ModelCall More = Missing(0), Call{4, "app", 0x10, {value(Tag::Word, {0})}, {}};
    for (int64_t I = 0; I < 5 && R < 2; ++I) {
      B.add(Call);
      B.add(Missing(R + 7));
      More.Slots[1] = streamed(value(Tag::Word, {I * I + 1}));
      B.add(Call);
      B.add(More);
    }
    if (R < 2)
      B.add({4, "app", 0x20, {value(Tag::Word, {0})}, {Call, Missing(3)}});
    else
      B.add(Missing(1000));
    Parts.push_back(B.take(true));
  }
  return join(std::move(Parts));
}

TraceData freed() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 4; ++R) {
    LeafBuilder B(4, R, 0);
    auto Freed = [](int64_t Segment) {
      return ModelCall{FreedId, "", 0, {value(Tag::Absent), value(Tag::Heap, {Segment, 0})}, {}};
    };
    auto Call = [&](int64_t Segment) {
      return ModelCall{2, "app", 0x10, {value(Tag::Word, {0}), value(Tag::Heap, {Segment, 8})}, {}};
    };
    for (int64_t I = 0; I < 6; ++I) {
      B.add(Call(0));
      B.add(Freed(0));
    }
    ModelCall Turns = Freed(0);
    for (int64_t I = 0; I < 6; ++I) {
      B.add(Call(I % 3));
      Turns.Slots[1] = streamed(value(Tag::Heap, {I % 3, 0}));
      B.add(Turns);
    }
    B.add(Freed(R + 4));
    B.add({4, "app", 0x20, {value(Tag::Word, {0})}, {Freed(1), Call(2), Freed(2)}});
    Parts.push_back(B.take(true));
  }
  return join(std::move(Parts));
}

TraceData callers() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 5; ++R) {
    LeafBuilder B(5, R, 0);
    auto Call = [&](int64_t Site, std::vector<int64_t> Callers, bool Streams = false) {
      ModelValue V = value(Tag::Word, {R});
      B.add({1, "app", Site, {value(Tag::Word, {0}), Streams ? streamed(V) : V}, {}, std::move(Callers)});
    };
    for (int64_t I = 0; I < 4; ++I) {
      Call(0x10, {0x20});
      Call(0x10, {0x30});
      Call(0x10, {});
      Call(0x10, {0x30}, true);
      Call(0x20, {0x10});
      Call(0x40, std::vector<int64_t>(static_cast<size_t>(I), 0x50));
      if (R % 2)
        Call(0x10, {0x20, 0x20});
    }
    Parts.push_back(B.take(true));
  }
  return join(std::move(Parts));
}

TraceData turns() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 6; ++R) {
    const uint32_t Threads = R < 4 ? 3 : R == 4 ? 1 : 2;
    std::vector<TraceData> OfThreads;
    for (uint32_t T = 0; T < Threads; ++T) {
      LeafBuilder B(6, R, T);
      ModelCall Call{1, "app", 0x10, {value(Tag::Word, {0}), value(Tag::Word, {T})}, {}};
      ModelCall Around{5, "app", 0x20, {value(Tag::Word, {0}), value(Tag::Word, {T})}, {Call}};
      for (int I = 0; I < 12; ++I)
        B.add(T == 2 && I % 2 ? Around : Call);
      OfThreads.push_back(B.take(true));
    }
    TraceData All = std::move(OfThreads[0]);
    for (uint32_t T = 1; T < Threads; ++T) {
      All.Functions.merge(OfThreads[T].Functions);
      All.Groups.push_back(std::move(OfThreads[T].Groups[0]));
    }
    IntStream Turns, Lengths;
    for (int64_t I = 0; I < 9; ++I) {
      Turns.append(I % 3);
      Lengths.append(TurnLength{static_cast<uint64_t>(I % 3 + 1), I % 3 == 0}.word());
    }
    if (R == 1) {
      Turns.append(1);
      Lengths.append(TurnLength{5, true}.word());
    }
    if (R < 4) {
      All.TurnThreads.push_back({RankSet(R), Turns.data()});
      All.TurnLengths.push_back({RankSet(R), Lengths.data()});
    }
    Parts.push_back(std::move(All));
  }
  return join(std::move(Parts));
}

TraceData unequal() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 9; ++R) {
    LeafBuilder B(9, R, 0);
    for (int64_t I = 0; I < 4 + R % 3; ++I) {
      for (int64_t J = 0; J < 10 + 3 * R; ++J) {
        B.add({3,
               "app",
               1,
               {value(Tag::Word, {0}), value(Tag::Word, {R + 1}), value(Tag::Absent), value(Tag::Null)},
               {}});
        B.add({0, "app", 2, {value(Tag::Word, {R == 4})}, {}});
      }
      B.add({0, "app", 3, {value(Tag::Word, {7})}, {}});
    }
    Parts.push_back(B.take(true));
  }
  return join(std::move(Parts));
}

TraceData measured(uint32_t World) {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 4; ++R) {
    TraceData OfThreads[2];
    for (uint32_t T = 0; T < 2; ++T) {
      LeafBuilder B(World, R, T);
      for (int64_t I = 0; I < 20; ++I)
        for (int64_t K = 0; K < 3; ++K) {
          const uint32_t Function = T && R % 2 ? 5 : 1;
          const int64_t Word = T ? 1 : R % 2 ? 10 * K : K / 2;
          B.add({Function, "app", 16, {value(Tag::Word, {0}), value(Tag::Word, {Word})}, {}});
        }
      OfThreads[T] = B.take();
      measureCalls(OfThreads[T].Groups[0], 1000 * (R + 1 + T), 20 * (R + 1));
      sumUpTimes(OfThreads[T], OfThreads[T].Groups[0], R);
    }
    OfThreads[0].Functions.merge(OfThreads[1].Functions);
    OfThreads[0].Groups.push_back(std::move(OfThreads[1].Groups[0]));
    Parts.push_back(std::move(OfThreads[0]));
  }
  return join(std::move(Parts));
}

TraceData gaps() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 5; ++R) {
    Parts.push_back(structuredRank(5, R));
    Group &G = Parts.back().Groups[0];
    GapPath Before;
    for (uint32_t N = 0; N < G.Nodes.size(); ++N)
      for (auto &[Id, E] : G.Nodes[N].Events)
        for (uint32_t I = 0; I < E.Measures.size(); ++I) {
          Measure &M = E.Measures[I];
          const uint64_t Calls = M.calls();
          M.Duration = alike(Calls, Calls * (1000 * (R + 1) + I), R);
          M.Gaps.clear();
          M.addGap(Before, alike(1, 77 * (R + 2), R));
          if (Calls > 2)
            M.addGap({GapPath::Others, 0, 0}, alike(1, 5, R));
          if (Calls > 1)
            M.addGap({GapPath::Call, 0, uint32_t(E.Measures.size()) - 1 - I},
                     alike(Calls - (Calls > 2 ? 2 : 1), 5000, R));
          Before = {GapPath::Event, N, Id};
        }
    sumUpTimes(Parts.back(), G, R);
  }
  return join(std::move(Parts));
}

TraceData histograms(bool IsByPath) {
  TraceData T = gaps();
  for (NodeData &N : T.Groups[0].Nodes)
    for (auto &[Id, E] : N.Events)
      for (Measure &M : E.Measures) {
        auto Fill = [&](TimeHistogram &H, uint64_t Count, uint32_t First) {
          H.Error = 100000;
          for (uint32_t I = 0; Count; ++I, Count -= (Count + 2) / 3)
            H.count(First + I * I, (Count + 2) / 3);
        };
        Fill(M.Duration.Bins, M.calls(), 20);
        if (!IsByPath)
          Fill(M.GapBins, M.calls(), 3);
        for (PathGap &P : M.Gaps)
          if (IsByPath)
            Fill(P.Gap.Bins, P.Gap.Count, 0);
      }
  return T;
}

TraceData histogram() { return histograms(false); }
TraceData histogramByPath() { return histograms(true); }
TraceData means() { return measured(4); }
TraceData sums() { return measured(5); }

TraceData visits() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 12; ++R)
    Parts.push_back(structuredRank(12, R, 4 + 2 * R));
  return join(std::move(Parts));
}

TraceData neighbours() {
  return joinRanks(12, [](uint32_t Ranks, uint32_t R) { return neighboursOfRank(Ranks, R); });
}

TraceData rounds() {
  return joinRanks(8, [](uint32_t Ranks, uint32_t R) { return neighboursOfRank(Ranks, R, true); });
}

TraceData paths() {
  return joinRanks(5, [](uint32_t Ranks, uint32_t R) { return pathsOfRank(Ranks, R); });
}

TraceData large() {
  TraceData T = tiny();
  T.Meta["note"] = std::string(size_t(1) << 20, '.');
  return T;
}

TraceData chunks() { return sealed(join(rankTraces(randomRun(36, 5))), 3); }
TraceData visited() { return sealed(visits(), 4); }

static const Sample AllSamples[] = {{"tiny", tiny, 0},           {"tags", tags, 0},
                                    {"ranks", ranks, 19},        {"mixed", mixed, 19},
                                    {"nodes", nodes, 0},         {"vectors", vectors, 0},
                                    {"border", border, 0},       {"torus", torus, 0},
                                    {"offsets", offsets, 0},     {"switched", switched, 0},
                                    {"freed", freed, 0},         {"turns", turns, 0},
                                    {"unequal", unequal, 0},     {"visits", visits, 0},
                                    {"callers", callers, 0},     {"neighbours", neighbours, 0},
                                    {"rounds", rounds, 0},       {"paths", paths, 0},
                                    {"large", large, 19},        {"means", means, 0},
                                    {"histogram", histogram, 0}, {"histogram-by-path", histogramByPath, 19},
                                    {"gaps", gaps, 0},           {"sums", sums, 0},
                                    {"chunks", chunks, 0},       {"visited", visited, 19}};
constinit const std::span<const Sample> Samples(AllSamples);

} // namespace pilgrim::test
