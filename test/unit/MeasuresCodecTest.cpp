// trace/file/EncodeMeasures.h, EncodeMeasures.cpp, DecodeMeasures.cpp: measures of an event's calls, against the sums
// that each call had.
#include "test/unit/Tables.h"
#include "trace/file/EncodeMeasures.h"

#include <gtest/gtest.h>

#include <tuple>

using namespace pilgrim;
using namespace pilgrim::test;

static constexpr uint32_t World = 6;

/// Calls of events at the root, with measures of which some are shared.
static TraceData randomCalls(std::mt19937 &Random) {
  TraceData T;
  T.World = World;
  T.Ranks = RankSet::below(World);
  Group &G = T.Groups.emplace_back();
  G.Nodes[0].Ranks = T.Ranks;
  const uint32_t Site = addSite(G, "app", 16) + 1;
  for (uint32_t Id = 0; Id < 1 + Random() % 3; ++Id) {
    EventData &E = G.Nodes[0].Events[Id];
    const auto NumMeasures = static_cast<uint32_t>(1 + Random() % 4);
    std::vector<uint64_t> Calls(NumMeasures);
    for (const RankSet &Ranks : {RankSet::below(2), RankSet::between(2, World - 1)}) {
      RankedItems &X = E.Items.emplace_back();
      X.Ranks = Ranks;
      for (uint32_t I = 0; I < 1 + Random() % 4; ++I) {
        const uint64_t Times = 1 + Random() % 9;
        X.Order.Rules[0].push_back({I, false, Times});
        Entry Of;
        // Variants of the same function, site and depth have the same measure.
        std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> Known;
        const bool IsOne = Random() % 2;
        for (const RankSet &Own :
             IsOne ? std::vector{Ranks} : std::vector{RankSet(Ranks.first()), Ranks.without(RankSet(Ranks.first()))}) {
          Variant V = call(Own, Random() % 2, {}, Random() % 2 * Site, Random() % 2);
          V.Measure = Known.try_emplace({V.Tokens[0], V.Tokens[1], V.Tokens[2]}, Random() % NumMeasures).first->second;
          Calls[V.Measure] += Times * Own.size();
          Of.push_back(V);
        }
        X.Items.push_back({false, add(G, TableId::Signatures, Of)});
      }
    }
    for (uint64_t N : Calls)
      E.Measures.push_back({N, {N ? Random() % (N * 1000) : 0, N ? uint64_t(Random()) << 20 : 0}});
  }
  return T;
}

static std::vector<uint8_t> encode(const TraceData &T, bool Exact) {
  const Group &G = T.Groups[0];
  TableEncoder Tables;
  Tables.enter(G);
  MeasureEncoder M(Tables, Exact);
  for (const auto &[Id, E] : G.Nodes[0].Events) {
    M.begin(E.Measures);
    for (const RankedItems &X : E.Items)
      for (const Item &I : X.Items)
        M.item({&G.table(TableId::Signatures)[I.Index]});
  }
  return M.bytes();
}

static bool decode(TraceData &T, const std::vector<uint8_t> &Bytes) {
  std::vector<EventPlace> Places;
  for (auto &[Id, E] : T.Groups[0].Nodes[0].Events) {
    Places.push_back({0, 0, Id});
    E.Measures.clear();
  }
  for (Entry &E : T.Groups[0].table(TableId::Signatures))
    for (Variant &V : E)
      V.Measure = NoMeasure;
  ByteReader R(Bytes);
  return decodeMeasures(R, T, Places);
}

