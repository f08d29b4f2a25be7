//===- Launcher.cpp - what the launcher of a parallel run tells -----------===//
#include "driver/Launcher.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace pilgrim {

static std::optional<uint32_t> firstOf(std::initializer_list<const char *> Variables) {
  for (const char *Name : Variables) {
    const char *Text = std::getenv(Name);
    uint32_t Value = 0;
    if (Text && *Text && std::from_chars(Text, Text + std::strlen(Text), Value).ec == std::errc())
      return Value;
  }
  return std::nullopt;
}

std::optional<uint32_t> launchedRank() {
  return firstOf({"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "MV2_COMM_WORLD_RANK"});
}

std::optional<uint32_t> launchedRanks() {
  return firstOf({"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "MV2_COMM_WORLD_SIZE"});
}

void sayOnce(const std::string &Line) {
  if (launchedRank().value_or(0) == 0)
    std::fprintf(stderr, "pilgrim: %s\n", Line.c_str());
}

} // namespace pilgrim
