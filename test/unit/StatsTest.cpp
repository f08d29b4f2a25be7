// Sums of calls and bytes over all ranks at once against calls one by one. Covers driver/StatsRows.cpp,
// CallVolumes.cpp, RankSums.h, and ranksWith() of trace/read/Levels.cpp.
#include "driver/RankSums.h"
#include "driver/StatsRows.h"
#include "driver/Volume.h"
#include "test/unit/DriverFixture.h"
#include "test/unit/Samples.h"
#include "test/unit/Sequences.h"
#include "test/unit/Tables.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {

/// Calls of all kinds whose bytes depend on the rank: roots, nobody, halves of the world, two groups, counts by rank.
class Program {
public:
  Program(uint32_t World, unsigned Seed) : World(World), Seed(Seed) {}

  TraceData rank(uint32_t Rank) {
    RankTrace T(World, Rank);
    std::mt19937 Same(Seed), Own(Seed * 1000 + Rank);
    auto Below = [](std::mt19937 &G, uint32_t N) { return static_cast<int64_t>(G() % N); };
    const int64_t R = Rank, W = World, Half = std::max<int64_t>(W / 2, 1);
    const bool IsLow = R < Half;
    auto Whole = [&] { return world(R, W); };
    // The lower and the upper ranks, and the one seen from the other.
    auto Part = [&] {
      return object({Kind::Comm, "", {5, IsLow ? R : R - Half, IsLow ? Half : W - Half, IsLow ? 0 : Half, -1}});
    };
    auto Inter = [&] {
      return object({Kind::Comm,
                     "",
                     {6, IsLow ? R : R - Half, IsLow ? Half : W - Half, IsLow ? 0 : Half, IsLow ? W - Half : Half}});
    };
    auto Buf = [] { return heap(1, 0); };
    for (int I = 0; I < 40; ++I) {
      const int64_t Count = Below(Same, 5) + 1, Root = Below(Same, static_cast<uint32_t>(Half)), Site = 0x100 * (I + 1);
      const int64_t ByRank = Below(Same, 2) ? R % 3 : Below(Own, 4);
      switch (Below(Same, 10)) {
      case 0: // the neighbour in a row without ends
        T.add(
            {"MPI_Send", {ok(), Buf(), word(Count), intType(), word(R + 1 < W ? R + 1 : -1), word(1), Whole()}, Site});
        break;
      case 1: // counts by rank, from any or from nobody
        T.add({"MPI_Recv",
               {ok(), Buf(), word(ByRank), intType(), word(R % 2 ? -1 : -2), word(1), Whole(),
                name("MPI_STATUS_IGNORE"), absent()},
               Site});
        break;
      case 2:
        T.add({"MPI_Bcast", {ok(), Buf(), word(Count), intType(), word(Root % Half), Part()}, Site});
        break;
      case 3: // MPI_ROOT is -3
        T.add({"MPI_Bcast",
               {ok(), Buf(), word(Count), intType(),
                word(!IsLow      ? Root
                     : R == Root ? -3
                                 : -1),
                Inter()},
               Site});
        break;
      case 4:
        T.add({"MPI_Gather",
               {ok(), Buf(), word(Count), intType(), Buf(), word(Count + 1), intType(), word(Root),
                I % 2 ? Whole() : Part()},
               Site});
        break;
      case 5:
        T.add({"MPI_Reduce_scatter",
               {ok(), Buf(), Buf(), array({Count, 2, ByRank, 4}), intType(), word(-4), Part()},
               Site});
        break;
      case 6: { // streams: as regular as it gets, or not at all
        const bool IsWild = Below(Same, 2);
        for (int64_t K = 0; K < 30; ++K)
          T.add({"MPI_Send",
                 {ok(), Buf(), word(IsWild ? Below(Own, 100) : K % 3).stream(), intType(),
                  word(K % 4 ? (R + K) % W : -1).stream(), word(1), Whole()},
                 Site});
        break;
      }
      case 7: // vectors in a stream have to be gone through
        for (int K = 0; K < 3; ++K)
          T.add({"MPI_Alltoallv",
                 {ok(), Buf(), array({Below(Own, 9), Below(Own, 9)}).stream(), array({0, 9}), intType(), Buf(),
                  array({1, K}), array({0, 9}), intType(), Whole()},
                 Site});
        break;
      case 8:
        T.add({"MPI_Reduce_scatter_block", {ok(), Buf(), Buf(), word(Count), intType(), word(-4), Inter()}, Site});
        break;
      case 9:
        for (int64_t K = 0; K <= R % 4; ++K) // and not equally often
          T.add({"MPI_Scatter",
                 {ok(), Buf(), word(Count), intType(), Buf(), word(Count), intType(), word(Root), Whole()},
                 Site});
        break;
      }
    }
    return T.take(true);
  }

