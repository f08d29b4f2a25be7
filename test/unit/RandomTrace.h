//===- RandomTrace.h - traces of single ranks, with their model -*- C++ -*-===//
//
// LeafBuilder makes the TraceData of one rank as the runtime would, and beside
// it the plain list of calls, as text, that must come out of it again whatever
// is done to it. RandomProgram makes up the calls: a tree of loops around calls
// whose values are functions of the rank of all kinds that merging knows, and
// of some that it does not.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TEST_UNIT_RANDOMTRACE_H
#define PILGRIM_TEST_UNIT_RANDOMTRACE_H

#include "test/unit/CallText.h"
#include "test/unit/RootGroup.h"
#include "trace/merge/Merge.h"

#include <map>
#include <random>

namespace pilgrim::test {

struct ModelObject {
  Kind K = Kind::Comm;
  std::string Name;
  std::vector<int64_t> Words;

  std::string text() const;
};

struct ModelValue {
  Tag T = Tag::Word;
  std::vector<int64_t> Words;
  std::string Text;
  std::vector<ModelObject> Objects;
  bool Streamed = false;
};

struct ModelCall {
  uint32_t Function = 0;
  std::string Module; ///< empty: no site
  int64_t Offset = 0;
  std::vector<ModelValue> Slots;
  std::vector<ModelCall> Inside;     ///< made by callbacks
  std::vector<int64_t> Callers = {}; ///< where these were called, in the same module, innermost first
};

/// The calls of one rank and thread.
class LeafBuilder {
public:
  /// Functions are F0, F1...: Function's has Function % 4 + 1 slots.
  static unsigned slots(uint32_t Function) { return Function % 4 + 1; }

  LeafBuilder(uint32_t World, uint32_t Rank, uint32_t Thread);

  std::vector<std::string> Lines;

  /// Entries that no call may need, in a table order of their own.
  void scramble(const std::vector<std::string> &Strings);

  void add(const ModelCall &C, uint32_t Depth = 0);

  TraceData take(bool Timed = false);

private:
  void addInside(const ModelCall &C, uint32_t Depth);

  void describe(const ModelCall &C, uint32_t Depth);

  uint32_t enter(TableId Id, std::vector<uint32_t> Tokens, std::vector<int64_t> Words);
  uint32_t refer(const std::string &S) { return enter(TableId::Strings, packString(S), {}); }
  uint32_t refer(const ModelObject &O);

  void append(const ModelCall &C, uint32_t Depth);

  uint32_t Rank;
  TraceData T;
  Group G;
  Grammar Calls;
  SlotColumns Streams;
  std::map<std::pair<std::vector<uint32_t>, std::vector<int64_t>>, uint32_t> Index[NumTables];
};

/// One (rank, thread) of a random run.
struct Leaf {
  uint32_t Rank, Thread;
  TraceData Data;
  std::vector<std::string> Lines;
};

/// All ranks and threads of a random program. The second thread is there on
/// some ranks only and runs something else.
std::vector<Leaf> randomRun(uint64_t Seed, uint32_t World, bool Scrambled = false);

/// The ranks' own traces, threads of a rank together.
std::vector<TraceData> rankTraces(const std::vector<Leaf> &Leaves);

} // namespace pilgrim::test

#endif
