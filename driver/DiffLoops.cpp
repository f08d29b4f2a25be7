//===- DiffLoops.cpp - loops that run differently often -------------------===//
#include "driver/DiffLoops.h"
#include "driver/SiteText.h"
#include "trace/base/Counted.h"

#include <algorithm>
#include <fmt/format.h>

namespace pilgrim {

namespace {
/// The regions that two threads are in together, as they go through calls that are equal, and the loop that they did
/// not leave together.
class Alongside {
public:
  Alongside(const RankView &A, const RankView &B) : A(A), B(B) {}

  struct Loop {
    const Region *Structure = nullptr;
    uint64_t InA = 0, InB = 0;
  };
  /// Where both are at the next call. ItemsA, ItemsB: that were read before it.
  void step(const std::vector<Activation> &InA, const std::vector<Activation> &InB, uint64_t ItemsA, uint64_t ItemsB) {
    auto IsStill = [](const std::vector<Activation> &In, size_t Depth, const Activation &Was) {
      return Depth < In.size() && In[Depth].FirstItem == Was.FirstItem && In[Depth].Node == Was.Node;
    };
    size_t Same = 0;
    while (Same < Both.size() && IsStill(InA, Same, Both[Same].first) && IsStill(InB, Same, Both[Same].second))
      ++Same;
    for (size_t D = Both.size(); !Left && D-- > Same;) {
      const auto &[InBothA, InBothB] = Both[D];
      const Region *R = A.nodes()[InBothA.Node].Structure;
      const bool IsShorterLeft =
          InBothA.Visits < InBothB.Visits ? !IsStill(InA, D, InBothA) : !IsStill(InB, D, InBothB);
      if (R->Index && InBothA.Visits != InBothB.Visits && IsShorterLeft)
        Left = Loop{R, InBothA.Visits, InBothB.Visits};
    }
    Both.resize(Same);
    for (; Same < InA.size() && Same < InB.size(); ++Same) {
      const Activation &X = InA[Same], &Y = InB[Same];
      const Region *RX = A.nodes()[X.Node].Structure, *RY = B.nodes()[Y.Node].Structure;
      if (X.FirstItem < ItemsA || Y.FirstItem < ItemsB || RX->Index != RY->Index || RX->Name != RY->Name)
        break;
      Both.emplace_back(X, Y);
      Left.reset(); // they have come together again
    }
  }
  const std::optional<Loop> &left() const { return Left; }

private:
  const RankView &A, &B;
  std::vector<std::pair<Activation, Activation>> Both; ///< outermost first
  std::optional<Loop> Left;
};

/// Functions by their names, which are the same in both traces.
using FunctionNumbers = std::map<std::string, uint32_t>;

/// The calls of a thread as the places where they were made.
struct Places {
  static constexpr size_t Most = size_t(1) << 24;

  Places(const DiffLoops::View &V, FunctionNumbers &Numbers) : V(V) {
    DiffCalls In(V);
    std::map<std::tuple<const FunctionSchema *, uint32_t, uint32_t, uint32_t>, uint32_t> Known;
    std::vector<uint32_t> OfTerminal(V->signatures().size(), 0);
    for (Call C; Calls.size() < Most && In.next(C);) {
      uint32_t &Place = OfTerminal[C.Terminal];
      if (!Place) {
        const ResolvedSignature &S = V->signatures()[C.Terminal];
        Place = Known.try_emplace({S.Function, S.Site, S.Node, S.Event}, Known.size() + 1).first->second;
        if (Place > Signatures.size()) {
          Signatures.push_back(&S);
          Functions.push_back(Numbers.try_emplace(S.Function->Name, Numbers.size()).first->second);
        }
      }
      Calls.push_back(Place - 1);
    }
  }
  const ResolvedSignature &at(uint64_t Call) const { return *Signatures[Calls[Call]]; }
  uint32_t functionAt(uint64_t Call) const { return Functions[Calls[Call]]; }
  bool isAll() const { return Calls.size() < Most; }

  DiffLoops::View V;
  std::vector<uint32_t> Calls;
  std::vector<const ResolvedSignature *> Signatures; ///< by place
  std::vector<uint32_t> Functions;                   ///< by place
};

/// So many calls of both, from these on, are of the same functions; UINT64_MAX: all, up to both ends.
uint64_t agreement(const Places &X, uint64_t InX, const Places &Y, uint64_t InY) {
  const uint64_t Begin = InX, EndX = X.Calls.size(), EndY = Y.Calls.size();
  while (InX < EndX && InY < EndY && X.functionAt(InX) == Y.functionAt(InY))
    ++InX, ++InY;
  return InX >= EndX && InY >= EndY ? UINT64_MAX : InX - Begin;
}

/// The longest stretch around a call in which calls repeat themselves after Period.
struct Stretch {
  uint64_t Begin, End;
  Stretch(const std::vector<uint32_t> &L, uint64_t At, uint64_t Period) : Begin(At - Period), End(At) {
    while (Begin && L[Begin - 1] == L[Begin - 1 + Period])
      --Begin;
    while (End < L.size() && L[End] == L[End - Period])
      ++End;
  }
};

/// So many calls agree behind the difference, if it is one call: instead of another one, or in one trace only.
struct SingleCall {
  uint64_t Instead = 0, InA = 0, InB = 0;

