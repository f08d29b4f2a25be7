//===- ProbedMessages.h - what probes found ----------------------*- C++ -*-===//
//
// A program that takes messages as they come makes its buffers as large as MPI_Mprobe says. In a replay other messages
// may come first. So a receive that was as large as the probed message is made as large as the message is that was
// found now.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_PROBEDMESSAGES_H
#define PILGRIM_PROXYGEN_REPLAY_PROBEDMESSAGES_H

#include "proxygen/CallTable.h"
#include "proxygen/replay/Arena.h"
#include "proxygen/replay/MakeCall.h"
#include "trace/read/Reader.h"

#include <map>
#include <span>

namespace pilgrim {

class ProbedMessages {
public:
  /// Changes the call's arguments, if it receives a message that a probe found. Room: for what is larger than the
  /// program's memory.
  void before(const Call &C, const CallInfo &I, std::span<Argument> Arguments, Arena &Room);
  /// Behind a successful call: notes what it found, if it is a probe that gives a message.
  void after(const CallInfo &I, std::span<const Argument> Arguments);

private:
  struct Sizes {
    int64_t Recorded, Now; ///< bytes
  };
  void receive(const CallInfo &I, std::span<Argument> Arguments, Arena &Room);

  std::map<MPI_Message, Sizes> Found;
  int64_t Recorded = -1; ///< of the probe that is made now; -1: it is none, or its status is not known
};

} // namespace pilgrim

#endif
