//===- TimeLog.cpp - start and end of every call of a thread ---------------===//
#include "core/TimeLog.h"
#include "platform/OutsideCall.h"

namespace pilgrim {

void TimeLog::encode() {
  const std::span<const TimedCall> New(Calls.data(), std::exchange(Size, 0));
  if (New.empty() || !(Encoder || Series))
    return;
  std::vector<uint8_t> Block, Model;
  const TimeEncoder::Result R = encode(New, Block, Model);
  if (R.IsNewModel)
    Times.Models.push_back(Chunks.keep(withChecksum({std::move(Model)}), 1, 0));
  Frame.varint(R.Model);
  Frame.bytes(Block);
  FrameCalls += New.size();
  Earliest = std::min(Earliest, R.Head.Earliest);
  Latest = std::max(Latest, R.Head.Latest);
  TotalDuration += R.TotalDuration;
  if (++Blocks >= std::min(1 + Times.Frames.size() / FramesAlike, MaxBlocks) || Frame.Data.size() >= MaxBytes)
    endFrame();
}

TimeEncoder::Result TimeLog::encode(std::span<const TimedCall> New, std::vector<uint8_t> &Block,
                                    std::vector<uint8_t> &Model) {
  if (Encoder)
    return Encoder->encode(New, Block, Model);
  const OutsideCall Call; // mostly to a library
  return Series->encode(New, Block, Model);
}

void TimeLog::endFrame() {
  if (!Blocks)
    return;
  Times.Frames.push_back(
      {Chunks.keep(withChecksum(std::exchange(Frame, {})), FrameCalls, 0), Earliest, Latest, TotalDuration});
  Blocks = 0;
  FrameCalls = Latest = TotalDuration = 0;
  Earliest = UINT64_MAX;
}

} // namespace pilgrim
