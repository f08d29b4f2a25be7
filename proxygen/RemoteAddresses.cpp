//===- RemoteAddresses.cpp - addresses of other ranks' memory -------------===//
#include "proxygen/RemoteAddresses.h"
#include "trace/read/RankCursor.h"

#include <algorithm>

namespace pilgrim {

static constexpr std::string_view Attaches = "MPI_Win_attach";

bool isRemotePlace(const ParamSchema &P) { return P.K == Kind::Displacement && P.Name == "target_disp"; }

bool attachesMemory(const Trace &T) {
  return std::ranges::any_of(T.functions(), [](const auto &F) { return F.second.Name == Attaches; });
}

/// Whether ranks of the window in C have the numbers that they have in MPI_COMM_WORLD, as far as this rank tells.
static bool isOfWorld(const Call &C, uint32_t Rank, uint32_t World) {
  const Value *Window = slotNamed(C, "win");
  if (!Window || Window->T != Tag::Object)
    return false;
  const ObjectInfo &O = C.View->object(Window->Ref);
  return O.Size == World && O.Rank == Rank;
}

std::vector<AttachedMemory> attachedMemory(const Trace &T, uint32_t Rank) {
  std::vector<AttachedMemory> Out;
  std::map<MemoryPlace, size_t> Seen;
  const std::vector<uint32_t> Threads = T.threads(Rank);
  RankCursor Cursor(T, Rank, Threads);
  for (Call C; Cursor.next(C);) {
    const Value *Base = C.Function->Name == Attaches ? slotNamed(C, "base") : nullptr;
    const auto At = Base ? placeOf(*Base, *C.View) : std::nullopt;
    if (!At || !isOfWorld(C, Rank, T.world()))
      continue;
    const auto [It, IsNew] = Seen.try_emplace(*At, Out.size());
    if (IsNew)
      Out.push_back({*At, 0});
    Out[It->second].Bytes = std::max(Out[It->second].Bytes, wordOf(slotNamed(C, "size")));
  }
  return Out;
}

bool RemoteAddresses::note(const Call &C, uint32_t Rank, uint32_t World) {
  constexpr size_t Most = 1 << 16;
  const Value *Target = slotNamed(C, "target_rank"), *Place = slotNamed(C, "target_disp");
  if (!Target || !Place || !isAddress(wordOf(Place)))
    return true;
  if (!isOfWorld(C, Rank, World))
    return false;
  auto &Of = Known[wordOf(Target)];
  Of.try_emplace(wordOf(Place));
  return Of.size() <= Most;
}

bool RemoteAddresses::resolve(AttachedByRank &All) {
  // Candidates for the base of a piece: it begins with one of so many places.
  constexpr size_t MostFirst = 64;
  for (auto &[Target, Addresses] : Known) {
    if (Target < 0 || Target >= int64_t(All.ranks()))
      return false;
    const std::vector<AttachedMemory> &Attached = All.of(static_cast<uint32_t>(Target));
    std::map<MemoryPiece, std::vector<uint32_t>> Pieces; // what is attached of each
    for (uint32_t I = 0; I < Attached.size(); ++I)
      Pieces[Attached[I].At.In].push_back(I);
    std::map<int64_t, Place> Left = std::move(Addresses);
    Addresses.clear();
    /// What lies in a piece whose offset 0 has this address.
    auto Within = [&](const std::vector<uint32_t> &Of, int64_t Base) {
      std::map<int64_t, Place> Out;
      for (const uint32_t I : Of) {
        const int64_t First = Base + Attached[I].At.Offset;
        for (auto It = Left.lower_bound(First); It != Left.end() && It->first < First + Attached[I].Bytes; ++It)
          Out.try_emplace(It->first, Place{I, It->first - First});
      }
      return Out;
    };
    // Blocks may have the same name one after the other, and then other addresses.
    for (size_t Before = Left.size() + 1; !Left.empty() && Left.size() < Before;) {
      Before = Left.size();
      for (const auto &[Piece, Of] : Pieces) {
        std::map<int64_t, Place> Best;
        for (size_t N = 0; N < std::min(Of.size(), MostFirst) && !Left.empty(); ++N)
          if (auto Found = Within(Of, Left.begin()->first - Attached[Of[N]].At.Offset); Found.size() > Best.size())
            Best = std::move(Found);
        for (const auto &[Address, At] : Best)
          Left.erase(Address);
        Addresses.merge(Best);
      }
    }
    if (!Left.empty())
      return false;
  }
  return true;
}

std::optional<RemoteAddresses::Place> RemoteAddresses::find(int64_t Target, int64_t Address) const {
  const auto Of = Known.find(Target);
  if (Of == Known.end())
    return std::nullopt;
  const auto At = Of->second.find(Address);
  return At == Of->second.end() ? std::nullopt : std::optional(At->second);
}

} // namespace pilgrim
