// trace/file/EncodeSignatures.cpp, DecodeSignatures.cpp: signatures of all shapes come back, for all ranks.
#include "test/unit/ReadTables.h"
#include "trace/file/Vectors.h"

#include <gtest/gtest.h>

#include <functional>

using namespace pilgrim;
using namespace pilgrim::test;

static constexpr uint32_t World = 5;

namespace {
class RandomSignatures {
public:
  explicit RandomSignatures(unsigned Seed) : Random(Seed) {
    T.World = World;
    T.Ranks = RankSet::below(World);
    for (uint32_t Id : {3u, 70000u, 4u})
      addFunction(T, Id, Id % 4 + 1);
    for (const char *S : {"a", "b"})
      Strings.push_back(addString(G, S));
    for (int64_t Id : {0, 1})
      Objects.push_back(addObject(G, T.Ranks, Kind::Datatype, Id ? "MPI_INT" : "", {Id, 4}));
    Sites = {addSite(G, "app", 16), addSite(G, "app", 32)};
  }

  /// With a variant for all ranks, or one for each of two sets.
  uint32_t add() {
    Entry E;
    if (Random() % 2)
      E = {random(RankSet::below(World))};
    else
      E = {random(RankSet::below(2)), random(RankSet::between(2, World - 1))};
    return test::add(G, TableId::Signatures, std::move(E));
  }
  TraceData T;
  Group G;

private:
  Variant random(const RankSet &Ranks) {
    const uint32_t Functions[] = {3, 70000, 4};
    const uint32_t Function = Functions[Random() % 3];
    Variant V = variant(Ranks, {Function, Random() % 3 ? Sites[Random() % 2] + 1 : 0, uint32_t(Random() % 3)});
    for (size_t I = 0; I < T.Functions[Function].Slots.size(); ++I)
      slot(V);
    return V;
  }
  void slot(Variant &V) {
    const auto T = static_cast<Tag>(Random() % NumTags);
    V.Tokens.push_back(static_cast<uint32_t>(T));
    Tag Value = T;
    if (T == Tag::Stream) {
      const Tag Inner[] = {Tag::Word, Tag::Heap, Tag::Data, Tag::Array, Tag::Statuses, Tag::String, Tag::Objects};
      V.Tokens.push_back(static_cast<uint32_t>(Value = Inner[Random() % std::size(Inner)]));
    }
    uint32_t Length = 1;
    if (Value == Tag::Name || T == Tag::String || Value == Tag::Data)
      V.Tokens.push_back(Strings[Random() % 2]);
    if (Value == Tag::Object)
      V.Tokens.push_back(Objects[Random() % 2]);
    if (T == Tag::Array || T == Tag::Statuses || Value == Tag::Objects)
      V.Tokens.push_back(Length = Random() % 5);
    for (uint32_t I = 0; Value == Tag::Objects && I < Length; ++I)
      V.Tokens.push_back(Objects[Random() % 2]);
    for (size_t I = 0; T != Tag::Stream && I < wordsOf(T) * Length; ++I)
      word(V);
  }
  void word(Variant &V) {
    std::vector<int64_t> Values;
    for (uint64_t I = 0; I < V.Ranks.size(); ++I)
      Values.push_back(static_cast<int64_t>(Random() % 3 * 1000));
    // Arrays that follow from others need values that are the same for all ranks now and then.
    V.Words.push_back(Random() % 3 ? RankFn(static_cast<int64_t>(Random() % 4)) : RankFn::ofValues(Values, V.Ranks));
  }

  std::mt19937 Random;
  std::vector<uint32_t> Strings, Objects, Sites;
};
} // namespace

/// Tokens with what they refer to in their places, and values of each rank.
static std::string text(const Variant &V, const RankSet &Ranks,
                        const std::function<const Entry &(TableId, uint32_t)> &At) {
  auto String = [&](uint32_t I) { return unpackString(At(TableId::Strings, I)[0].Tokens); };
  std::string S = std::to_string(V.Tokens[0]) + " " + std::to_string(V.Tokens[2]);
  if (V.Tokens[1]) {
    const Variant &Site = At(TableId::Sites, V.Tokens[1] - 1)[0];
    S += " " + String(Site.Tokens[0]) + std::to_string(Site.Words[0].single().C);
  }
  SlotWalker Walk(V.Tokens);
  for (SlotView X; Walk.next(X);) {
    S += " |" + std::to_string(static_cast<unsigned>(X.T)) + "," + std::to_string(static_cast<unsigned>(X.Inner)) +
         "," + std::to_string(X.Length);
    for (size_t I = X.RefToken; X.RefToken && I < X.FirstToken + X.Tokens; ++I)
      S += X.hasObjects() ? " #" + std::to_string(At(TableId::Objects, V.Tokens[I])[0].Words[0].single().C)
                          : " " + String(V.Tokens[I]);
  }
  EXPECT_FALSE(Walk.bad());
  EXPECT_EQ(Walk.words(), V.Words.size());
  for (const RankFn &W : V.Words) {
    S += " ;";
    Ranks.forEach([&](uint32_t R) { S += " " + std::to_string(W.eval(R, {R, World})); });
  }
  return S;
}

