// trace/file/EncodeRegions.cpp, DecodeRegions.cpp: of the regions that were visited, what some visit came by.
#include "test/unit/ReadTables.h"
#include "test/unit/Sequences.h"
#include "trace/file/Format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace pilgrim;
using namespace pilgrim::test;

/// The thread activates nodes of these regions once each; paths: of the visit.
static void visit(TraceData &T, const std::vector<std::pair<uint32_t, std::vector<uint32_t>>> &Nodes) {
  Group &G = T.Groups.emplace_back();
  const RankSet Own = T.Ranks;
  G.Nodes.resize(Nodes.size() + 1);
  G.Nodes[0].Ranks = Own;
  RankedItems &X = G.Nodes[0].Events[0].Items.emplace_back();
  X.Ranks = Own;
  for (uint32_t I = 0; I < Nodes.size(); ++I) {
    X.Order.Rules[0].push_back({I, false, 1});
    X.Items.push_back({true, I + 1});
    NodeData &N = G.Nodes[I + 1];
    N.Ranks = Own;
    N.Region = Nodes[I].first;
    N.Visits = {{Own, streamOf({1})}};
    N.Paths = {{Own, build({0}), {{false, add(G, TableId::Paths, {variant(Own, Nodes[I].second)})}}}};
  }
}

/// Of some ranks of a world, so that functions keep their ids.
static TraceData some() {
  TraceData T;
  T.World = 4;
  T.Ranks = RankSet::below(2);
  for (uint32_t Id : {7u, 9u, 12u})
    addFunction(T, Id, 1);
  T.Functions[9].Name = "MPI_Send";
  return T;
}

static TraceData decoded(const TraceData &T) {
  auto Read = decodeSections(encodeSections(T));
  EXPECT_TRUE(Read) << Read.error().What;
  return Read ? std::move(*Read) : TraceData();
}

static Region randomRegion(std::mt19937 &Random, uint64_t Function, uint32_t Index, uint32_t Loops) {
  const char *Sites[] = {"F7", "MPI_Send", "mpi_send_", "other", ""};
  Region X;
  X.Function = Function;
  X.Index = Index;
  X.Name = "f" + std::to_string(Function % 5); // two may have one name
  X.File = "file" + std::to_string(Function % 2);
  X.Line = Random() % 500;
  std::vector<uint32_t> Arms{0};
  for (uint32_t E = 1; E <= Random() % 9; ++E) {
    Region::Event New;
    New.K = static_cast<Region::Kind>(Random() % 4);
    New.Line = Random() % 600;
    New.Arm = Arms[Random() % Arms.size()];
    if (New.K == Region::Arm)
      Arms.push_back(E);
    if (New.K == Region::Loop || New.K == Region::Arm)
      New.Number = New.K == Region::Loop ? 1 + Random() % Loops : Random() % 9;
    if (New.K == Region::Arm && New.Number == Region::CriticalArm)
      New.Name = Random() % 2 ? "update" + std::to_string(Random() % 3) : "";
    else if (New.K == Region::Site || New.K == Region::Call)
      New.Name = New.K == Region::Site ? Sites[Random() % 5] : "f" + std::to_string(Random() % 8);
    X.Events.push_back(New);
  }
  return X;
}

