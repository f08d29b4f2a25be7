#include "SplitSurvey.h"

#include <mpi.h>

#include <utility>

namespace pilgrim::virtualranks {

void SplitSurvey::note(Split Name, int WorldRank, int Color, int Key) {
  const Note Said{WorldRank, Color, Key};
  auto [It, IsNew] = Now.try_emplace(Name);
  Entry &E = It->second;
  if (IsNew) {
    // The nearest earlier split of the same parent, if any, comes right before
    // in the map.
    if (It != Now.begin() && std::prev(It)->first.Parent == Name.Parent) {
      E.Shared = std::prev(It)->second.Shared;
      E.Owner = false;
    } else {
      E.Shared = std::make_shared<Notes>();
    }
  }
  if (!E.Owner) {
    if (E.NumNotes < E.Shared->List.size() && E.Shared->List[E.NumNotes] == Said) {
      ++E.NumNotes;
      return;
    }
    auto Own = std::make_shared<Notes>();
    Own->List.assign(E.Shared->List.begin(), E.Shared->List.begin() + static_cast<std::ptrdiff_t>(E.NumNotes));
    E.Shared = std::move(Own);
    E.Owner = true;
  }
  E.Shared->List.push_back(Said);
  ++E.NumNotes;
}

void SplitSurvey::fillGroups(Notes &Of, const Group &Parent) {
  struct Member {
    int Key, ParentRank, WorldRank;
    auto operator<=>(const Member &) const = default;
  };
  std::unordered_map<int, std::vector<Member>> ByColor;
  for (const Note &N : Of.List)
    ByColor[N.Color].push_back({N.Key, Parent.rankOf(N.WorldRank), N.WorldRank});
  for (auto &[Color, Members] : ByColor) {
    std::ranges::sort(Members);
    std::vector<int> WorldRanks;
    for (const Member &M : Members)
      WorldRanks.push_back(M.WorldRank);
    Of.ByColor.emplace(Color, makeGroup(std::move(WorldRanks)));
  }
}

GroupRef SplitSurvey::answer(Split Name, const Group &Parent, int WorldRank, int Color) {
  auto It = Before.find(Name);
  if (It != Before.end() && It->second.NumNotes == static_cast<std::size_t>(Parent.size())) {
    Notes &Known = *It->second.Shared;
    if (Known.ByColor.empty())
      fillGroups(Known, Parent);
    auto Found = Known.ByColor.find(Color);
    if (Found != Known.ByColor.end() && Found->second->rankOf(WorldRank) >= 0)
      return Found->second;
  }
  Provisional = true;
  return makeGroup({WorldRank});
}

bool SplitSurvey::endPass() {
  bool Stable = !Provisional && Now.size() == Before.size();
  for (auto A = Now.begin(), B = Before.begin(); Stable && A != Now.end(); ++A, ++B)
    Stable = A->first == B->first && A->second.NumNotes == B->second.NumNotes &&
             (A->second.NumNotes == 0 ||
              std::equal(A->second.Shared->List.begin(),
                         A->second.Shared->List.begin() + static_cast<std::ptrdiff_t>(A->second.NumNotes),
                         B->second.Shared->List.begin()));
  Before = std::exchange(Now, {});
  Provisional = false;
  return Stable;
}

} // namespace pilgrim::virtualranks