TEST(SignaturesCodec, RandomSignaturesComeBack) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    RandomSignatures Make(Seed);
    TableEncoder E;
    E.enter(Make.G);
    std::vector<std::pair<uint32_t, uint32_t>> Places; // in the group, in the file
    for (unsigned I = 0; I < 12; ++I) {
      const uint32_t Own = Make.add();
      Places.push_back({Own, E.entry(TableId::Signatures, Own, &Make.T.Ranks)});
      EXPECT_EQ(E.entry(TableId::Signatures, Own, &Make.T.Ranks), Places.back().second);
      // What is equal stands there once, even if it shares no memory.
      Entry Same = Make.G.table(TableId::Signatures)[Own];
      Same.own();
      EXPECT_EQ(E.entry(TableId::Signatures, add(Make.G, TableId::Signatures, std::move(Same)), &Make.T.Ranks),
                Places.back().second);
    }
    ReadTables Read(Make.T, E.bytes());
    ASSERT_TRUE(Read.IsGood) << Seed << ": " << Read.R.reason();
    for (auto [Own, There] : Places) {
      const Entry &Was = Make.G.table(TableId::Signatures)[Own], &Is = Read.D.table(TableId::Signatures)[There];
      ASSERT_EQ(Is.size(), Was.size());
      for (size_t V = 0; V < Was.size(); ++V) {
        EXPECT_TRUE(Is[V].Ranks.empty() || Is[V].Ranks == Was[V].Ranks);
        EXPECT_EQ(
            text(Is[V], Was[V].Ranks, [&](TableId Id, uint32_t I) -> const Entry & { return Read.D.table(Id)[I]; }),
            text(Was[V], Was[V].Ranks, [&](TableId Id, uint32_t I) -> const Entry & { return Make.G.table(Id)[I]; }))
            << Seed;
      }
    }
  }
}

TEST(SignaturesCodec, WhatDiffersInOneThingIsAnotherEntry) {
  TraceData T;
  T.World = World;
  T.Ranks = RankSet::below(World);
  addFunction(T, 1, 1);
  Group G;
  const uint32_t Site = addSite(G, "app", 16);
  auto Make = [](const RankSet &Ranks, uint32_t Site, uint32_t Depth, std::vector<int64_t> Values) {
    Variant V = variant(Ranks, {1, Site, Depth, static_cast<uint32_t>(Tag::Word)});
    V.Words.push_back(RankFn::ofValues(Values, Ranks));
    return V;
  };
  const RankSet Low = RankSet::below(2), High = RankSet::between(2, World - 1), Less = RankSet::below(4);
  const std::vector<Entry> All = {
      {Make(T.Ranks, 0, 0, {5, 6, 7, 8, 9})},
      {Make(T.Ranks, 0, 0, {5, 6, 7, 8, 10})},
      {Make(T.Ranks, 0, 1, {5, 6, 7, 8, 9})},
      {Make(T.Ranks, Site + 1, 0, {5, 6, 7, 8, 9})},
      {Make(Less, 0, 0, {5, 5, 5, 5})},
      {Make(T.Ranks, 0, 0, {5, 5, 5, 5, 5})},
      {Make(Low, 0, 0, {5, 5})},
      {Make(High, 0, 0, {5, 5, 5})},
      {Make(Low, 0, 0, {5, 5}), Make(High, 0, 0, {5, 5, 5})},
      {Make(High, 0, 0, {5, 5, 5}), Make(Low, 0, 0, {5, 5})},
  };
  TableEncoder E;
  E.enter(G);
  for (uint32_t Round = 0; Round < 2; ++Round)
    for (uint32_t I = 0; I < All.size(); ++I) {
      Entry Own = All[I];
      Own.own();
      EXPECT_EQ(E.entry(TableId::Signatures, add(G, TableId::Signatures, std::move(Own)), &T.Ranks), I);
    }
}

TEST(SignaturesCodec, WhatGroupsShareMeansWhatEachGroupsTablesSay) {
  TraceData T;
  T.World = World;
  T.Ranks = RankSet::below(World);
  addFunction(T, 1, 1);
  const Entry Shared = {variant(T.Ranks, {1, 0, 0, static_cast<uint32_t>(Tag::Name), 0})};
  Group Groups[2];
  TableEncoder E;
  uint32_t Places[2];
  for (unsigned I = 0; I < 2; ++I) {
    addString(Groups[I], I ? "b" : "a");
    add(Groups[I], TableId::Signatures, Shared);
    E.enter(Groups[I]);
    Places[I] = E.entry(TableId::Signatures, 0);
  }
  ReadTables Read(T, E.bytes());
  ASSERT_TRUE(Read.IsGood) << Read.R.reason();
  for (unsigned I = 0; I < 2; ++I)
    EXPECT_EQ(Read.string(Read.D.table(TableId::Signatures)[Places[I]][0].Tokens[4]), I ? "b" : "a");
}