  TraceData take() {
    std::vector<TraceData> Parts;
    for (uint32_t R = 0; R < World; ++R)
      Parts.push_back(rank(R));
    return join(std::move(Parts));
  }

private:
  uint32_t World;
  unsigned Seed;
};

/// Calls, sent, received, time.
using Numbers = std::array<uint64_t, 4>;
using Sums = std::map<std::string, Numbers>;

std::string keyOf(StatsQuery::By What, const std::string &Function, const std::string &Site, uint32_t Rank) {
  return What == StatsQuery::By::Rank ? std::to_string(Rank) : Function + (What == StatsQuery::By::Site ? Site : "");
}

Sums oneByOne(const Trace &T, const StatsQuery &Q) {
  Sums Out;
  std::map<std::string, MeasuredSum> Times;
  SourceLines Lines(T);
  Q.Ranks.forEach([&](uint32_t Rank) {
    for (uint32_t Thread : T.threads(Rank)) {
      auto View = T.view(Rank, Thread);
      CallCursor Cursor = Trace::calls(View);
      for (Call C; Cursor.next(C);) {
        if (!isCall(*C.Function))
          continue;
        const ResolvedSignature &S = View->signatures()[C.Terminal];
        const std::string Key = keyOf(Q.What, C.Function->Name, chainText(siteText(*View, S, Lines)), Rank);
        Numbers &N = Out[Key];
        const Volume V = VolumeRule(*C.Function, T.names()).of(C.Slots, *View);
        ++N[0];
        N[1] += static_cast<uint64_t>(V.Sent);
        N[2] += static_cast<uint64_t>(V.Received);
        // Calls that end the trace have no time, and those inside of others are part of theirs.
        if (S.Measured && !(C.Depth && Q.What == StatsQuery::By::Rank) && C.Function->Name != "MPI_Finalize" &&
            C.Function->Name != "MPI_Abort")
          Times[Key].add(*S.Measured, 1);
      }
    }
  });
  for (auto &[Key, Sum] : Times)
    Out[Key][3] = Sum.total(Metric::Duration).Sum;
  return Out;
}

Sums atOnce(const Trace &T, const StatsQuery &Q) {
  const StatsTable Table = sumUp(Walk(T), Q);
  EXPECT_EQ(Table.Error, "");
  Sums Out;
  for (const StatsRow &R : Table.Rows)
    for (uint64_t Rank = R.FirstRank; Rank <= R.Rank; ++Rank)
      if (R.Calls)
        Out[keyOf(Q.What, R.Function, R.Site.empty() ? "" : chainText(R.Site), static_cast<uint32_t>(Rank))] = {
            R.Calls, R.Sent, R.Received, R.Time.Sum};
  Numbers All{};
  for (const auto &[Key, N] : Out)
    for (size_t I = 0; I < 3; ++I)
      All[I] += N[I];
  EXPECT_EQ(Table.All.Calls, All[0]);
  EXPECT_EQ(Table.All.Sent, All[1]);
  EXPECT_EQ(Table.All.Received, All[2]);
  return Out;
}

void compare(const Trace &T, const RankSet &Ranks, const std::string &What) {
  for (StatsQuery::By By : {StatsQuery::By::Function, StatsQuery::By::Site, StatsQuery::By::Rank}) {
    StatsQuery Q;
    Q.What = By;
    Q.Ranks = Ranks;
    EXPECT_EQ(atOnce(T, Q), oneByOne(T, Q)) << What << ", by " << static_cast<int>(By);
  }
}

TEST(Stats, SumsAreThoseOfTheCalls) {
  for (uint32_t World : {1u, 2u, 5u, 12u})
    for (unsigned Seed = 1; Seed <= 12; ++Seed) {
      Trace T = opened(Program(World, Seed).take());
      const std::string What = std::to_string(World) + " ranks, seed " + std::to_string(Seed);
      compare(T, T.ranks(), What);
      compare(opened(sealed(T.data(), Seed)), T.ranks(), What + ", sealed");
      compare(T, RankSet(World / 2), What + ", one rank");
      RankSet Odd;
      for (uint32_t R = 1; R < World; R += 2)
        Odd.unite(RankSet(R));
      compare(T, Odd, What + ", odd ranks");
    }
}

/// Calls that one rank makes at a place. They are alike but for what is in streams.
TraceData alone(const std::vector<FixtureCall> &Calls) {
  RankTrace T(1, 0);
  for (const FixtureCall &C : Calls)
    T.add(C);
  return T.take();
}

