//===- Process.h - other programs, run and listened to ----------*- C++ -*-===//
//
// For what the wrappers have to ask a compiler. The compilation itself is not
// run from here: the wrapper becomes the compiler.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_CC_PROCESS_H
#define PILGRIM_DRIVER_CC_PROCESS_H

#include <string>
#include <vector>

namespace pilgrim {

struct Outcome {
  int Exit = 127;     ///< as a shell has it
  std::string Output; ///< of both streams
};

/// Runs a command with nothing to read.
Outcome runCommand(const std::vector<std::string> &Words);

/// Becomes the command; returns the exit code where that fails.
int become(const char *Wrapper, const std::vector<std::string> &Words);

} // namespace pilgrim

#endif
