//===- Attached.cpp - where ranks have what they attached -----------------===//
#include "proxygen/replay/Attached.h"
#include "proxygen/replay/Untraced.h"

#include <algorithm>
#include <chrono>
#include <sched.h>

namespace pilgrim {

Attached::Attached(const Trace &T, uint32_t Rank, const RemoteAddresses &Uses)
    : IsUsed(attachesMemory(T)), Uses(Uses), Own(IsUsed ? attachedMemory(T, Rank) : std::vector<AttachedMemory>()) {}

void Attached::share() {
  if (!IsUsed)
    return;
  // Not MPI_Win_allocate, with which MPICH 4.0 mixes up ranks where sizes are no multiple of 16.
  Addresses.resize(Own.size() + 1);
  PILGRIM_UNTRACED(PMPI_Win_create)(Addresses.data(), static_cast<MPI_Aint>(Addresses.size() * sizeof(MPI_Aint)),
                                    sizeof(MPI_Aint), MPI_INFO_NULL, MPI_COMM_WORLD, &Window);
  PILGRIM_UNTRACED(PMPI_Win_lock_all)(MPI_MODE_NOCHECK, Window);
}

void Attached::unshare() {
  if (Window == MPI_WIN_NULL)
    return;
  PILGRIM_UNTRACED(PMPI_Win_unlock_all)(Window);
  PILGRIM_UNTRACED(PMPI_Win_free)(&Window);
}

void Attached::publish(const MemoryPlace &P, const void *Address) {
  const auto At = std::ranges::find(Own, P, &AttachedMemory::At);
  if (Window == MPI_WIN_NULL || At == Own.end())
    return;
  std::lock_guard Guard(Lock);
  PILGRIM_UNTRACED(PMPI_Get_address)(Address, &Addresses[At - Own.begin()]);
  PILGRIM_UNTRACED(PMPI_Win_sync)(Window);
}

std::optional<int64_t> Attached::here(int64_t Target, int64_t Recorded) {
  const auto Place = Uses.find(Target, Recorded);
  if (!Place || Window == MPI_WIN_NULL)
    return std::nullopt;
  MPI_Aint Begin = 0;
  const auto Until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  for (; std::chrono::steady_clock::now() < Until; ::sched_yield()) {
    std::lock_guard Guard(Lock);
    PILGRIM_UNTRACED(PMPI_Get)(&Begin, 1, MPI_AINT, static_cast<int>(Target), Place->Which, 1, MPI_AINT, Window);
    PILGRIM_UNTRACED(PMPI_Win_flush)(static_cast<int>(Target), Window);
    if (Begin)
      return Begin + Place->Offset;
  }
  return std::nullopt;
}

} // namespace pilgrim