TEST(SignaturesCodec, AnArrayThatFollowsTakesAFewBytes) {
  TraceData T;
  T.World = World;
  T.Ranks = RankSet::below(World);
  addFunction(T, 1, 2);
  auto Written = [&](int64_t Last) {
    Group G;
    const auto Array = static_cast<uint32_t>(Tag::Array);
    add(G, TableId::Signatures,
        {variant({}, {1, 0, 0, Array, 5, Array, 5}, {5, 3, 8, 1, 9, 100, 110, 116, 132, Last})});
    TableEncoder E;
    E.enter(G);
    E.entry(TableId::Signatures, 0);
    ReadTables Read(T, E.bytes());
    EXPECT_TRUE(Read.IsGood);
    EXPECT_EQ(Read.D.table(TableId::Signatures)[0][0].Words[9].single().C, Last);
    return E.bytes().size();
  };
  // A head and a value less for each of five.
  EXPECT_LE(Written(134) + 6, Written(135));
}

TEST(SignaturesCodec, DamagedSignaturesAreRefused) {
  TraceData T;
  T.World = World;
  addFunction(T, 1, 1);
  addFunction(T, 2, 2);
  // A string, no site or object; forms, entries, forms of rows, sites of rows, words; no paths.
  using Bytes = std::vector<uint8_t>;
  auto Reads = [&](const Bytes &Forms, const Bytes &Behind) {
    Bytes B{1, 2, 1, 'x', 0, 0};
    B.insert(B.end(), Forms.begin(), Forms.end());
    B.insert(B.end(), Behind.begin(), Behind.end());
    B.push_back(0);
    return ReadTables(T, B).IsGood;
  };
  const Bytes Word{1, 1, 0, 3}, One{1, 2, 0, 0, 1, 8};
  EXPECT_TRUE(Reads(Word, One));
  EXPECT_FALSE(Reads({1, 9, 0, 3}, One)) << "no such function";
  EXPECT_FALSE(Reads({1, 1, 128, 2, 3}, One)) << "a depth of 256";
  EXPECT_TRUE(Reads({1, 1, 255, 1, 3}, One));
  EXPECT_FALSE(Reads({1, 1, 0, NumSlotCodes}, One)) << "no such tag";
  EXPECT_FALSE(Reads({1, 1, 0, 15, 6}, {1, 2, 0, 0})) << "no stream of objects";
  EXPECT_TRUE(Reads({1, 1, 0, 15, 5}, {1, 2, 0, 0}));
  EXPECT_TRUE(Reads({1, 1, 0, 15, 3}, {1, 2, 0, 0}));
  EXPECT_TRUE(Reads({1, 1, 0, 5, 0}, {1, 2, 0, 0}));
  EXPECT_FALSE(Reads({1, 1, 0, 5, 1}, {1, 2, 0, 0})) << "no such string";
  EXPECT_FALSE(Reads({1, 1, 0, 6, 0}, {1, 2, 0, 0})) << "no such object";
  EXPECT_FALSE(Reads(Word, {1, 2, 1, 0, 1, 8})) << "no such form";
  EXPECT_FALSE(Reads({0}, {1, 2, 0, 0, 1, 8})) << "no form at all";
  EXPECT_FALSE(Reads(Word, {1, 2, 0, 2, 1, 8})) << "no such site";
  EXPECT_FALSE(Reads(Word, {1, 0, 0, 0, 1, 8})) << "no variant";
  EXPECT_FALSE(Reads(Word, {1, 2, 0, 0, 9, 2, 2, 8, 0})) << "a list, but no ranks";
  EXPECT_TRUE(Reads(Word, {1, 3, 1, 0, 4 << 2, 0, 0, 9, 2, 2, 8, 0}));
  // Derived arrays: from so many slots before, which is an array.
  const Bytes Three{1, 2, 0, 0, 1, 2, 1, 4, 1, 6};
  EXPECT_TRUE(Reads({1, 2, 0, 4, 3, SumsCode, 1, 0, 2}, Three));
  EXPECT_FALSE(Reads({1, 2, 0, 4, 3, SumsCode, 0, 0, 2}, Three)) << "from itself";
  EXPECT_FALSE(Reads({1, 2, 0, 4, 3, SumsCode, 2, 0, 2}, Three)) << "from before the first";
  EXPECT_FALSE(Reads({1, 2, 0, 3, SumsCode, 1, 0, 2}, {1, 2, 0, 0, 1, 2})) << "from a word";
  EXPECT_FALSE(Reads({1, 2, 0, 4, 3, TransposedCode, 1}, Three)) << "transposed of unknown ranks";
}
