//===- DiffRelaxed.cpp - differences that are not of order ----------------===//
#include "driver/DiffRelaxed.h"
#include "driver/CallCounts.h"
#include "driver/Command.h"
#include "driver/Input.h"
#include "driver/Output.h"
#include "trace/base/Counted.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>

namespace pilgrim {

namespace {
class RelaxedDiff {
public:
  RelaxedDiff(const DiffInput &A, const DiffInput &B) : A(A), B(B), CountsA(A.T), CountsB(B.T) {}

  int run() {
    RankSet All = A.T.ranks();
    All.unite(B.T.ranks());
    bool IsRead = true;
    All.forEach([&](uint32_t Rank) { IsRead = IsRead && rank(Rank); });
    if (!IsRead)
      return 2;
    std::vector<const Line *> Lines;
    for (const auto &[Key, L] : Found)
      Lines.push_back(&L);
    std::ranges::stable_sort(Lines, {}, [](const Line *L) { return L->Ranks.first(); });
    for (const Line *L : Lines) {
      Out.Text += numbered("rank", L->Ranks, SIZE_MAX) + L->Of +
                  (L->AreSame ? "" : fmt::format(", as on rank {}", L->Ranks.first())) + ": " + L->Text + "\n";
      Out.drain();
    }
    Out.Text +=
        fmt::format("not compared: the order of calls, which of several objects and blocks a call uses, and the "
                    "calls that wait, test or probe: {}, {} in {}\n",
                    CountsB.NotCompared, CountsA.NotCompared, A.File);
    return !Out.finish() ? 2 : Found.empty() ? 0 : 1;
  }

private:
  using Equal = CallCounts::Equal;
  /// Equal calls that one trace has more often.
  struct Uneven {
    const std::string *Key;
    const Equal *A, *B; ///< null: it has none

    const Equal &any() const { return A ? *A : *B; }
    uint64_t timesA() const { return A ? A->Times : 0; }
    uint64_t timesB() const { return B ? B->Times : 0; }
    int64_t moreInB() const { return static_cast<int64_t>(timesB() - timesA()); }
    /// What is said before the rest: who makes an object is, before who uses it; then what is made first.
    auto order() const {
      return std::tuple(!any().IsMaker, std::min(A ? A->First : UINT64_MAX, B ? B->First : UINT64_MAX));
    }
    /// The function.
    std::string_view head() const { return std::string_view(*Key).substr(0, Key->find('\n')); }
  };
  struct Difference {
    std::string Key; ///< the same for differences that are alike
    std::string Text;
  };
  struct Line {
    RankSet Ranks;
    std::string Of;      ///< the thread
    std::string Text;    ///< of the first of them
    bool AreSame = true; ///< whether it is the text of all
  };

  /// False: an error was printed.
  bool rank(uint32_t Rank) {
    const std::vector<uint32_t> ThreadsA = A.T.threads(Rank), ThreadsB = B.T.threads(Rank);
    std::vector<uint32_t> All;
    std::set_union(ThreadsA.begin(), ThreadsA.end(), ThreadsB.begin(), ThreadsB.end(), std::back_inserter(All));
    for (uint32_t Thread : All) {
      auto ViewA = A.T.view(Rank, Thread), ViewB = B.T.view(Rank, Thread);
      if (!ViewA || !ViewB) {
        const std::string Only = "only in " + (ViewA ? A.File : B.File);
        add(Rank, Thread, {Only, Only});
        continue;
      }
      if (const std::string Why = CountsA.read(ViewA); !Why.empty())
        return fail(A.File, Why), false;
      if (const std::string Why = CountsB.read(ViewB); !Why.empty())
        return fail(B.File, Why), false;
      if (const auto D = compare())
        add(Rank, Thread, *D);
    }
    return true;
  }

  /// Ranks come in their order.
  void add(uint32_t Rank, uint32_t Thread, const Difference &D) {
    const std::string Of = Thread ? fmt::format(" thread {}", Thread) : "";
    Line &L = Found.try_emplace(Of + ' ' + D.Key, Line{{}, Of, D.Text}).first->second;
    L.AreSame = L.AreSame && L.Text == D.Text;
    L.Ranks.unite(RankSet(Rank));
  }

