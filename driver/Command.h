//===- Command.h - what every command of the tool shares --------*- C++ -*-===//
//
// A command adds itself to the command line. Exit codes: 0, 1 where two traces
// differ, 2 for anything that kept the command from giving a whole answer, which
// is said in one line.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_COMMAND_H
#define PILGRIM_DRIVER_COMMAND_H

#include "driver/CommandLine.h"

#include <string_view>

namespace pilgrim {

void addRun(CommandLine &Tool);
void addInfo(CommandLine &Tool);
void addPrint(CommandLine &Tool);
void addStats(CommandLine &Tool);
void addTree(CommandLine &Tool);
void addMatrix(CommandLine &Tool);
void addDiff(CommandLine &Tool);
void addCheck(CommandLine &Tool);
void addMerge(CommandLine &Tool);
void addHelp(CommandLine &Tool);
void addCompletion(CommandLine &Tool);

/// Prints "pilgrim: WHAT" and returns 2.
int fail(std::string_view What);
/// Prints "pilgrim: FILE: WHAT" and returns 2.
int fail(std::string_view File, std::string_view What);

} // namespace pilgrim

#endif
