//===- RankClasses.cpp - ranks that go the same way -----------------------===//
#include "trace/read/RankClasses.h"
#include "trace/read/Levels.h"

#include <map>

namespace pilgrim {

RankClasses::RankClasses(const RankSet &All) : All(All), Class(All.size(), 0) {}

/// Calls F(place in All) for the ranks of By, which are all in All.
template <typename Fn> static void forEachPlace(const RankSet &All, const RankSet &By, Fn &&F) {
  for (const RankSet::Interval &I : By.intervals()) {
    uint64_t Place = All.indexOf(I.First);
    for (uint64_t R = I.First; R <= I.Last; ++R)
      F(Place++);
  }
}

void RankClasses::split(const RankSet &By) {
  RankSet In = By.common(All);
  if (In.empty() || In.size() == All.size())
    return;
  if (In.size() > All.size() / 2)
    In = All.without(In);
  uint64_t Key = In.intervals().size();
  for (const RankSet::Interval &I : In.intervals())
    Key = (Key ^ I.First ^ uint64_t(I.Last) << 32) * 0x9e3779b97f4a7c15ull;
  for (auto [It, End] = Seen.equal_range(Key); It != End; ++It)
    if (It->second == In)
      return;
  Seen.emplace(Key, In);

  // A class all of which is split off has no ranks left, which does no harm.
  std::unordered_map<uint32_t, uint32_t> New;
  forEachPlace(All, In, [&](uint64_t Place) {
    auto [It, IsNew] = New.try_emplace(Class[Place], Classes);
    Classes += IsNew;
    Class[Place] = It->second;
  });
}

void RankClasses::split(const RankSet &Among, const std::function<int64_t(uint32_t)> &Number) {
  const RankSet In = Among.common(All);
  std::map<std::pair<uint32_t, int64_t>, uint32_t> New;
  forEachPlace(All, In, [&](uint64_t Place) {
    auto [It, IsNew] = New.try_emplace({Class[Place], Number(All.at(Place))}, Classes);
    Classes += IsNew;
    Class[Place] = It->second;
  });
}

void RankClasses::split(const RankSet &Among, const ByRank &Numbers, uint32_t World) {
  for (const auto &[Place, F] : Numbers)
    if (!F.isConst())
      split(Among, [&](uint32_t R) { return F.eval(R, {R, World}); });
}

/// List: of sequences or streams.
template <typename List> void RankClasses::splitByList(const List &L, uint32_t World) {
  for (const auto &X : L) {
    split(X.Ranks);
    split(X.Ranks, X.Functions, World);
  }
}

void RankClasses::splitByWay(const Walk &W, uint32_t Thread) {
  const Group &G = W.group(Thread);
  const uint32_t World = W.world();
  auto ByItems = [&](const std::vector<RankedItems> &L, TableId Variants) {
    splitByList(L, World);
    for (const RankedItems &X : L)
      for (const Item &I : X.Items)
        if (!I.IsNode)
          for (const Variant &V : G.table(Variants)[I.Index])
            split(V.Ranks);
  };
  for (const NodeData &N : G.Nodes) {
    split(N.Ranks);
    ByItems(N.Paths, TableId::Paths);
    splitByList(N.Visits, World);
  }
  G.forEachEvent([&](const NodeData &, uint32_t, const EventData &E) {
    ByItems(E.Items, TableId::Signatures);
    splitByList(E.PassesToChange, World);
    splitByList(E.UsualItems, World);
    // Which slots have a stream; what is in them is another question.
    for (const auto &[Key, Streams] : E.Streams) {
      RankSet Any;
      for (const RankedStream &S : Streams)
        Any.unite(S.Ranks);
      split(Any);
    }
  });
}

std::vector<RankSet> RankClasses::sets() const {
  std::vector<std::vector<RankSet::Interval>> Intervals;
  std::vector<uint32_t> Number(Classes, 0); // of a class, in the order of first ranks, + 1
  uint64_t Place = 0;
  All.forEach([&](uint32_t R) {
    uint32_t &N = Number[Class[Place++]];
    if (!N) {
      Intervals.emplace_back();
      N = static_cast<uint32_t>(Intervals.size());
    }
    auto &Own = Intervals[N - 1];
    if (!Own.empty() && Own.back().Last + 1 == R)
      Own.back().Last = R;
    else
      Own.push_back({R, R});
  });
  std::vector<RankSet> Out;
  for (const auto &I : Intervals)
    Out.push_back(setOf(I));
  return Out;
}

} // namespace pilgrim