  std::vector<Uneven> findUneven() const {
    std::vector<Uneven> Out;
    auto InA = CountsA.Calls.begin(), InB = CountsB.Calls.begin();
    const auto EndA = CountsA.Calls.end(), EndB = CountsB.Calls.end();
    while (InA != EndA || InB != EndB) {
      const bool HasA = InA != EndA && (InB == EndB || InA->first <= InB->first);
      const bool HasB = InB != EndB && (InA == EndA || InB->first <= InA->first);
      const Uneven U{HasA ? &InA->first : &InB->first, HasA ? &InA->second : nullptr, HasB ? &InB->second : nullptr};
      if (U.moreInB())
        Out.push_back(U);
      InA = std::next(InA, HasA);
      InB = std::next(InB, HasB);
    }
    return Out;
  }

  /// The parameters in which calls of one function differ: how many these are, and the first, as both have it.
  struct Apart {
    size_t Parameters = 0;
    std::string_view InX, InY;
    std::string_view name() const { return InX.substr(0, InX.find('=')); }
  };
  static Apart compareKeys(std::string_view X, std::string_view Y) {
    Apart Out;
    while (!X.empty() || !Y.empty()) {
      const auto Take = [](std::string_view &Text) {
        const std::string_view Taken = Text.substr(0, Text.find('\n'));
        Text.remove_prefix(std::min(Taken.size() + 1, Text.size()));
        return Taken;
      };
      const std::string_view InX = Take(X), InY = Take(Y);
      if (InX != InY && !Out.Parameters++)
        Out.InX = InX, Out.InY = InY;
    }
    return Out;
  }

  /// The calls that are there instead: those of the same function that are most like them, and as many, unless print
  /// does not tell them apart.
  static const Uneven *findInstead(const std::vector<Uneven> &All, const Uneven &U, Apart &How) {
    const Uneven *Out = nullptr;
    // They stand side by side.
    const auto From = std::ranges::lower_bound(All, U.head(), {}, &Uneven::head);
    for (auto It = From; It != All.end() && It->head() == U.head(); ++It) {
      const bool IsOpposite = (It->moreInB() > 0) != (U.moreInB() > 0);
      if (!IsOpposite || (It->moreInB() != -U.moreInB() && It->any().Text != U.any().Text))
        continue;
      const Apart Now = compareKeys(*U.Key, *It->Key);
      if (!Out || Now.Parameters < How.Parameters) {
        Out = &*It;
        How = Now;
      }
    }
    return Out;
  }

  /// The first difference, if there is one.
  std::optional<Difference> compare() const {
    const std::vector<Uneven> All = findUneven();
    if (!All.empty())
      return describe(All, *std::ranges::min_element(All, {}, &Uneven::order));
    if (CountsA.Completed == CountsB.Completed)
      return std::nullopt;
    const std::string Text =
        fmt::format("completes {}, not {}", counted(CountsB.Completed, "request"), CountsA.Completed);
    return Difference{Text, Text};
  }

  static Difference describe(const std::vector<Uneven> &All, const Uneven &U) {
    Apart How;
    const Uneven *Other = findInstead(All, U, How);
    if (!Other)
      return {fmt::format("{} {} {} {}", U.head(), U.any().Site, U.timesA(), U.timesB()),
              fmt::format("{}: {}, not {}", U.any().Text, counted(U.timesB(), "time"), U.timesA())};
    const bool IsInB = U.moreInB() > 0;
    const Equal &A = IsInB ? *Other->A : *U.A, &B = IsInB ? *U.B : *Other->B;
    // Of objects the values do not show it.
    std::string Detail;
    const auto IsObject = [&](std::string_view V) { return V.substr(How.name().size()).starts_with("=size "); };
    if (IsObject(How.InX) && IsObject(How.InY)) {
      const auto Text = [&](std::string_view V) {
        return V.substr(How.name().size() + 1, V.size() - How.name().size() - 2);
      };
      Detail = fmt::format(" ({}, not {})", Text(IsInB ? How.InX : How.InY), Text(IsInB ? How.InY : How.InX));
    }
    const std::string Times =
        counted(static_cast<uint64_t>(std::min(std::abs(U.moreInB()), std::abs(Other->moreInB()))), "time");
    return {fmt::format("{} {} {} {} {}", Times, How.name(), U.head(), A.Site, B.Site),
            fmt::format("{}: {} differs{}: {}, not {}", Times, How.name(), Detail, B.Text, A.Text)};
  }

  const DiffInput &A, &B;
  CallCounts CountsA, CountsB;
  Output Out;
  std::map<std::string, Line> Found; ///< by thread and key
};
} // namespace

int diffRelaxed(const DiffInput &A, const DiffInput &B) { return RelaxedDiff(A, B).run(); }

} // namespace pilgrim
