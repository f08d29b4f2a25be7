//===- MakeTraces.cpp - traces for tests of the tool ----------------------===//
//
// make-test-traces DIR writes the traces that the tests of the tool read: the
// sample of test/unit/TraceFixture.h, its shards, and changed ones.
//
//===----------------------------------------------------------------------===//
#include "test/unit/TraceFixture.h"
#include "trace/file/Container.h"
#include "trace/merge/Merge.h"

#include <cstdio>

using namespace pilgrim;
using namespace pilgrim::test;

static bool write(const std::string &File, const std::vector<uint8_t> &Bytes) {
  FILE *F = std::fopen(File.c_str(), "wb");
  return F && std::fwrite(Bytes.data(), 1, Bytes.size(), F) == Bytes.size() && std::fclose(F) == 0;
}

static bool write(const std::string &File, const TraceData &T) { return write(File, writeTrace(T)); }

static TraceData tiny() {
  RankTrace T(1, 0);
  T.add({"MPI_Init", {ok(), word(0), bare(Tag::Null)}});
  for (int64_t I = 0; I < 5; ++I)
    T.add({"MPI_Send", {ok(), heap(1, 0), word(1), intType(), word(0), word(I * I).stream(), world(0, 1)}});
  T.add({"MPI_Finalize", {ok()}});
  return T.take(true);
}

/// Two ranks that probe 10 and 30 times, one second each time on the first and two on the second, and then
/// call MPI_Init, which takes as long. Apart: they do so at sites of their own.
static TraceData probing(bool Apart) {
  std::vector<TraceData> Ranks;
  for (int64_t R = 0; R < 2; ++R) {
    RankTrace T(2, static_cast<uint32_t>(R));
    for (int64_t I = 0; I < 10 + 20 * R; ++I)
      T.add({"MPI_Iprobe", {ok(), word(-2), word(-1), world(R, 2), word(0), absent(), absent()}, 16 + R * Apart});
    T.add({"MPI_Init", {ok(), word(0), bare(Tag::Null)}, 32 + R * Apart});
    Ranks.push_back(T.take());
    measureCalls(Ranks.back().Groups[0], static_cast<uint64_t>(R + 1) * 1000000000, 0);
    deriveCandidates(Ranks.back());
  }
  merge(Ranks[0], std::move(Ranks[1]));
  chooseCandidates(Ranks[0]);
  return std::move(Ranks[0]);
}

/// Four ranks that make these calls together, and whose own sums are known as in a run: 22, 11, 33 and 88 seconds.
static TraceData waiting() {
  std::vector<TraceData> Ranks;
  for (int64_t R = 0; R < 4; ++R) {
    static constexpr uint64_t Seconds[] = {2, 1, 3, 8};
    RankTrace T(4, static_cast<uint32_t>(R));
    for (int64_t I = 0; I < 10; ++I)
      T.add({"MPI_Iprobe", {ok(), word(-2), word(-1), world(R, 4), word(0), absent(), absent()}, 16});
    T.add({"MPI_Init", {ok(), word(0), bare(Tag::Null)}, 32});
    Ranks.push_back(T.take());
    measureCalls(Ranks.back().Groups[0], Seconds[R] * 1000000000, 0);
    sumUpTimes(Ranks.back(), Ranks.back().Groups[0], static_cast<uint32_t>(R));
    deriveCandidates(Ranks.back());
    if (R)
      merge(Ranks[0], std::move(Ranks.back()));
  }
  chooseCandidates(Ranks[0]);
  return std::move(Ranks[0]);
}

/// Streams that end before the calls that they belong to.
static TraceData withShortStreams(TraceData T) {
  for (auto &[Key, Variants] : T.Groups[0].Nodes[0].Events[0].Streams) {
    IntStream S;
    S.append(1);
    Variants[0].Values = S.data();
  }
  return T;
}

/// Two threads that take turns, the last of which is longer than what its thread has left.
static TraceData withLongTurn(TraceData T) {
  T.Groups.push_back(T.Groups[0]);
  T.Groups[1].Thread = 1;
  IntStream Threads, Lengths;
  for (int64_t I = 0; I < 4; ++I) {
    Threads.append(I % 2);
    Lengths.append(2 * (I < 3 ? 2 : 6));
  }
  T.TurnThreads = {{T.Ranks, Threads.data()}};
  T.TurnLengths = {{T.Ranks, Lengths.data()}};
  return T;
}

/// Each rank has the number of the next one in its communicators, so the last one has none.
static TraceData withBadNumber(TraceData T) {
  for (Entry &E : T.Groups[0].table(TableId::Objects))
    if (static_cast<Kind>(E[0].Tokens[0]) == Kind::Comm) {
      const uint8_t Next[] = {2, 2}; // own rank + 1
      ByteReader R(Next);
      E.own()[0].Words.own()[1] = RankFn::read(R, T.Ranks, T.World);
    }
  return T;
}

/// With sections that nobody knows, one of them large.
static std::vector<uint8_t> withOtherSections(const TraceData &T) {
  const SectionBytes S = encodeSections(T);
  std::vector<SectionPart> Parts;
  for (auto *B : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Measures})
    Parts.push_back({static_cast<uint32_t>(Parts.size()), "", *B});
  const std::vector<uint8_t> Small(100, 1), Large(AloneFrom, 2);
  Parts.push_back({40, "hardware", Small});
  Parts.push_back({50, "every start", Large});
  return writeContainer(Parts, 19);
}

static TraceData ofRun(const char *Run, TraceData T) {
  T.Meta["run"] = Run;
  return T;
}

int main(int Argc, char **Argv) {
  if (Argc != 2)
    return 2;
  std::string Dir = std::string(Argv[1]) + "/";
  SampleChange Renamed, Tag, Buffer, Short, Named;
  Renamed.Names = 17;
  Renamed.Place = 96;
  Tag.TagAt2 = 1;
  Buffer.OtherBuffer = true;
  Short.Short = true;
  bool Good =
      write(Dir + "sample.pilgrim", sampleTrace()) && write(Dir + "untimed.pilgrim", sampleTrace(4, {}, false)) &&
      write(Dir + "renamed.pilgrim", sampleTrace(4, Renamed)) && write(Dir + "tag.pilgrim", sampleTrace(4, Tag)) &&
      write(Dir + "buffer.pilgrim", sampleTrace(4, Buffer)) && write(Dir + "short.pilgrim", sampleTrace(4, Short)) &&
      write(Dir + "two.pilgrim", sampleTrace(2)) && write(Dir + "tiny.pilgrim", tiny()) &&
      write(Dir + "together.pilgrim", probing(false)) && write(Dir + "apart.pilgrim", probing(true)) &&
      write(Dir + "waiting.pilgrim", waiting()) && write(Dir + "short-stream.pilgrim", withShortStreams(tiny())) &&
      write(Dir + "long-turn.pilgrim", withLongTurn(tiny())) &&
      write(Dir + "bad-number.pilgrim", withBadNumber(tiny())) &&
      write(Dir + "other-sections.pilgrim", withOtherSections(tiny())) &&
      write(Dir + "first-run.1", ofRun("first", sampleRank(4, 1))) &&
      write(Dir + "second-run.2", ofRun("second", sampleRank(4, 2)));
  for (uint32_t R = 0; R < 4; ++R)
    Good = Good && write(Dir + "shard." + std::to_string(R), sampleRank(4, R)) &&
           write(Dir + "broken." + std::to_string(R), withShortStreams(sampleRank(4, R)));
  return Good ? 0 : 1;
}
