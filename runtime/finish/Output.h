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
  /// Writes the trace. A default name that exists already gets a number, so an earlier trace is not overwritten. Path
  /// is the name in the end. False: Error says why.
  bool write(const TraceParts &Bytes);
  /// Writes one rank's shard: <trace>.shard.<rank>.
  bool writeShard(const TraceParts &Bytes, int Rank);

  std::string Path, Error;

private:
  /// Returns 0, or an errno that Error explains.
  int writeTo(const std::string &Target, const TraceParts &Bytes, bool Overwrite);
  void number();
  std::string Stem; ///< of a name that gets a number; empty if it gets none
  unsigned Next = 2;
};

} // namespace pilgrim

#endif
