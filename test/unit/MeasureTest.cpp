// What was measured of calls is exact however ranks are merged, and in a file.
#include "test/unit/Samples.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// By thread, function, site and depth.
using Sums = std::map<std::string, Measure>;

std::string placeOf(const Group &G, const Variant &V) {
  std::string S = std::to_string(G.Thread) + " " + std::to_string(V.Tokens[0]) + " " + std::to_string(V.Tokens[2]);
  for (uint32_t Site = V.Tokens[1]; Site; Site = G.table(TableId::Sites)[Site - 1][0].Tokens[1]) {
    const Variant &At = G.table(TableId::Sites)[Site - 1][0];
    S += " " + G.string(At.Tokens[0]) + "+" + std::to_string(At.Words[0].single().C);
  }
  return S;
}

/// Adds up all measures; on the way checks that each is of one place, and of as many calls as refer to it.
void addMeasures(const TraceData &T, Sums &To) {
  for (const Group &G : T.Groups)
    G.forEachEvent([&](const NodeData &, uint32_t, const EventData &E) {
      std::vector<std::string> Places(E.Measures.size());
      std::vector<uint64_t> Calls(E.Measures.size());
      for (const RankedItems &X : E.Items) {
        const auto Each = X.calls(T.World);
        for (size_t I = 0; I < X.Items.size(); ++I) {
          if (X.Items[I].IsNode)
            continue;
          std::map<std::string, uint32_t> OfItem;
          for (const Variant &V : G.table(TableId::Signatures)[X.Items[I].Index]) {
            ASSERT_LT(V.Measure, E.Measures.size());
            const std::string Place = placeOf(G, V);
            EXPECT_EQ(OfItem.try_emplace(Place, V.Measure).first->second, V.Measure);
            std::string &Known = Places[V.Measure];
            EXPECT_TRUE(Known.empty() || Known == Place) << Known << " and " << Place;
            Known = Place;
            Calls[V.Measure] += Each[I].sum(V.Ranks.common(X.Ranks));
          }
        }
      }
      for (size_t M = 0; M < E.Measures.size(); ++M) {
        EXPECT_EQ(E.Measures[M].Calls, Calls[M]);
        To[Places[M]].add(E.Measures[M]);
      }
    });
}

Sums sumsOf(const TraceData &T) {
  Sums S;
  addMeasures(T, S);
  return S;
}

void expectEqual(const Sums &A, const Sums &B, const std::string &What) {
  ASSERT_EQ(A.size(), B.size()) << What;
  for (auto X = A.begin(), Y = B.begin(); X != A.end(); ++X, ++Y) {
    EXPECT_EQ(X->first, Y->first) << What;
    EXPECT_EQ(X->second.Calls, Y->second.Calls) << What << ": " << X->first;
    for (size_t M = 0; M < NumMetrics; ++M)
      EXPECT_EQ(X->second.Sums[M], Y->second.Sums[M]) << What << ": " << Metrics[M].Name << " of " << X->first;
  }
}

/// As ranks' traces are, each call with times of its own.
void measureAtRandom(TraceData &T, std::mt19937_64 &Random) {
  for (Group &G : T.Groups) {
    measureCalls(G, 0, 0);
    for (NodeData &N : G.Nodes)
      for (auto &[Id, E] : N.Events)
        for (Measure &M : E.Measures)
          for (uint64_t &Sum : M.Sums)
            Sum = Random() % (M.Calls * (uint64_t(1) << Random() % 40));
  }
}

TraceData throughBytes(const TraceData &T, int Level) {
  auto Read = readTrace(writeTrace(T, {.Level = Level}));
  EXPECT_TRUE(Read) << Read.error().What;
  return Read ? std::move(*Read) : TraceData();
}

