// trace/merge/MergeTables.h, MergeTables.cpp: entries of two sides, joined or copied.
#include "trace/merge/MergeTables.h"
#include "test/unit/Tables.h"

#include <gtest/gtest.h>

#include <functional>

using namespace pilgrim;
using namespace pilgrim::test;

static constexpr uint32_t World = 8;

/// A call with a string, an object, objects, and a word.
static Variant withReferences(const RankSet &Ranks, uint32_t String, uint32_t Object, int64_t Word) {
  auto T = [](Tag X) { return static_cast<uint32_t>(X); };
  return variant(
      Ranks,
      {5, 0, 0, T(Tag::String), String, T(Tag::Object), Object, T(Tag::Objects), 2, Object, Object, T(Tag::Word)},
      {Word});
}

TEST(MergeTables, WhatHasTheSameContentIsOne) {
  Group A, B;
  // The same sites in other orders; one is called by another.
  const uint32_t A1 = addSite(A, "app", 16), A2 = addSite(A, "app", 32, A1 + 1), A3 = addSite(A, "lib", 16);
  const uint32_t B3 = addSite(B, "lib", 16), B1 = addSite(B, "app", 16), B2 = addSite(B, "app", 32, B1 + 1),
                 B4 = addSite(B, "app", 32);
  TableMerge M(A, B, World);
  EXPECT_EQ(M.site(M.Sides[0], A2), M.site(M.Sides[1], B2));
  EXPECT_EQ(M.site(M.Sides[0], A1), M.site(M.Sides[1], B1));
  EXPECT_EQ(M.site(M.Sides[0], A3), M.site(M.Sides[1], B3));
  EXPECT_NE(M.site(M.Sides[1], B4), M.site(M.Sides[1], B2)) << "without its caller it is another one";
  EXPECT_EQ(M.Out.table(TableId::Sites).size(), 4u);
  EXPECT_EQ(M.Out.table(TableId::Strings).size(), 2u);
  const Variant &Site = M.Out.table(TableId::Sites)[M.site(M.Sides[0], A2)][0];
  EXPECT_EQ(M.Out.string(Site.Tokens[0]), "app");
  EXPECT_EQ(Site.Tokens[1], M.site(M.Sides[0], A1) + 1);
  EXPECT_EQ(Site.Words[0].single().C, 32);
}

TEST(MergeTables, CopiesReferToTheResult) {
  Group A, B;
  addString(A, "only here");
  addSite(B, "lib", 99);
  const uint32_t String = addString(B, "file"), Site = addSite(B, "app", 16),
                 Object = addObject(B, RankSet(1), Kind::Comm, "MPI_COMM_WORLD", {0, 1, World, 0, -1});
  Variant V = withReferences(RankSet(1), String, Object, 7);
  V.Tokens[1] = Site + 1;
  TableMerge M(A, B, World);
  const uint32_t First = M.copy(M.Sides[1], TableId::Signatures, {V}),
                 Again = M.copy(M.Sides[1], TableId::Signatures, {V});
  EXPECT_EQ(Again, First + 1) << "each entry is one place's own";
  const Variant &Out = M.Out.table(TableId::Signatures)[First][0];
  EXPECT_EQ(Out.Tokens, M.Out.table(TableId::Signatures)[Again][0].Tokens);
  EXPECT_EQ(M.Out.string(Out.Tokens[4]), "file");
  EXPECT_EQ(M.Out.table(TableId::Sites)[Out.Tokens[1] - 1][0].Words[0].single().C, 16);
  EXPECT_EQ(Out.Tokens[6], Out.Tokens[9]);
  const Variant &Comm = M.Out.table(TableId::Objects)[Out.Tokens[6]][0];
  EXPECT_EQ(M.Out.string(Comm.Tokens[1] - 1), "MPI_COMM_WORLD");
  EXPECT_EQ(M.Out.table(TableId::Objects).size(), 1u);
  EXPECT_EQ(M.Out.table(TableId::Strings).size(), 3u) << "not what nobody refers to";
  EXPECT_EQ(Out.Words[0].single().C, 7);
}

