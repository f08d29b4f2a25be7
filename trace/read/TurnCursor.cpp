//===- TurnCursor.cpp - the turns of a rank's threads ---------------------===//
#include "trace/read/TurnCursor.h"

namespace pilgrim {

static std::optional<IntStreamData::Cursor> streamOf(const RankedStreams &L, uint32_t Rank) {
  const RankedStream *S = ofRank(L, Rank);
  return S ? std::optional(IntStreamData::Cursor(S->Values)) : std::nullopt;
}

TurnCursor::TurnCursor(const TraceData &T, uint32_t Rank)
    : Threads(streamOf(T.TurnThreads, Rank)), Lengths(streamOf(T.TurnLengths, Rank)) {}

bool TurnCursor::next() {
  int64_t T, L;
  if (Damaged || !Threads || !Threads->next(T))
    return false;
  if (!Lengths || !Lengths->next(L) || L < TurnLength::MinWord) {
    Damaged = true;
    return false;
  }
  Thread = static_cast<uint32_t>(T);
  Length = TurnLength::of(L);
  return true;
}

} // namespace pilgrim
