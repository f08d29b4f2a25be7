//===- Program.h - the program that this process runs ------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_PROGRAM_H
#define PILGRIM_PLATFORM_PROGRAM_H

#include <string>

namespace pilgrim {

/// The path of the program's file; empty if the system does not tell it.
std::string programPath();
/// The name of the program's file without its folder.
std::string programName();

} // namespace pilgrim

#endif
