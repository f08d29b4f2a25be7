//===- IntStream.h - compressed sequences of integers -----------*- C++ -*-===//
//
// A sequence of 64-bit integers (offsets, tags, sizes, matched sources: slots
// that left their signature), kept compressed while it is appended to: linear
// runs (first value, stride, length; of four values or more) become the
// terminals of a grammar. So a constant or a counter is one run, a periodic
// sequence one repeated rule, and random values are left to the entropy coder.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_INTSTREAM_H
#define PILGRIM_TRACE_SEQUENCES_INTSTREAM_H

#include "trace/base/Wrap.h"
#include "trace/sequences/Grammar.h"

#include <expected>

namespace pilgrim {

/// Count values: First, First + Stride, ... (wrapping arithmetic, so that any
/// sequence can be written).
struct LinearRun {
  int64_t First, Stride;
  uint64_t Count;
  bool operator==(const LinearRun &) const = default;
};

class IntStreamData {
public:
  std::vector<LinearRun> Runs;
  GrammarData Order; // over indices into Runs
  /// Whether the runs give steps: each value is then the sum of all steps so far.
  bool AreSteps = false;
  /// Runs that are chunks, ascending; of these, Runs has only the number of values.
  std::vector<std::pair<uint32_t, Chunk>> Chunks{};

  /// Flags before a stream in a file: the runs are steps; functions of the rank follow (set by RankedStream); some runs
  /// are chunks.
  enum Feature : uint8_t { NoFeature = 0, IsOfSteps = 1, HasFunctions = 2, HasChunks = 4, AnyFeature = 7 };
  static constexpr uint64_t MaxRun = uint64_t(1) << 48; ///< values of a run in a file
  bool operator==(const IntStreamData &) const = default;
  uint64_t length() const;
  /// What was sealed, each chunk as a run.
  static IntStreamData ofChunks(SealedPart Sealed);
  /// The chunk that a run is; null: it is linear.
  const Chunk *chunk(uint32_t Run) const;
  /// The same values without chunks. It takes memory for all that is in them.
  IntStreamData expanded() const;
  /// Calls F(run, how often it occurs) for each linear run, and for each value of a chunk as a run of its own.
  template <typename Fn> void forEachRun(Fn &&F) const {
    if (Runs.size() == 1 && Chunks.empty() && Order.isOneTerminal()) // the frequent case
      return F(Runs[0], Order.Rules[0][0].Count);
    const std::vector<uint64_t> Times = Order.terminalCounts();
    for (uint32_t I = 0; I < Times.size(); ++I) {
      const Chunk *C = Times[I] ? chunk(I) : nullptr;
      if (!C) {
        F(Runs[I], Times[I]);
        continue;
      }
      const auto Values = C->values();
      for (int64_t V : *Values)
        F(LinearRun{V, 0, 1}, Times[I]);
    }
  }
  /// Whether it has fewer than 2^62 values. All streams in files have.
  bool isShort() const;
  /// Features: HasFunctions, or none; the others follow from the stream.
  void write(ByteWriter &W, unsigned Features = NoFeature) const;
  /// Allowed: the features that may occur; others are damage. Features, if not null, gets those of the stream.
  static IntStreamData read(ByteReader &R, unsigned Allowed = NoFeature, unsigned *Features = nullptr);

  class Cursor {
  public:
    explicit Cursor(const IntStreamData &S) : S(&S), Runs(S.Order) {}
    bool next(int64_t &Value);

  private:
    friend class StreamIndex;
    const IntStreamData *S;
    GrammarData::Cursor Runs;
    LinearRun Current{0, 0, 0};
    std::shared_ptr<const Chunk::ValueList> Values; ///< if Current is a chunk; Current.Count are left
    int64_t Sum = 0;
  };

private:
  void writeAsIs(ByteWriter &W, unsigned Features) const;
};

class IntStream {
public:
  /// From now on, stretches that repeat too little are sealed, and kept in Store, which must outlive the stream.
  void sealTo(ChunkStore &To) { Store = &To; }
  /// Whether one was, or is going to be when there is more of it.
  bool isSealed() const { return isLong() && !Ended->Seal->empty(); }

  /// Returns whether what came before is sealed from now on.
  bool append(int64_t V) {
    if (Run.Count >= 2 && V == Next) {
      ++Run.Count;
      Next = wrappedSum(Next, Run.Stride);
      return false;
    }
    return startRun(V);
  }
  IntStreamData data() &;
  /// The same where nothing will be appended.
  IntStreamData data() &&;
  /// Of what is not sealed: runs, and symbols of rules.
  size_t size() const { return Ended ? Ended->Runs.size() + Ended->Order.symbols() : 0; }
  size_t memory() const;

private:
  /// The runs that have ended. Many streams have none.
  struct EndedRuns {
    std::vector<LinearRun> Runs;
    std::vector<uint32_t> Table; ///< open addressing: index into Runs + 1
    Grammar Order;
    Owned<Sealer<int64_t>> Seal; ///< null: it was not long yet
    void add(LinearRun R);
    /// They stay.
    IntStreamData data() { return {Runs, Order.data()}; }
  };
  bool isLong() const { return Ended && Ended->Seal; }
  bool isPlain() const { return isLong() && Ended->Seal->IsPlain; }
  bool review();
  void seal();
  IntStreamData liveData() const;
  IntStreamData withOpenRun();
  bool startRun(int64_t V);
  void emit(LinearRun R);

  LinearRun Run{0, 0, 0};      ///< the open run
  int64_t Next = 0;            ///< what would continue it
  ChunkStore *Store = nullptr; ///< null: nothing is ever sealed
  Owned<EndedRuns> Ended;      ///< null: there is none
};

} // namespace pilgrim

#endif
