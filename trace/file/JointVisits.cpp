//===- JointVisits.cpp - visits of all ranks together ---------------------===//
#include "trace/file/JointVisits.h"

#include <algorithm>
#include <map>

namespace pilgrim {

/// Elements of the sequence, times ranks.
static constexpr uint64_t MaxWork = uint64_t(1) << 20;

/// The sequence that all calls of N are in, if there is one.
static const RankedItems *onlySequence(const NodeData &N) {
  if (N.Events.size() != 1)
    return nullptr;
  const auto &[Id, E] = *N.Events.begin();
  if (Id == 0 || !E.PassesToChange.empty() || !E.UsualItems.empty() || E.Items.size() != 1)
    return nullptr;
  const RankedItems &X = E.Items[0];
  bool AreCalls = std::none_of(X.Items.begin(), X.Items.end(), [](const Item &I) { return I.IsNode; });
  // Of a single item nothing needs to be written.
  return AreCalls && X.Items.size() > 1 && X.Functions.empty() && X.Ranks == N.Ranks ? &X : nullptr;
}

namespace {
/// Who has the elements of a sequence. Ranks are counted from 0.
class Columns {
public:
  Columns(const Group &G, const RankedItems &X) : NumRanks(X.Ranks.size()), Length(X.Order.length()), Order(X.Order) {
    if (isTooMuch())
      return;
    std::vector<uint32_t> Ranks;
    X.Ranks.forEach([&](uint32_t R) { Ranks.push_back(R); });
    for (const Item &I : X.Items) {
      Owners.emplace_back();
      for (uint32_t R = 0; R < Ranks.size(); ++R)
        if (G.find(TableId::Signatures, I.Index, Ranks[R]))
          Owners.back().push_back(R);
    }
  }
  bool isTooMuch() const { return Length > MaxWork / std::max<uint64_t>(NumRanks, 1); }
  std::vector<uint32_t> terminals() const {
    std::vector<uint32_t> Out;
    GrammarData::Cursor C(Order);
    for (uint32_t T; C.next(T);)
      Out.push_back(T);
    return Out;
  }
  const std::vector<uint32_t> &owners(uint32_t Terminal) const { return Owners[Terminal]; }
  const uint64_t NumRanks, Length;

private:
  const GrammarData &Order;
  std::vector<std::vector<uint32_t>> Owners; ///< by terminal
};

/// Divides the sequence so that no rank's activation is cut.
class Joiner {
public:
  Joiner(const Columns &C, std::vector<std::vector<int64_t>> Visits)
      : C(C), Visits(std::move(Visits)), Sequence(C.terminals()), Next(C.NumRanks), Taken(C.NumRanks) {}

  std::optional<IntStreamData> run(uint64_t &Work) {
    IntStream Out;
    for (size_t Begin = 0, End; Begin < Sequence.size(); Begin = End) {
      End = endOfStretch(Begin, Work);
      if (End == Begin)
        return std::nullopt;
      Out.append(static_cast<int64_t>(End - Begin));
    }
    for (size_t R = 0; R < Visits.size(); ++R)
      if (Next[R] != Visits[R].size())
        return std::nullopt;
    return std::move(Out).data();
  }

private:
  /// The last place that no rank is past its next number of visits at, and none in the midst of it.
  size_t endOfStretch(size_t Begin, uint64_t &Work) {
    std::fill(Taken.begin(), Taken.end(), 0);
    size_t End = Begin, Unfinished = 0;
    bool IsPast = false;
    for (size_t I = Begin; I < Sequence.size() && !IsPast; ++I) {
      for (uint32_t R : C.owners(Sequence[I])) {
        IsPast |= Next[R] == Visits[R].size() || Taken[R] == Visits[R][Next[R]] || Work == 0;
        if (IsPast)
          break;
        --Work;
        Unfinished += Taken[R] == 0;
        Unfinished -= ++Taken[R] == Visits[R][Next[R]];
      }
      if (!IsPast && !Unfinished)
        End = I + 1;
    }
    std::vector<bool> IsIn(C.NumRanks);
    for (size_t I = Begin; I < End; ++I)
      for (uint32_t R : C.owners(Sequence[I]))
        IsIn[R] = true;
    for (size_t R = 0; R < C.NumRanks; ++R)
      Next[R] += IsIn[R];
    return End;
  }

