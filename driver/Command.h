//===- Command.h - what every command of the tool shares --------*- C++ -*-===//
//
// A command adds itself to the command line and leaves an action behind when it
// is chosen. Exit codes: 0, 1 where two traces differ, 2 for anything that kept
// the command from giving a whole answer, which is said in one line.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_COMMAND_H
#define PILGRIM_DRIVER_COMMAND_H

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pilgrim {

using Action = std::function<int()>;

/// Words is the program and its arguments; see splitRunLine.
void addRun(CLI::App &Tool, Action &Chosen, const std::vector<std::string> &Words);
/// Cuts the program and its arguments, in which nothing is ours, off the words
/// behind "pilgrim".
std::vector<std::string> splitRunLine(const CLI::App &Tool, std::vector<std::string> &Words);
void addInfo(CLI::App &Tool, Action &Chosen);
void addPrint(CLI::App &Tool, Action &Chosen);
void addStats(CLI::App &Tool, Action &Chosen);
void addTree(CLI::App &Tool, Action &Chosen);
void addMatrix(CLI::App &Tool, Action &Chosen);
void addDiff(CLI::App &Tool, Action &Chosen);
void addCheck(CLI::App &Tool, Action &Chosen);
void addMerge(CLI::App &Tool, Action &Chosen);

/// Prints "pilgrim: WHAT" and returns 2.
int fail(std::string_view What);
/// Prints "pilgrim: FILE: WHAT" and returns 2.
int fail(std::string_view File, std::string_view What);

/// Options that a later version will have: not in --help, refused when used.
void addLater(CLI::App &Command, std::initializer_list<const char *> Names);

} // namespace pilgrim

#endif
