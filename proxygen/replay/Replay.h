//===- Replay.h - replays one rank of a trace --------------------*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_REPLAY_REPLAY_H
#define PILGRIM_PROXYGEN_REPLAY_REPLAY_H

#include "driver/Replay.h"

namespace pilgrim {

/// Makes the calls of this process's rank. Returns the exit code.
int replay(const ReplayOptions &O, int Argc, char **Argv);

} // namespace pilgrim

#endif
