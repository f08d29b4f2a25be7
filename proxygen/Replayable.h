//===- Replayable.h - whether a trace's calls can be made again --*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_REPLAYABLE_H
#define PILGRIM_PROXYGEN_REPLAYABLE_H

#include "trace/read/Reader.h"

#include <string>

namespace pilgrim {

/// Why the calls of a trace cannot all be made again, for a user; empty: they can, as far as the trace tells.
std::string whyNotReplayable(const Trace &T);
/// Whether calls have times, and whether these are each call's own.
bool isTimed(const Trace &T);
bool hasOwnTimes(const Trace &T);

} // namespace pilgrim

#endif
