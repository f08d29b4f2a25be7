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

/// Whether this thread is between begin() and begun(), and whether others wait for that.
static thread_local bool IsHolding, IsKeeper;
/// Whether it has begun a call; whether it is in the first one.
static thread_local bool HasBegun, IsFirst;
/// Its number, and whether the call that it is about to begin comes before its turn.
static thread_local uint32_t Self;
static thread_local bool IsAhead;
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

void Order::begin(uint32_t Thread, bool EndsNothing, const std::optional<Message> &Gets) {
  if (!HasThreads)
    return;
  begun();
  Self = Thread;
  std::unique_lock Guard(Lock);
  Of[Thread].Gets = Gets;
  Wait W{std::chrono::steady_clock::now(), NumOver};
  while (!Changed.wait_for(Guard, EndsNothing ? BetweenLooks : MostBetweenLooks,
                           [&] { return !HasKeeper && isMine(Thread); }))
    // MPI may have a lock while it calls a callback, for which the thread that others wait for waits in its call.
    if (HasKeeper ? Of[Thread].UnderWay > 0 : needNotWait(Thread, EndsNothing, W)) {
      IsAhead = Turns && Turns->Thread != Thread;
      Of[Thread].Ahead += IsAhead;
      if (IsAhead && ++NumAhead % Many == 0) // the order is another one: what follows need not wait as long for it
        BetweenLooks = std::max(BetweenLooks / 2, LeastBetweenLooks);
      break;
    }
  if (!IsAhead)
    WaitsForAll = false;
  if (!HasBegun) {
    Changed.wait_for(Guard, TimeOfFirst, [&] { return !HasFirst; });
    HasBegun = IsFirst = HasFirst = true;
  }
  IsKeeper = !std::exchange(HasKeeper, true);
  IsHolding = true;
}

void Order::begun() {
  if (!IsHolding)
    return;
  IsHolding = false;
  std::lock_guard Guard(Lock);
  if (std::exchange(IsKeeper, false)) {
    HasKeeper = false;
    if (!Turns || Turns->Thread != Self)
      Changed.notify_all(); // else nobody may go on before the turn ends
  }
  if (!std::exchange(IsAhead, false) && Turns && --Left == 0)
    nextTurn();
  skipAhead();
}

/// Turns of calls that were made before are over.
void Order::skipAhead() {
  while (Turns && Of[Turns->Thread].Ahead) {
    --Of[Turns->Thread].Ahead;
    WaitsForAll = false;
    if (--Left == 0)
      nextTurn();
  }
}

/// But for the communicator.
static bool areAlike(const Order::Message &A, const Order::Message &B) {
  auto AreAlike = [](int X, int Y, int Any) { return X == Y || X == Any || Y == Any; };
  return AreAlike(A.Source, B.Source, B.AnySource) && AreAlike(A.Tag, B.Tag, B.AnyTag);
}

/// Whether this thread waits for such a message as another one waits for, or has waited for last.
bool Order::Own::awaitsAsWell(const Own &Other) const {
  return IsWaiting && &Other != this && Other.Awaits && Awaits->Comm == Other.Awaits->Comm &&
         areAlike(*Awaits, *Other.Awaits);
}

/// Whether the next call of a thread may get the message that another one waits for with a buffer of another size.
bool Order::mayTakeFromAnother(uint32_t Thread) const {
  const std::optional<Message> &Gets = Of.at(Thread).Gets;
  return Gets && std::ranges::any_of(Of, [&](const auto &O) {
           const Own &Other = O.second;
           return O.first != Thread && Other.IsWaiting && Other.Awaits->Count != Gets->Count &&
                  areAlike(*Other.Awaits, *Gets);
         });
}

/// Whether a thread waits for a message that another one may have got, and the next one may be sent behind this turn.
bool Order::waitsInVain(const Own &O) const {
  return O.IsInVain ||
         std::ranges::any_of(Of, [&](const auto &Other) { return Other.second.Ahead && O.awaitsAsWell(Other.second); });
}

bool Order::turnWaitsInVain(uint32_t Thread) {
  return std::ranges::any_of(Of, [&](const auto &O) {
    return (Turns->Thread == O.first || Turns->Thread == Thread || WaitsForAll) && waitsInVain(O.second);
  });
}

/// Whether a thread need not wait for its turn any more: another one waits for such a message as this one has got,
/// which may be that one's; or the turn is that of a thread that waits in vain; or that takes too long, which is said
/// sooner each time. What ends MPI, or an object that others may need, waits as long as others go on.
bool Order::needNotWait(uint32_t Thread, bool EndsNothing, Wait &W) {
  if (EndsNothing && !mayTakeFromAnother(Thread) &&
      (std::ranges::any_of(Of, [&](const auto &O) { return O.second.awaitsAsWell(Of[Thread]); }) ||
       turnWaitsInVain(Thread)))
    return true;
  const auto Now = std::chrono::steady_clock::now();
  if (!EndsNothing && std::exchange(W.NumOver, NumOver) != NumOver)
    W.Since = Now;
  if ((Turns->Thread != Thread && !Of[Turns->Thread].UnderWay) ||
      Now - W.Since <= (EndsNothing ? Patience : MostPatience))
    return false;
  if (EndsNothing)
    Patience /= 2;
  return true;
}

void Order::awaits(uint64_t Comm) {
  std::lock_guard Guard(Lock);
  Own &Mine = Of[Self];
  Mine.Awaits = Mine.Gets;
  Mine.Awaits->Comm = Comm;
  Mine.IsWaiting = true;
}

void Order::entered() {
  std::lock_guard Guard(Lock);
  ++UnderWay;
  ++Of[Self].UnderWay;
}

void Order::left() {
  begun();
  std::lock_guard Guard(Lock);
  Own &Mine = Of[Self];
  --Mine.UnderWay;
  ++NumOver;
  if (Mine.IsWaiting) // it has got its message, or there is none
    for (auto &[Thread, O] : Of)
      O.IsInVain |= O.awaitsAsWell(Mine);
  Mine.IsWaiting = Mine.IsInVain = false;
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
  skipAhead();
}

} // namespace pilgrim
