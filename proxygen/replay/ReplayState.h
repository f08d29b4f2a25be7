//===- ReplayState.h - what all threads of a replayed rank share -*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_REPLAY_REPLAYSTATE_H
#define PILGRIM_PROXYGEN_REPLAY_REPLAYSTATE_H

#include "proxygen/CallTable.h"
#include "proxygen/RequestLayout.h"
#include "proxygen/replay/Attached.h"
#include "proxygen/replay/Handles.h"
#include "proxygen/replay/Memory.h"
#include "proxygen/replay/Names.h"

#include <string>

namespace pilgrim {

/// Objects, memory and constants of the program. Safe from several threads.
struct ReplayState {
  ReplayState(const Trace &T, uint32_t Rank, const Footprint &Uses)
      : T(T), Constants(T), Layout(RequestLayout::of(Walk(T), Rank)), Buffers(Uses), OfOthers(T, Rank, Uses.remote()) {}
  Trace T;
  Names Constants;
  Handles Objects;
  RequestPlaces Requests;
  const RequestLayout Layout; ///< of Requests
  Memory Buffers;
  Attached OfOthers; ///< memory of other ranks
  std::string Files; ///< folder for files that are named by absolute paths; empty: they are used where they are
  int Argc = 0;
  char **Argv = nullptr;

  /// Memory that goes with a window, by the window's number.
  void keepWithWindow(int64_t Window, const MemoryPiece &P);
  void windowFreed(int64_t Window);
  /// The function that stands for a user's, by its place or name.
  const void *function(Callback Kind, const std::string &Key);
  void follow(const Call &C);
  std::optional<MemoryPlace> placeOfAddress(int64_t Address);

private:
  std::mutex Lock;
  std::map<std::pair<Callback, std::string>, unsigned> Functions;
  std::map<int64_t, MemoryPiece> OfWindows;
  RecordedAddresses Addresses;
};

} // namespace pilgrim

#endif
