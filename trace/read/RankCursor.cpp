//===- RankCursor.cpp - the calls of all threads of a rank ----------------===//
#include "trace/read/RankCursor.h"
#include "trace/read/CallIndex.h"

#include <algorithm>

namespace pilgrim {

static constexpr uint64_t ToTheEnd = UINT64_MAX;

static CallCursor callsFrom(std::shared_ptr<const RankView> View, CallsFrom From) {
  if (From.Seq)
    return CallIndex(std::move(View), true).fromCall(From.Seq);
  if (From.Time > 0)
    return CallIndex(std::move(View), true).fromTime(From.Time);
  return Trace::timedCalls(std::move(View));
}

RankCursor::RankCursor(const Trace &Of, uint32_t Rank, std::span<const uint32_t> Wanted, CallsFrom From) : T(Of) {
  // The order of one thread's calls is its own. Of several, others' calls are gone through as well.
  if (Wanted.size() > 1)
    Turns.emplace(T.data(), Rank);
  if (Turns && !Turns->hasTurns())
    Turns.reset();
  for (uint32_t Thread : T.threads(Rank)) {
    bool IsWanted = std::find(Wanted.begin(), Wanted.end(), Thread) != Wanted.end();
    if (IsWanted || Turns)
      Threads.push_back({callsFrom(T.view(Rank, Thread), Turns ? CallsFrom() : From), IsWanted});
  }
  Left = Turns ? 0 : ToTheEnd;
}

bool RankCursor::bad(const char *What) {
  Error = std::string("damaged: ") + What;
  return false;
}

/// Goes to the thread that comes next.
bool RankCursor::nextTurn() {
  if (Left == ToTheEnd)
    return ++At < Threads.size();
  if (!Turns->next()) {
    if (Turns->isDamaged())
      return bad("a turn has no length");
    At = 0;
    Left = ToTheEnd;
    return true;
  }
  auto Place = std::find_if(Threads.begin(), Threads.end(),
                            [&](const ThreadCalls &C) { return C.Calls.view().thread() == Turns->Thread; });
  if (Place == Threads.end())
    return bad("a turn of a thread that is not there");
  At = static_cast<size_t>(Place - Threads.begin());
  Left = Turns->Length.Calls;
  return true;
}

bool RankCursor::next(Call &C) {
  while (Error.empty() && At < Threads.size()) {
    if (Left == 0) {
      nextTurn();
      continue;
    }
    ThreadCalls &X = Threads[At];
    if (X.Calls.next(C)) {
      Left -= Left != ToTheEnd;
      if (X.IsWanted)
        return true;
    } else if (!X.Calls.error().empty()) {
      Error = X.Calls.error();
    } else if (Left != ToTheEnd) {
      bad("a turn is longer than its thread");
    } else {
      nextTurn();
    }
  }
  return false;
}

} // namespace pilgrim
