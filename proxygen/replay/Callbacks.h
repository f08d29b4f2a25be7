//===- Callbacks.h - functions of the user that MPI calls --------*- C++ -*-===//
//
// What a user's function computes is not in a trace; the calls that it makes are. Functions here do as little as MPI
// needs, and let the replay make those calls.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_CALLBACKS_H
#define PILGRIM_PROXYGEN_REPLAY_CALLBACKS_H

#include "proxygen/CallTable.h"

#include <mpi.h>

namespace pilgrim {

/// What callbacks on this thread are told to.
class CallbackListener {
public:
  /// MPI calls a user's function. Status: the one that it has to fill, or null. Returns what the function returns.
  virtual int calledBack(MPI_Status *Status) = 0;

protected:
  ~CallbackListener() = default;
};

/// Who listens on this thread; null: nobody.
void setCallbackListener(CallbackListener *L);

/// Different functions of a kind. Number: from 0; numbers that differ by a multiple of MostCallbacks share one
/// function.
constexpr unsigned MostCallbacks = 32;
const void *callbackFunction(Callback Kind, unsigned Number);

} // namespace pilgrim

#endif
