//===- MergeRanks.cpp - the traces of ranks become one --------------------===//
#include "finish/MergeRanks.h"
#include "memory/Reserve.h"
#include "platform/Clock.h"
#include "platform/FreeMemory.h"
#include "platform/Tell.h"
#include "trace/merge/Merge.h"

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace pilgrim {

using memory::tryInMemory;

namespace {
/// How long the last merge took.
struct Pace {
  double Seconds = 0;
  uint64_t Bytes = 1; ///< that were received
};
constexpr uint64_t FirstSize = static_cast<uint64_t>(MergeLimit::End); ///< an offer is a limit, or this and a size

/// For tests: PILGRIM_TEST_JOIN=N: a rank that has N ranks takes no more, as if it took too long. N below zero: it
/// takes more, and that fails, as if there was no memory.
struct TestLimit {
  int Takes = INT_MAX, Fails = INT_MAX;
  TestLimit() {
    const char *Text = std::getenv("PILGRIM_TEST_JOIN");
    const int N = Text ? std::atoi(Text) : 0;
    if (N)
      (N > 0 ? Takes : Fails) = std::abs(N);
  }
};
} // namespace

const char *textOf(MergeLimit L) {
  return L == MergeLimit::Time ? "joining the traces of more ranks would take too long"
                               : "there is not enough memory to join the traces of more ranks";
}

/// What keeps a rank that has so many ranks from taking a trace of this size.
static MergeLimit limitOf(const Party &All, const Pace &Last, int Reach, uint64_t Size, uint64_t LeastFree) {
  // In memory a trace is that much larger, and while it is read both are there.
  constexpr uint64_t InMemory = 40, NotWorthLooking = uint64_t(1) << 16;
  constexpr double Share = 2.0 / 3; // of the time that is left
  if (Size > NotWorthLooking)
    if (const uint64_t Free = freeMemory(); Free < LeastFree || (Free - LeastFree) / InMemory < Size)
      return MergeLimit::Memory;
  const double Growth = std::max(1.0, static_cast<double>(Size) / static_cast<double>(Last.Bytes));
  const bool IsLong = Last.Seconds * Growth > All.secondsLeft() * Share;
  return IsLong || Reach >= TestLimit().Takes ? MergeLimit::Time : MergeLimit::None;
}

/// Receives and merges a trace.
static bool take(Party &All, int From, MergedRanks &M) {
  if (!All.receive(From))
    return false;
  M.IsGood = M.Reach < TestLimit().Fails && tryInMemory([&] {
               FileBytes File = All.Chunks ? FileBytes(All.Data, All.Chunks) : FileBytes(All.Data);
               auto Other = readTrace(File);
               if (Other)
                 merge(M.Joined, std::move(*Other));
               else
                 tell(TellLevel::Error, "rank %d: what rank %d sent is %s", All.Rank, From, Other.error().What.c_str());
               M.IsGood = Other.has_value();
             }) &&
             M.IsGood;
  if (!M.IsGood)
    M.Limit = MergeLimit::Memory;
  return true;
}

/// Offers a trace to another rank, and sends it if that takes it.
static bool sendOn(Party &All, int To, const TraceData &T, MergedRanks &M) {
  if (M.Limit == MergeLimit::None && !tryInMemory([&] {
        TraceParts Parts = writeTraceInParts(T, {.Level = 0, .IsInTransit = true});
        All.Data = std::move(Parts.Head);
        All.Chunks = std::move(Parts.Chunks);
      })) {
    All.giveNothing();
    M.Limit = MergeLimit::Memory;
  }
  if (M.Limit != MergeLimit::None)
    return All.putWord(static_cast<uint64_t>(M.Limit), To);
  uint64_t Answer;
  if (!All.putWord(FirstSize + All.Data.size(), To) || !All.getWord(Answer, To))
    return false;
  M.Limit = static_cast<MergeLimit>(Answer);
  if (M.Limit != MergeLimit::None)
    return true;
  M.Reach = 0;
  return All.send(To);
}

bool mergeRanks(Party &All, TraceData &Own, uint64_t LeastFree, MergedRanks &M) {
  if (All.NumRanks == 1) {
    M.Joined = std::move(Own);
    M.IsGood = true;
    return true;
  }
  // Of a rank that is sent nothing and keeps nothing, the trace is sent as it is.
  const bool AsItIs = All.Rank & 1 && std::ranges::all_of(Own.Groups, [](const Group &G) { return G.Times.empty(); });
  M.IsGood = AsItIs || tryInMemory([&] {
               M.Joined = Own;
               M.Frames.take(M.Joined);
             });
  if (!M.IsGood)
    M.Limit = MergeLimit::Memory;
  Pace Last;
  for (int Step = 1; Step < All.NumRanks; Step *= 2) {
    if (All.Rank & Step)
      return sendOn(All, All.Rank - Step, AsItIs ? Own : M.Joined, M);
    if (All.Rank + Step < All.NumRanks) {
      const int From = All.Rank + Step;
      uint64_t Offer;
      if (!All.getWord(Offer, From))
        return false;
      const bool IsTrace = Offer >= FirstSize;
      if (M.Limit == MergeLimit::None)
        M.Limit = IsTrace ? limitOf(All, Last, M.Reach, Offer - FirstSize, LeastFree) : static_cast<MergeLimit>(Offer);
      if (IsTrace && !All.putWord(static_cast<uint64_t>(M.Limit), From))
        return false;
      if (IsTrace && M.Limit == MergeLimit::None) {
        const uint64_t Begin = nanoseconds();
        if (!take(All, From, M))
          return false;
        Last = {static_cast<double>(nanoseconds() - Begin) * 1e-9, Offer - FirstSize + 1};
        tell(TellLevel::Debug, "rank %d: has joined what rank %d sent, %llu bytes, in %.3f s", All.Rank, From,
             static_cast<unsigned long long>(Offer - FirstSize), Last.Seconds);
        M.Reach = 2 * Step; // also if it failed: they have to be told
      }
    } else if (M.Limit == MergeLimit::None) {
      M.Reach = 2 * Step;
    }
  }
  return true;
}

} // namespace pilgrim
