//===- Attached.h - where ranks have what they attached ----------*- C++ -*-===//
//
// In a recorded run ranks told each other the addresses of what they attached to windows in messages, whose contents a
// replay does not have. Here each rank writes these addresses into a window of the replay's own, where the others read
// them. No tracer sees that.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_ATTACHED_H
#define PILGRIM_PROXYGEN_REPLAY_ATTACHED_H

#include "proxygen/RemoteAddresses.h"

#include <mpi.h>
#include <mutex>

namespace pilgrim {

class Attached {
public:
  /// What the rank attaches in the whole run. Uses: the addresses that its calls use.
  Attached(const Trace &T, uint32_t Rank, const RemoteAddresses &Uses);
  /// All ranks, behind MPI_Init, and before MPI_Finalize.
  void share();
  void unshare();
  /// This rank has attached a place.
  void publish(const MemoryPlace &P, const void *Address);
  /// What stands for an address of the recorded run; waits until the target has attached it, at most a minute. Nullopt:
  /// nothing does.
  std::optional<int64_t> here(int64_t Target, int64_t Recorded);

private:
  bool IsUsed;
  const RemoteAddresses &Uses;
  std::vector<AttachedMemory> Own;
  std::mutex Lock;
  std::vector<MPI_Aint> Addresses; ///< as Own; 0: not yet
  MPI_Win Window = MPI_WIN_NULL;
};

} // namespace pilgrim

#endif
