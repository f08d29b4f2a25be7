//===- Command.cpp - what every command of the tool shares ----------------===//
#include "driver/Command.h"

#include <cstdio>

namespace pilgrim {

int fail(std::string_view What) {
  std::fflush(stdout);
  std::fprintf(stderr, "pilgrim: %.*s\n", static_cast<int>(What.size()), What.data());
  return 2;
}

int fail(std::string_view File, std::string_view What) { return fail(std::string(File) + ": " + std::string(What)); }

} // namespace pilgrim
