// trace/file/ChunkPlaces.h, ChunkPlaces.cpp: equal chunks stand in a file once, and many of them are not in memory when
// a trace is written or read.
#include "trace/file/ChunkPlaces.h"
#include "test/unit/CallText.h"
#include "test/unit/Samples.h"
#include "trace/file/Container.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// A trace with a stream of that many random numbers, in chunks, on each of two ranks. Of rank 1 the first chunk is
/// another one.
TraceData irregular(size_t Chunks) {
  std::mt19937_64 Random(1);
  IntStreamData Same;
  std::vector<RankedStream> Of;
  auto Add = [&](IntStreamData &To) {
    Numbers Values(8192);
    for (int64_t &V : Values)
      V = static_cast<int64_t>(Random());
    ChunkForm Form;
    const auto Run = static_cast<uint32_t>(To.Runs.size());
    To.Runs.push_back({0, 0, Values.size()});
    To.Order.Rules[0].push_back({Run, false, 1});
    To.Chunks.emplace_back(Run, chunkOf(encodeValues(Values, Form), Values.size()));
  };
  for (size_t I = 0; I < Chunks; ++I)
    Add(Same);
  IntStreamData Other;
  Add(Other);
  TraceData T = tiny();
  T.TurnThreads = {{RankSet(0), Same}, {RankSet(1), Same}};
  T.TurnThreads[1].Values.Chunks[0].second = Other.Chunks[0].second;
  T.TurnLengths = T.TurnThreads;
  // Turns are written where there are several threads.
  T.Groups.push_back(T.Groups[0]);
  T.Groups.back().Thread = 1;
  return T;
}

Numbers numbersOf(const TraceData &T, size_t Rank) { return expand(T.TurnThreads[Rank].Values); }

std::vector<uint8_t> bytesOf(const ChunkBytes &Of) {
  std::vector<uint8_t> Out;
  forEachPiece(Of, [&](std::span<const uint8_t> Piece) {
    Out.insert(Out.end(), Piece.begin(), Piece.end());
    return true;
  });
  return Out;
}

void expectSame(const TraceData &A, const TraceData &B) {
  for (size_t Rank : {0, 1})
    EXPECT_TRUE(numbersOf(A, Rank) == numbersOf(B, Rank));
}
} // namespace

TEST(ChunkPlaces, EqualChunksStandThereOnce) {
  const TraceData T = irregular(3);
  uint64_t OfSequences = 0;
  const auto Section = placeChunks(T, OfSequences);
  EXPECT_EQ(OfSequences, Section->size());
  uint64_t Size = T.TurnThreads[1].Values.Chunks[0].second.size();
  for (const auto &[Run, C] : T.TurnThreads[0].Values.Chunks)
    Size += C.size();
  EXPECT_EQ(Section->size(), Size);
  EXPECT_EQ(placeChunks(tiny(), OfSequences), nullptr);
  // Any part of it.
  const auto All = bytesOf(*Section);
  ASSERT_EQ(All.size(), Size);
  std::mt19937_64 Random(2);
  for (int I = 0; I < 300; ++I) {
    const uint64_t At = Random() % (Size + 1), N = Random() % (Size - At + 1);
    const auto Part = Section->read(At, N);
    ASSERT_TRUE(std::ranges::equal(Part, std::span(All).subspan(At, N))) << At << " " << N;
  }
}

TEST(ChunkPlaces, FewAreInTheFileAsAnySection) {
  const TraceData T = irregular(2);
  EXPECT_EQ(writeTraceInParts(T).Chunks, nullptr);
  const auto Read = readTrace(writeTrace(T));
  ASSERT_TRUE(Read) << Read.error().What;
  expectSame(*Read, T);
}

TEST(ChunkPlaces, ManyStayWhereTheyAre) {
  const TraceData T = irregular(20);
  for (int Level : {0, 1}) {
    const TraceParts Parts = writeTraceInParts(T, {.Level = Level});
    ASSERT_NE(Parts.Chunks, nullptr);
    EXPECT_GT(Parts.Chunks->size(), AloneFrom);
    std::vector<uint8_t> Whole = writeTrace(T, {.Level = Level});
    EXPECT_EQ(Whole.size(), Parts.size());
    EXPECT_TRUE(std::equal(Parts.Head.begin(), Parts.Head.end(), Whole.begin()));
    EXPECT_TRUE(std::ranges::equal(bytesOf(*Parts.Chunks), std::span(Whole).subspan(Parts.Head.size())));
    // As ranks send them to each other.
    FileBytes Sent(Parts.Head, Parts.Chunks);
    auto Received = readTrace(Sent);
    ASSERT_TRUE(Received) << Received.error().What;
    expectSame(*Received, T);
    // From a file that is closed, and read when a chunk is asked for.
    const auto Path = std::filesystem::temp_directory_path() / ("chunks" + std::to_string(getpid()));
    std::ofstream(Path, std::ios::binary)
        .write(reinterpret_cast<const char *>(Whole.data()), static_cast<std::streamsize>(Whole.size()));
    std::optional<FileBytes> File(*FileBytes::open(Path.string()));
    auto Read = readTrace(*File);
    File.reset();
    ASSERT_TRUE(Read) << Read.error().What;
    expectSame(*Read, T);
    std::filesystem::remove(Path);
    expectSame(*Read, T);
    // Damage is named.
    Whole[Whole.size() - 1000] ^= 1;
    const auto Bad = readTrace(Whole);
    ASSERT_FALSE(Bad);
    EXPECT_NE(Bad.error().What.find("checksum of section chunks"), std::string::npos) << Bad.error().What;
  }
}