/// In any order; some travel as bytes, or come from shards.
TraceData mergeAtRandom(std::vector<TraceData> Parts, std::mt19937_64 &Random) {
  for (TraceData &T : Parts) {
    if (Random() % 4 == 0) {
      chooseCandidates(T);
      T = throughBytes(T, 1);
    }
    deriveCandidates(T);
  }
  while (Parts.size() > 1) {
    std::swap(Parts[Random() % Parts.size()], Parts.back());
    TraceData From = std::move(Parts.back());
    Parts.pop_back();
    merge(Parts[Random() % Parts.size()], Random() % 2 ? throughBytes(From, 0) : std::move(From));
  }
  return std::move(Parts[0]);
}

void expectSums(std::vector<TraceData> Parts, std::mt19937_64 &Random, const std::string &What) {
  Sums Raw;
  for (TraceData &T : Parts) {
    measureAtRandom(T, Random);
    addMeasures(T, Raw);
  }
  for (int I = 0; I < 2; ++I) {
    TraceData All = mergeAtRandom(Parts, Random);
    expectEqual(sumsOf(All), Raw, What);
    // A file of all ranks has means, to half a nanosecond for each call.
    chooseCandidates(All);
    TraceData Read = throughBytes(All, 1);
    const Sums Rounded = sumsOf(Read);
    ASSERT_EQ(Rounded.size(), Raw.size());
    for (const auto &[Place, M] : Raw)
      for (size_t K = 0; K < NumMetrics; ++K) {
        const uint64_t Is = Rounded.at(Place).Sums[K], Was = M.Sums[K];
        EXPECT_LE(std::max(Is, Was) - std::min(Is, Was), (M.Calls + 1) / 2) << What << ": " << Place;
      }
    EXPECT_EQ(writeTrace(throughBytes(Read, 1)), writeTrace(Read)) << What;
  }
}

} // namespace

TEST(Measure, SumsOfRandomProgramsStayWhatTheyWere) {
  for (unsigned Seed = 0; Seed < 120 && !HasFailure(); ++Seed) {
    std::mt19937_64 Random(Seed);
    expectSums(rankTraces(randomRun(Seed, 2 + Seed % 12)), Random, "seed " + std::to_string(Seed));
  }
}

TEST(Measure, SumsOfProgramsWithStructureStayWhatTheyWere) {
  for (unsigned Seed = 0; Seed < 8 && !HasFailure(); ++Seed) {
    std::mt19937_64 Random(Seed);
    std::vector<TraceData> Structured, Neighbours, Paths;
    for (uint32_t R = 0; R < 7; ++R) {
      Structured.push_back(structuredRank(7, R));
      Neighbours.push_back(neighboursOfRank(7, R));
      Paths.push_back(pathsOfRank(7, R));
    }
    expectSums(std::move(Structured), Random, "structured");
    expectSums(std::move(Neighbours), Random, "neighbours");
    expectSums(std::move(Paths), Random, "paths");
  }
}

/// One rank that makes these calls of function 1 at one site, each with one word.
static TraceData rankWith(uint32_t World, uint32_t Rank, const std::vector<int64_t> &Words, uint32_t Function = 1) {
  LeafBuilder B(World, Rank, 0);
  for (int64_t W : Words)
    B.add({Function, "app", 16, {value(Tag::Word, {0}), value(Tag::Word, {W})}, {}});
  return B.take();
}

static const EventData &onlyEvent(const TraceData &T) { return T.Groups.at(0).Nodes[0].Events.at(0); }

static TraceData merged(TraceData A, TraceData B) {
  deriveCandidates(A);
  deriveCandidates(B);
  merge(A, std::move(B));
  return A;
}

