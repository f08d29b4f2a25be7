// What was measured of calls is exact however ranks are merged, and in a file.
#include "test/unit/Samples.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
using Gaps = std::map<std::string, Spread>; ///< by what was before
struct Numbers {
  Spread Duration;
  Gaps Before;
  bool operator==(const Numbers &) const = default;
};
/// By the place in the program.
struct Times {
  std::map<std::string, Numbers> Calls;
  std::map<std::string, PlaceTimes> Places;
  std::map<std::string, NodeTimes> Nodes;
};

std::string callText(const Group &G, const MeasuredPlace &P) {
  std::string S = " " + std::to_string(P.Function) + " " + std::to_string(P.Depth);
  for (uint32_t Site = P.Site; Site; Site = G.table(TableId::Sites)[Site - 1][0].Tokens[1]) {
    const Variant &At = G.table(TableId::Sites)[Site - 1][0];
    S += " " + G.string(At.Tokens[0]) + "+" + std::to_string(At.Words[0].single().C);
  }
  return S;
}

std::string nodeText(const TraceData &T, const Group &G, uint32_t Node) {
  std::string S;
  for (; Node; Node = G.Nodes[Node].Parent) {
    const Region &R = T.Regions[G.Nodes[Node].Region];
    S += R.Name + "." + std::to_string(R.Index) + "@" + std::to_string(G.Nodes[Node].Event) + " ";
  }
  return std::to_string(G.Thread) + ": " + S;
}

/// Adds up everything; on the way checks that each measure is of one place, and of as many calls as refer to it.
void addTimes(const TraceData &T, Times &To) {
  for (const Group &G : T.Groups)
    for (uint32_t Node = 0; Node < G.Nodes.size(); ++Node) {
      const std::string Around = nodeText(T, G, Node);
      To.Nodes[Around].add(G.Nodes[Node].Times);
      for (const auto &[Id, E] : G.Nodes[Node].Events) {
        std::vector<uint64_t> Calls(E.Measures.size());
        for (const RankedItems &X : E.Items) {
          const auto Each = X.calls(T.World);
          for (size_t I = 0; I < X.Items.size(); ++I) {
            if (X.Items[I].IsNode)
              continue;
            const Entry &Variants = G.table(TableId::Signatures)[X.Items[I].Index];
            for (const Variant &V : Variants) {
              const uint32_t Own = Variants.measure(V);
              ASSERT_LT(Own, E.Measures.size());
              EXPECT_EQ(E.Measures[Own].Place, placeOf(V));
              Calls[Own] += Each[I].sum(V.Ranks.common(X.Ranks));
            }
          }
        }
        auto At = [&](const MeasuredPlace &P) { return Around + "#" + std::to_string(Id) + callText(G, P); };
        auto Before = [&](const GapPath &P) -> std::string {
          if (P.K == GapPath::Event)
            return nodeText(T, G, P.Node) + "#" + std::to_string(P.Which);
          return P.K == GapPath::Call ? At(E.Measures.at(P.Which).Place) : P.K == GapPath::Begin ? "begin" : "others";
        };
        for (size_t M = 0; M < E.Measures.size(); ++M) {
          const Measure &X = E.Measures[M];
          EXPECT_EQ(X.calls(), Calls[M]);
          EXPECT_TRUE(X.Gaps.empty() || X.gaps().Count == Calls[M]);
          Numbers &N = To.Calls[At(X.Place)];
          N.Duration.add(X.Duration);
          for (const PathGap &P : X.Gaps)
            N.Before[Before(P.Path)].add(P.Gap);
        }
        for (const auto &[Place, P] : E.Places)
          To.Places[At(Place)].add(P);
      }
    }
}

Times timesOf(const TraceData &T) {
  Times S;
  addTimes(T, S);
  return S;
}