/// One rank's calls at lines 11 and 12 of its program. They have one content.
TraceData atTwoPlaces(TraceData T, const TraceData &Later) {
  Group &G = T.Groups[0];
  const Entry Same = G.table(TableId::Signatures).at(0);
  G.table(TableId::Signatures).push_back(Same);
  Region Body;
  Body.Name = "main";
  Body.File = "main.c";
  Body.Events = {{Region::Site, 11, 0, 0, ""}, {Region::Site, 12, 0, 0, ""}};
  T.Regions = {Body};
  const RankSet Own(0);
  const GrammarData Once = build({0});
  G.table(TableId::Paths).push_back({variant(Own, {1, 2})});
  NodeData Main;
  Main.Ranks = Own;
  Main.Visits = {{Own, streamOf({1})}};
  Main.Paths = {{Own, Once, {{false, 0}}}};
  Main.Events = {{1, calls(G)}, {2, Later.Groups[0].Nodes[0].Events.at(0)}};
  Main.Events[2].Items[0].Items = {{false, 1}};
  for (auto &[Id, E] : Main.Events) {
    E.PassesToChange = {{Own, streamOf({0})}};
    E.UsualItems = {{Own, streamOf({static_cast<int64_t>(E.Items[0].Order.length())})}};
  }
  calls(G) = {};
  calls(G).Items = {{Own, Once, {{true, 1}}}};
  G.Nodes.push_back(std::move(Main));
  return T;
}

/// The trace as it is read, in which the places share the content in memory.
Trace sharing(const TraceData &Of) {
  Trace T = opened(Of);
  const Table &Signatures = T.data().Groups[0].table(TableId::Signatures);
  EXPECT_EQ(Signatures.size(), 2u);
  EXPECT_EQ(Signatures.front().address(), Signatures.back().address());
  return T;
}

TEST(Stats, IrregularCallsOfOneContentCountWhereTheyAre) {
  // Vectors have to be gone through, at both places.
  auto Exchanges = [](std::initializer_list<int64_t> Counts) {
    std::vector<FixtureCall> Out;
    for (const int64_t N : Counts)
      Out.push_back({"MPI_Alltoallv",
                     {ok(), heap(1, 0), array({N}).stream(), array({0}), intType(), heap(1, 0), array({N}).stream(),
                      array({0}), intType(), world(0, 1)}});
    return alone(Out);
  };
  Trace T = sharing(atTwoPlaces(Exchanges({5, 3}), Exchanges({70, 20, 50})));
  compare(T, T.ranks(), "vectors at two places");
  StatsQuery Q;
  Q.What = StatsQuery::By::Site;
  Q.Ranks = T.ranks();
  EXPECT_EQ(atOnce(T, Q).size(), 2u);
}

TEST(Stats, IrregularCallsOfOnePlaceCountWhereEachRankMakesThem) {
  auto Calls = [](uint32_t Rank, int64_t Site) {
    RankTrace T(2, Rank);
    for (const int64_t N : {5, 3})
      T.add({"MPI_Reduce_scatter",
             {ok(), heap(1, 0), heap(1, 0), array({N + Rank, 9}).stream(), intType(), word(-4), world(Rank, 2)},
             Site});
    return T.take();
  };
  TraceData Joined = join({Calls(0, 0x100), Calls(1, 0x200)});
  EXPECT_EQ(Joined.Groups[0].table(TableId::Signatures).size(), 1u);
  EXPECT_EQ(Joined.Groups[0].table(TableId::Signatures)[0].size(), 2u);
  Trace T = opened(Joined);
  compare(T, T.ranks(), "one place");
}

TEST(Stats, RegularCallsAreCountedOnceBesideIrregularOnes) {
  auto Sends = [](std::initializer_list<int64_t> Counts) {
    std::vector<FixtureCall> Out;
    for (const int64_t N : Counts)
      Out.push_back({"MPI_Send", {ok(), heap(1, 0), word(N).stream(), intType(), word(0), word(1), world(0, 1)}});
    return alone(Out);
  };
  // More values than a walk tells, so the later calls have to be gone through.
  constexpr int64_t Many = (1 << 20) + 1;
  TraceData Later = Sends({0});
  EventData &E = calls(Later.Groups[0]);
  E.Items[0].Order.Rules = {{{0, false, Many}}};
  E.Streams.begin()->second[0].Values = IntStreamData{{{0, 1, Many}}, build({0}), false};
  Trace T = sharing(atTwoPlaces(Sends({7, 1, 7}), Later));
  StatsQuery Q;
  Q.Ranks = T.ranks();
  const uint64_t Sent = 4 * (7 + 1 + 7 + Many * (Many - 1) / 2);
  EXPECT_EQ(atOnce(T, Q), (Sums{{"MPI_Send", {3 + Many, Sent, 0, 0}}}));
}

