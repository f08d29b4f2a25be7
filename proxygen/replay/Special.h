//===- Special.h - functions that are not simply called again ----*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_REPLAY_SPECIAL_H
#define PILGRIM_PROXYGEN_REPLAY_SPECIAL_H

#include "proxygen/CallTable.h"

namespace pilgrim {

/// What a replay does for a function beside calling it.
enum class Special : uint8_t {
  None,
  Init,
  Finalize,
  Iprobe,
  Improbe,
  Mprobe,
  Mrecv, ///< and MPI_Imrecv
  RequestGetStatus,
  Start, ///< and MPI_Startall
  WinTest,
  Parrived,
  WinAttach,
  Pack, ///< and its kin
  Unpack,
};

Special specialOf(const CallInfo &I);

} // namespace pilgrim

#endif
