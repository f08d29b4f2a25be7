//===- EndHandlers.h - our handlers, which the program does not see -*- C++ -*-===//
//
// Installs the handlers of signals that end the process, and keeps what the program believes the actions of these
// signals to be (internal to finish/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_FINISH_ENDHANDLERS_H
#define PILGRIM_FINISH_ENDHANDLERS_H

#include "finish/EndSignals.h"

#include <atomic>

namespace pilgrim {

struct EndSignal {
  int Number;
  const char *Name;
};
/// Null: it is none of those.
const EndSignal *findEndSignal(int Signal);
/// The processor's: where such a signal comes from, the program cannot go on.
bool isFault(int Signal);

/// Whether the handlers are there, and the process is traced.
extern constinit std::atomic<bool> Watching;
/// Whether nothing is traced any more, and nothing is left to be written.
extern constinit std::atomic<bool> IsUnwatched;
/// False in a copy of the process that has them.
bool isWatchedProcess();
/// From now on the signal does what the program believes.
void restoreAction(int Signal);
/// The C library's sigaction().
int realSigaction(int Signal, const struct sigaction *New, struct sigaction *Old);
bool isDefault(const struct sigaction &A);

// The handlers (EndSignals.cpp).
void onEndSignal(int Signal, siginfo_t *Info, void *Context);
void onPeerSignal(int Signal, siginfo_t *Info, void *Context);
/// This rank's world is known. What others have asked before comes again now.
void takeKeptMessages(const Process &P);

} // namespace pilgrim

#endif
