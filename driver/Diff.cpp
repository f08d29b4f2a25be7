//===- Diff.cpp - pilgrim diff --------------------------------------------===//
//
// Reads two traces side by side, rank by rank and thread by thread, and tells
// the first difference of each thread that has one.
//
//===----------------------------------------------------------------------===//
#include "driver/CallCompare.h"
#include "driver/CallText.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/Output.h"

#include <algorithm>
#include <fmt/format.h>

namespace pilgrim {

namespace {
class TraceDiff {
public:
  TraceDiff(const std::string &FileA, const Trace &A, const std::string &FileB, const Trace &B)
      : FileA(FileA), FileB(FileB), A(A), B(B), Compare(A, B), LinesA(A, ValueText::Form::Text),
        LinesB(B, ValueText::Form::Text) {}

  int run() {
    RankSet All = A.data().Ranks;
    All.unite(B.data().Ranks);
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
    std::vector<uint32_t> ThreadsA = A.threads(Rank), ThreadsB = B.threads(Rank), All;
    std::set_union(ThreadsA.begin(), ThreadsA.end(), ThreadsB.begin(), ThreadsB.end(), std::back_inserter(All));
    for (uint32_t Thread : All) {
      auto ViewA = A.view(Rank, Thread), ViewB = B.view(Rank, Thread);
      if (!ViewA || !ViewB) {
        Differ = true;
        Out.Text += fmt::format("rank {} thread {}: only in {}\n", Rank, Thread, ViewA ? FileA : FileB);
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
    CallCursor InA = Trace::calls(ViewA), InB = Trace::calls(ViewB);
    Call CallA, CallB;
    for (;;) {
      bool MoreA = next(InA, CallA), MoreB = next(InB, CallB);
      if (!InA.error().empty() || !InB.error().empty()) {
        Out.finish();
        InA.error().empty() ? fail(FileB, InB.error()) : fail(FileA, InA.error());
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
      side("< ", FileA, MoreA, CallA, LinesA);
      side("> ", FileB, MoreB, CallB, LinesB);
      return true;
    }
  }

  static bool next(CallCursor &In, Call &C) {
    while (In.next(C))
      if (CallCompare::isCompared(C))
        return true;
    return false;
  }

  void side(const char *Mark, const std::string &File, bool More, const Call &C, CallText &Lines) {
    Out.Text += Mark;
    if (More)
      Lines.append(Out.Text, C);
    else
      Out.Text += "no more calls in " + File + "\n";
  }

  const std::string &FileA, &FileB;
  const Trace &A, &B;
  CallCompare Compare;
  CallText LinesA, LinesB;
  Output Out;
  bool Differ = false;
};
} // namespace

void addDiff(CLI::App &Tool, Action &Chosen) {
  CLI::App *C = Tool.add_subcommand("diff", "Compare the calls of two traces; exit code 0 if they agree, 1 "
                                            "if not");
  auto FileA = std::make_shared<std::string>();
  auto FileB = std::make_shared<std::string>();
  C->add_option("A", *FileA, "trace file")->required();
  C->add_option("B", *FileB, "trace file")->required();
  addLater(*C, {"--relaxed"});
  C->callback([=, &Chosen] {
    Chosen = [=] {
      auto A = openTrace(*FileA);
      if (!A)
        return 2;
      auto B = openTrace(*FileB);
      if (!B)
        return 2;
      return TraceDiff(*FileA, *A, *FileB, *B).run();
    };
  });
}

} // namespace pilgrim
