//===- TimesCursor.h - when the calls of a rank were, one by one --*- C++ -*-===//
//
// Decodes the frames of times of a rank's thread, block by block. Which contexts the calls of a block have says
// the structure, so it goes ahead of whoever reads the calls by up to a block (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_TIMESCURSOR_H
#define PILGRIM_TRACE_READ_TIMESCURSOR_H

#include "trace/read/Reader.h"

#include <unordered_map>

namespace pilgrim {

class TimesCursor {
public:
  /// V has times. Begins with those of the thread's item number First that has some.
  explicit TimesCursor(std::shared_ptr<const RankView> V, uint64_t First = 0);
  /// Begins in a frame, not the first one, with those of item number First in it. Before: a cursor at the last item
  /// before the frame that has times.
  TimesCursor(std::shared_ptr<const RankView> V, uint64_t First, size_t Frame, CallCursor Before);
  TimesCursor(const TimesCursor &) = delete;
  /// The times of the next item that has some, in the order in which items ended, and by how many ticks the start may
  /// be off. False: error() says why.
  bool next(CallTime &T, uint64_t &StartError);
  /// Of the item that next() gave last.
  const CallContext &context() const { return Contexts[NextCall - 1]; }
  const std::string &error() const { return Error; }
  /// Whether an item has times of its own.
  static bool isTimed(const FunctionSchema &F) { return !isFreed(F); }

private:
  bool loadFrame();
  bool loadBlock();
  bool bad(const std::string &What);
  template <typename Fn> bool readModel(uint64_t Number, Fn Read);
  const TimeModel *model(uint64_t Number);
  bool decodeBlock(uint64_t Model);

  std::shared_ptr<const RankView> View;
  const CallTimes &Times;
  TimeBounds Bounds;
  TimeClusters Clusters;
  std::unique_ptr<SeriesDecoder> Series; // null: blocks are coded by bins
  CallCursor Ahead;                      // only its terminals are used
  std::vector<uint32_t> PlaceOf;         // by terminal; NoPlace: the contexts do not have it
  static constexpr uint32_t NoPlace = UINT32_MAX;
  std::unordered_map<uint64_t, uint32_t> PathOf; // by place before + 1 and place
  uint32_t Before = 0;                           // the last call's place + 1
  size_t NextFrame = 0;
  std::vector<uint8_t> FrameBytes;
  ByteReader Frame{std::span<const uint8_t>()}; // what is left of the frame
  uint64_t CallsLeft = 0;                       // likewise
  uint64_t Skipped = 0;                         // items before the first one that is wanted
  std::map<uint64_t, TimeModel> Models;
  std::vector<CallContext> Contexts; // of a block
  std::vector<CallTime> Block;
  size_t NextCall = 0; // of Block
  uint64_t Drift = 0;  // of Block
  std::string Error;
};

} // namespace pilgrim

#endif