TEST(MeasuresCodec, SumsOrMeansComeBack) {
  for (unsigned Seed = 0; Seed < 400; ++Seed) {
    std::mt19937 Random(Seed);
    const TraceData T = randomCalls(Random);
    for (bool Exact : {true, false}) {
      TraceData Read = T;
      ASSERT_TRUE(decode(Read, encode(T, Exact))) << Seed;
      for (const auto &[Id, E] : T.Groups[0].Nodes[0].Events) {
        const EventData &Own = Read.Groups[0].Nodes[0].Events.at(Id);
        std::map<uint32_t, uint32_t> Same; // measures, as they were and as they are
        for (const RankedItems &X : E.Items)
          for (const Item &I : X.Items)
            for (size_t V = 0; V < T.Groups[0].table(TableId::Signatures)[I.Index].size(); ++V) {
              const uint32_t Was = T.Groups[0].table(TableId::Signatures)[I.Index][V].Measure,
                             Is = Read.Groups[0].table(TableId::Signatures)[I.Index][V].Measure;
              ASSERT_LT(Is, Own.Measures.size());
              EXPECT_EQ(Same.try_emplace(Was, Is).first->second, Is) << Seed;
              EXPECT_EQ(Own.Measures[Is].Calls, E.Measures[Was].Calls);
              for (size_t M = 0; M < NumMetrics; ++M) {
                const uint64_t A = E.Measures[Was].Sums[M], B = Own.Measures[Is].Sums[M];
                // To half a unit for each call.
                EXPECT_LE(std::max(A, B) - std::min(A, B), Exact ? 0 : E.Measures[Was].Calls / 2) << Seed;
              }
            }
        std::set<uint32_t> Used;
        for (auto [Was, Is] : Same)
          Used.insert(Is);
        EXPECT_EQ(Used.size(), Own.Measures.size()) << "each is somebody's";
        EXPECT_EQ(Used.size(), Same.size());
      }
      // What was read is written again as it was.
      EXPECT_EQ(encode(Read, Exact), encode(T, Exact)) << Seed;
    }
  }
}

/// One event, with a call for each of these measures.
static TraceData callsWith(const std::vector<uint32_t> &Measures, const std::vector<Measure> &Of) {
  TraceData T;
  T.World = 1;
  T.Ranks = RankSet(0);
  Group &G = T.Groups.emplace_back();
  EventData &E = G.Nodes[0].Events[0];
  E.Measures = Of;
  RankedItems &X = E.Items.emplace_back();
  X.Ranks = T.Ranks;
  for (uint32_t I = 0; I < Measures.size(); ++I) {
    Variant V = call(T.Ranks, 1, {});
    V.Measure = Measures[I];
    X.Order.Rules[0].push_back({I, false, 3});
    X.Items.push_back({false, add(G, TableId::Signatures, {V})});
  }
  return T;
}

TEST(MeasuresCodec, BytesOfSharedMeasures) {
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(encode(callsWith({0}, {{3, {30, 5}}}), true), (Bytes{1, 30, 5}));
  EXPECT_EQ(encode(callsWith({0}, {{3, {30, 5}}}), false), (Bytes{0, 10, 2})) << "means, rounded";
  EXPECT_EQ(encode(callsWith({0}, {{4, {10, 9}}}), false), (Bytes{0, 3, 2})) << "a half is one";
  EXPECT_EQ(encode(callsWith({1, 0}, {{3, {30, 5}}, {3, {7, 8}}}), true), (Bytes{1, 7, 8, 30, 5})) << "in order of use";
  // One that was there: after so many new ones since the last such one, so many behind the one meant.
  EXPECT_EQ(encode(callsWith({0, 1, 0, 1, 2, 2}, {{6, {1, 2}}, {6, {3, 4}}, {6, {5, 6}}}), true),
            (Bytes{3 << 1 | 1, 2, 1, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6}));
}

TEST(MeasuresCodec, ItemsThatAreWrittenAsOneAddTheirSums) {
  const TraceData T = callsWith({0, 1}, {{3, {30, 5}}, {3, {7, 8}}});
  TableEncoder Tables;
  MeasureEncoder M(Tables, true);
  M.begin(T.Groups[0].Nodes[0].Events.at(0).Measures);
  const Table &S = T.Groups[0].table(TableId::Signatures);
  M.item({&S[0], &S[1]});
  EXPECT_EQ(M.bytes(), (std::vector<uint8_t>{1, 37, 13}));
}

TEST(MeasuresCodec, DamageIsRefused) {
  auto Reads = [](const std::vector<uint8_t> &Bytes) {
    TraceData T = callsWith({0, 0}, {});
    return decode(T, Bytes);
  };
  EXPECT_TRUE(Reads({1, 5, 6, 7, 8}));
  EXPECT_TRUE(Reads({1 << 1 | 1, 1, 0, 5, 6}));
  EXPECT_FALSE(Reads({1 << 1 | 1, 1, 1, 5, 6})) << "before the first";
  EXPECT_FALSE(Reads({1 << 1 | 1, 0, 0, 5, 6})) << "there is none yet";
  EXPECT_FALSE(Reads({1 << 1 | 1, 2, 0, 5, 6, 7, 8})) << "one that nobody shares";
  EXPECT_FALSE(Reads({1, 5, 6, 7})) << "cut";
  EXPECT_FALSE(Reads({1, 5, 6, 7, 8, 9})) << "bytes are left over";
}