TEST(RegionsCodec, WhatVisitsCameByComesBack) {
  for (unsigned Seed = 0; Seed < 400; ++Seed) {
    std::mt19937 Random(Seed);
    TraceData T = some();
    std::vector<std::pair<uint32_t, std::vector<uint32_t>>> Nodes;
    for (uint64_t F = 0; F < 1 + Random() % 6; ++F)
      for (uint32_t Index = 0; Index < 1 + Random() % 3; ++Index) {
        T.Regions.push_back(randomRegion(Random, 100 + F, Index, 3));
        std::vector<uint32_t> Path;
        for (uint32_t E = 1; E <= T.Regions.back().Events.size(); ++E)
          if (Random() % 3)
            Path.push_back(E);
        if (Random() % 5)
          Nodes.push_back({static_cast<uint32_t>(T.Regions.size() - 1), Path});
      }
    std::shuffle(T.Regions.begin(), T.Regions.end(), Random); // which gives paths events that regions may lack
    for (auto &[R, Path] : Nodes)
      std::erase_if(Path, [&, R = R](uint32_t E) { return E > T.Regions[R].Events.size(); });
    visit(T, Nodes);
    const TraceData Read = decoded(T);
    for (uint32_t I = 0; I < Nodes.size(); ++I) {
      Region Wanted = T.Regions[Nodes[I].first];
      std::vector<bool> Used(Wanted.Events.size() + 1);
      for (uint32_t J = 0; J < Nodes.size(); ++J)
        if (Nodes[J].first == Nodes[I].first)
          for (uint32_t E : Nodes[J].second)
            for (; E; E = Wanted.Events[E - 1].Arm) // and the arms around it
              Used[E] = true;
      for (size_t E = Used.size(); E-- > 1;)
        if (!Used[E])
          Wanted.Events[E - 1] = {};
      while (!Wanted.Events.empty() && Wanted.Events.back().K == Region::Unknown)
        Wanted.Events.pop_back();
      EXPECT_EQ(Read.Regions[Read.Groups[0].Nodes[I + 1].Region], Wanted) << Seed;
    }
    std::set<uint32_t> Visited;
    for (const auto &[R, Path] : Nodes)
      Visited.insert(R);
    EXPECT_EQ(Read.Regions.size(), Visited.size()) << "others are not there";
    EXPECT_EQ(encodeSections(Read).Tables, encodeSections(T).Tables) << Seed;
  }
}

TEST(RegionsCodec, ReadersExpectWhatWritersDo) {
  for (unsigned Seed = 0; Seed < 200; ++Seed) {
    std::mt19937 Random(Seed);
    TraceData T = some();
    std::vector<std::pair<uint32_t, std::vector<uint32_t>>> Nodes;
    for (uint64_t F = 0; F < 5; ++F)
      for (uint32_t Index = Random() % 2; Index < 3; ++Index) {
        T.Regions.push_back(randomRegion(Random, 100 + F, Index, 3));
        std::vector<uint32_t> All(T.Regions.back().Events.size());
        std::iota(All.begin(), All.end(), 1);
        Nodes.push_back({static_cast<uint32_t>(T.Regions.size() - 1), All});
      }
    visit(T, Nodes);
    const StructureEncoder S(T);
    const SectionBytes Bytes = encodeSections(T);
    TraceData Head = some();
    const std::vector<uint32_t> Functions = S.sites().inOrder();
    TableDecoder D(Head, Functions);
    ByteReader R(Bytes.Tables);
    ASSERT_TRUE(D.read(R)) << R.reason();
    for (uint32_t I = 0; I < T.Regions.size(); ++I)
      for (const TableDecoder::KnownEvent &K : D.Known[S.region(I)])
        EXPECT_EQ(K.Region, S.expected(I, K.Id)) << Seed;
  }
}

TEST(RegionsCodec, FunctionsStandBehindThoseThatCallThem) {
  TraceData T = some();
  auto Function = [&](uint64_t Id, const char *Name, std::vector<const char *> Calls) {
    Region &X = T.Regions.emplace_back();
    X.Function = Id;
    X.Name = Name;
    X.File = "x.c";
    X.Line = static_cast<uint32_t>(Id);
    for (const char *C : Calls)
      X.Events.push_back({Region::Call, 1, 0, 0, C});
  };
  // By line they would stand the other way round; two call each other.
  Function(1, "leaf", {});
  Function(2, "one", {"leaf", "two"});
  Function(3, "two", {"one"});
  Function(4, "main", {"two", "not there"});
  visit(T, {{0, {}}, {1, {1, 2}}, {2, {1}}, {3, {1, 2}}});
  std::vector<std::string> Names;
  for (const Region &R : decoded(T).Regions)
    Names.push_back(R.Name);
  EXPECT_EQ(Names, (std::vector<std::string>{"main", "two", "one", "leaf"}));
  // Ids are only there as long as others may join.
  EXPECT_EQ(decoded(T).Regions[0].Function, 4u);
  T.Ranks = RankSet::below(4);
  for (NodeData &N : T.Groups[0].Nodes)
    N.Ranks = T.Ranks;
  EXPECT_EQ(decoded(T).Regions[0].Function, 0u);
}