  SingleCall(const Places &A, const Places &B, uint64_t At) {
    if (At >= A.Calls.size() || At >= B.Calls.size())
      return;
    Instead = agreement(A, At + 1, B, At + 1);
    InA = agreement(A, At + 1, B, At);
    InB = agreement(A, At, B, At + 1);
  }
};

struct Repetition {
  uint64_t Period = 0, More = 0, Less = 0;
  bool IsWhole = true; ///< whether these are all iterations
};

/// Whether it looks as if a stretch were not the whole loop: before it stand calls that are much like its body, as
/// where some iterations print a residual.
bool isMoreBefore(const std::vector<uint32_t> &L, uint64_t Begin, uint64_t Period) {
  const auto Body = L.begin() + static_cast<ptrdiff_t>(Begin);
  auto IsBodyAt = [&](uint64_t At, uint64_t Length) {
    const auto From = L.begin() + static_cast<ptrdiff_t>(At);
    return std::equal(From, From + static_cast<ptrdiff_t>(Length), Body);
  };
  for (uint64_t Length = Period / 2 + 1; Length < 2 * Period && Length <= Begin; ++Length)
    if (IsBodyAt(Begin - Length, std::min(Length, Period)))
      return true;
  return false;
}

/// The shortest body of a loop that goes on at a call in one trace and has ended in the other, so that both go on alike
/// behind the loop: for no fewer calls than behind a single call. Once is no repetition.
std::optional<Repetition> repetition(const Places &Going, const Places &Left, uint64_t At, const SingleCall &Single) {
  const auto &X = Going.Calls, &Y = Left.Calls;
  constexpr uint64_t Budget = uint64_t(1) << 26;
  uint64_t Steps = 0;
  for (uint64_t Period = 1; Period <= At && At + Period <= X.size() && Steps < Budget; ++Period) {
    ++Steps;
    auto Here = X.begin() + static_cast<ptrdiff_t>(At);
    const auto Length = static_cast<ptrdiff_t>(Period);
    if (*Here != *(Here - Length) || !std::equal(Here, Here + Length, Here - Length))
      continue;
    const Stretch InX(X, At, Period), InY(Y, At, Period);
    Steps += InX.End - InX.Begin + InY.End - InY.Begin;
    // The same repetition in both, but for whole iterations: else calls stand at other places in one of them.
    if (InX.Begin != InY.Begin || InX.End <= InY.End || (InX.End - InY.End) % Period)
      continue;
    const uint64_t Behind = agreement(Going, InX.End, Left, InY.End);
    Steps += Behind == UINT64_MAX ? X.size() - InX.End : Behind;
    if (Behind <= Single.Instead || Behind < std::max(Single.InA, Single.InB))
      continue;
    Repetition R{Period, (InX.End - InX.Begin) / Period, (InY.End - InY.Begin) / Period};
    R.IsWhole = !isMoreBefore(X, InX.Begin, Period);
    if (R.IsWhole && R.Less < 2)
      continue;
    return R;
  }
  return std::nullopt;
}
} // namespace

std::optional<LoopDifference> DiffLoops::byStructure(const View &A, const View &B, uint64_t Calls) {
  Alongside Both(*A, *B);
  DiffCalls InA(A), InB(B);
  Call C;
  // The calls that differ, too; at its end a thread is in no region.
  for (uint64_t N = 0; N <= Calls; ++N) {
    InA.next(C);
    InB.next(C);
    Both.step(InA.cursor().activations(), InB.cursor().activations(), InA.itemsBefore(), InB.itemsBefore());
  }
  if (!Both.left())
    return std::nullopt;
  const Region &R = *Both.left()->Structure;
  const std::string Line = lineText(R, R.Line);
  LoopDifference Out;
  Out.IsStructure = true;
  Out.Text = Line.empty() ? "a loop in " + functionText(R) : "the loop at " + Line;
  Out.Key = fmt::format("{} {} {}", Out.Text, R.Function, R.Index);
  Out.InA = Both.left()->InA;
  Out.InB = Both.left()->InB;
  return Out;
}

OrderDifference DiffLoops::bySequence(const View &A, const View &B, uint64_t Calls, bool IsInStructure) const {
  FunctionNumbers Numbers;
  const Places InA(A, Numbers), InB(B, Numbers);
  OrderDifference Out;
  if (InA.Calls.size() == Places::Most || InB.Calls.size() == Places::Most)
    return Out;
  const SingleCall Single(InA, InB, Calls);
  if (Single.InA > std::max(Single.Instead, Single.InB))
    Out.OnlyIn = OrderDifference::A;
  else if (Single.InB > std::max(Single.Instead, Single.InA))
    Out.OnlyIn = OrderDifference::B;
  if (!Calls || IsInStructure)
    return Out;
  const auto LoopA = repetition(InA, InB, Calls, Single), LoopB = repetition(InB, InA, Calls, Single);
  if (!LoopA && !LoopB)
    return Out;
  const bool IsA = LoopA && (!LoopB || LoopA->Period < LoopB->Period);
  const Repetition &R = IsA ? *LoopA : *LoopB;
  const Places &In = IsA ? InA : InB;
  const ResolvedSignature &First = In.at(Calls);
  const std::string Site = chainText(siteText(*In.V, First, *Lines[!IsA]));
  LoopDifference &Loop = Out.Loop.emplace();
  Loop.Key = First.Function->Name + (Site.empty() ? "" : " at " + Site);
  Loop.Text = fmt::format("the loop of {}{} from {}", R.IsWhole ? "" : "about ", counted(R.Period, "call"), Loop.Key);
  Loop.InA = IsA ? R.More : R.Less;
  Loop.InB = IsA ? R.Less : R.More;
  Loop.IsCounted = R.IsWhole;
  return Out;
}

OrderDifference DiffLoops::find(const View &A, const View &B, uint64_t Calls) {
  const bool HaveStructure = A->nodes().size() > 1 && B->nodes().size() > 1;
  if (HaveStructure)
    if (auto Loop = byStructure(A, B, Calls))
      return {std::move(Loop)};
  return bySequence(A, B, Calls, HaveStructure);
}

} // namespace pilgrim
