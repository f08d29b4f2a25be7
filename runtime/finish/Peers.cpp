//===- Peers.cpp - other ranks on this machine ----------------------------===//
//
// All this may run in a handler of a signal: it allocates nothing and calls nothing that has a lock.
//
//===----------------------------------------------------------------------===//
#include "finish/Peers.h"
#include "platform/Launch.h"
#include "platform/ProcFile.h"
#include "platform/Program.h"
#include "pmpi/State.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pilgrim {

static std::atomic<unsigned> Answers{0};
static std::atomic<bool> ExpectsEnd{false};

namespace {
/// Processes that messages went to, or came from.
class Processes {
public:
  void add(pid_t P) {
    if (const unsigned I = Number++; I < Most)
      Of[I] = P;
  }
  bool contains(pid_t P) const { return std::find(Of, end(), P) != end(); }
  const pid_t *begin() const { return Of; }
  const pid_t *end() const { return Of + std::min<unsigned>(Number, Most); }

private:
  static constexpr unsigned Most = 1024;
  pid_t Of[Most] = {};
  std::atomic<unsigned> Number{0};
};
} // namespace
static constinit Processes AskedOnes, Askers, Enders;

static void noteMessage(const siginfo_t &Info);

/// Until IsDone(), for so many naps at most, which are as many fifths of a millisecond. Where the machine is busy each
/// takes longer, as all takes there that is waited for. In a handler, the signal does not come by itself.
template <typename Fn> static void await(Fn &&IsDone, unsigned Naps = 5000) {
  const int SavedErrno = errno;
  sigset_t Peers;
  sigemptyset(&Peers);
  sigaddset(&Peers, peerSignal());
  for (; Naps && !IsDone(); --Naps) {
    const timespec Nap{0, 200'000};
    siginfo_t Info;
    if (sigtimedwait(&Peers, &Info, &Nap) > 0)
      noteMessage(Info);
  }
  errno = SavedErrno;
}

/// What ranks of one world send: which world it is, as far as they can tell, and the message.
static int wordOf(const Process &P, PeerMessage M) {
  uint32_t H = 0x70696c67u + static_cast<uint32_t>(P.Size);
  for (const char *C = program_invocation_short_name; *C; ++C)
    H = (H ^ static_cast<unsigned char>(*C)) * 0x01000193u;
  return static_cast<int>((H & ~3u) | static_cast<unsigned>(M));
}

bool isLauncher(pid_t Process) { return Process == launcher().Number; }

/// Whether a process was started by the same launcher, has libpilgrim loaded, and expects the signal.
static bool isPeer(const char *Number, const Launcher &Above) {
  char Text[32];
  if (!ProcFile(Number, "status").contains("\nSigCgt:\t", Text, sizeof Text))
    return false;
  const unsigned long long Caught = std::strtoull(Text, nullptr, 16);
  if (!(Caught >> (peerSignal() - 1) & 1))
    return false;
  // Much may come from what is no launcher, such as a shell, or the system's first process.
  const pid_t Process = std::atoi(Number);
  const bool IsBelow = Above.IsKnown ? forEachAbove(Process, [&](pid_t P) { return P == Above.Number; })
                                     : parentOf(Process) == Above.Number;
  return IsBelow && ProcFile(Number, "maps").contains("/libpilgrim.so");
}

unsigned askPeers(const Process &P) {
  if (P.Size < 2)
    return 0;
  const int SavedErrno = errno;
  unsigned Asked = 0;
  const Launcher Above = launcher();
  const int Folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  alignas(8) char Entries[4096];
  for (long N; Folder >= 0 && (N = syscall(SYS_getdents64, Folder, Entries, sizeof Entries)) > 0;)
    for (long At = 0; At < N;) {
      const auto *E = reinterpret_cast<const dirent64 *>(Entries + At);
      At += E->d_reclen;
      const pid_t Pid = static_cast<pid_t>(std::atoi(E->d_name));
      if (Pid > 0 && Pid != getpid() && isPeer(E->d_name, Above))
        if (sigqueue(Pid, peerSignal(), {.sival_int = wordOf(P, PeerMessage::Asks)}) == 0) {
          ++Asked;
          AskedOnes.add(Pid);
        }
    }
  if (Folder >= 0)
    close(Folder);
  errno = SavedErrno;
  return Asked;
}

unsigned askWhoEndsToo(const Process &P) {
  if (P.Rank < 0 || !P.Handles.hasWorld())
    return 0;
  const Launcher Above = launcher();
  if (!Above.EndsOthers)
    return 0;
  // What MPICH's launcher was told stands in the command line of the process above.
  if (ProcFile(ProcessName(parentOf(Above.Number)).Digits, "cmdline").contains("-disable-auto-cleanup"))
    return 0;
  return askPeers(P);
}

void awaitPeers(unsigned Number) {
  await([&] { return Answers >= Number; });
}

void expectEnd() { ExpectsEnd = true; }

void awaitEnd() {
  await([] { return !ExpectsEnd; });
}

void endTogether(const Process &P) {
  static constinit std::atomic<bool> HasEnded{false};
  if (HasEnded.exchange(true))
    return;
  auto Tell = [&](pid_t To) { sigqueue(To, peerSignal(), {.sival_int = wordOf(P, PeerMessage::Ends)}); };
  for (const pid_t Asked : AskedOnes)
    Tell(Asked);
  for (const pid_t Asker : Askers)
    if (!AskedOnes.contains(Asker))
      Tell(Asker);
  constexpr unsigned Moment = 1000;
  await([] { return std::all_of(AskedOnes.begin(), AskedOnes.end(), [](pid_t A) { return Enders.contains(A); }); },
        Moment);
}

PeerMessage receive(const Process &P, const siginfo_t &Info) {
  if (Info.si_code != SI_QUEUE || Info.si_uid != getuid())
    return PeerMessage::None;
  for (const PeerMessage M : {PeerMessage::Asks, PeerMessage::Answered, PeerMessage::Ends})
    if (Info.si_value.sival_int == wordOf(P, M)) {
      if (M == PeerMessage::Answered)
        ++Answers;
      if (M == PeerMessage::Asks)
        Askers.add(Info.si_pid);
      if (M == PeerMessage::Ends) {
        ExpectsEnd = false;
        Enders.add(Info.si_pid);
      }
      return M;
    }
  return PeerMessage::None;
}

/// One that asks gets its answer at once: whoever waits here has written.
static void noteMessage(const siginfo_t &Info) {
  if (const Process *P = CurrentProcess; P && receive(*P, Info) == PeerMessage::Asks)
    answerAskers(*P);
}

void answerAskers(const Process &P) {
  static constinit std::atomic<unsigned> NumAnswered{0};
  for (unsigned I = NumAnswered; I < static_cast<unsigned>(Askers.end() - Askers.begin());)
    if (NumAnswered.compare_exchange_weak(I, I + 1))
      sigqueue(Askers.begin()[I++], peerSignal(), {.sival_int = wordOf(P, PeerMessage::Answered)});
}

void answerPeers(const Process &P) {
  expectEnd();
  answerAskers(P);
}

} // namespace pilgrim
