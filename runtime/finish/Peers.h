//===- Peers.h - other ranks on this machine ---------------------*- C++ -*-===//
//
// When one rank ends the run, by MPI_Abort or by a crash, launchers kill the others at once, and nothing would be left
// of their calls. So that rank first asks the others to write their shards. They are found as what the same launcher
// has started on this machine, and asked by a real-time signal, for which each has a handler from MPI_Init on.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_FINISH_PEERS_H
#define PILGRIM_FINISH_PEERS_H

#include <csignal>
#include <sys/types.h>

namespace pilgrim {

struct Process;

/// The signal that ranks send each other.
inline int peerSignal() { return SIGRTMAX; }

/// Whether a process is the one that started the ranks here, as far as that is known.
bool isLauncher(pid_t Process);
/// Asks the ranks of P's world on this machine to write their shards. Returns how many were asked.
unsigned askPeers(const Process &P);
/// The same when P ends without MPI_Finalize. Asks nobody if the launcher is not known to end the others then.
unsigned askWhoEndsToo(const Process &P);
/// Waits until so many have answered, for a second at most; longer where the machine is busy.
void awaitPeers(unsigned Number);

/// Another rank has asked, and ends the run when this one's shard is written, which is begun now.
void expectEnd();
/// If so, waits for that, as long at most: a rank that ended the run, or itself, before would take it from others
/// that still write, maybe from another thread of its own.
void awaitEnd();

/// What is to be written here is written, and this process ends by itself. Those that it asked, and those that asked
/// it, are told. It waits until all that it asked end by themselves, too, for a moment at most: a launcher kills
/// who is late, with another exit code than without us.
void endTogether(const Process &P);

/// What a signal says: that a rank of P's world asks, has answered or ends by itself, which is noted; or nothing.
enum class PeerMessage { None, Asks, Answered, Ends };
PeerMessage receive(const Process &P, const siginfo_t &Info);
/// Tells those that asked, once each, that there is nothing more to be written here.
void answerAskers(const Process &P);
/// The same, and expects that they end the run now.
void answerPeers(const Process &P);

} // namespace pilgrim

#endif
