//===- TimeLog.cpp - start and end of every call of a thread ---------------===//
#include "core/TimeLog.h"

namespace pilgrim {

void TimeLog::encode() {
  const std::span<const TimedCall> New(Calls.data(), std::exchange(Size, 0));
  if (New.empty() || !Encoder)
    return;
  std::vector<uint8_t> Block, Model;
  const TimeEncoder::Result R = Encoder->encode(New, Block, Model);
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
