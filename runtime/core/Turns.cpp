//===- Turns.cpp - the order between the threads of a process -------------===//
#include "core/Turns.h"

#include <deque>
#include <map>
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

void TurnNotes::note(uint64_t Turn, uint64_t Item) {
  constexpr uint64_t Review = 4096, Room = 1 << 16, BytesOfNote = 8;
  uint64_t TurnStep = Turn - LastTurn, ItemStep = Item - LastItem;
  LastTurn = Turn;
  LastItem = Item;
  ++Number;
  if (IsPlain) {
    Plain.varint(TurnStep);
    Plain.varint(ItemStep);
    return;
  }
  Turns.append(static_cast<int64_t>(TurnStep));
  Items.append(static_cast<int64_t>(ItemStep));
  if (Number % Review == 0 && memory() > Room + BytesOfNote * Number)
    becomePlain();
}

void TurnNotes::becomePlain() {
  ByteWriter W;
  Cursor C(*this);
  for (uint64_t Turn = 0, Item = 0; C.next(); Turn = C.Turn, Item = C.Item) {
    W.varint(C.Turn - Turn);
    W.varint(C.Item - Item);
  }
  Plain = std::move(W);
  IsPlain = true;
  Turns = {};
  Items = {};
}

TurnNotes::Cursor::Cursor(const TurnNotes &N) : Left(N.Number), IsPlain(N.IsPlain), Plain(N.Plain.Data) {
  if (IsPlain)
    return;
  // data() changes its stream, so it is asked of a copy.
  TurnData = IntStream(N.Turns).data();
  ItemData = IntStream(N.Items).data();
  Turns.emplace(TurnData);
  Items.emplace(ItemData);
}

bool TurnNotes::Cursor::next() {
  if (!Left)
    return false;
  --Left;
  if (IsPlain) {
    Turn += Plain.varint();
    Item += Plain.varint();
    return true;
  }
  int64_t TurnStep = 0, ItemStep = 0;
  Turns->next(TurnStep);
  Items->next(ItemStep);
  Turn += static_cast<uint64_t>(TurnStep);
  Item += static_cast<uint64_t>(ItemStep);
  return true;
}

namespace {
/// A stream of values. Random ones are not put into a grammar, which would only take memory.
class TurnStream {
public:
  explicit TurnStream(bool IsRandom) : IsRandom(IsRandom) {}
  void append(uint64_t V) {
    if (!IsRandom) {
      Regular.append(static_cast<int64_t>(V));
      return;
    }
    auto [It, New] = Index.try_emplace(V, static_cast<uint32_t>(Data.Runs.size()));
    if (New)
      Data.Runs.push_back({static_cast<int64_t>(V), 0, 1});
    auto &Body = Data.Order.Rules[0];
    if (!Body.empty() && Body.back().Value == It->second)
      ++Body.back().Count;
    else
      Body.push_back({It->second, false, 1});
  }
  IntStreamData data() { return IsRandom ? std::move(Data) : Regular.data(); }

private:
  bool IsRandom;
  IntStream Regular;
  IntStreamData Data;
  std::map<uint64_t, uint32_t> Index;
};

/// A thread's turns one after the other, with the items that it had in them.
struct ThreadCursor {
  explicit ThreadCursor(const ThreadTurns &T) : Thread(T.Thread), Items(T.Items), Notes(*T.Notes) {}
  uint32_t Thread;
  uint64_t Items;
  TurnNotes::Cursor Notes;
  uint64_t Turn = 0, Begin = 0, End = 0;
  bool HasMore = true;
  bool next() {
    if (!HasMore)
      return false;
    Turn = Notes.Turn;
    Begin = Notes.Item;
    HasMore = Notes.next();
    End = HasMore ? Notes.Item : Items;
    return true;
  }
};
} // namespace

void writeTurns(std::span<const ThreadTurns> Threads, TraceData &Out, uint32_t Rank) {
  bool IsRandom = false;
  std::deque<ThreadCursor> Cursors;
  auto IsLater = [&](size_t A, size_t B) { return Cursors[A].Turn > Cursors[B].Turn; };
  std::priority_queue<size_t, std::vector<size_t>, decltype(IsLater)> Queue(IsLater);
  size_t NumWithItems = 0;
  for (const ThreadTurns &T : Threads) {
    IsRandom |= T.Notes->isPlain();
    NumWithItems += T.Items != 0;
    ThreadCursor &C = Cursors.emplace_back(T);
    // The first turn of the first thread is noted nowhere; others begin with a note.
    if ((Cursors.size() == 1 || C.Notes.next()) && C.next())
      Queue.push(Cursors.size() - 1);
  }
  if (NumWithItems < 2)
    return;
  TurnStream Turns(IsRandom), Lengths(IsRandom);
  uint64_t Thread = 0, Length = 0;
  while (!Queue.empty()) {
    size_t I = Queue.top();
    Queue.pop();
    ThreadCursor &C = Cursors[I];
    // A turn may have no recorded calls.
    if (C.End > C.Begin && Length && Thread != C.Thread) {
      Turns.append(Thread);
      Lengths.append(Length);
      Length = 0;
    }
    if (C.End > C.Begin) {
      Thread = C.Thread;
      Length += C.End - C.Begin;
    }
    if (C.next())
      Queue.push(I);
  }
  if (Length) {
    Turns.append(Thread);
    Lengths.append(Length);
  }
  Out.TurnThreads.push_back({RankSet(Rank), Turns.data()});
  Out.TurnLengths.push_back({RankSet(Rank), Lengths.data()});
}

} // namespace pilgrim
