//===- Party.h - all ranks, with a deadline ----------------------*- C++ -*-===//
//
// At MPI_Finalize ranks exchange their traces over a private communicator. A rank may be gone, or may never have been
// traced. So every operation is nonblocking, and one deadline holds for all of them.
//
// What operations send and receive lies in the Party. An operation that was given up is still under way: then
// IsLeftBehind is set, and the Party must never be destroyed.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_FINISH_PARTY_H
#define PILGRIM_FINISH_PARTY_H

#include "pmpi/Mpi.h"
#include "trace/sequences/Chunk.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace pilgrim {

class Party {
public:
  /// Seconds: how long all operations together may take.
  Party(int Rank, int NumRanks, double Seconds) : Rank(Rank), NumRanks(NumRanks), End(NumRanks), Seconds(Seconds) {
    setDeadline();
  }
  Party(const Party &) = delete;

  /// Makes the communicator. All functions return false if something failed or the deadline passed.
  bool gather();
  void leave();
  /// What ranks tell each other first.
  struct Agreement {
    int WithoutTrace = 0;       ///< the first rank that has no trace to join; none: the number of ranks
    uint64_t Clock = 0;         ///< comparedClock(), of one of them
    bool HasOtherClock = false; ///< of some it is another one
  };
  /// Mine becomes that of all ranks.
  bool agree(Agreement &Mine);
  /// Sends Data, and what Chunks has here. Its bytes leave only when the receiver waits for them: with MPICH,
  /// MPI_Finalize waits for a large send that was given up, and if nobody receives it, for ever.
  bool send(int To);
  /// Receives into Data, and into a new Chunks.
  bool receive(int From);
  /// Sends the first rank's Data to all ranks of the tree, on the way that their traces came.
  bool broadcast();
  /// Sends everybody's bytes to the first rank of the tree, with a deadline of their own.
  bool collect(const void *Mine, int Bytes, void *All);
  /// From now on operations may take as long as the first rank needs for packing, which nobody can hurry.
  void waitLonger();
  /// Makes Data empty. To be called when memory ran out while Data changed.
  void giveNothing();
  bool putWord(uint64_t W, int To);
  bool getWord(uint64_t &W, int From);

  /// What joins the ranks becomes smaller: from now on it is a tree of those whose traces were joined. Reach: so many
  /// ranks from this one have their traces here; 0: this one's was sent on. IsJoined: they are joined well; of ranks
  /// that sent theirs on, it becomes what the rank says that has it.
  bool narrow(int Reach, bool &IsJoined);
  int first() const { return First; }
  int numJoined() const { return End - First; }
  double secondsLeft() const;

  const int Rank, NumRanks;
  std::vector<uint8_t> Data;                ///< what is sent, or was received last
  std::shared_ptr<const ChunkBytes> Chunks; ///< likewise, and belongs to it; null: there is nothing
  bool IsLeftBehind = false;                ///< an operation was given up

private:
  static constexpr uint64_t AtOnce = uint64_t(1) << 30, MostOfChunks = uint64_t(1) << 18;
  bool resize();
  bool put(void *Bytes, uint64_t Count, int To);
  bool get(void *Bytes, uint64_t Count, int From);
  bool wait(MPI_Request R);
  void setDeadline();
  int First = 0, End; ///< the ranks of the tree: up to End
  const double Seconds;
  bool sendChunks(int To);
  bool receiveChunks(int From);
  uint64_t Deadline, Size = 0, ChunksSize = 0, Elsewhere = 0;
  std::vector<uint8_t> Piece; ///< of Chunks
  char Go = 0;
  MPI_Comm Comm = MPI_COMM_NULL;
  Agreement Agreed[2]; ///< this rank's answer to agree(), and another's
  uint64_t Word[2];
};

} // namespace pilgrim

#endif
