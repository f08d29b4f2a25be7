//===- Order.cpp - the order in which threads begin their calls -----------===//
#include "proxygen/replay/Order.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace pilgrim {

Order::Order(const Trace &Of, uint32_t Rank) : T(Of), HasThreads(T.threads(Rank).size() > 1) {
  if (!HasThreads)
    return;
  Turns.emplace(T.data(), Rank);
  nextTurn();
}

/// Whether this thread is between begin() and begun().
static thread_local bool IsHolding;
/// Whether it has begun a call; whether it is in the first one.
static thread_local bool HasBegun, IsFirst;
/// What the first call of another thread gets to begin.
static constexpr std::chrono::milliseconds TimeOfFirst{10};

void Order::nextTurn() {
  do {
    if (!Turns->next()) {
      Turns.reset();
      break;
    }
    Left = Turns->Length.Calls;
    WaitsForAll = Turns->Length.BeginsAlone;
  } while (std::find(Gone.begin(), Gone.end(), Turns->Thread) != Gone.end());
  Changed.notify_all();
}

void Order::begin(uint32_t Thread) {
  if (!HasThreads)
    return;
  begun();
  std::unique_lock Guard(Lock);
  Changed.wait(Guard, [&] { return !Turns || (Turns->Thread == Thread && !(WaitsForAll && UnderWay)); });
  WaitsForAll = false;
  if (!HasBegun) {
    Changed.wait_for(Guard, TimeOfFirst, [&] { return !HasFirst; });
    HasBegun = IsFirst = HasFirst = true;
  }
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

void Order::entered() {
  std::unique_lock Guard(Lock, std::defer_lock);
  if (!IsHolding)
    Guard.lock();
  ++UnderWay;
}

void Order::left() {
  begun();
  std::lock_guard Guard(Lock);
  const bool WasFirst = std::exchange(IsFirst, false);
  if (WasFirst)
    HasFirst = false;
  if ((--UnderWay == 0 && WaitsForAll) || WasFirst)
    Changed.notify_all();
}

uint32_t Order::underWay() {
  std::lock_guard Guard(Lock);
  return UnderWay;
}

void Order::ended(uint32_t Thread) {
  begun();
  std::unique_lock Guard(Lock);
  Gone.push_back(Thread);
  if (Turns && Turns->Thread == Thread)
    nextTurn();
}

} // namespace pilgrim