TEST(MergeTables, PairsOfObjectsBecomeOne) {
  Group A, B;
  const auto Objects = [](Group &G, uint32_t Rank, int64_t Id) {
    return addObject(G, RankSet(Rank), Kind::Comm, "", {Id, Rank, World, 0, -1});
  };
  // Each side has numbers of its own.
  const uint32_t A1 = Objects(A, 2, 1), A2 = Objects(A, 2, 3), B2 = Objects(B, 3, 4), B1 = Objects(B, 3, 2);
  const uint32_t SA = addString(A, "x"), SB = addString(B, "x");
  TableMerge M(A, B, World);
  auto Join = [&](uint32_t X, uint32_t Y) {
    const uint32_t I =
        M.join(TableId::Signatures, {withReferences(RankSet(2), SA, X, 5)}, {withReferences(RankSet(3), SB, Y, 6)});
    const Entry &E = M.Out.table(TableId::Signatures)[I];
    EXPECT_EQ(E.size(), 1u);
    EXPECT_EQ(E[0].Ranks, RankSet::between(2, 3));
    EXPECT_EQ(E[0].Words[0].eval(2, {2, World}), 5);
    EXPECT_EQ(E[0].Words[0].eval(3, {3, World}), 6);
    return E[0].Tokens[6];
  };
  const uint32_t First = Join(A1, B1), Second = Join(A2, B2);
  EXPECT_NE(First, Second);
  EXPECT_EQ(Join(A1, B1), First);
  EXPECT_NE(Join(A1, B2), First);
  const Variant &Comm = M.Out.table(TableId::Objects)[First][0];
  EXPECT_EQ(Comm.Ranks, RankSet::between(2, 3));
  EXPECT_EQ(Comm.Words[0].eval(2, {}), 1);
  EXPECT_EQ(Comm.Words[0].eval(3, {}), 2);
}

TEST(MergeTables, ObjectsThatRanksOfBothSidesHaveMustBeTheSame) {
  // Sequences of one group are joined: rank 3 has both communicators, at different calls.
  for (const int64_t Other : {1, 2}) {
    Group A, B;
    const uint32_t X = addObject(A, RankSet::between(2, 3), Kind::Comm, "", {1, 0, World, 0, -1}),
                   Y = addObject(B, RankSet::between(3, 4), Kind::Comm, "", {Other, 0, World, 0, -1});
    const uint32_t SA = addString(A, "x"), SB = addString(B, "x");
    TableMerge M(A, B, World);
    const uint32_t I =
        M.join(TableId::Signatures, {withReferences(RankSet(2), SA, X, 5)}, {withReferences(RankSet(3), SB, Y, 5)});
    for (const Variant &V : M.Out.table(TableId::Signatures)[I])
      V.Ranks.forEach([&](uint32_t R) {
        const Variant &Comm = M.Out.table(TableId::Objects)[V.Tokens[6]][0];
        EXPECT_EQ(Comm.Words[0].eval(R, {R, World}), R == 2 ? 1 : Other) << "rank " << R;
      });
    EXPECT_EQ(M.Out.table(TableId::Signatures)[I].size(), Other == 1 ? 1u : 2u);
  }
}

/// How many variants the join of two calls has.
static size_t variants(const std::function<void(Group &, Variant &)> &Change) {
  Group Sides[2];
  Variant Calls[2];
  for (uint32_t S = 0; S < 2; ++S) {
    const uint32_t String = addString(Sides[S], "x"), Site = addSite(Sides[S], "app", 16),
                   Object = addObject(Sides[S], RankSet(S), Kind::Comm, "MPI_COMM_WORLD", {0, S, World, 0, -1});
    Calls[S] = withReferences(RankSet(S), String, Object, 5);
    Calls[S].Tokens[1] = Site + 1;
  }
  Change(Sides[1], Calls[1]);
  TableMerge M(Sides[0], Sides[1], World);
  const uint32_t I = M.join(TableId::Signatures, Entry{Calls[0]}, Entry{Calls[1]});
  const Entry &E = M.Out.table(TableId::Signatures)[I];
  RankSet All;
  for (const Variant &V : E)
    All.unite(V.Ranks);
  EXPECT_EQ(All, RankSet::below(2));
  return E.size();
}

TEST(MergeTables, OnlyIntegersAndNumbersOfObjectsMayDiffer) {
  using V = Variant;
  EXPECT_EQ(variants([](Group &, V &) {}), 1u);
  EXPECT_EQ(variants([](Group &, V &X) { X.Words.own()[0] = RankFn(99); }), 1u);
  EXPECT_EQ(variants([](Group &G, V &X) { X.Tokens[4] = addString(G, "x"); }), 1u);
  EXPECT_EQ(variants([](Group &G, V &X) { X.Tokens[1] = addSite(G, "app", 16) + 1; }), 1u);
  EXPECT_EQ(variants([](Group &, V &X) { X.Tokens[0] = 6; }), 2u) << "function";
  EXPECT_EQ(variants([](Group &, V &X) { X.Tokens[1] = 0; }), 2u) << "no site";
  EXPECT_EQ(variants([](Group &G, V &X) { X.Tokens[1] = addSite(G, "app", 17) + 1; }), 2u) << "site";
  EXPECT_EQ(variants([](Group &, V &X) { X.Tokens[2] = 1; }), 2u) << "depth";
  EXPECT_EQ(variants([](Group &G, V &X) { X.Tokens[4] = addString(G, "y"); }), 2u) << "string";
  EXPECT_EQ(variants([](Group &, V &X) { X.Tokens.back() = static_cast<uint32_t>(Tag::Raw); }), 2u) << "tag";
  EXPECT_EQ(variants([](Group &, V &X) {
              X.Tokens.push_back(static_cast<uint32_t>(Tag::Word));
              X.Words.emplace_back(1);
            }),
            2u)
      << "one slot more";
  auto Other = [](Kind K, const char *Name) {
    return [K, Name](Group &G, V &X) { X.Tokens[10] = addObject(G, RankSet(1), K, Name, {0, 1, World, 0, -1}); };
  };
  EXPECT_EQ(variants(Other(Kind::Comm, "MPI_COMM_WORLD")), 1u);
  EXPECT_EQ(variants(Other(Kind::Comm, "MPI_COMM_SELF")), 2u);
  EXPECT_EQ(variants(Other(Kind::Comm, "")), 2u);
  EXPECT_EQ(variants(Other(Kind::Win, "MPI_COMM_WORLD")), 2u);
}