void expectEqual(const Times &A, const Times &B, const std::string &What) {
  EXPECT_EQ(A.Calls, B.Calls) << What;
  ASSERT_EQ(A.Places.size(), B.Places.size()) << What;
  for (const auto &[At, P] : A.Places) {
    EXPECT_EQ(P.Durations, B.Places.at(At).Durations) << What << At;
    EXPECT_EQ(P.Gaps, B.Places.at(At).Gaps) << What << At;
  }
  ASSERT_EQ(A.Nodes.size(), B.Nodes.size()) << What;
  for (const auto &[At, N] : A.Nodes) {
    EXPECT_EQ(N.InMpi, B.Nodes.at(At).InMpi) << What << At;
    EXPECT_EQ(N.Outside, B.Nodes.at(At).Outside) << What << At;
  }
}

/// Rounded as a file of all ranks says it. Digits: of the extremes.
void expectNear(const Spread &Is, const Spread &Was, uint64_t Digits, const std::string &What, bool HasRanks = true) {
  auto IsNear = [](double A, double B, double Relative, double Absolute) {
    return std::abs(A - B) <= B * Relative + Absolute;
  };
  EXPECT_NEAR(static_cast<double>(Is.Count), static_cast<double>(Was.Count), static_cast<double>(Was.Count) / 4096)
      << What;
  EXPECT_TRUE(IsNear(static_cast<double>(Is.Sum), static_cast<double>(Was.Sum), 1.0 / 8192, 0)) << What;
  if (Was.Count > 1) {
    EXPECT_TRUE(IsNear(Is.deviation(), Was.deviation(), 1.0 / 16, 2))
        << What << ": " << Is.deviation() << " for " << Was.deviation();
    // A single call or rank is a sum, too, and rounded like one.
    EXPECT_LE(Is.Min, Was.Min + (Was.Min >> 13)) << What;
    EXPECT_GE(Is.Max + (Was.Max >> 13), Was.Max) << What;
    EXPECT_GE(Is.Min + (Was.Min >> Digits), Was.Min) << What;
    EXPECT_LE(Is.Max, Was.Max + (Was.Max >> Digits)) << What;
  }
  if (!HasRanks)
    return;
  EXPECT_EQ(Is.MinRank, Was.MinRank) << What;
  EXPECT_EQ(Is.MaxRank, Was.MaxRank) << What;
}

void expectNear(const Times &Is, const Times &Was, const std::string &What) {
  ASSERT_EQ(Is.Calls.size(), Was.Calls.size()) << What;
  for (const auto &[At, N] : Was.Calls) {
    ASSERT_TRUE(Is.Calls.contains(At)) << What << At;
    const Numbers &Read = Is.Calls.at(At);
    EXPECT_EQ(Read.Duration.Count, N.Duration.Count) << What << At;
    expectNear(Read.Duration, N.Duration, 4, What + At, false); // of several measures, which may be equal now
    ASSERT_EQ(Read.Before.size(), N.Before.size()) << What << At;
    for (const auto &[Path, S] : N.Before)
      EXPECT_EQ(Read.Before.count(Path), 1u) << What << At << " after " << Path;
  }
  for (const auto &[At, P] : Was.Places) {
    ASSERT_TRUE(Is.Places.contains(At)) << What << At;
    expectNear(Is.Places.at(At).Durations, P.Durations, 6, What + At);
    expectNear(Is.Places.at(At).Gaps, P.Gaps, 6, What + At);
  }
  for (const auto &[At, N] : Was.Nodes) {
    ASSERT_TRUE(Is.Nodes.contains(At)) << What << At;
    expectNear(Is.Nodes.at(At).InMpi, N.InMpi, 6, What + At);
    expectNear(Is.Nodes.at(At).Outside, N.Outside, 6, What + At);
  }
}

Spread randomSpread(uint64_t Count, uint32_t Rank, std::mt19937_64 &Random) {
  Spread S;
  const uint64_t Large = uint64_t(1) << Random() % 40;
  uint64_t Some = std::min<uint64_t>(Count, 50);
  for (uint64_t I = 0; I < Some; ++I)
    S.add(Spread::of(1 + Random() % Large, Rank)); // 0 would be no time
  for (uint64_t I = Some; I < Count; ++I)
    S.add(Spread::of(S.Min, Rank));
  return S;
}

