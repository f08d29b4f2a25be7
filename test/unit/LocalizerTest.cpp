// trace/file/Localizer.h: a group's own tables, of what it refers to in the common ones.
#include "trace/file/Localizer.h"
#include "test/unit/ReadTables.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// Common tables of two calls and a path. Of both calls the site is called at another one; the first has a string and
/// an object, the second the object. Before them stands what nobody needs.
struct Common {
  TraceData T;
  uint32_t First, Second, Path;
  std::vector<uint8_t> Bytes;

  explicit Common(const RankSet &OfObject) {
    T.World = 8;
    T.Ranks = RankSet::below(8);
    addFunction(T, 5, 2);
    addFunction(T, 6, 1);
    Group G;
    TableEncoder E;
    E.enter(G);
    E.string("nobody's");
    const uint32_t Nobody = addSite(G, "lib", 99), Outer = addSite(G, "app", 16),
                   Site = addSite(G, "app", 32, Outer + 1), String = addString(G, "file");
    E.entry(TableId::Sites, Nobody);
    Variant Object =
        variant(OfObject, {static_cast<uint32_t>(Kind::Comm), addString(G, "MPI_COMM_WORLD") + 1}, {0, 0, 8, 0, -1});
    if (!OfObject.empty())
      Object.Words.own()[1] = RankFn::ofValues({0, 7}, OfObject);
    const uint32_t Comm = add(G, TableId::Objects, {Object});
    auto Token = [](Tag X) { return static_cast<uint32_t>(X); };
    First =
        E.entry(TableId::Signatures,
                add(G, TableId::Signatures,
                    {variant({}, {5, Site + 1, 0, Token(Tag::String), String, Token(Tag::Objects), 2, Comm, Comm})}));
    Second = E.entry(TableId::Signatures,
                     add(G, TableId::Signatures, {variant({}, {6, Site + 1, 1, Token(Tag::Object), Comm})}));
    Path = E.entry(TableId::Paths, add(G, TableId::Paths, {variant({}, {1, 4})}));
    Bytes = E.bytes();
  }
};
} // namespace

TEST(Localizer, GroupsGetWhatTheyReferTo) {
  const Common C({});
  ReadTables Read(C.T, C.Bytes);
  ASSERT_TRUE(Read.IsGood);
  Group G;
  ByteReader R({});
  Localizer L(Read.D, G, R);
  const RankSet A = RankSet::below(3), B = RankSet::between(5, 6);
  EXPECT_EQ(L.add(TableId::Signatures, C.Second, A), 0u);
  EXPECT_EQ(L.add(TableId::Signatures, C.First, B), 1u);
  EXPECT_EQ(L.add(TableId::Signatures, C.First, A), 2u) << "a place has its own";
  EXPECT_EQ(L.add(TableId::Paths, C.Path, B), 0u);
  EXPECT_TRUE(R.ok());
  ASSERT_EQ(G.table(TableId::Sites).size(), 2u);
  ASSERT_EQ(G.table(TableId::Objects).size(), 1u);
  ASSERT_EQ(G.table(TableId::Strings).size(), 3u);
  // A caller stands before those that it calls.
  const Variant &Call = G.table(TableId::Signatures)[1][0];
  const Variant &Site = G.table(TableId::Sites)[Call.Tokens[1] - 1][0];
  EXPECT_EQ(Site.Words[0].single().C, 32);
  ASSERT_EQ(Site.Tokens[1], 1u);
  EXPECT_EQ(G.table(TableId::Sites)[0][0].Words[0].single().C, 16);
  EXPECT_EQ(G.string(Site.Tokens[0]), "app");
  EXPECT_EQ(G.string(Call.Tokens[4]), "file");
  EXPECT_EQ(Call.Tokens[7], 0u);
  EXPECT_EQ(Call.Tokens[8], 0u);
  EXPECT_EQ(Call.Ranks, B);
  EXPECT_EQ(G.table(TableId::Paths)[0][0].Ranks, B);
  const Variant &Comm = G.table(TableId::Objects)[0][0];
  EXPECT_EQ(G.string(Comm.Tokens[1] - 1), "MPI_COMM_WORLD");
  RankSet Users = A;
  Users.unite(B);
  EXPECT_EQ(Comm.Ranks, Users) << "known to those who use it";
  // Another group has tables of its own.
  Group Other;
  Localizer Next(Read.D, Other, R);
  EXPECT_EQ(Next.site(2), 1u);
  EXPECT_EQ(Next.site(1), 0u);
  EXPECT_EQ(Other.table(TableId::Strings).size(), 1u);
}

TEST(Localizer, AnObjectOfSomeRanksIsForNoOthers) {
  const RankSet Two = setOf(std::set{2, 4});
  const Common C(Two);
  ReadTables Read(C.T, C.Bytes);
  ASSERT_TRUE(Read.IsGood);
  for (const auto &[Ranks, IsGood] : {std::pair{Two, true}, {RankSet(4), true}, {RankSet::between(2, 4), false}}) {
    Group G;
    ByteReader R({});
    Localizer(Read.D, G, R).add(TableId::Signatures, C.Second, Ranks);
    EXPECT_EQ(R.ok(), IsGood);
    if (IsGood) {
      EXPECT_EQ(G.table(TableId::Objects)[0][0].Ranks, Two);
    }
  }
}

TEST(Localizer, CopiesArePaidFor) {
  const Common C({});
  ReadTables Read(C.T, C.Bytes);
  const uint64_t One = sizeOf(Read.D.table(TableId::Signatures)[C.Second]);
  ByteReader R({}, 1 << 20), Poor({}, One - 1);
  Group G, None;
  Localizer L(Read.D, G, R);
  L.add(TableId::Signatures, C.Second, RankSet(1));
  const uint64_t Left = R.memoryLeft();
  EXPECT_LE(Left, (1 << 20) - One - sizeOf(Read.D.table(TableId::Sites)[2]) * 2);
  L.add(TableId::Signatures, C.Second, RankSet(2));
  const uint64_t Other = One + 2; // the object is one more rank's
  EXPECT_EQ(Left - R.memoryLeft(), Other) << "what it refers to is there";
  L.add(TableId::Signatures, C.Second, RankSet(1));
  EXPECT_EQ(Left - R.memoryLeft(), Other + sizeof(Entry)) << "its variants are there";
  EXPECT_EQ(G.table(TableId::Signatures)[0].address(), G.table(TableId::Signatures)[2].address());
  EXPECT_NE(G.table(TableId::Signatures)[0].address(), G.table(TableId::Signatures)[1].address());
  Localizer(Read.D, None, Poor).add(TableId::Signatures, C.Second, RankSet(1));
  EXPECT_TRUE(Poor.isTooLarge());
}
