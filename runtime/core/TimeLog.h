//===- TimeLog.h - start and end of every call of a thread --------*- C++ -*-===//
//
// With --timing calls, and with codings of published tracers: collects the calls of a thread, and encodes them in
// blocks. These become frames, which leave memory as sealed chunks do.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_TIMELOG_H
#define PILGRIM_CORE_TIMELOG_H

#include "trace/model/CallTimes.h"
#include "trace/times/TimeEncoder.h"

#include <unordered_map>

namespace pilgrim {

class TimeLog {
public:
  /// Chunks must outlive the log. BlockCalls: calls of a block.
  TimeLog(const TimeErrors &Errors, ChunkStore &Chunks, size_t BlockCalls)
      : Errors(Errors), Bounds(Errors.bounds()), Clusters(Errors.Coding.Cluster), Chunks(Chunks), Calls(BlockCalls) {
    if (auto Codec = makeSeriesCodec(Errors.Coding.Codec, Bounds))
      Series.emplace(std::move(Codec), Bounds, Clusters);
    else
      Encoder.emplace(Bounds);
  }

  /// A call, in the order in which calls end. Place and Path: numbers that the functions below gave.
  [[gnu::always_inline]] void add(uint32_t Place, uint32_t Path, uint64_t Start, uint64_t End) {
    Calls[Size++] = {Place, Path, Start, End};
    if (Size == Calls.size()) [[unlikely]]
      encode();
  }
  /// Event: among the recorder's events. The site is the recorder's.
  uint32_t place(uint32_t Event, const MeasuredPlace &Call) {
    const auto [It, New] = PlaceOf.try_emplace({0, Event, Call}, static_cast<uint32_t>(Places.size()));
    if (New) {
      Places.push_back(It->first);
      Bounds.assign(TimeKind::Duration, It->second, Errors.pair(Call.Function));
      if (Series)
        Clusters.assign(It->second, Signatures.of(Call));
    }
    return It->second;
  }
  static constexpr uint32_t NoPlace = UINT32_MAX;
  /// Before: NoPlace for the thread's begin.
  uint32_t path(uint32_t Before, uint32_t Place) {
    const auto [It, New] = PathOf.try_emplace(uint64_t(Before) << 32 | Place, static_cast<uint32_t>(Paths.size()));
    if (New) {
      Paths.push_back({Before + 1, Place});
      Bounds.assign(TimeKind::Gap, It->second, Errors.pair(Places[Place].Call.Function));
    }
    return It->second;
  }

  /// What was collected, with the events of places as newPlace() got them. To be called once.
  CallTimes take(TimeContexts &Contexts) {
    encode();
    endFrame();
    Encoder.reset(); // whoever writes the trace needs the memory
    Series.reset();
    Times.Errors = std::make_shared<const TimeErrors>(Errors);
    Contexts = {std::move(Places), std::move(Paths)};
    return std::move(Times);
  }
  size_t memory() const {
    return Calls.capacity() * sizeof(TimedCall) + (Encoder ? Encoder->memory() : 0) +
           Places.capacity() * (sizeof(Places[0]) + 64) + Paths.capacity() * (sizeof(Paths[0]) + 48);
  }

private:
  /// Blocks of a frame: about as many more as the square root of their number.
  static constexpr size_t FramesAlike = 64, MaxBlocks = 16, MaxBytes = size_t(1) << 16;
  void encode();
  TimeEncoder::Result encode(std::span<const TimedCall> New, std::vector<uint8_t> &Block, std::vector<uint8_t> &Model);
  void endFrame();

  const TimeErrors Errors;
  TimeBounds Bounds;
  TimeClusters Clusters;
  SignatureNumbers Signatures;
  // One of these, until everything is taken.
  std::optional<TimeEncoder> Encoder;
  std::optional<SeriesEncoder> Series;
  ChunkStore &Chunks;
  std::vector<TimedCall> Calls;
  size_t Size = 0; ///< of Calls
  std::vector<TimeContexts::Place> Places;
  std::vector<TimeContexts::Path> Paths;
  std::map<TimeContexts::Place, uint32_t> PlaceOf;
  std::unordered_map<uint64_t, uint32_t> PathOf;
  CallTimes Times;
  // Of the frame at hand.
  ByteWriter Frame;
  size_t Blocks = 0;
  uint64_t FrameCalls = 0, Earliest = UINT64_MAX, Latest = 0, TotalDuration = 0;
};

} // namespace pilgrim

#endif
