//===- Party.cpp - all ranks, with a deadline -----------------------------===//
#include "finish/Party.h"
#include "core/Spool.h"
#include "finish/EndSignals.h"
#include "memory/Reserve.h"
#include "platform/Clock.h"
#include "pmpi/CopyCallbacks.h"
#include "pmpi/Real.h"

#include <algorithm>
#include <ctime>
#include <new>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pilgrim {

bool Party::gather() {
  // Errors in this are ours to see. Those of the program's attribute callbacks, later in MPI_Finalize, are its own.
  MPI_Errhandler Theirs;
  if (Real.MPI_Comm_get_errhandler(MPI_COMM_WORLD, &Theirs) != MPI_SUCCESS)
    return false;
  Real.MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request R;
  const WithoutCopyCallbacks NoCallbacks;
  const bool IsMade = Real.MPI_Comm_idup(MPI_COMM_WORLD, &Comm, &R) == MPI_SUCCESS && wait(R);
  Real.MPI_Comm_set_errhandler(MPI_COMM_WORLD, Theirs);
  Real.MPI_Errhandler_free(&Theirs);
  if (IsMade)
    Real.MPI_Comm_set_errhandler(Comm, MPI_ERRORS_RETURN);
  return IsMade;
}

void Party::leave() { Real.MPI_Comm_free(&Comm); }

bool Party::agree(Agreement &Own) {
  Agreement &Mine = Agreed[0], &Other = Agreed[1];
  Mine = Own;
  int Step = 1;
  for (; Step < End - First && !((Rank - First) & Step); Step *= 2)
    if (Rank + Step < End) {
      if (!get(&Other, sizeof Other, Rank + Step))
        return false;
      Mine.WithoutTrace = std::min(Mine.WithoutTrace, Other.WithoutTrace);
      Mine.HasOtherClock |= Other.HasOtherClock || Other.Clock != Mine.Clock;
    }
  if (Rank != First && (!put(&Mine, sizeof Mine, Rank - Step) || !get(&Mine, sizeof Mine, Rank - Step)))
    return false;
  while (Step /= 2)
    if (Rank + Step < End && !put(&Mine, sizeof Mine, Rank + Step))
      return false;
  Own = Mine;
  return true;
}

bool Party::putWord(uint64_t W, int To) {
  Word[0] = W;
  return put(&Word[0], sizeof W, To);
}

bool Party::getWord(uint64_t &W, int From) {
  const bool Good = get(&Word[1], sizeof W, From);
  W = Word[1];
  return Good;
}

bool Party::send(int To) {
  Size = Data.size();
  ChunksSize = Chunks ? Chunks->here() : 0;
  Elsewhere = Chunks ? Chunks->size() - ChunksSize : 0;
  if (!put(&Size, sizeof Size, To) || !put(&ChunksSize, sizeof ChunksSize, To) ||
      !put(&Elsewhere, sizeof Elsewhere, To))
    return false;
  for (uint64_t At = 0; At < Size; At += AtOnce)
    if (!get(&Go, 1, To) || !put(Data.data() + At, std::min(AtOnce, Size - At), To))
      return false;
  return sendChunks(To);
}

/// They are read piece by piece: all of them may be more than there is memory for.
bool Party::sendChunks(int To) {
  for (uint64_t At = 0; At < ChunksSize; At += MostOfChunks) {
    const uint64_t N = std::min(MostOfChunks, ChunksSize - At);
    if (!memory::tryInMemory([&] { Piece = Chunks->read(At, N); }) || Piece.size() != N) {
      IsLeftBehind = true; // the others wait for it
      return false;
    }
    if (!get(&Go, 1, To) || !put(Piece.data(), N, To))
      return false;
  }
  return true;
}

bool Party::receiveChunks(int From) {
  Chunks = nullptr;
  auto Into = ChunksSize ? std::make_shared<Spool>() : nullptr;
  for (uint64_t At = 0; At < ChunksSize; At += MostOfChunks) {
    const uint64_t N = std::min(MostOfChunks, ChunksSize - At);
    MPI_Request R;
    if (!memory::tryInMemory([&] { Piece.resize(N); }) ||
        Real.MPI_Irecv(Piece.data(), static_cast<int>(N), MPI_BYTE, From, 1, Comm, &R) != MPI_SUCCESS ||
        !put(&Go, 1, From) || !wait(R) || !memory::tryInMemory([&] { Into->append(Piece); })) {
      IsLeftBehind = true;
      return false;
    }
  }
  Chunks = std::move(Into);
  if (Elsewhere)
    Chunks = std::make_shared<PartlyElsewhere>(std::move(Chunks), Elsewhere);
  return true;
}

