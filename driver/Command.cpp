//===- Command.cpp - what every command of the tool shares ----------------===//
#include "driver/Command.h"
#include "driver/Output.h"

#include <cstdio>
#include <unistd.h>

namespace pilgrim {

int fail(std::string_view What) {
  std::fflush(stdout);
  const std::string Name = styled(Look::Error, "pilgrim:", STDERR_FILENO);
  std::fprintf(stderr, "%s %.*s\n", Name.c_str(), static_cast<int>(What.size()), What.data());
  return 2;
}

int fail(std::string_view File, std::string_view What) { return fail(std::string(File) + ": " + std::string(What)); }

} // namespace pilgrim
