// trace/file/EncodeVisits.h, EncodeVisits.cpp: numbers of visits as bytes, which are the visits of each rank again.
#include "test/unit/Sequences.h"
#include "test/unit/Tables.h"
#include "trace/file/EncodeVisits.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

static constexpr uint32_t World = 8;

namespace {
struct Visited {
  NodeData N;
  Tally Activations;
  std::map<uint32_t, Numbers> Of; ///< of each rank

  void add(const RankSet &Ranks, const Numbers &Visits) {
    N.Ranks.unite(Ranks);
    N.Visits.push_back({Ranks, streamOf(Visits)});
    Activations.add(Ranks, Visits.size());
    Ranks.forEach([&](uint32_t R) { Of[R] = Visits; });
  }
  std::vector<uint8_t> encode() const { return encodeVisits(N, {World, N.Ranks, Activations}); }
  /// Reads the bytes and compares; gives how many there are.
  size_t check() const {
    const std::vector<uint8_t> Bytes = encode();
    ByteReader R(Bytes);
    std::map<uint32_t, Numbers> Read;
    if (Bytes.empty())
      N.Ranks.forEach([&](uint32_t Rank) { Read[Rank] = Numbers(Activations.of(Rank), 1); });
    else {
      const uint64_t Head = R.varint();
      for (uint64_t I = 0; I < Head >> 1; ++I) {
        RankedStream S{Head & 1 ? RankSet::read(R, World) : N.Ranks, {}};
        const uint64_t Always = R.varint();
        if (!Always)
          S.read(R, World);
        S.Ranks.forEach([&](uint32_t Rank) {
          EXPECT_FALSE(Read.contains(Rank));
          Read[Rank] = Always ? Numbers(Activations.of(Rank), static_cast<int64_t>(Always)) : expand(S.of(Rank, World));
        });
      }
    }
    EXPECT_TRUE(R.ok() && R.atEnd());
    EXPECT_EQ(Read, Of);
    return Bytes.size();
  }
};
} // namespace

TEST(VisitsCodec, RandomVisitsComeBack) {
  for (unsigned Seed = 0; Seed < 500; ++Seed) {
    std::mt19937 Random(Seed);
    Visited V;
    for (uint32_t R = 0; R < World; R += 1 + Random() % 3) {
      Numbers Of;
      for (unsigned I = 1 + Random() % 6; I--;)
        Of.push_back(static_cast<int64_t>(Seed % 3 ? 1 + Seed % 2 : Random() % 4));
      V.add(RankSet(R), Of);
    }
    V.check();
    // Of ranks that visit as often as a function of the rank says.
    Visited F;
    const Numbers Begin{3, 5, 5, 5, 5, static_cast<int64_t>(Random() % 9)};
    F.add(RankSet(0), Begin);
    for (uint32_t R = 1; R < World; ++R) {
      Numbers Of = Begin;
      Of[0] += Seed % 2 ? R : Random() % 2;
      F.add(RankSet(R), Of);
      if (F.N.Visits[0].join(F.N.Visits[1], World))
        F.N.Visits.pop_back();
    }
    F.check();
  }
}

TEST(VisitsCodec, TheShortestWayIsTaken) {
  auto Size = [](const std::vector<std::pair<RankSet, Numbers>> &Of) {
    Visited V;
    for (const auto &[Ranks, Visits] : Of)
      V.add(Ranks, Visits);
    return V.check();
  };
  const RankSet A = RankSet::below(3), B = RankSet::between(3, 7);
  EXPECT_EQ(Size({{A, {1}}}), 0u);
  EXPECT_EQ(Size({{A, {1}}, {B, {1, 1, 1, 1}}}), 0u) << "however often";
  EXPECT_EQ(Size({{A, {7}}}), 2u);
  EXPECT_EQ(Size({{A, {7}}, {B, {7, 7, 7, 7}}}), 2u);
  EXPECT_GT(Size({{A, {0}}}), 2u) << "0 stands for a stream";
  EXPECT_GT(Size({{A, {1}}, {B, {2}}}), 2u);
  EXPECT_GT(Size({{A, {1, 2, 1}}}), 2u);
  // Not always the same of a node that is activated more often.
  Visited V;
  V.add(A, {5, 5, 5, 5});
  V.Activations.add(A, 1);
  EXPECT_GT(V.encode().size(), 2u);
  // Of some of the ranks that have the node.
  V = {};
  V.add(A, {1});
  V.N.Ranks.unite(B);
  EXPECT_GT(V.encode().size(), 0u);
}

TEST(VisitsCodec, RanksThatDifferAreSaidByFunctionOrByNumber) {
  // The rank and twenty at the first of four activations.
  Visited V;
  for (uint32_t R = 0; R < World; ++R)
    V.add(RankSet(R), {R + 20, 100, 3, 100});
  Visited Joined = V;
  for (size_t I = 1; I < World; ++I)
    ASSERT_TRUE(Joined.N.Visits[0].join(Joined.N.Visits[I], World));
  Joined.N.Visits.resize(1);
  Shortener Known;
  chooseByRank(Joined.N.Visits[0].Functions, Joined.N.Ranks, World, Known);
  EXPECT_LT(Joined.check() * 2, V.check());
  // Where it is a number for each of two sets, the function is longer.
  Visited Two;
  Two.add(RankSet::below(4), {3});
  Two.add(RankSet::between(4, 7), {5});
  Visited TwoJoined = Two;
  ASSERT_TRUE(TwoJoined.N.Visits[0].join(TwoJoined.N.Visits[1], World));
  TwoJoined.N.Visits.resize(1);
  EXPECT_EQ(TwoJoined.check(), Two.check());
}
