//===- Replay.h - pilgrim replay ---------------------------------*- C++ -*-===//
#ifndef PILGRIM_DRIVER_REPLAY_H
#define PILGRIM_DRIVER_REPLAY_H

#include "driver/CommandLine.h"

namespace pilgrim {

struct ReplayOptions {
  std::string File;
  std::string Pace = "none";
  std::string Speed;    ///< empty: not given
  std::string Files;    ///< folder for files of the program; empty: beside the trace; "recorded": where they were
  double speed() const; ///< above 0
};

/// The command with its options; Run does it.
void addReplay(CommandLine &Tool, std::function<int(const ReplayOptions &)> Run);
/// Starts pilgrim-replay, which stands beside the tool and is linked with MPI. Returns only if that fails.
int startReplay(const ReplayOptions &O);

} // namespace pilgrim

#endif
