//===- TraceFixture.h - small MPI traces made by hand -----------*- C++ -*-===//
//
// RankTrace makes the trace of one rank from a list of calls with real names,
// kinds and values, as the runtime would; sampleTrace() is a run of four ranks
// that has one of everything a reader must show: streams, variants, statuses,
// a call inside a call, buffers of all forms.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TEST_UNIT_TRACEFIXTURE_H
#define PILGRIM_TEST_UNIT_TRACEFIXTURE_H

#include "test/unit/RootGroup.h"
#include "trace/file/Format.h"

#include <map>

namespace pilgrim::test {

struct FixtureObject {
  Kind K = Kind::Comm;
  std::string Name; ///< predefined
  std::vector<int64_t> Words;
};

struct FixtureValue {
  Tag T = Tag::Absent;
  std::vector<int64_t> Words;
  std::string Text;
  std::vector<FixtureObject> Objects;
  bool Streamed = false;

  FixtureValue stream() && {
    Streamed = true;
    return std::move(*this);
  }
};

inline FixtureValue word(int64_t V) { return {Tag::Word, {V}, {}, {}, false}; }
inline FixtureValue array(std::vector<int64_t> V) { return {Tag::Array, std::move(V), {}, {}, false}; }
inline FixtureValue name(std::string S) { return {Tag::Name, {}, std::move(S), {}, false}; }
inline FixtureValue text(std::string S) { return {Tag::String, {}, std::move(S), {}, false}; }
inline FixtureValue object(FixtureObject O) { return {Tag::Object, {}, {}, {std::move(O)}, false}; }
inline FixtureValue heap(int64_t Segment, int64_t Offset) { return {Tag::Heap, {Segment, Offset}, {}, {}, false}; }
inline FixtureValue stack(int64_t Offset) { return {Tag::Stack, {Offset}, {}, {}, false}; }
inline FixtureValue data(std::string Module, int64_t Offset) {
  return {Tag::Data, {Offset}, std::move(Module), {}, false};
}
inline FixtureValue status(int64_t Source, int64_t Tag1, int64_t Bytes, int64_t Error = 0) {
  return {Tag::Status, {Source, Tag1, Bytes, Error * 2}, {}, {}, false};
}
inline FixtureValue statuses(std::vector<int64_t> Words) { return {Tag::Statuses, std::move(Words), {}, {}, false}; }
inline FixtureValue bare(Tag T) { return {T, {}, {}, {}, false}; }
inline FixtureValue absent() { return {}; }

struct FixtureCall {
  std::string Function;
  std::vector<FixtureValue> Slots; ///< return code first
  int64_t Site = 0;                ///< offset in the module app; 0: none
  std::vector<FixtureCall> Inside = {};
};

struct FixtureFunction {
  uint32_t Id;
  bool IsCollective;
  std::vector<ParamSchema> Slots;
};

/// The functions that the fixtures call, as the function table has them.
const std::map<std::string, FixtureFunction> &fixtureFunctions();

class RankTrace {
public:
  RankTrace(uint32_t World, uint32_t Rank, uint32_t Thread = 0);

  RankTrace &add(const FixtureCall &C, uint32_t Depth = 0);

  TraceData take(bool Timed = false);

private:
  uint32_t enter(TableId Id, std::vector<uint32_t> Tokens, const std::vector<int64_t> &Words);
  uint32_t refer(const std::string &S) { return enter(TableId::Strings, packString(S), {}); }
  uint32_t refer(const FixtureObject &O);

  void append(const FixtureCall &C, uint32_t Depth);

  TraceData T;
  Group G;
  Grammar Calls;
  SlotColumns Streams;
  std::map<std::pair<std::vector<uint32_t>, std::vector<int64_t>>, uint32_t> Index[NumTables];
};

// Objects of rank Rank of World.
FixtureValue world(int64_t Rank, int64_t World);
FixtureValue comm(int64_t Id, int64_t Rank, int64_t World);
FixtureValue intType();
inline FixtureValue ok() { return word(0); }

/// How sampleRank() is to differ from the sample.
struct SampleChange {
  int64_t Names = 0;        ///< added to all symbolic names
  int64_t Place = 0;        ///< added to all places on the stack and in data
  int64_t TagAt2 = 0;       ///< added to the tag of the third send
  bool OtherBuffer = false; ///< the last broadcast uses a buffer of its own
  bool Short = false;       ///< no MPI_Finalize
};

/// One rank of the sample.
TraceData sampleRank(uint32_t World, uint32_t Rank, const SampleChange &Change = {}, bool Timed = true);

TraceData sampleTrace(uint32_t World = 4, const SampleChange &C = {}, bool Timed = true);

} // namespace pilgrim::test

#endif
