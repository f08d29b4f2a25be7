// trace/file/Encoder.h, Encode.cpp, Decoder.h, Decode.cpp: the head of a trace, and tables that its groups have in
// common.
#include "test/unit/ReadTables.h"
#include "trace/file/Format.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

using Bytes = std::vector<uint8_t>;

static TraceData ofWorld(uint32_t World) {
  TraceData T;
  T.World = World;
  T.Ranks = RankSet::below(World);
  return T;
}

TEST(Codec, TheHeadComesBack) {
  TraceData T = ofWorld(1 << 24);
  T.Ranks = setOf(std::set<uint32_t>{0, 5, (1 << 24) - 1});
  T.Meta = {{"a", ""}, {"", "b"}, {std::string("x\0y", 3), "line\n"}};
  const SectionBytes S = encodeSections(T);
  MemoryBudget Memory;
  auto Head = decodeHead(S.Meta, Memory);
  ASSERT_TRUE(Head);
  EXPECT_EQ(Head->World, T.World);
  EXPECT_EQ(Head->Ranks, T.Ranks);
  EXPECT_EQ(Head->Meta, T.Meta);
  auto ErrorOf = [](Bytes Meta) {
    MemoryBudget Memory;
    auto Read = decodeHead(Meta, Memory);
    return Read ? std::string() : Read.error().What;
  };
  EXPECT_EQ(ErrorOf({2, 0, 0}), "");
  EXPECT_EQ(ErrorOf({2, 0, 0, 7}), "damaged: section meta, unpacked offset 3: bytes are left over");
  EXPECT_EQ(ErrorOf({2, 0, 2, 1, 'k'}),
            "damaged: section meta, unpacked offset 3: more is counted than bytes are left");
  EXPECT_EQ(ErrorOf({129, 128, 128, 8, 0, 0}),
            "damaged: section meta, unpacked offset 4: a world of more than 2^24 ranks");
  // What a section takes is missing in those behind it: sixty words.
  SectionBytes Long = S;
  Long.Schema = {60};
  Long.Schema.insert(Long.Schema.end(), 62, 0);
  const uint64_t Needed = Memory.Limit - Memory.Left + 60 * sizeof(std::string);
  EXPECT_TRUE(decodeSections(Long, {Needed, Needed}));
  auto All = decodeSections(Long, {Needed, Needed - 1});
  ASSERT_FALSE(All);
  EXPECT_EQ(All.error().What, "too large for this reader: section schema, unpacked offset 1, limit " +
                                  std::to_string(Needed) + " bytes of memory");
}

TEST(Codec, GroupsShareWhatIsTheSame) {
  TraceData T = ofWorld(4);
  Group A, B;
  const uint32_t SiteA = addSite(A, "app", 16), SiteB0 = addSite(B, "lib", 16), SiteB1 = addSite(B, "app", 16),
                 Called = addSite(B, "app", 32, SiteB1 + 1);
  const std::vector<int64_t> World{0, 0, 4, 0, -1};
  const uint32_t ObjectA = addObject(A, RankSet(0), Kind::Comm, "MPI_COMM_WORLD", World),
                 ObjectB = addObject(B, RankSet(2), Kind::Comm, "MPI_COMM_WORLD", World),
                 OtherB = addObject(B, RankSet(2), Kind::Comm, "", World);
  TableEncoder E;
  E.enter(A);
  const uint32_t Site = E.entry(TableId::Sites, SiteA), Object = E.entry(TableId::Objects, ObjectA);
  EXPECT_EQ(E.entry(TableId::Sites, SiteA), Site);
  E.enter(B);
  EXPECT_NE(E.entry(TableId::Sites, SiteB0), Site);
  EXPECT_EQ(E.entry(TableId::Sites, SiteB1), Site);
  const uint32_t Inner = E.entry(TableId::Sites, Called);
  EXPECT_EQ(E.entry(TableId::Objects, ObjectB), Object) << "whatever rank has it";
  const uint32_t Other = E.entry(TableId::Objects, OtherB);
  EXPECT_NE(Other, Object);
  EXPECT_EQ(E.string("app"), E.string("app"));
  ReadTables Read(T, E.bytes());
  ASSERT_TRUE(Read.IsGood);
  EXPECT_EQ(Read.D.table(TableId::Strings).size(), 3u);
  ASSERT_EQ(Read.D.table(TableId::Sites).size(), 3u);
  const Variant &S = Read.D.table(TableId::Sites)[Site][0], &I = Read.D.table(TableId::Sites)[Inner][0];
  EXPECT_EQ(Read.string(S.Tokens[0]), "app");
  EXPECT_EQ(S.Tokens[1], 0u);
  EXPECT_EQ(S.Words[0].single().C, 16);
  EXPECT_EQ(I.Tokens[1], Site + 1);
  const Variant &O = Read.D.table(TableId::Objects)[Object][0];
  EXPECT_TRUE(O.Ranks.empty());
  EXPECT_EQ(Read.string(O.Tokens[1] - 1), "MPI_COMM_WORLD");
  EXPECT_EQ(O.Words[2].single().C, 4);
  EXPECT_EQ(Read.D.table(TableId::Objects)[Other][0].Tokens[1], 0u);
}