TEST(RegionsCodec, FunctionsOfSitesComeFirst) {
  EXPECT_EQ(fortranName("MPI_Send"), "mpi_send_");
  TraceData T = some();
  SiteNames S(T);
  S.name("mpi_send_");
  S.name("nobody");
  S.name("F12");
  S.name("MPI_Send");
  EXPECT_EQ(S.inOrder(), (std::vector<uint32_t>{9, 12, 7}));
  EXPECT_EQ(S.code("MPI_Send"), 0u);
  EXPECT_EQ(S.code("mpi_send_"), 1u);
  EXPECT_EQ(S.code("f12_"), 3u);
  EXPECT_EQ(S.code("nobody"), SiteNames::None);
  // Expected is the next function of which there was none, in the same language.
  EXPECT_EQ(afterSite(0, 0), 2);
  EXPECT_EQ(afterSite(0, 1), 3);
  EXPECT_EQ(afterSite(6, 1), 7);
  EXPECT_EQ(afterSite(7, 2), 6);
}

TEST(RegionsCodec, DamagedRegionsAreRefused) {
  TraceData T = some();
  const std::vector<uint32_t> Functions{7, 9, 12};
  // A string "x"; then regions: functions and whether there are ids, names, files, ids, more regions, numbers of
  // events, events, what they are of, arms, indices, lines.
  auto Reads = [&](const std::vector<uint8_t> &Regions) {
    std::vector<uint8_t> B{1, 2, 1, 'x', 0, 0, 0, 0, 0};
    B.insert(B.end(), Regions.begin(), Regions.end());
    TableDecoder D(T, Functions);
    ByteReader R(B);
    return D.read(R);
  };
  EXPECT_TRUE(Reads({2, 0, 1, 0, 0, 0, 6}));
  EXPECT_FALSE(Reads({2, 0, 0, 0, 0, 0, 6})) << "the first function has a file";
  EXPECT_FALSE(Reads({2, 2, 1, 0, 0, 0, 6})) << "no such name";
  EXPECT_FALSE(Reads({2, 0, 2, 0, 0, 0, 6})) << "no such file";
  EXPECT_FALSE(Reads({2, 0, 1, 0, 0, 0, 5})) << "a line below 0";
  // An arm and a site in it; back to the arm, or to what is none.
  EXPECT_TRUE(Reads({2, 0, 1, 0, 2, 3, 0, 5, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(Reads({2, 0, 1, 0, 2, 3, 0, 5, 0, 0, 2, 0, 0, 0, 0}));
  EXPECT_FALSE(Reads({2, 0, 1, 0, 2, 3, 0, 5, 0, 0, 3, 0, 0, 0, 0})) << "before the first event";
  EXPECT_FALSE(Reads({2, 0, 1, 0, 2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0})) << "in a site";
  EXPECT_TRUE(Reads({2, 0, 1, 0, 1, 0, 12, 0, 0, 0, 0})) << "names in the table";
  EXPECT_FALSE(Reads({2, 0, 1, 0, 1, 0, 14, 0, 0, 0, 0}));
  // Two functions with ids.
  std::vector<uint8_t> Two{5, 0, 1, 1, 0};
  Two.insert(Two.end(), 16, 0);
  Two.insert(Two.end(), {0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_FALSE(Reads(Two)) << "the same ids";
  Two[5] = 1;
  EXPECT_TRUE(Reads(Two));
}