/// As ranks' traces are, each call with times of its own, and gaps behind calls that are there.
void measureAtRandom(TraceData &T, std::mt19937_64 &Random) {
  const uint32_t Rank = T.Ranks.first();
  for (Group &G : T.Groups) {
    measureCalls(G, 0, 0);
    std::vector<GapPath> Events{{}, {GapPath::Others, 0, 0}};
    for (uint32_t N = 0; N < G.Nodes.size(); ++N)
      for (auto &[Id, E] : G.Nodes[N].Events)
        if (!E.Measures.empty())
          Events.push_back({GapPath::Event, N, Id});
    for (NodeData &N : G.Nodes)
      for (auto &[Id, E] : N.Events)
        for (Measure &M : E.Measures) {
          uint64_t Left = M.calls();
          M = {M.Place, randomSpread(Left, Rank, Random), {}};
          if (M.Place.Function % 8 == 7)
            M = {M.Place, {Left, 0, 0, 0, 0, 0, 0}, {}}; // what takes no time
          while (Left && M.hasTimes()) {
            const uint64_t Some = Random() % 3 ? Left : 1 + Random() % Left;
            const GapPath P = Random() % 2 ? Events[Random() % Events.size()]
                                           : GapPath{GapPath::Call, 0, uint32_t(Random() % E.Measures.size())};
            M.addGap(P, randomSpread(Some, Rank, Random));
            Left -= Some;
          }
        }
    sumUpTimes(T, G, Rank);
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

void expectTimes(std::vector<TraceData> Parts, std::mt19937_64 &Random, const std::string &What) {
  Times Raw;
  for (TraceData &T : Parts) {
    measureAtRandom(T, Random);
    addTimes(T, Raw);
  }
  for (int I = 0; I < 2; ++I) {
    TraceData All = mergeAtRandom(Parts, Random);
    expectEqual(timesOf(All), Raw, What);
    // A file of all ranks rounds.
    chooseCandidates(All);
    expectNear(timesOf(throughBytes(All, 1)), Raw, What);
  }
}

} // namespace

TEST(Spread, SquaresThatAreRoundedTooFarAreNoDeviation) {
  Spread S;
  for (int N = 0; N < 3; ++N)
    S.add(Spread::of(40, 0));
  S.Sum += 1;
  EXPECT_EQ(S.deviation(), 0);
  S.Sum -= 1;
  S.Squares += 3 * 16;
  EXPECT_EQ(S.deviation(), 4);
}

TEST(Spread, IsThatOfItsNumbersInAnyOrder) {
  std::mt19937_64 Random(5);
  for (int Round = 0; Round < 200; ++Round) {
    const uint64_t Base = Random() % 2 ? uint64_t(1) << Random() % 50 : 0, Wide = 1 + Random() % 1000;
    std::vector<std::pair<uint64_t, uint32_t>> Numbers;
    for (uint64_t N = 1 + Random() % 40; N--;)
      Numbers.emplace_back(Base + Random() % Wide, Random() % 8);
    std::vector<Spread> Parts;
    for (auto [V, Rank] : Numbers)
      Parts.push_back(Spread::of(V, Rank));
    while (Parts.size() > 1) {
      std::swap(Parts[Random() % Parts.size()], Parts.back());
      const Spread Last = Parts.back();
      Parts.pop_back();
      Parts[Random() % Parts.size()].add(Last);
    }
    const Spread &S = Parts[0];
    long double Sum = 0, Around = 0;
    for (auto [V, Rank] : Numbers)
      Sum += static_cast<long double>(V);
    for (auto [V, Rank] : Numbers)
      Around += (V - Sum / Numbers.size()) * (V - Sum / Numbers.size());
    EXPECT_EQ(S.Count, Numbers.size());
    EXPECT_EQ(static_cast<long double>(S.Sum), Sum);
    EXPECT_NEAR(S.deviation(), static_cast<double>(std::sqrt(Around / Numbers.size())), 1e-3);
    std::ranges::sort(Numbers);
    EXPECT_EQ(S.Min, Numbers.front().first);
    EXPECT_EQ(S.MinRank, Numbers.front().second);
    EXPECT_EQ(S.Max, Numbers.back().first);
    auto First = std::ranges::find(Numbers, S.Max, [](const auto &N) { return N.first; });
    EXPECT_EQ(S.MaxRank, First->second) << "the lowest rank that had it";
  }
  Spread S;
  S.add(Spread::of(UINT64_MAX, 1));
  S.add(Spread::of(UINT64_MAX, 1));
  EXPECT_EQ(S.Sum, UINT64_MAX) << "stays at the limit";
  EXPECT_EQ(Spread().deviation(), 0);
  S = Spread::of(0, 7);
  EXPECT_EQ(S.MaxRank, 7u);
  S.add(Spread());
  EXPECT_EQ(S, Spread::of(0, 7));
}

TEST(Measure, TimesOfRandomProgramsStayWhatTheyWere) {
  for (unsigned Seed = 0; Seed < 120 && !HasFailure(); ++Seed) {
    std::mt19937_64 Random(Seed);
    expectTimes(rankTraces(randomRun(Seed, 2 + Seed % 12)), Random, "seed " + std::to_string(Seed));
  }
}

TEST(Measure, TimesOfProgramsWithStructureStayWhatTheyWere) {
  for (unsigned Seed = 0; Seed < 8 && !HasFailure(); ++Seed) {
    std::mt19937_64 Random(Seed);
    std::vector<TraceData> Structured, Neighbours, Paths;
    for (uint32_t R = 0; R < 7; ++R) {
      Structured.push_back(structuredRank(7, R));
      Neighbours.push_back(neighboursOfRank(7, R));
      Paths.push_back(pathsOfRank(7, R));
    }
    expectTimes(std::move(Structured), Random, "structured");
    expectTimes(std::move(Neighbours), Random, "neighbours");
    expectTimes(std::move(Paths), Random, "paths");
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
  EXPECT_EQ(onlyEvent(A).Measures[0].calls(), 120u);
  EXPECT_EQ(onlyEvent(A).Measures[0].sum(Metric::Duration), 60u * 1000 + 60u * 10);
  EXPECT_EQ(onlyEvent(A).Measures[1].sum(Metric::Gap), 30u * 1 + 30u * 7);
  EXPECT_EQ(onlyEvent(A).Measures[1].Duration.MaxRank, 0u);
  EXPECT_EQ(onlyEvent(A).Measures[1].Duration.MinRank, 1u);
  EXPECT_EQ(onlyEvent(A).Measures[1].gaps().MaxRank, 1u);
  // The file says that they do, and its sums are exact as ranks may follow.
  TraceData Read = throughBytes(A, 0);
  expectEqual(timesOf(Read), timesOf(A), "read");
  ASSERT_EQ(onlyEvent(Read).Measures.size(), 2u);
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
}

TEST(Measure, SequencesThatAreWrittenAsOneHaveOne) {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 3; ++R) {
    Parts.push_back(pathsOfRank(3, R));
    measureCalls(Parts.back().Groups[0], 1000 * (R + 1), R);
  }
  TraceData All = join(std::move(Parts));
  All.World = 4; // another rank may follow, so that sums are exact
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
  Copy.own()[0].Ranks = Own.Ranks;
  Copy.setMeasure(0, 1);
  Signatures[Own.Items[0].Index].own()[0].Ranks = E.Items[0].Ranks;
  Own.Items[0].Index = static_cast<uint32_t>(Signatures.size());
  Signatures.push_back(Copy);
  E.Items.push_back(Own);
  ASSERT_EQ(E.Measures.size(), 1u);
  const MeasuredPlace Place = E.Measures[0].Place;
  const uint64_t Calls = E.Measures[0].calls() / 3;
  E.Measures = {measureOf(Place, 2 * Calls, Calls * 3000, Calls, 0),
                measureOf(Place, Calls, Calls * 3000, 2 * Calls, 2)};
  TraceData Read = throughBytes(All, 0);
  const EventData &One = Read.Groups[0].Nodes[2].Events.at(1);
  EXPECT_EQ(One.Items.size(), 1u);
  ASSERT_EQ(One.Measures.size(), 1u);
  EXPECT_EQ(One.Measures[0].calls(), 3 * Calls);
  EXPECT_EQ(One.Measures[0].sum(Metric::Duration), Calls * 6000);
  EXPECT_EQ(One.Measures[0].sum(Metric::Gap), Calls * 3);
  EXPECT_EQ(One.Measures[0].Duration.MaxRank, 2u);
}

TEST(Measure, OfRanksWithAndWithoutTimesThereAreNone) {
  TraceData A = rankWith(2, 0, {1, 2}), B = rankWith(2, 1, {1, 2});
  EXPECT_TRUE(encodeSections(A).Measures.empty());
  measureCalls(A.Groups[0], 1000, 1);
  sumUpTimes(A, A.Groups[0], 0);
  EXPECT_FALSE(encodeSections(A).Measures.empty());
  for (bool Swapped : {false, true}) {
    TraceData All = Swapped ? merged(B, A) : merged(A, B);
    EXPECT_FALSE(All.Groups[0].Timed);
    EXPECT_TRUE(onlyEvent(All).Measures.empty());
    EXPECT_TRUE(onlyEvent(All).Places.empty());
    EXPECT_EQ(All.Groups[0].Nodes[0].Times.InMpi.Count, 0u);
    EXPECT_TRUE(encodeSections(All).Measures.empty());
  }
}

TEST(Measure, PathsBeyondTheLimitAreNotToldApart) {
  Measure M;
  for (uint32_t I = 0; I < 100; ++I)
    M.addGap({GapPath::Event, 0, I}, Spread::of(I, 0));
  EXPECT_EQ(M.Gaps.size(), Measure::MaxPaths + 1);
  EXPECT_EQ(M.gaps().Count, 100u);
  EXPECT_EQ(M.gaps().Sum, 99u * 50);
  M.addGap({GapPath::Event, 0, 3}, Spread::of(5, 0));
  EXPECT_EQ(M.Gaps.size(), Measure::MaxPaths + 1);
}

TEST(Measure, APartIsAllOfItOrAShareOfAMean) {
  const Measure M = measureOf({}, 40, 1001, 40);
  EXPECT_EQ(M.part(Metric::Duration, 40).Sum, 1001u);
  EXPECT_FALSE(M.part(Metric::Duration, 40).IsMean);
  EXPECT_EQ(M.part(Metric::Duration, 10).Sum, 250u);
  EXPECT_TRUE(M.part(Metric::Duration, 10).IsMean);
  EXPECT_FALSE(M.part(Metric::Duration, 0).IsMean);
  EXPECT_EQ(Measure{}.part(Metric::Gap, 0).Sum, 0u);
  EXPECT_EQ(Measure{}.mean(Metric::Gap), 0);
  MeasuredSum S;
  S.add(M, 10);
  EXPECT_EQ(S.durations().Count, 0u) << "not known of a part";
  S.add(M, 30);
  EXPECT_EQ(S.total(Metric::Duration).Sum, 1001u);
  EXPECT_FALSE(S.total(Metric::Duration).IsMean);
  EXPECT_EQ(S.durations(), M.Duration);
  const Measure Other = measureOf({}, 2, 6, 0);
  S.add(Other, 1);
  EXPECT_EQ(S.total(Metric::Duration).Sum, 1004u);
  EXPECT_TRUE(S.total(Metric::Duration).IsMean);
}

TEST(Measure, DamageIsRefusedOrReadsAsOtherNumbers) {
  std::mt19937_64 Random(1);
  TraceData A = rankWith(2, 0, {1, 2, 2}), B = structuredRank(3, 1);
  for (TraceData *T : {&A, &B}) {
    measureAtRandom(*T, Random);
    const SectionBytes Good = encodeSections(*T);
    ASSERT_TRUE(decodeSections(Good));
    unsigned Refused = 0;
    for (size_t I = 0; I < Good.Measures.size(); ++I)
      for (unsigned Change : {1u, 0x80u, 0xffu}) {
        SectionBytes S = Good;
        S.Measures[I] ^= static_cast<uint8_t>(Change);
        auto Read = decodeSections(S);
        if (!Read)
          EXPECT_NE(Read.error().What.find("section measures"), std::string::npos);
        else
          timesOf(*Read); // checks that it agrees with the calls
        Refused += !Read;
      }
    EXPECT_GT(Refused, 0u);
    SectionBytes S = Good;
    S.Measures.insert(S.Measures.end(), 8, 0x55);
    EXPECT_FALSE(decodeSections(S)) << "bytes are left over";
  }
}
