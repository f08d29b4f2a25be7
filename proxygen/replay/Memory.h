//===- Memory.h - the memory that replayed calls use -------------*- C++ -*-===//
//
// Pieces of memory as the recorded program had them: blocks of the heap, variables on the stack and in the program's
// data, mappings. Each is as large as the buffers in it need (Footprint.h) and of the same kind, so that a trace of the
// replay names them as the first trace does.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_MEMORY_H
#define PILGRIM_PROXYGEN_REPLAY_MEMORY_H

#include "proxygen/Footprint.h"
#include "proxygen/replay/Users.h"

namespace pilgrim {

class Memory {
public:
  static constexpr size_t StackAlignment = 64;
  /// Error: what does not fit. Uses must outlive this object.
  static std::optional<std::string> check(const Footprint &Uses);
  explicit Memory(const Footprint &Uses);

  /// The address of a place; null: there is no such piece.
  char *at(const MemoryPlace &P);
  /// Bytes of a stack that calls need.
  size_t stackBytes(const MemoryPiece &Stack) const;
  /// Says where a stack is: that many bytes and StackAlignment from Base on.
  void setStack(const MemoryPiece &Stack, char *Base);
  /// The program, or MPI, freed a block.
  void freed(const MemoryPiece &P);
  /// Whether blocks may be in use when they are freed: a call of another thread may end later here than in the recorded
  /// run.
  void expectThreads(bool Several) { Waits = Several; }
  /// A call uses the block until release(); it is not freed meanwhile. False: nothing has to be released.
  bool acquire(const MemoryPiece &P);
  void release(const MemoryPiece &P);
  /// MPI gave out memory that the program knows by this place.
  void given(const MemoryPlace &P, char *Address);

private:
  struct Block {
    char *Start = nullptr; ///< where offset 0 is
    char *Owned = nullptr; ///< to be freed; null: MPI's, or static
    size_t Before = 0;     ///< bytes that are mapped before it
  };
  Block made(const MemoryPiece &P);
  static Block blockWith(size_t Front, size_t Bytes);

  const Footprint &Uses;
  std::map<MemoryPiece, Block> Blocks;
  std::map<std::string, char *> Data; ///< by module: where offset 0 would be
  std::mutex Lock;
  bool Waits = false;
  Users InUse; ///< blocks of the heap by their numbers
};

} // namespace pilgrim

#endif
