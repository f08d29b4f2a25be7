//===- ProxyMemory.cpp - the memory of a proxy ------------------------------===//
#include "proxygen/Footprint.h"
#include "proxygen/proxy/CallWriter.h"

#include <algorithm>

namespace pilgrim {

std::expected<ProxyMemory, std::string> ProxyMemory::of(const Trace &T) {
  ProxyMemory M;
  const bool Attaches = attachesMemory(T);
  AttachedByRank All(T);
  for (uint32_t Rank = 0; Rank < T.world(); ++Rank) {
    auto Uses = Footprint::of(T, Rank, &All);
    if (!Uses)
      return std::unexpected(Uses.error());
    for (const auto &[P, Span] : Uses->pieces())
      M.Pieces[P].include(Span);
    if (M.Addresses.size() < ProxyMemory::MostRanks && !Uses->addresses().isEmpty())
      M.Addresses.emplace(Rank, Uses->addresses());
    if (M.Remote.size() < ProxyMemory::MostRanks && !Uses->remote().isEmpty())
      M.Remote.emplace(Rank, Uses->remote());
    if (Attaches)
      for (const AttachedMemory &A : All.of(Rank))
        M.Attached[Rank].push_back(A.At);
  }
  return M;
}

size_t ProxyMemory::attachedPlaces() const {
  size_t Most = 1;
  for (const auto &[Rank, Places] : Attached)
    Most = std::max(Most, Places.size());
  return Most;
}

int64_t ProxyMemory::numberOf(Tag Kind) const {
  int64_t Out = 0;
  for (const auto &[P, Span] : Pieces)
    Out = P.T == Kind ? std::max(Out, P.Number + 1) : Out;
  return Out;
}

} // namespace pilgrim
