//===- DiffGroups.cpp - differences by groups of ranks --------------------===//
//
// Ranks that go the same way in both traces are a class, of which one rank's calls are compared. A look at what they
// were compared by tells which others of the class differ alike; those that do not are a class again. So the time
// depends on the classes and not on the ranks. Classes whose differences read alike are one line.
//
//===----------------------------------------------------------------------===//
#include "driver/CallText.h"
#include "driver/Command.h"
#include "driver/DiffLoops.h"
#include "driver/DiffMembers.h"
#include "driver/Input.h"
#include "driver/Output.h"
#include "driver/Progress.h"
#include "trace/base/Counted.h"
#include "trace/read/RankClasses.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace pilgrim {

namespace {
class GroupDiff {
public:
  GroupDiff(const DiffInput &A, const DiffInput &B)
      : A(A), B(B), WalkA(A.T), WalkB(B.T), Compare(A.T, B.T), TextA(A.T, ValueText::Form::Text),
        TextB(B.T, ValueText::Form::Text), LinesA(A.T), LinesB(B.T), Loops(LinesA, LinesB) {}

  int run() {
    std::set<uint32_t> Threads;
    for (const Walk *W : {&WalkA, &WalkB})
      for (const ThreadShape &T : W->threads())
        Threads.insert(T.Number);
    for (uint32_t Thread : Threads)
      if (!thread(Thread))
        return 2;
    Counter.reset();
    print();
    if (!Out.finish())
      return 2;
    return Found.empty() ? 0 : 1;
  }

private:
  /// What a first difference is.
  struct Difference {
    std::string Key; ///< the same for differences that are alike
    std::string Text;
    bool HasValues = true; ///< that may be other ones on ranks that differ alike
  };
  struct Line {
    RankSet Ranks;
    std::string Text;    ///< of the first of them
    bool AreSame = true; ///< whether it is the text of all
  };
  /// Ranks that go the same way, and how often they were taken out of such a class.
  struct Class {
    RankSet Ranks;
    unsigned Depth;
  };
  static constexpr unsigned MostDepth = 6;

  /// The index of a thread, and its ranks; none if it is not there.
  static RankSet find(const Walk &W, uint32_t Number, uint32_t &Index) {
    for (Index = 0; Index < W.threads().size(); ++Index)
      if (W.threads()[Index].Number == Number)
        return W.threads()[Index].Ranks;
    return {};
  }

  /// False: an error was printed.
  bool thread(uint32_t Thread) {
    uint32_t InA, InB;
    const RankSet RanksA = find(WalkA, Thread, InA), RanksB = find(WalkB, Thread, InB);
    only(Thread, RanksA.without(RanksB), A.File);
    only(Thread, RanksB.without(RanksA), B.File);
    const RankSet Both = RanksA.common(RanksB);
    if (Both.empty())
      return true;
    RankClasses Alike(Both);
    Alike.splitByWay(WalkA, InA);
    Alike.splitByWay(WalkB, InB);
    std::vector<Class> Left;
    for (RankSet &S : Alike.sets())
      Left.push_back({std::move(S), 0});
    while (!Left.empty()) {
      Class C = std::move(Left.back());
      Left.pop_back();
      std::vector<RankSet> Apart;
      if (!compare(Thread, C.Ranks, Apart))
        return false;
      for (RankSet &S : Apart)
        if (C.Depth < MostDepth)
          Left.push_back({std::move(S), C.Depth + 1});
        else
          S.forEach([&](uint32_t Rank) { Left.push_back({RankSet(Rank), C.Depth}); });
    }
    return true;
  }

  void only(uint32_t Thread, const RankSet &Ranks, const std::string &File) {
    if (!Ranks.empty())
      add(Thread, Ranks, {"only " + File, "only in " + File}, true);
  }