  const Columns &C;
  const std::vector<std::vector<int64_t>> Visits; ///< by rank, of each activation
  const std::vector<uint32_t> Sequence;
  std::vector<size_t> Next;   ///< by rank: the activation that comes next
  std::vector<int64_t> Taken; ///< by rank: of its visits
};
} // namespace

std::optional<IntStreamData> joinVisits(const Group &G, const NodeData &N, uint32_t World, uint64_t &Work) {
  const RankedItems *X = onlySequence(N);
  if (!X)
    return std::nullopt;
  Columns C(G, *X);
  const uint64_t Expanded = C.Length * C.NumRanks;
  if (C.isTooMuch() || Expanded > Work)
    return std::nullopt;
  Work -= Expanded;
  std::vector<std::vector<int64_t>> Visits;
  bool Fits = true;
  N.Ranks.forEach([&](uint32_t Rank) {
    auto &Own = Visits.emplace_back();
    for (const RankedStream &S : N.Visits) {
      if (!S.Ranks.contains(Rank))
        continue;
      IntStreamData D = S.of(Rank, World);
      IntStreamData::Cursor Values(D);
      for (int64_t V; Own.size() <= C.Length && Values.next(V);)
        Own.push_back(V);
    }
    Fits &= !Own.empty() && Own.size() <= C.Length;
  });
  return Fits ? Joiner(C, std::move(Visits)).run(Work) : std::nullopt;
}

void partVisits(const Group &G, NodeData &N, const IntStreamData &Joint, ByteReader &R) {
  const RankedItems *X = R.ok() ? onlySequence(N) : nullptr;
  if (!X)
    return R.fail("joint visits of a node that cannot have them");
  R.spend(X->Ranks.size() * X->Items.size() * sizeof(uint32_t));
  if (X->Order.length() > MaxWork / X->Ranks.size())
    R.failTooLarge("calls times ranks of joint visits", MaxWork);
  if (!R.ok())
    return;
  Columns C(G, *X);
  R.spend(C.Length * C.NumRanks * sizeof(int64_t));
  if (!R.ok())
    return;
  std::vector<std::vector<int64_t>> Visits(C.NumRanks);
  std::vector<int64_t> Taken(C.NumRanks);
  IntStreamData::Cursor Lengths(Joint);
  int64_t Left = 0;
  for (uint32_t T : C.terminals()) {
    if (Left == 0 && (!Lengths.next(Left) || Left <= 0))
      return R.fail("joint visits end early");
    for (uint32_t Rank : C.owners(T))
      ++Taken[Rank];
    if (--Left)
      continue;
    for (size_t Rank = 0; Rank < Taken.size(); ++Rank)
      if (Taken[Rank]) {
        Visits[Rank].push_back(Taken[Rank]);
        Taken[Rank] = 0;
      }
  }
  if (Left || Lengths.next(Left))
    return R.fail("joint visits go on behind the calls");
  std::map<std::vector<int64_t>, RankSet> Same;
  size_t At = 0;
  X->Ranks.forEach([&](uint32_t Rank) { Same[Visits[At++]].unite(RankSet(Rank)); });
  for (auto &[Own, Ranks] : Same) {
    if (Own.empty())
      return R.fail("joint visits of a rank without calls");
    IntStream Values;
    for (int64_t V : Own)
      Values.append(V);
    N.Visits.push_back({Ranks, std::move(Values).data()});
  }
}

} // namespace pilgrim
