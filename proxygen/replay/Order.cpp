//===- Order.cpp - the order in which threads begin their calls -----------===//
#include "proxygen/replay/Order.h"

#include <algorithm>

namespace pilgrim {

static std::optional<IntStreamData::Cursor> streamOf(const RankedStreams &L, uint32_t Rank) {
  const RankedStream *S = ofRank(L, Rank);
  return S ? std::optional(IntStreamData::Cursor(S->Values)) : std::nullopt;
}

Order::Order(const Trace &Of, uint32_t Rank) : T(Of) {
  if (T.threads(Rank).size() < 2)
    return;
  Turns = streamOf(T.data().TurnThreads, Rank);
  Lengths = streamOf(T.data().TurnLengths, Rank);
  nextTurn();
}

/// Whether this thread is between begin() and begun().
static thread_local bool IsHolding;

/// Behind the last turn every thread goes on by itself.
void Order::nextTurn() {
  int64_t Thread, Length;
  do {
    if (!Turns || !Turns->next(Thread) || !Lengths || !Lengths->next(Length)) {
      Turns.reset();
      break;
    }
    At = static_cast<uint32_t>(Thread);
    Left = static_cast<uint64_t>(Length);
  } while (std::find(Gone.begin(), Gone.end(), At) != Gone.end());
  Changed.notify_all();
}

void Order::begin(uint32_t Thread) {
  if (!Lengths)
    return; // one thread
  begun();
  std::unique_lock Guard(Lock);
  Changed.wait(Guard, [&] { return !Turns || At == Thread; });
  Held = std::move(Guard);
  IsHolding = true;
}

void Order::begun() {
  if (!IsHolding)
    return;
  IsHolding = false;
  std::unique_lock Guard = std::move(Held);
  if (Turns && --Left == 0)
    nextTurn();
}

void Order::ended(uint32_t Thread) {
  begun();
  std::unique_lock Guard(Lock);
  Gone.push_back(Thread);
  if (Turns && At == Thread)
    nextTurn();
}

} // namespace pilgrim
