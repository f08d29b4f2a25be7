//===- Launcher.h - what the launcher of a parallel run tells ----*- C++ -*-===//
#ifndef PILGRIM_DRIVER_LAUNCHER_H
#define PILGRIM_DRIVER_LAUNCHER_H

#include <cstdint>
#include <optional>
#include <string>

namespace pilgrim {

/// The rank of this process, and the number of ranks, from the variables that launchers set; nullopt: none is known.
std::optional<uint32_t> launchedRank();
std::optional<uint32_t> launchedRanks();

/// Prints "pilgrim: LINE" on stderr, once for all ranks.
void sayOnce(const std::string &Line);

} // namespace pilgrim

#endif
