//===- Turns.cpp - the order between the threads of a process -------------===//
#include "core/Turns.h"
#include "trace/model/Turn.h"

#include <deque>
#include <queue>

namespace pilgrim {

uint64_t TurnWord::takeNext(uint64_t Seen, uint32_t Thread) {
  // Number and thread are one word and change together. So a call that the program orders after this one sees this turn
  // or a later one.
  uint64_t Mine;
  do
    Mine = ((Seen >> ThreadBits) + 1) << ThreadBits | Thread;
  while (!Word.compare_exchange_weak(Seen, Mine, std::memory_order_relaxed));
  return Mine >> ThreadBits;
}

uint64_t TurnWord::takeAway(uint64_t Seen) {
  while ((Seen & Mask) != Nobody && !Word.compare_exchange_weak(Seen, Seen | Nobody, std::memory_order_relaxed))
    ;
  return Seen >> ThreadBits;
}

void TurnNotes::note(uint64_t Turn, uint64_t Item) {
  Ends.append(static_cast<int64_t>(Overlapped));
  Turns.append(static_cast<int64_t>(Turn - LastTurn));
  Items.append(static_cast<int64_t>(Item - LastItem));
  LastTurn = Turn;
  LastItem = Item;
  Overlapped = 0;
  ++Number;
}

/// 0 behind the last.
static uint64_t value(IntStreamData::Cursor &Of) {
  int64_t V = 0;
  Of.next(V);
  return static_cast<uint64_t>(V);
}

// data() changes its stream, so it is asked of a copy.
TurnNotes::Cursor::Cursor(const TurnNotes &N)
    : Left(N.Number), Overlapped(N.Overlapped), EndData(IntStream(N.Ends).data()), TurnData(IntStream(N.Turns).data()),
      ItemData(IntStream(N.Items).data()), Ends(EndData), Turns(TurnData), Items(ItemData) {
  End = Left ? value(Ends) : Overlapped;
}

bool TurnNotes::Cursor::next() {
  if (!Left)
    return false;
  --Left;
  Turn += value(Turns);
  Item += value(Items);
  End = Turn + (Left ? value(Ends) : Overlapped);
  return true;
}

namespace {
/// A thread's turns one after the other, with the items that it had in them.
struct ThreadCursor {
  explicit ThreadCursor(const ThreadTurns &T)
      : Thread(T.Thread), IsInCall(T.IsInCall), Items(T.Items), Notes(*T.Notes) {}
  uint32_t Thread;
  bool IsInCall;
  uint64_t Items;
  TurnNotes::Cursor Notes;
  uint64_t Turn = 0, Begin = 0, End = 0;
  uint64_t Over = 0; ///< the first turn that may have begun when all calls of this one were over
  bool HasMore = true;
  bool next() {
    if (!HasMore)
      return false;
    Turn = Notes.Turn;
    Begin = Notes.Item;
    Over = Notes.End + 1;
    HasMore = Notes.next();
    End = HasMore ? Notes.Item : Items;
    if (!HasMore && IsInCall)
      Over = UINT64_MAX;
    return true;
  }
};
} // namespace

void writeTurns(std::span<const ThreadTurns> Threads, TraceData &Out, uint32_t Rank, ChunkStore &Chunks) {
  std::deque<ThreadCursor> Cursors;
  auto IsLater = [&](size_t A, size_t B) { return Cursors[A].Turn > Cursors[B].Turn; };
  std::priority_queue<size_t, std::vector<size_t>, decltype(IsLater)> Queue(IsLater);
  size_t NumWithItems = 0;
  for (const ThreadTurns &T : Threads) {
    NumWithItems += T.Items != 0;
    ThreadCursor &C = Cursors.emplace_back(T);
    // The first turn of the first thread is noted nowhere; others begin with a note.
    if ((Cursors.size() == 1 || C.Notes.next()) && C.next())
      Queue.push(Cursors.size() - 1);
  }
  if (NumWithItems < 2)
    return;
  IntStream Turns, Lengths;
  Turns.sealTo(Chunks);
  Lengths.sealTo(Chunks);
  uint64_t Thread = 0, Length = 0, Over = 0;
  bool IsAlone = false;
  auto End = [&] {
    if (!Length)
      return;
    Turns.append(static_cast<int64_t>(Thread));
    Lengths.append(TurnLength{Length, IsAlone}.word());
    Length = 0;
  };
  while (!Queue.empty()) {
    size_t I = Queue.top();
    Queue.pop();
    ThreadCursor &C = Cursors[I];
    // A turn may have no recorded calls.
    if (C.End > C.Begin) {
      const bool BeginsAlone = C.Turn >= Over;
      Over = std::max(Over, C.Over);
      if (Thread != C.Thread || BeginsAlone > IsAlone)
        End();
      if (!Length) {
        Thread = C.Thread;
        IsAlone = BeginsAlone;
      }
      Length += C.End - C.Begin;
    }
    if (C.next())
      Queue.push(I);
  }
  End();
  Out.TurnThreads.push_back({RankSet(Rank), Turns.data()});
  Out.TurnLengths.push_back({RankSet(Rank), Lengths.data()});
}

} // namespace pilgrim
