//===- CompareClocks.cpp - clocks of several machines ----------------------===//
#include "finish/CompareClocks.h"
#include "finish/Party.h"
#include "memory/Reserve.h"
#include "platform/Clock.h"
#include "pmpi/State.h"
#include "trace/base/Bytes.h"

#include <algorithm>
#include <utility>

namespace pilgrim {

using memory::tryInMemory;

namespace {
/// The first rank with a clock asks and answers for it. By clock.
using FirstRanks = std::map<uint64_t, uint64_t>;
} // namespace

static std::vector<uint8_t> bytesOf(const FirstRanks &First) {
  ByteWriter W;
  W.varint(First.size());
  for (const auto &[Clock, Rank] : First) {
    W.u64(Clock);
    W.varint(Rank);
  }
  return std::move(W.Data);
}

static void addTo(FirstRanks &First, std::span<const uint8_t> Bytes) {
  ByteReader R(Bytes);
  for (size_t N = R.count(9); N-- && R.ok();) {
    const uint64_t Clock = R.u64(), Rank = R.varint();
    uint64_t &Known = First.try_emplace(Clock, Rank).first->second;
    Known = std::min(Known, Rank);
  }
}

/// Makes of what each rank knows of First what all know. It goes the way that traces go.
static bool gatherFirst(Party &All, FirstRanks &First) {
  bool Good = true;
  auto Give = [&] {
    All.Chunks = nullptr;
    Good = Good && tryInMemory([&] { All.Data = bytesOf(First); });
    if (!Good)
      All.giveNothing();
  };
  for (int Step = 1; Step < All.NumRanks; Step *= 2) {
    if (All.Rank & Step) {
      Give();
      if (!All.send(All.Rank - Step))
        return false;
      break;
    }
    if (All.Rank + Step < All.NumRanks) {
      if (!All.receive(All.Rank + Step))
        return false;
      Good = Good && tryInMemory([&] { addTo(First, All.Data); });
    }
  }
  if (All.Rank == 0)
    Give();
  return All.broadcast() && tryInMemory([&] {
           First.clear();
           addTo(First, All.Data);
         });
}

/// What is asked: for the time, and whether there will be another question.
enum Question : uint64_t { Last, More };

static bool answer(Party &All, int To) {
  for (uint64_t Q = More; Q == More;)
    if (!All.getWord(Q, To) || !All.putWord(clockTicks(), To))
      return false;
  return true;
}

namespace {
/// What questions and answers say of how far another clock is ahead. It was read behind the question and before the
/// answer, so each of both is a bound; the tightest ones may come from different questions. Half way between both it
/// was ahead by their mean, or off by at most half of what lies between them, and by what the clocks drifted apart.
class Bounds {
public:
  /// Whether that made much of a difference.
  bool add(uint64_t Asked, uint64_t There, uint64_t Answered) {
    const int64_t Before = width(), Above = static_cast<int64_t>(There - Asked),
                  Below = static_cast<int64_t>(There - Answered);
    if (IsEmpty || Above < High)
      High = Above, HighAt = Asked;
    if (IsEmpty || Below > Low)
      Low = Below, LowAt = Answered;
    return std::exchange(IsEmpty, false) || width() < Before - Before / 16;
  }
  ClockPoint point() const {
    constexpr uint64_t LeastDrift = 1000; // clocks differ by less than a thousandth
    const uint64_t First = std::min(HighAt, LowAt), Between = std::max(HighAt, LowAt) - First, At = First + Between / 2;
    const int64_t Ahead = Low + width() / 2;
    return {At, At + static_cast<uint64_t>(Ahead),
            static_cast<uint64_t>(std::max<int64_t>(width(), 0)) / 2 + Between / (2 * LeastDrift) + 1};
  }

private:
  int64_t width() const { return High - Low; }
  bool IsEmpty = true;
  int64_t High = 0, Low = 0;
  uint64_t HighAt = 0, LowAt = 0;
};
} // namespace

/// Asks until answers say nothing new.
static bool ask(Party &All, int From, ClockPoint &Point) {
  constexpr unsigned InVain = 64, Most = 1000;
  Bounds Known;
  unsigned Vain = 0;
  for (unsigned N = 1;; ++N) {
    const Question Q = N < Most && Vain < InVain ? More : Last;
    uint64_t There;
    const uint64_t Asked = clockTicks();
    if (!All.putWord(Q, From) || !All.getWord(There, From))
      return false;
    Vain = Known.add(Asked, There, clockTicks()) ? 0 : Vain + 1;
    if (Q == Last)
      break;
  }
  Point = Known.point();
  return true;
}

bool compareClocks(Party &All, uint64_t Clock, ComparedClock &Compared) {
  FirstRanks First;
  if (Clock)
    First[Clock] = static_cast<uint64_t>(All.Rank);
  if (!gatherFirst(All, First))
    return false;
  struct Asked {
    int Rank;
    uint64_t Clock;
  };
  std::vector<Asked> Clocks;
  for (const auto &[Of, Rank] : First)
    Clocks.push_back({static_cast<int>(Rank), Of});
  std::ranges::sort(Clocks, {}, &Asked::Rank);
  const auto Index = static_cast<size_t>(std::ranges::find(Clocks, All.Rank, &Asked::Rank) - Clocks.begin());
  for (size_t Step = 1; Index < Clocks.size() && Step < Clocks.size(); Step *= 2) {
    if (Index & Step) {
      const Asked &Of = Clocks[Index - Step];
      ClockPoint P;
      if (!ask(All, Of.Rank, P))
        return false;
      if (Compared.Reference != Of.Clock || Compared.Points.back().Own >= P.Own ||
          Compared.Points.back().Reference >= P.Reference)
        Compared = {Of.Clock, {}}; // the first time; or a clock was set back, so nothing is known of before
      Compared.Points.push_back(P);
      return true;
    }
    if (Index + Step < Clocks.size() && !answer(All, Clocks[Index + Step].Rank))
      return false;
  }
  return true;
}

uint64_t comparedClock(const Process &P) { return P.KeepsTimes && P.Opts.Clocks != ClocksOption::Off ? clockId() : 0; }

} // namespace pilgrim
