//===- Command.h - pilgrim extrapolate ---------------------------*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_COMMAND_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_COMMAND_H

#include "driver/CommandLine.h"
#include "proxygen/extrapolate/Extrapolation.h"

namespace pilgrim {

/// Reads the files and extrapolates them to so many ranks. nullopt: it was said why not.
std::optional<Extrapolated> extrapolateFiles(const std::vector<std::string> &Files, uint64_t Ranks, bool Force);

void addExtrapolate(CommandLine &Tool);

} // namespace pilgrim

#endif
