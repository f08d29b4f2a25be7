//===- Output.h - standard output, buffered ---------------------*- C++ -*-===//
//
// Text is appended to a string and leaves in large pieces. Whether all of it
// left is known at the end: an answer cut short by a full disk is none.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_OUTPUT_H
#define PILGRIM_DRIVER_OUTPUT_H

#include <string>

namespace pilgrim {

/// A string from a trace on a line of its own, whatever it holds.
std::string printable(std::string S);

class Output {
public:
  std::string Text;

  /// To be called now and then; false: writing failed, and more is in vain.
  bool drain() { return Text.size() < Piece || flush(); }
  /// Writes what is left; false: an error was printed, and the exit code is 2.
  bool finish();

private:
  static constexpr size_t Piece = 1 << 16;
  bool flush();
  int Error = 0;
};

} // namespace pilgrim

#endif