TEST(MergeTables, EachVariantIsJoinedOnce) {
  Group A, B;
  TableMerge M(A, B, World);
  // Two of the left side could take the first of the right side; one of the right side has none.
  const uint32_t I = M.join(TableId::Signatures, {call(RankSet(0), 1, {5}), call(RankSet(1), 1, {6})},
                            {call(RankSet(2), 1, {5}), call(RankSet(3), 2, {})});
  const Entry &E = M.Out.table(TableId::Signatures)[I];
  ASSERT_EQ(E.size(), 3u);
  EXPECT_EQ(members(E[0].Ranks), (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(members(E[1].Ranks), (std::vector<uint32_t>{1}));
  EXPECT_EQ(members(E[2].Ranks), (std::vector<uint32_t>{3}));
  // Paths are joined if they have the same events.
  const uint32_t P = M.join(TableId::Paths, {variant(RankSet(0), {1, 2}), variant(RankSet(1), {1, 3})},
                            {variant(RankSet(2), {1, 3}), variant(RankSet(3), {1})});
  const Entry &Paths = M.Out.table(TableId::Paths)[P];
  ASSERT_EQ(Paths.size(), 3u);
  EXPECT_EQ(members(Paths[1].Ranks), (std::vector<uint32_t>{1, 2}));
}

TEST(MergeTables, WhatEntriesShareIsJoinedOnceAndStaysShared) {
  Group Sides[2];
  for (uint32_t S = 0; S < 2; ++S) {
    Entry E{call(RankSet(2 * S), 1, {5}), call(RankSet(2 * S + 1), 2 + S, {6})};
    for (uint32_t I = 0; I < 3; ++I) {
      E.setMeasure(0, 10 * S + 2 * I);
      E.setMeasure(1, 10 * S + 2 * I + 1);
      add(Sides[S], TableId::Signatures, E);
    }
  }
  add(Sides[0], TableId::Signatures, {call(RankSet(0), 1, {5})}); // not shared
  const Group Before[] = {Sides[0], Sides[1]};
  TableMerge M(Sides[0], Sides[1], World);
  auto Join = [&](uint32_t A, uint32_t B) -> const Entry & {
    return M.Out.table(TableId::Signatures)[M.joinEntry(TableId::Signatures, A, B)];
  };
  const Entry First = Join(0, 0), Second = Join(1, 2), Own = Join(3, 1);
  ASSERT_EQ(First.size(), 3u);
  EXPECT_EQ(members(First[0].Ranks), (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(First.address(), Second.address());
  EXPECT_NE(First.address(), Own.address());
  auto Measures = [](const Entry &E) { return std::vector{E.measure(0), E.measure(1), E.measure(2)}; };
  EXPECT_EQ(Measures(First), (std::vector<uint32_t>{0, 1, 11}));
  EXPECT_EQ(Measures(Second), (std::vector<uint32_t>{2, 3, 15}));
  for (uint32_t S = 0; S < 2; ++S)
    EXPECT_EQ(members(Before[S].table(TableId::Signatures)[0][0].Ranks), (std::vector<uint32_t>{2 * S}));
  // So it is with entries of one side.
  Group Copied[2] = {Before[0], Before[1]};
  TableMerge C(Copied[0], Copied[1], World);
  auto Copy = [&](uint32_t I) -> const Entry & {
    return C.Out.table(TableId::Signatures)[C.copyEntry(C.Sides[1], TableId::Signatures, I)];
  };
  const Entry X = Copy(0), Y = Copy(1);
  EXPECT_EQ(X.address(), Y.address());
  EXPECT_EQ(Y.measure(1), 13u);
}
