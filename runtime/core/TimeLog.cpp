//===- TimeLog.cpp - start and end of every call of a thread ---------------===//
#include "core/TimeLog.h"

namespace pilgrim {

void TimeLog::encode() {
  if (!Size)
    return;
  std::vector<uint8_t> Block, Model;
  const TimeEncoder::Result R = Encoder.encode({Calls.data(), Size}, Block, Model);
  if (R.IsNewModel)
    Times.Models.push_back(Chunks.keep(std::move(Model), 1, 0));
  Times.Blocks.push_back({Chunks.keep(std::move(Block), Size, 0), R.Model, R.Head, R.TotalDuration});
  Size = 0;
}

} // namespace pilgrim
