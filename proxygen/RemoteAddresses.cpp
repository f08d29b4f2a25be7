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

std::vector<AttachedMemory> attachedMemory(const Trace &T, uint32_t Rank) {
  std::vector<AttachedMemory> Out;
  std::map<MemoryPlace, size_t> Seen;
  const std::vector<uint32_t> Threads = T.threads(Rank);
  RankCursor Cursor(T, Rank, Threads);
  for (Call C; Cursor.next(C);) {
    const Value *Base = C.Function->Name == Attaches ? slotNamed(C, "base") : nullptr;
    const auto At = Base ? placeOf(*Base, *C.View) : std::nullopt;
    if (!At)
      continue;
    const auto [It, IsNew] = Seen.try_emplace(*At, Out.size());
    if (IsNew)
      Out.push_back({*At, 0});
    Out[It->second].Bytes = std::max(Out[It->second].Bytes, wordOf(slotNamed(C, "size")));
  }
  return Out;
}

bool RemoteAddresses::note(const Call &C, uint32_t World) {
  constexpr size_t Most = 1 << 16;
  const Value *Window = slotNamed(C, "win"), *Target = slotNamed(C, "target_rank"),
              *Place = slotNamed(C, "target_disp");
  if (!Window || !Target || !Place || !isAddress(wordOf(Place)))
    return true;
  // The window's ranks are those of the world, in this order, where nothing else is possible.
  if (Window->T != Tag::Object || C.View->object(Window->Ref).Size != World)
    return false;
  auto &Of = Known[wordOf(Target)];
  Of.try_emplace(wordOf(Place));
  return Of.size() <= Most;
}

bool RemoteAddresses::resolve(const Trace &T) {
  for (auto &[Target, Addresses] : Known) {
    if (Target < 0 || Target >= int64_t(T.world()))
      return false;
    const std::vector<AttachedMemory> Attached = attachedMemory(T, static_cast<uint32_t>(Target));
    std::vector<MemoryPiece> Pieces; // in the order in which something of them is attached
    for (const AttachedMemory &A : Attached)
      if (std::ranges::find(Pieces, A.At.In) == Pieces.end())
        Pieces.push_back(A.At.In);
    std::map<int64_t, Place> Left = std::move(Addresses);
    Addresses.clear();
    /// What lies in a piece if its offset 0 has this address.
    auto Within = [&](const MemoryPiece &P, int64_t Base) {
      std::map<int64_t, Place> Out;
      for (uint32_t I = 0; I < Attached.size(); ++I)
        if (Attached[I].At.In == P) {
          const int64_t First = Base + Attached[I].At.Offset;
          for (auto It = Left.lower_bound(First); It != Left.end() && It->first < First + Attached[I].Bytes; ++It)
            Out.try_emplace(It->first, Place{I, It->first - First});
        }
      return Out;
    };
    // Blocks may have the same name one after the other, and then other addresses.
    for (size_t Before = Left.size() + 1; !Left.empty() && Left.size() < Before;) {
      Before = Left.size();
      for (const MemoryPiece &P : Pieces) {
        std::map<int64_t, Place> Best;
        for (const AttachedMemory &A : Attached)
          if (A.At.In == P && !Left.empty())
            if (auto Found = Within(P, Left.begin()->first - A.At.Offset); Found.size() > Best.size())
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
