// trace/file/EncodeVisits.h, EncodeVisits.cpp: numbers of visits as bytes, which are the visits of each rank again.
#include "test/unit/Sequences.h"
#include "test/unit/Tables.h"
#include "trace/file/EncodeVisits.h"
#include "trace/file/JointVisits.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

static constexpr uint32_t World = 8;

namespace {
struct Visited {
  Group G;
  NodeData N;
  Tally Activations;
  std::map<uint32_t, Numbers> Of; ///< of each rank

  void add(const RankSet &Ranks, const Numbers &Visits) {
    N.Ranks.unite(Ranks);
    N.Visits.push_back({Ranks, streamOf(Visits)});
    Activations.add(Ranks, Visits.size());
    Ranks.forEach([&](uint32_t R) { Of[R] = Visits; });
  }
  EncodedVisits encode(JointBudget *Budget = nullptr) const {
    return encodeVisits(G, N, {World, N.Ranks, Activations}, Budget);
  }
  /// Reads the bytes and compares; gives how it is written, and how many bytes it takes.
  std::pair<uint64_t, size_t> check(JointBudget *Budget = nullptr) const {
    const EncodedVisits E = encode(Budget);
    ByteReader R(E.Bytes);
    std::map<uint32_t, Numbers> Read;
    if (E.How == NodeHead::Once)
      N.Ranks.forEach([&](uint32_t Rank) { Read[Rank] = Numbers(Activations.of(Rank), 1); });
    if (E.How == NodeHead::Listed) {
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
    if (E.How == NodeHead::Joint || E.How == NodeHead::JointEqual) {
      const uint64_t Length = E.How == NodeHead::JointEqual ? R.varint() : 0;
      const IntStreamData Joint = Length ? streamOf(Numbers(*Activations.always(N.Ranks), static_cast<int64_t>(Length)))
                                         : IntStreamData::read(R);
      NodeData Own = N;
      Own.Visits.clear();
      partVisits(G, Own, Joint, R);
      for (const RankedStream &S : Own.Visits)
        S.Ranks.forEach([&](uint32_t Rank) { Read[Rank] = expand(S.of(Rank, World)); });
    }
    EXPECT_TRUE(R.ok() && R.atEnd());
    EXPECT_EQ(Read, Of);
    return {E.How, E.Bytes.size()};
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
  auto How = [](const std::vector<std::pair<RankSet, Numbers>> &Of) {
    Visited V;
    for (const auto &[Ranks, Visits] : Of)
      V.add(Ranks, Visits);
    return V.check();
  };
  using Result = std::pair<uint64_t, size_t>;
  const RankSet A = RankSet::below(3), B = RankSet::between(3, 7);
  EXPECT_EQ(How({{A, {1}}}), Result(NodeHead::Once, 0));
  EXPECT_EQ(How({{A, {1}}, {B, {1, 1, 1, 1}}}), Result(NodeHead::Once, 0)) << "however often";
  EXPECT_EQ(How({{A, {7}}}), Result(NodeHead::Listed, 2));
  EXPECT_EQ(How({{A, {7}}, {B, {7, 7, 7, 7}}}), Result(NodeHead::Listed, 2));
  EXPECT_EQ(How({{A, {0}}}).first, NodeHead::Listed) << "0 stands for a stream";
  EXPECT_GT(How({{A, {0}}}).second, 2u);
  EXPECT_EQ(How({{A, {1}}, {B, {2}}}).first, NodeHead::Listed);
  EXPECT_EQ(How({{A, {1, 2, 1}}}).first, NodeHead::Listed);
  // Not always the same of a node that is activated more often.
  Visited V;
  V.add(A, {5, 5, 5, 5});
  V.Activations.add(A, 1);
  EXPECT_EQ(V.encode().How, NodeHead::Listed);
  EXPECT_GT(V.encode().Bytes.size(), 2u);
  // Of some of the ranks that have the node.
  V = {};
  V.add(A, {1});
  V.N.Ranks.unite(B);
  EXPECT_EQ(V.encode().How, NodeHead::Listed);
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
  EXPECT_LT(Joined.check().second * 2, V.check().second);
  // Where it is a number for each of two sets, the function is longer.
  Visited Two;
  Two.add(RankSet::below(4), {3});
  Two.add(RankSet::between(4, 7), {5});
  Visited TwoJoined = Two;
  ASSERT_TRUE(TwoJoined.N.Visits[0].join(TwoJoined.N.Visits[1], World));
  TwoJoined.N.Visits.resize(1);
  EXPECT_EQ(TwoJoined.check(), Two.check());
}

/// Ranks of which each has some of the calls of a sequence that all have together, divided into stretches.
static Visited joint(const Numbers &Stretches) {
  Visited V;
  TerminalList Order;
  RankedItems &X = V.N.Events[1].Items.emplace_back();
  for (uint32_t T = 0; T < 4; ++T) {
    const RankSet Own = T == 0 ? RankSet::below(World) : RankSet::below(World).without(RankSet(T));
    X.Items.push_back({false, add(V.G, TableId::Signatures, {call(Own, 1, {})})});
  }
  X.Ranks = RankSet::below(World);
  std::vector<Numbers> Of(World);
  for (int64_t Length : Stretches) {
    for (uint32_t R = 0; R < World; ++R)
      Of[R].push_back(0);
    for (int64_t I = 0; I < Length; ++I) {
      const auto T = static_cast<uint32_t>(Order.size() < 4 ? Order.size() : Order.size() * 7 % 4);
      Order.push_back(T);
      for (uint32_t R = 0; R < World; ++R)
        Of[R].back() += T == 0 || R != T;
    }
  }
  X.Order = build(Order);
  for (uint32_t R = 0; R < World; ++R)
    V.add(RankSet(R), Of[R]);
  return V;
}

TEST(VisitsCodec, OfAllRanksTogetherWhereThatIsShorter) {
  const Visited V = joint({4, 5, 4, 7, 4, 6}), Equal = joint({6, 6, 6, 6, 6});
  JointBudget Budget;
  const auto [How, Bytes] = V.check(&Budget);
  EXPECT_EQ(How, NodeHead::Joint);
  EXPECT_LT(Budget.Work, JointBudget().Work);
  EXPECT_EQ(Equal.check(&Budget), std::pair(uint64_t(NodeHead::JointEqual), size_t(1)));
  // Not where they may not be so, or there is nothing left to spend.
  EXPECT_EQ(V.check().first, NodeHead::Listed);
  EXPECT_GT(V.check().second, Bytes);
  JointBudget Small{10};
  EXPECT_EQ(V.check(&Small).first, NodeHead::Listed);
  // The same ones again and again are said as they are.
  for (unsigned Try = 1; Try < JointBudget::MaxTries; ++Try)
    EXPECT_EQ(V.check(&Budget).first, NodeHead::Joint);
  EXPECT_EQ(V.check(&Budget).first, NodeHead::Listed);
  EXPECT_EQ(Equal.check(&Budget).first, NodeHead::JointEqual);
}
