//===- ChunkPlaces.h - where chunks stand in a file --------------*- C++ -*-===//
#ifndef PILGRIM_TRACE_FILE_CHUNKPLACES_H
#define PILGRIM_TRACE_FILE_CHUNKPLACES_H

#include "trace/model/TraceData.h"

namespace pilgrim {

/// Calls Sequence for all sequences of a trace, Stream for all streams.
void forEachSequence(const TraceData &T, const std::function<void(const GrammarData &)> &Sequence,
                     const std::function<void(const IntStreamData &)> &Stream);

/// Chunks one behind the other.
class ChunkSection final : public ChunkBytes {
public:
  /// Returns where it begins.
  uint64_t add(const Chunk &C);
  /// What is added from now on is elsewhere.
  void endHere() { Here = size(); }
  uint64_t here() const override { return std::min(Here, size()); }
  uint64_t size() const override { return Ends.empty() ? 0 : Ends.back(); }
  std::vector<uint8_t> read(uint64_t Offset, uint64_t Size) const override;

private:
  std::vector<Chunk> Chunks;
  std::vector<uint64_t> Ends;
  uint64_t Here = UINT64_MAX;
};

/// Gives each chunk of T its place in the section of chunks, and returns that section; null: there are none. Equal
/// chunks, as ranks that do the same have them, stand there once. Those that are elsewhere stand at the end, in the
/// order of threads, ranks and frames. OfSequences: how many bytes of it, the first ones, are chunks of sequences and
/// streams; behind them are times.
std::shared_ptr<const ChunkBytes> placeChunks(const TraceData &T, uint64_t &OfSequences);

} // namespace pilgrim

#endif