TEST(Stats, SumsOfSamples) {
  compare(opened(sampleTrace()), RankSet::below(4), "sample");
  Trace T = opened(switched());
  compare(T, T.ranks(), "switched");
  StatsQuery Q;
  Q.Ranks = RankSet(1);
  EXPECT_EQ(sumUp(Walk(T), Q).All.Untraced, 5u * 8 + 35 + 3);
  Q.Ranks = T.ranks();
  EXPECT_EQ(sumUp(Walk(T), Q).All.Untraced, 73u + 78 + 1000);
  Q.What = StatsQuery::By::Rank;
  uint64_t Untraced = 0;
  for (const StatsRow &R : sumUp(Walk(T), Q).Rows)
    Untraced += R.Untraced * (R.Rank - R.FirstRank + 1);
  EXPECT_EQ(Untraced, 73u + 78 + 1000);
}

TEST(Stats, RanksWithAValueAreThoseThatHaveIt) {
  const uint32_t World = 24;
  auto Own = [](uint32_t Rank) { return RankContext{Rank, World}; };
  auto InHalf = [](uint32_t Rank) { return RankContext{Rank % 12, 12}; };
  std::mt19937 Random(3);
  for (int I = 0; I < 300; ++I) {
    // Values of all kinds of functions: merged rank by rank, some with a border.
    const int Kind = static_cast<int>(Random() % 6), Border = static_cast<int>(Random() % 4);
    const bool IsHalf = Random() % 2;
    const RankFn::ContextFn Ctx = IsHalf ? RankFn::ContextFn(InHalf) : Own;
    auto Value = [&](uint32_t Rank) -> int64_t {
      const int64_t R = Ctx(Rank).Rank, N = Ctx(Rank).Size;
      if (Border == 1 && Rank % 6 == 5)
        return -1;
      if (Border == 2 && Rank == World - 1)
        return -1;
      return Kind == 0   ? 7
             : Kind == 1 ? R - 1
             : Kind == 2 ? (R + 5) % N
             : Kind == 3 ? R ^ 1
             : Kind == 4 ? R / 4 * 100
                         : (R * R) % 7;
    };
    RankFn F;
    RankSet Ranks;
    for (uint32_t R = 0; R < World; ++R) {
      RankFn One(Value(R));
      const RankContext C = Ctx(R);
      One.derive(&C);
      if (R == 0)
        F = One;
      else
        F.merge(One, Ranks, RankSet(R), Ctx, Ctx);
      Ranks.unite(RankSet(R));
    }
    F.shorten(Ranks, Ctx);
    F.choose();
    F = F.compressed();
    const RankSet Asked = RankSet::between(static_cast<uint32_t>(Random() % 5), World - 1 - Random() % 5);
    for (int64_t V : {-2, -1, 0, 1, 5, 7, 100, 23}) {
      RankSet Expected;
      Asked.forEach([&](uint32_t R) {
        ASSERT_EQ(F.eval(R, Ctx(R)), Value(R));
        if (Value(R) == V)
          Expected.unite(RankSet(R));
      });
      EXPECT_TRUE(ranksWith(V, F, Asked, Ctx, !IsHalf) == Expected) << Kind << ' ' << Border << ' ' << V;
    }
  }
}

TEST(Stats, NumbersAreAddedUpByRank) {
  std::mt19937 Random(5);
  for (int I = 0; I < 100; ++I) {
    RankSums<2> Sums;
    std::map<uint32_t, std::array<uint64_t, 2>> Plain;
    for (int K = 0; K < 10; ++K) {
      RankSet S;
      for (int J = 0; J < 3; ++J) {
        const uint32_t First = Random() % 50;
        S.unite(RankSet::between(First, First + Random() % 10));
      }
      const std::array<uint64_t, 2> N{Random() % 3, Random() % 1000};
      Sums.add(S, N);
      S.forEach([&](uint32_t R) {
        Plain[R][0] += N[0];
        Plain[R][1] += N[1];
      });
    }
    RankSet Asked = RankSet::between(5, 70).without(RankSet::between(20, 22));
    uint32_t Next = 5;
    Sums.forEach(Asked, [&](uint32_t First, uint32_t Last, const RankSums<2>::Numbers &N) {
      if (Next == 20)
        Next = 23;
      EXPECT_EQ(First, Next);
      for (uint32_t R = First; R <= Last; ++R)
        EXPECT_EQ(N, Plain[R]) << R;
      Next = Last + 1;
    });
    EXPECT_EQ(Next, 71u);
  }
  RankSums<1> Large;
  for (int I = 0; I < 3; ++I)
    Large.add(RankSet(0), {UINT64_MAX});
  Large.forEach(RankSet(0), [](uint32_t, uint32_t, const RankSums<1>::Numbers &N) { EXPECT_EQ(N[0], UINT64_MAX); });
}

} // namespace