TEST(Measure, PartsOfAnEntryShareIt) {
  std::vector<int64_t> Same, Different;
  for (int I = 0; I < 30; ++I) {
    Same.insert(Same.end(), {5, 5, 9});
    Different.insert(Different.end(), {70, 11, 30});
  }
  TraceData A = rankWith(3, 0, Same), B = rankWith(3, 1, Different);
  measureCalls(A.Groups[0], 1000, 1);
  measureCalls(B.Groups[0], 10, 7);
  A = merged(std::move(A), std::move(B));
  ASSERT_EQ(onlyEvent(A).Items.size(), 1u);
  ASSERT_EQ(onlyEvent(A).Items[0].Items.size(), 3u);
  // The first rank's one call stands beside two of the other one.
  ASSERT_EQ(onlyEvent(A).Measures.size(), 2u);
  EXPECT_EQ(onlyEvent(A).Measures[0].Calls, 120u);
  EXPECT_EQ(onlyEvent(A).Measures[0].sum(Metric::Duration), 60u * 1000 + 60u * 10);
  EXPECT_EQ(onlyEvent(A).Measures[1].sum(Metric::Gap), 30u * 1 + 30u * 7);
  // The file says that they do, and its sums are exact as ranks may follow.
  TraceData Read = throughBytes(A, 0);
  expectEqual(sumsOf(Read), sumsOf(A), "read");
  ASSERT_EQ(onlyEvent(Read).Measures.size(), 2u);
  ByteWriter Expected;
  for (uint64_t V : {1 << 1 | 1, 1, 0, 60 * 1010, 60 * 8, 30 * 1010, 30 * 8})
    Expected.varint(V);
  EXPECT_EQ(encodeSections(A).Measures, Expected.Data);
}

TEST(Measure, DifferentFunctionsAtOnePlaceHaveTheirOwn) {
  TraceData A = rankWith(2, 0, {1, 1, 1}, 1), B = rankWith(2, 1, {1, 1, 1}, 5);
  measureCalls(A.Groups[0], 1000, 1);
  measureCalls(B.Groups[0], 10, 7);
  A = merged(std::move(A), std::move(B));
  ASSERT_EQ(onlyEvent(A).Items.size(), 1u);
  ASSERT_EQ(onlyEvent(A).Items[0].Items.size(), 1u);
  ASSERT_EQ(onlyEvent(A).Measures.size(), 2u);
  EXPECT_EQ(onlyEvent(A).Measures[0].sum(Metric::Duration), 3000u);
  EXPECT_EQ(onlyEvent(A).Measures[1].sum(Metric::Duration), 30u);
  expectEqual(sumsOf(throughBytes(A, 0)), sumsOf(A), "read");
}

TEST(Measure, SequencesThatAreWrittenAsOneHaveOne) {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 3; ++R) {
    Parts.push_back(pathsOfRank(3, R));
    measureCalls(Parts.back().Groups[0], 1000 * (R + 1), R);
  }
  TraceData All = join(std::move(Parts));
  const TraceData Together = throughBytes(All, 0);
  // Rank 2 has the same call, always, in a sequence and with a measure of its own.
  Group &G = All.Groups[0];
  EventData &E = G.Nodes[2].Events.at(1);
  ASSERT_EQ(E.Items.size(), 1u);
  RankedItems Own = E.Items[0];
  Own.Ranks = RankSet(2);
  E.Items[0].Ranks = E.Items[0].Ranks.without(Own.Ranks);
  Table &Signatures = G.table(TableId::Signatures);
  Entry Copy = Signatures[Own.Items[0].Index];
  ASSERT_EQ(Copy.size(), 1u);
  Copy[0].Ranks = Own.Ranks;
  Copy[0].Measure = 1;
  Signatures[Own.Items[0].Index][0].Ranks = E.Items[0].Ranks;
  Own.Items[0].Index = static_cast<uint32_t>(Signatures.size());
  Signatures.push_back(Copy);
  E.Items.push_back(Own);
  ASSERT_EQ(E.Measures.size(), 1u);
  const uint64_t Calls = E.Measures[0].Calls / 3;
  E.Measures = {{2 * Calls, {Calls * 3000, Calls}}, {Calls, {Calls * 3000, 2 * Calls}}};
  TraceData Read = throughBytes(All, 0);
  EXPECT_EQ(Read.Groups[0].Nodes[2].Events.at(1).Items.size(), 1u);
  expectEqual(sumsOf(Read), sumsOf(Together), "written as one");
}

