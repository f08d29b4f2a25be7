//===- Order.cpp - the order in which threads begin their calls -----------===//
#include "proxygen/replay/Order.h"

#include <algorithm>

namespace pilgrim {

Order::Order(const Trace &Of, uint32_t Rank) : T(Of), HasThreads(T.threads(Rank).size() > 1) {
  if (!HasThreads)
    return;
  Turns.emplace(T.data(), Rank);
  nextTurn();
}

/// Whether this thread is between begin() and begun().
static thread_local bool IsHolding;

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
  if (--UnderWay == 0 && WaitsForAll)
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
