//===- EndSignals.h - signals that end the process ---------------*- C++ -*-===//
//
// A signal whose action is the default one ends the process, and nothing would be left of its calls. While the process
// is traced, such signals have a handler that writes the shard, then does what the signal would have done. Signals for
// which the program has a handler, or which it ignores, are left alone, and the program does not see ours: sigaction()
// and signal() are intercepted (EndWrappers.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_FINISH_ENDSIGNALS_H
#define PILGRIM_FINISH_ENDSIGNALS_H

#include <csignal>

namespace pilgrim {

struct Process;

/// When MPI_Init is called: another rank may be through with it, and end the run at once. What it asks is kept until
/// this one is through, too, and its world known.
void expectPeers();
/// From when MPI_Init has returned on.
void watchEndSignals(Process &P);
/// Takes the handlers away. To be called when nothing is traced any more. That of the ranks' own signal stays: another
/// rank may just be about to send it, and by its default action it would end this process.
void unwatchEndSignals();

/// The program's sigaction(); Next: the C library's.
using SigactionFn = int(int, const struct sigaction *, struct sigaction *);
int sigactionAsSeen(int Signal, const struct sigaction *New, struct sigaction *Old, SigactionFn *Next);
/// Whether a handler that the C library tells of is ours, and what the program believes it to be.
bool isEndHandler(const struct sigaction &A);
struct sigaction dispositionAsSeen(int Signal);

/// While a rank makes its trace and the ranks' traces are joined, nothing is recorded any more, and a handler cannot
/// write what is being merged. So what would end this process, or another rank that ends the run, is kept until the
/// rank has written its shard.
class JoiningEnds {
public:
  JoiningEnds();
  /// Does what the signal would have done, or tells the other rank that the shard is written.
  ~JoiningEnds();
  JoiningEnds(const JoiningEnds &) = delete;
  /// Whether the joining has to be given up, and why, as the shard's line says it.
  static bool hasCome();
  static const char *why();
};

/// Several threads may end the process at the same time. One of them writes the shard; the others wait for it.
class EndClaim {
public:
  explicit EndClaim(const Process &P);
  ~EndClaim();
  EndClaim(const EndClaim &) = delete;
  /// Whether it is this thread that writes. Else it has waited.
  explicit operator bool() const { return IsMine; }

private:
  const bool IsCounted;
  bool IsMine;
};

/// Whether another thread writes the shard; waits until it has.
bool isOtherEnding();
void awaitOtherEnd();

/// This rank is about to end the run, and asks the others. If one that does so, too, asks before the shard is begun,
/// its line says Why, which is kept, and this rank waits for that one's answer, not for its end.
void endsOfItself(const char *Why);

/// At _exit(), or before a SIGKILL: there are no handlers in which the shard could be written. Why: how the process
/// ends, as the shard's line says it.
void endWithoutHandlers(const char *Why);
/// MPI is about to tell its launcher to end the run: after an error that is fatal, or in an MPI_Abort that was not
/// traced. The launcher kills all ranks then, this one before it comes to exit().
void endByMpi();
/// At abort(), which ends the process also if the program ignores SIGABRT, as what it was started by may have told it,
/// or has a handler for it. Returns where the signal does the rest.
void endAtAbort();

} // namespace pilgrim

#endif
