//===- Output.h - where a trace goes -----------------------------*- C++ -*-===//
#ifndef PILGRIM_PMPI_OUTPUT_H
#define PILGRIM_PMPI_OUTPUT_H

#include <cstdint>
#include <span>
#include <string>

namespace pilgrim {

struct Process;

/// Writes a whole file: first under a temporary name, then in one step under the wanted one, so that nothing half
/// written is ever there under it.
class OutputFile {
public:
  /// The name that the options give, %p, %e and %j replaced; without one, <program>.pilgrim. In the folder where the
  /// program was started, wherever it went since. A world that another one spawned has the same options, and a number
  /// instead.
  explicit OutputFile(const Process &P);
  /// Writes the trace. A default name that exists already gets a number: an earlier trace is not overwritten. Path
  /// tells the name in the end; false: Error says why.
  bool write(std::span<const uint8_t> Bytes);
  /// Writes one rank's shard beside the trace's place: <trace>.shard.<rank>.
  bool writeShard(std::span<const uint8_t> Bytes, int Rank);

  std::string Path, Error;

private:
  /// 0, or an errno, and Error says what it means.
  int writeTo(const std::string &Target, std::span<const uint8_t> Bytes, bool Overwrite);
  void number();
  std::string Stem; // of a name that gets a number
  unsigned Next = 2;
};

std::string programName();

} // namespace pilgrim

#endif