bool Party::receive(int From) {
  if (!get(&Size, sizeof Size, From) || !get(&ChunksSize, sizeof ChunksSize, From) ||
      !get(&Elsewhere, sizeof Elsewhere, From) || !resize())
    return false;
  for (uint64_t At = 0; At < Size; At += AtOnce) {
    MPI_Request R;
    const int N = static_cast<int>(std::min(AtOnce, Size - At));
    if (Real.MPI_Irecv(Data.data() + At, N, MPI_BYTE, From, 1, Comm, &R) != MPI_SUCCESS || !put(&Go, 1, From) ||
        !wait(R)) {
      IsLeftBehind = true;
      return false;
    }
  }
  return receiveChunks(From);
}

bool Party::broadcast() {
  int Step = 1;
  while (Step < End - First && !((Rank - First) & Step))
    Step *= 2;
  if (Rank != First && !receive(Rank - Step))
    return false;
  while (Step /= 2)
    if (Rank + Step < End && !send(Rank + Step))
      return false;
  return true;
}

bool Party::narrow(int Reach, bool &IsJoined) {
  struct {
    int First, End, IsJoined;
  } Tree{Rank, std::min(Rank + Reach, NumRanks), IsJoined};
  int Step = Reach;
  if (!Reach) {
    for (Step = 1; !(Rank & Step);)
      Step *= 2;
    if (!get(&Tree, sizeof Tree, Rank - Step))
      return false;
  }
  while (Step /= 2)
    if (Rank + Step < Tree.End && !put(&Tree, sizeof Tree, Rank + Step))
      return false;
  First = Tree.First;
  End = Tree.End;
  IsJoined = Tree.IsJoined;
  return true;
}

double Party::secondsLeft() const {
  const uint64_t Now = nanoseconds();
  return Now < Deadline ? static_cast<double>(Deadline - Now) * 1e-9 : 0;
}

bool Party::collect(const void *Mine, int Bytes, void *All) {
  setDeadline();
  auto *Bytewise = static_cast<const uint8_t *>(Mine);
  const size_t N = static_cast<size_t>(Bytes);
  Data.assign(Bytewise, Bytewise + N);
  if (Rank != First)
    return send(First);
  auto *Out = static_cast<uint8_t *>(All);
  std::copy_n(Bytewise, N, Out);
  for (int R = 1; R < numJoined(); ++R) {
    if (!receive(First + R) || Data.size() != N)
      return false;
    std::copy_n(Data.data(), N, Out + N * static_cast<size_t>(R));
  }
  return true;
}

void Party::giveNothing() {
  Chunks = nullptr;
  new (&Data) std::vector<uint8_t>; // the old one may be half changed, and must not be destroyed
  IsLeftBehind = true;
}

bool Party::resize() {
  if (memory::tryInMemory([&] { Data.resize(Size); }))
    return true;
  IsLeftBehind = true;
  return false;
}

bool Party::put(void *Bytes, uint64_t Count, int To) {
  MPI_Request R;
  return Real.MPI_Isend(Bytes, static_cast<int>(Count), MPI_BYTE, To, 1, Comm, &R) == MPI_SUCCESS && wait(R);
}

bool Party::get(void *Bytes, uint64_t Count, int From) {
  MPI_Request R;
  return Real.MPI_Irecv(Bytes, static_cast<int>(Count), MPI_BYTE, From, 1, Comm, &R) == MPI_SUCCESS && wait(R);
}

/// There may be fewer processors than ranks: who has waited long leaves them to those that work. A sixteenth is lost,
/// and not more than Longest: some waits are of several messages, one after another, each of which may find this rank
/// resting.
static void rest(uint64_t Waited) {
  constexpr uint64_t Short = 100'000, Longest = 4'000'000;
  if (Waited < Short) {
    sched_yield();
    return;
  }
  const timespec Time{0, static_cast<long>(std::min(Waited / 16, Longest))};
  syscall(SYS_nanosleep, &Time, nullptr); // nanosleep() is a point at which a thread can be cancelled
}

bool Party::wait(MPI_Request R) {
  const uint64_t Begin = nanoseconds();
  for (int Done = 0;;) {
    if (Real.MPI_Test(&R, &Done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      break;
    if (Done)
      return true;
    const uint64_t Now = nanoseconds();
    if (Now > Deadline || JoiningEnds::hasCome())
      break;
    rest(Now - Begin);
  }
  // It cannot be ended: collectives must not be cancelled, and to cancel the others is no help against what follows.
  IsLeftBehind = true;
  return false;
}

void Party::waitLonger() {
  constexpr uint64_t Longer = 3600;
  Deadline = nanoseconds() + Longer * 1'000'000'000;
}

void Party::setDeadline() { Deadline = nanoseconds() + static_cast<uint64_t>(Seconds * 1e9); }

} // namespace pilgrim
