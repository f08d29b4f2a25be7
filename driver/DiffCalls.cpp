//===- DiffCalls.cpp - differences rank by rank ---------------------------===//
#include "driver/DiffCalls.h"
#include "driver/CallText.h"
#include "driver/Command.h"
#include "driver/Output.h"

#include <algorithm>
#include <fmt/format.h>

namespace pilgrim {

namespace {
class RankDiff {
public:
  RankDiff(const DiffInput &A, const DiffInput &B)
      : A(A), B(B), Compare(A.T, B.T), LinesA(A.T, ValueText::Form::Text), LinesB(B.T, ValueText::Form::Text) {}

  int run() {
    RankSet All = A.T.ranks();
    All.unite(B.T.ranks());
    for (const RankSet::Interval &I : All.intervals())
      for (uint64_t R = I.First; R <= I.Last; ++R)
        if (!rank(static_cast<uint32_t>(R)))
          return 2;
    if (!Out.finish())
      return 2;
    return Differ ? 1 : 0;
  }

private:
  /// False: an error was printed.
  bool rank(uint32_t Rank) {
    std::vector<uint32_t> ThreadsA = A.T.threads(Rank), ThreadsB = B.T.threads(Rank), All;
    std::set_union(ThreadsA.begin(), ThreadsA.end(), ThreadsB.begin(), ThreadsB.end(), std::back_inserter(All));
    for (uint32_t Thread : All) {
      auto ViewA = A.T.view(Rank, Thread), ViewB = B.T.view(Rank, Thread);
      if (!ViewA || !ViewB) {
        Differ = true;
        Out.Text += fmt::format("rank {} thread {}: only in {}\n", Rank, Thread, ViewA ? A.File : B.File);
        continue;
      }
      if (!thread(ViewA, ViewB))
        return false;
      Out.drain();
    }
    return true;
  }

  bool thread(const std::shared_ptr<const RankView> &ViewA, const std::shared_ptr<const RankView> &ViewB) {
    Compare.restart();
    DiffCalls InA(ViewA), InB(ViewB);
    Call CallA, CallB;
    for (;;) {
      bool MoreA = InA.next(CallA), MoreB = InB.next(CallB);
      if (!InA.error().empty() || !InB.error().empty()) {
        Out.finish();
        InA.error().empty() ? fail(B.File, InB.error()) : fail(A.File, InA.error());
        return false;
      }
      if (!MoreA && !MoreB)
        return true;
      std::string What = MoreA && MoreB ? Compare.compare(CallA, CallB) : "end";
      if (What.empty())
        continue;
      Differ = true;
      Out.Text += fmt::format("rank {} thread {} call {}: {}\n", ViewA->rank(), ViewA->thread(),
                              (MoreA ? CallA : CallB).Seq, What);
      side("< ", A.File, MoreA, CallA, LinesA);
      side("> ", B.File, MoreB, CallB, LinesB);
      return true;
    }
  }

  void side(const char *Mark, const std::string &File, bool More, const Call &C, CallText &Lines) {
    Out.Text += Mark;
    if (More)
      Lines.append(Out.Text, C);
    else
      Out.Text += "no more calls in " + File + "\n";
  }

  const DiffInput &A, &B;
  CallCompare Compare;
  CallText LinesA, LinesB;
  Output Out;
  bool Differ = false;
};
} // namespace

int diffByRank(const DiffInput &A, const DiffInput &B) { return RankDiff(A, B).run(); }

} // namespace pilgrim
