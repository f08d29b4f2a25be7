//===- Completion.h - completion of commands in a shell ---------*- C++ -*-===//
#ifndef PILGRIM_DRIVER_COMPLETION_H
#define PILGRIM_DRIVER_COMPLETION_H

#include "driver/CommandLine.h"

namespace pilgrim {

/// Scripts that the shells read. Commands: as CommandLine::shapes() gives them.
std::string bashCompletion(const std::vector<CommandShape> &Commands);
std::string zshCompletion(const std::vector<CommandShape> &Commands);
std::string fishCompletion(const std::vector<CommandShape> &Commands);

} // namespace pilgrim

#endif
