//===- Output.h - where a trace goes -----------------------------*- C++ -*-===//
#ifndef PILGRIM_FINISH_OUTPUT_H
#define PILGRIM_FINISH_OUTPUT_H

#include "trace/file/Format.h"

#include <string>

namespace pilgrim {

struct Process;

/// Writes a whole file. It is written under a temporary name and then renamed in one step, so that a file of the wanted
/// name is never half written.
class OutputFile {
public:
  /// The name comes from the options, with %p, %e and %j replaced; without one it is <program>.pilgrim. A relative path
  /// counts from the folder where the program was started, even if the program went elsewhere. A spawned world has the
  /// options of the world that spawned it: its name gets a number.
  explicit OutputFile(const Process &P);
  /// Says now what would keep the trace from being written at the end, as things are.
  void foresee() const;
  /// Writes the trace under a temporary name, without what of its chunks is elsewhere.
  /// False: Error says why.
  bool begin(const TraceParts &Bytes);
  /// Adds bytes of chunks. Returns 0 or an errno. Place: in the file. Any rank may do that.
  static int add(const std::string &Temporary, uint64_t Place, const ChunkBytes &Bytes);
  /// Gives the file its name. A default name that exists already gets a number, so an earlier trace is not overwritten.
  /// Path is the name in the end. False: Error says why, and nothing is left.
  bool commit();
  void abandon();
  /// From now on it is the file of a shard, which has the ranks from P's on: <trace>.shard.<rank>. Where an earlier run
  /// left shards under the default name, it gets a number.
  void becomeShard(const Process &P);
  /// Writes one rank's shard.
  bool writeShard(const Process &P, const TraceParts &Bytes);
  /// Removes what an earlier run left for this rank, whose calls are elsewhere now.
  void removeShard(const Process &P);

  /// Path is the name that the trace will have; Temporary, absolute, the one that it has from begin() on.
  std::string Path, Temporary, Error;

private:
  bool fail(int Why);
  /// Returns 0 or an errno.
  int rename(bool Overwrite) const;
  bool findName();
  bool findTarget();
  bool isOfAnotherRun(const Process &P) const;
  void number();
  std::string Stem; ///< of a name that gets a number; empty if it gets none
  unsigned Next = 2;
};

} // namespace pilgrim

#endif