TEST(Codec, EntriesNameTheirRanksWhereTheseMatter) {
  TraceData T = ofWorld(4);
  Group G;
  const RankSet Some = RankSet::below(2), All = RankSet::below(4);
  const uint32_t Plain = add(G, TableId::Paths, {variant(All, {1, 2, 7})}),
                 Two = add(G, TableId::Paths, {variant(Some, {3, 1}), variant(All.without(Some), {})});
  Variant ByRank = variant(All, {static_cast<uint32_t>(Kind::Datatype), 0}, {5, 0});
  ByRank.Words.own()[1] = RankFn::ofValues({1, 1, 2, 8}, All);
  const uint32_t Object = add(G, TableId::Objects, {ByRank});
  TableEncoder E;
  E.enter(G);
  auto Ranks = [&](TableId Id, uint32_t Index, const RankSet &Of) {
    const uint32_t At = E.entry(Id, Index, &Of);
    ReadTables Read(T, E.bytes());
    EXPECT_TRUE(Read.IsGood);
    const Entry &X = Read.D.table(Id)[At];
    const Entry &Was = G.table(Id)[Index];
    EXPECT_EQ(X.size(), Was.size());
    for (size_t I = 0; I < X.size(); ++I) {
      EXPECT_EQ(X[I].Tokens, Was[I].Tokens);
      EXPECT_TRUE(X[I].Ranks.empty() || X[I].Ranks == Was[I].Ranks);
      for (size_t W = 0; W < X[I].Words.size(); ++W)
        Was[I].Ranks.forEach([&](uint32_t R) { EXPECT_EQ(X[I].Words[W].eval(R, {}), Was[I].Words[W].eval(R, {})); });
    }
    return !X[0].Ranks.empty();
  };
  EXPECT_FALSE(Ranks(TableId::Paths, Plain, All));
  EXPECT_TRUE(Ranks(TableId::Paths, Plain, RankSet::below(5))) << "not all that have the sequence";
  EXPECT_TRUE(Ranks(TableId::Paths, Two, All));
  EXPECT_TRUE(Ranks(TableId::Objects, Object, All));
}

TEST(Codec, DamagedTablesAreRefused) {
  TraceData T = ofWorld(4);
  // Strings "x" and "y"; then sites, objects, forms and signatures, paths.
  auto Reads = [&](const Bytes &Behind, uint64_t Memory = 1 << 20) {
    Bytes B{2, 2, 1, 'x', 2, 1, 'y'};
    B.insert(B.end(), Behind.begin(), Behind.end());
    return ReadTables(T, B, Memory).IsGood;
  };
  EXPECT_TRUE(Reads({0, 0, 0, 0, 0}));
  EXPECT_FALSE(Reads({0, 0, 0, 0, 0, 0})) << "bytes are left over";
  EXPECT_FALSE(Reads({0, 0, 0, 0, 0}, 100)) << "strings take memory";
  EXPECT_TRUE(Reads({2, 2, 1, 1, 8, 4, 0, 0, 1, 8, 0, 0, 0, 0}));
  EXPECT_FALSE(Reads({2, 2, 1, 1, 8, 4, 0, 1, 1, 8, 0, 0, 0, 0})) << "a caller behind its site";
  EXPECT_FALSE(Reads({1, 2, 2, 1, 8, 0, 0, 0, 0})) << "no such string";
  EXPECT_FALSE(Reads({1, 3, 1, 1, 8, 0, 0, 0, 0})) << "sites are of no ranks";
  const auto Datatype = static_cast<uint8_t>(Kind::Datatype), Int = static_cast<uint8_t>(Kind::Int);
  EXPECT_TRUE(Reads({0, 1, 2, Datatype, 2, 1, 0, 1, 8, 0, 0, 0}));
  EXPECT_FALSE(Reads({0, 1, 2, Datatype, 3, 1, 0, 1, 8, 0, 0, 0})) << "no such name";
  EXPECT_FALSE(Reads({0, 1, 2, Int, 2, 1, 0, 1, 8, 0, 0, 0})) << "no kind of objects";
  EXPECT_FALSE(Reads({0, 1, 0, Datatype, 2, 1, 0, 1, 8, 0, 0, 0})) << "no variant";
  EXPECT_TRUE(Reads({0, 1, 3, 1, 0, 0, Datatype, 2, 1, 0, 1, 8, 0, 0, 0}));
  EXPECT_FALSE(Reads({0, 1, 3, 0, Datatype, 2, 1, 0, 1, 8, 0, 0, 0})) << "of no rank";
  EXPECT_FALSE(Reads({0, 1, 5, 1, 0, 0, Datatype, 2, 1, 0, 1, 8, 1, 2, 0, Datatype, 2, 1, 0, 1, 8, 0, 0, 0}))
      << "an object has one variant";
  EXPECT_FALSE(Reads({0, 1, 2, Datatype, 2, 9, 2, 2, 6, 0, 1, 8, 0, 0, 0})) << "a list, but no ranks";
  EXPECT_TRUE(Reads({0, 0, 0, 0, 1, 2, 2, 0, 4}));
  EXPECT_FALSE(Reads({0, 0, 0, 0, 1, 4, 1, 0, 1, 0})) << "two variants without ranks";
  EXPECT_FALSE(Reads({0, 0, 0, 0, 1, 2, 1, 3})) << "an event below 0";
}
