//===- RankGroups.cpp - the groups that a rank makes ----------------------===//
#include "trace/read/RankGroups.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>
#include <unordered_set>

namespace pilgrim {

std::optional<GroupMaker> groupMakerOf(const FunctionSchema &F) {
  static constexpr std::pair<std::string_view, GroupMaker::Way> Ways[] = {
      {"MPI_Comm_group", GroupMaker::OfComm},
      {"MPI_Comm_remote_group", GroupMaker::OfRemote},
      {"MPI_Group_from_session_pset", GroupMaker::OfProcessSet},
      {"MPI_Group_incl", GroupMaker::Incl},
      {"MPI_Group_excl", GroupMaker::Excl},
      {"MPI_Group_range_incl", GroupMaker::RangeIncl},
      {"MPI_Group_range_excl", GroupMaker::RangeExcl},
      {"MPI_Group_union", GroupMaker::Union},
      {"MPI_Group_intersection", GroupMaker::Intersection},
      {"MPI_Group_difference", GroupMaker::Difference},
  };
  GroupMaker M;
  for (size_t I = 1; I < F.Slots.size(); ++I) {
    const ParamSchema &P = F.Slots[I];
    const int Slot = static_cast<int>(I);
    if (P.IsHidden)
      continue;
    if (P.K == Kind::Group && P.IsOutput)
      M.New = Slot;
    else if (P.K == Kind::Group)
      (M.One < 0 ? M.One : M.Other) = Slot;
    else if (P.K == Kind::Comm)
      M.Comm = Slot;
    else if (P.IsArray)
      M.Ranks = Slot;
    else if (P.K == Kind::String)
      M.Set = Slot;
  }
  // A call that frees a group writes the handle that it reads.
  if (M.New < 0 || F.Name == "MPI_Group_free")
    return std::nullopt;
  for (const auto &[Name, Way] : Ways)
    if (F.Name == Name)
      M.How = Way;
  return M;
}

std::optional<int64_t> plainWord(const Walk &W, const CallShape &C, int Slot, uint32_t Rank) {
  if (Slot < 0)
    return std::nullopt;
  const SlotShape &S = C.Slots[static_cast<size_t>(Slot)];
  if (S.T != Tag::Word || S.IsStreamed)
    return std::nullopt;
  return W.word(C, static_cast<unsigned>(Slot), 0, Rank);
}

std::shared_ptr<const RankGroups::Made> RankGroups::find(const CallShape &C, int Slot) const {
  const auto Number = plainWord(W, C, Slot, Rank);
  const auto It = Number ? ByNumber.find(*Number) : ByNumber.end();
  return It == ByNumber.end() ? nullptr : It->second;
}

void RankGroups::make(const CallShape &C, const GroupMaker &M, uint64_t Comm) {
  const SlotShape &New = C.Slots[static_cast<size_t>(M.New)];
  if (New.IsStreamed)
    ByNumber.clear(); // it may be any of them
  const auto Number = plainWord(W, C, M.New, Rank);
  if (!Number)
    return;
  Made G{&C, M, Comm, 1, find(C, M.One), find(C, M.Other)};
  for (const auto &Of : {G.One, G.Other})
    if (Of)
      G.Depth = std::max(G.Depth, Of->Depth + 1);
  auto &Place = ByNumber[*Number];
  Place = G.Depth > MaxDepth ? nullptr : std::make_shared<const Made>(std::move(G));
}

std::optional<RankGroups::Members> RankGroups::members(const CallShape &C, int Slot, const CommFn &OfComm,
                                                       uint64_t &Budget) const {
  return list(find(C, Slot).get(), OfComm, Budget);
}

namespace {
bool spend(uint64_t &Budget, uint64_t Steps) {
  if (Steps > Budget)
    return false;
  Budget -= Steps;
  return true;
}
} // namespace

std::optional<RankGroups::Members> RankGroups::ofProcessSet(const Made &G, uint64_t &Budget) const {
  const SlotShape &S = G.By->Slots[static_cast<size_t>(G.How.Set)];
  if (S.T != Tag::String || S.IsStreamed)
    return std::nullopt;
  const std::string Name = W.string(G.By->Thread, S.Ref);
  if (Name == "mpi://SELF" && spend(Budget, 1))
    return Members{Rank};
  if (Name != "mpi://WORLD" || !spend(Budget, W.world()))
    return std::nullopt;
  Members M(W.world());
  std::iota(M.begin(), M.end(), 0);
  return M;
}

/// The ranks that a call names by its array, in the order of the array.
std::optional<std::vector<uint32_t>> RankGroups::chosen(const Made &G, size_t Size, uint64_t &Budget) const {
  const SlotShape &S = G.By->Slots[static_cast<size_t>(G.How.Ranks)];
  if (S.T != Tag::Array || S.IsStreamed || !spend(Budget, S.Length))
    return std::nullopt;
  const bool IsRange = G.How.How == GroupMaker::RangeIncl || G.How.How == GroupMaker::RangeExcl;
  const int64_t End = static_cast<int64_t>(Size);
  auto Word = [&](uint32_t I) { return W.word(*G.By, static_cast<unsigned>(G.How.Ranks), I, Rank); };
  std::vector<uint32_t> Out;
  for (uint32_t I = 0; I + (IsRange ? 2 : 0) < S.Length; I += IsRange ? 3 : 1) {
    const int64_t First = Word(I), Last = IsRange ? Word(I + 1) : First, Stride = IsRange ? Word(I + 2) : 1;
    if (First < 0 || First >= End || Last < 0 || Last >= End || !Stride || Stride < -End || Stride > End)
      return std::nullopt;
    for (int64_t R = First; Stride > 0 ? R <= Last : R >= Last; R += Stride) {
      if (!spend(Budget, 1))
        return std::nullopt;
      Out.push_back(static_cast<uint32_t>(R));
    }
  }
  return Out;
}

/// Members of Of that the call selects by their ranks.
std::optional<RankGroups::Members> RankGroups::select(const Made &G, const Members &Of, uint64_t &Budget) const {
  const auto Ranks = chosen(G, Of.size(), Budget);
  if (!Ranks || !spend(Budget, Of.size()))
    return std::nullopt;
  Members Out;
  if (G.How.How == GroupMaker::Incl || G.How.How == GroupMaker::RangeIncl) {
    for (uint32_t R : *Ranks)
      Out.push_back(Of[R]);
    return Out;
  }
  std::vector<bool> IsOut(Of.size());
  for (uint32_t R : *Ranks)
    IsOut[R] = true;
  for (size_t I = 0; I < Of.size(); ++I)
    if (!IsOut[I])
      Out.push_back(Of[I]);
  return Out;
}

std::optional<RankGroups::Members> RankGroups::list(const Made *G, const CommFn &OfComm, uint64_t &Budget) const {
  if (!G)
    return std::nullopt;
  switch (G->How.How) {
  case GroupMaker::OfComm:
  case GroupMaker::OfRemote: {
    const auto Known = G->Comm ? OfComm(G->Comm, G->How.How == GroupMaker::OfRemote) : std::nullopt;
    if (!Known || !spend(Budget, Known->size()))
      return std::nullopt;
    return Members(Known->begin(), Known->end());
  }
  case GroupMaker::OfProcessSet:
    return ofProcessSet(*G, Budget);
  case GroupMaker::Foreign:
    return std::nullopt;
  default:
    break;
  }
  auto One = list(G->One.get(), OfComm, Budget);
  if (!One || G->How.How < GroupMaker::Union)
    return One ? select(*G, *One, Budget) : std::nullopt;
  const auto Other = list(G->Other.get(), OfComm, Budget);
  if (!Other || !spend(Budget, One->size() + Other->size()))
    return std::nullopt;
  if (G->How.How == GroupMaker::Union) {
    const std::unordered_set<uint32_t> Has(One->begin(), One->end());
    std::copy_if(Other->begin(), Other->end(), std::back_inserter(*One), [&](uint32_t R) { return !Has.contains(R); });
    return One;
  }
  const std::unordered_set<uint32_t> Has(Other->begin(), Other->end());
  std::erase_if(*One, [&](uint32_t R) { return Has.contains(R) != (G->How.How == GroupMaker::Intersection); });
  return One;
}

} // namespace pilgrim