TEST(Measure, WhereNoneIsSharedAFileHasAByteMore) {
  TraceData A = rankWith(1, 0, {1, 2, 2});
  EXPECT_TRUE(encodeSections(A).Measures.empty());
  measureCalls(A.Groups[0], 1000, 1);
  ByteWriter Expected;
  for (uint64_t V : {0, 1000, 1, 1000, 1})
    Expected.varint(V);
  EXPECT_EQ(encodeSections(A).Measures, Expected.Data);
}

TEST(Measure, OfRanksWithAndWithoutTimesThereAreNone) {
  TraceData A = rankWith(2, 0, {1, 2}), B = rankWith(2, 1, {1, 2});
  measureCalls(A.Groups[0], 1000, 1);
  for (bool Swapped : {false, true}) {
    TraceData All = Swapped ? merged(B, A) : merged(A, B);
    EXPECT_FALSE(All.Groups[0].Timed);
    EXPECT_TRUE(onlyEvent(All).Measures.empty());
    EXPECT_TRUE(encodeSections(All).Measures.empty());
  }
}

TEST(Measure, APartIsAllOfItOrAShareOfAMean) {
  const Measure M{40, {1001, 40}};
  EXPECT_EQ(M.part(Metric::Duration, 40).Sum, 1001u);
  EXPECT_FALSE(M.part(Metric::Duration, 40).IsMean);
  EXPECT_EQ(M.part(Metric::Duration, 10).Sum, 250u);
  EXPECT_TRUE(M.part(Metric::Duration, 10).IsMean);
  EXPECT_FALSE(M.part(Metric::Duration, 0).IsMean);
  EXPECT_EQ(Measure{}.part(Metric::Gap, 0).Sum, 0u);
  EXPECT_EQ(Measure{}.mean(Metric::Gap), 0);
  MeasuredSum S;
  S.add(M, 10);
  S.add(M, 30);
  EXPECT_EQ(S.total(Metric::Duration).Sum, 1001u);
  EXPECT_FALSE(S.total(Metric::Duration).IsMean);
  const Measure Other{2, {6, 0}};
  S.add(Other, 1);
  EXPECT_EQ(S.total(Metric::Duration).Sum, 1004u);
  EXPECT_TRUE(S.total(Metric::Duration).IsMean);
}

TEST(Measure, DamageIsRefused) {
  TraceData A = rankWith(2, 0, {1, 2, 2});
  measureCalls(A.Groups[0], 1000, 1);
  const SectionBytes Good = encodeSections(A);
  EXPECT_TRUE(decodeSections(Good));
  auto Refused = [&](const std::vector<uint64_t> &Values) {
    SectionBytes S = Good;
    ByteWriter W;
    for (uint64_t V : Values)
      W.varint(V);
    S.Measures = W.Data;
    auto T = decodeSections(S);
    return !T && T.error().What.find("section measures") != std::string::npos;
  };
  EXPECT_FALSE(Refused({1, 9, 9, 9, 9}));
  EXPECT_FALSE(Refused({3, 1, 0, 9, 9}));
  EXPECT_TRUE(Refused({1, 9, 9, 9})) << "too short";
  EXPECT_TRUE(Refused({1, 9, 9, 9, 9, 9})) << "too long";
  EXPECT_TRUE(Refused({3, 0, 0, 9, 9})) << "nothing to share";
  EXPECT_TRUE(Refused({3, 1, 1, 9, 9})) << "not so many before it";
  EXPECT_TRUE(Refused({3, 2, 0, 9, 9, 9, 9})) << "no item shares it";
  EXPECT_TRUE(Refused({uint64_t(1) << 60, 9, 9})) << "more than there can be";
}