  /// Compares the first rank's calls. Apart: ranks for which that says nothing.
  bool compare(uint32_t Thread, const RankSet &Ranks, std::vector<RankSet> &Apart) {
    const uint32_t Rank = Ranks.first();
    const auto ViewA = A.T.view(Rank, Thread), ViewB = B.T.view(Rank, Thread);
    Compare.restart();
    std::optional<DiffMembers> Members;
    if (Ranks.size() > 1)
      Members.emplace(Compare, A.T, B.T, ViewA, ViewB);
    DiffCalls InA(ViewA), InB(ViewB);
    Call CallA, CallB;
    std::optional<Difference> D;
    for (uint64_t Calls = 0; !D; ++Calls) {
      constexpr uint64_t Piece = 1 << 14;
      if (Calls % Piece == Piece - 1)
        Counter->step(Piece);
      const bool MoreA = InA.next(CallA, [&](const Call &C) { Members ? Members->skipped(C, false) : void(); });
      const bool MoreB = InB.next(CallB, [&](const Call &C) { Members ? Members->skipped(C, true) : void(); });
      if (!InA.error().empty() || !InB.error().empty()) {
        Counter.reset();
        InA.error().empty() ? fail(B.File, InB.error()) : fail(A.File, InA.error());
        return false;
      }
      if (Members && (InA.hasReadAhead() || InB.hasReadAhead()))
        Members->readAhead();
      if (!MoreA && !MoreB)
        break;
      if (MoreA && MoreB) {
        const std::string What = Compare.compare(CallA, CallB);
        if (What.empty()) {
          if (Members)
            Members->compared(CallA, CallB);
          continue;
        }
        if (Members)
          Members->differ(CallA, CallB, Compare.comparedSlots());
        D = differ(What, CallA, CallB);
      } else {
        if (Members)
          Members->last(MoreA ? CallA : CallB, MoreB);
        D = single(MoreA, MoreA ? CallA : CallB);
      }
      const uint64_t Seq = (MoreA ? CallA : CallB).Seq;
      const OrderDifference Order = Loops.find(ViewA, ViewB, Calls);
      if (const auto &L = Order.Loop) {
        D->Key = fmt::format("loop {} {} {}", L->InA, L->InB, L->Key);
        if (L->IsCounted)
          D->Text = fmt::format("{} runs {}, not {}", L->Text, counted(L->InB, "time"), L->InA);
        else if (L->InB > L->InA)
          D->Text = fmt::format("{} runs {} more", L->Text, counted(L->InB - L->InA, "time"));
        else
          D->Text = fmt::format("{} runs {} less", L->Text, counted(L->InA - L->InB, "time"));
        if (!L->IsStructure)
          D->Text += fmt::format(" (call {})", Seq);
        D->HasValues = false;
      } else if (Order.OnlyIn != OrderDifference::Neither && Compare.what() == "function") {
        const bool IsA = Order.OnlyIn == OrderDifference::A;
        D = single(IsA, IsA ? CallA : CallB);
      }
    }
    if (!Members) {
      if (D)
        add(Thread, Ranks, *D, true);
      return true;
    }
    DiffMembers::Answer Alike = Members->find(Ranks);
    if (D)
      add(Thread, Alike.Alike, *D, !D->HasValues || Alike.HaveSameValues);
    Apart = std::move(Alike.Apart);
    return true;
  }

  std::string siteOf(const Call &C, SourceLines &Lines) {
    return chainText(siteText(*C.View, C.View->signatures()[C.Terminal], Lines));
  }

  Difference differ(const std::string &What, const Call &CallA, const Call &CallB) {
    // What differs, then, in parentheses, what its names stood for.
    std::string Where = What;
    Where.insert(Compare.what().size(), Compare.what() == "calls not traced" ? " differ" : " differs");
    return {fmt::format("{} {} {} {} {}", Compare.what(), CallA.Function->Name, siteOf(CallA, LinesA),
                        CallB.Function->Name, siteOf(CallB, LinesB)),
            fmt::format("call {}: {}: {}, not {}", CallA.Seq, Where, TextB.callOnly(CallB), TextA.callOnly(CallA))};
  }

  /// A call that only one of them makes.
  Difference single(bool IsA, const Call &C) {
    return {fmt::format("only {} {} {}", IsA, C.Function->Name, siteOf(C, IsA ? LinesA : LinesB)),
            fmt::format("call {}: only in {}: {}", C.Seq, IsA ? A.File : B.File, (IsA ? TextA : TextB).callOnly(C))};
  }

  void add(uint32_t Thread, const RankSet &Ranks, const Difference &D, bool HaveSameValues) {
    auto [It, New] = Found.try_emplace({Thread, D.Key}, Line{Ranks, D.Text, HaveSameValues});
    if (New)
      return;
    Line &L = It->second;
    L.AreSame = L.AreSame && HaveSameValues && L.Text == D.Text;
    if (Ranks.first() < L.Ranks.first())
      L.Text = D.Text;
    L.Ranks.unite(Ranks);
  }

  void print() {
    std::vector<std::tuple<uint32_t, uint32_t, const Line *>> Lines;
    for (const auto &[Key, L] : Found)
      Lines.emplace_back(L.Ranks.first(), Key.first, &L);
    std::sort(Lines.begin(), Lines.end());
    for (const auto &[First, Thread, L] : Lines) {
      Out.Text += numbered("rank", L->Ranks, SIZE_MAX);
      if (Thread)
        Out.Text += fmt::format(" thread {}", Thread);
      if (!L->AreSame)
        Out.Text += fmt::format(", as on rank {}", First);
      Out.Text += ": " + L->Text + '\n';
      Out.drain();
    }
  }

  const DiffInput &A, &B;
  const Walk WalkA, WalkB;
  CallCompare Compare;
  CallText TextA, TextB;
  SourceLines LinesA, LinesB;
  DiffLoops Loops;
  Output Out;
  std::optional<Progress> Counter{std::in_place, "compared", 0, "calls"};
  std::map<std::pair<uint32_t, std::string>, Line> Found; ///< by thread and key
};
} // namespace

int diffByGroup(const DiffInput &A, const DiffInput &B) { return GroupDiff(A, B).run(); }

} // namespace pilgrim
