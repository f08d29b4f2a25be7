//===- Program.h - the program that this process runs ------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_PROGRAM_H
#define PILGRIM_PLATFORM_PROGRAM_H

#include <cstddef>
#include <string>

namespace pilgrim {

/// The path of the program's file; empty if the system does not tell it.
std::string programPath();
/// The name of the program's file without its folder.
std::string programName();

/// What the program was started with, a 0 behind each; without its name. At most MaxArguments bytes: what does not fit
/// is left out, and the last one says how many bytes that are. Empty if the system does not tell it.
constexpr size_t MaxArguments = 4096;
std::string programArguments();
/// The name of the host; empty if the system does not tell it.
std::string hostName();

} // namespace pilgrim

#endif
