//===- Output.h - standard output, buffered ---------------------*- C++ -*-===//
//
// Text is appended to a string and leaves in large pieces. Whether all of it
// left is known at the end: an answer cut short by a full disk is none.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_OUTPUT_H
#define PILGRIM_DRIVER_OUTPUT_H

#include <cstdint>
#include <string>

namespace pilgrim {

/// A string from a trace on a line of its own, whatever it holds.
std::string printable(std::string S);

/// How text stands out on a terminal.
enum class Look : uint8_t { Heading, Name, Error };
/// The text as it is, if Descriptor is no terminal, or NO_COLOR is set to anything but nothing.
std::string styled(Look L, std::string Text, int Descriptor = 1);

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
