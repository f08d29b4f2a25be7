//===- Program.cpp - the program that this process runs -------------------===//
#include "platform/Program.h"

#include <cerrno>
#include <climits>
#include <unistd.h>

namespace pilgrim {

std::string programPath() {
  char Path[PATH_MAX];
  const ssize_t N = readlink("/proc/self/exe", Path, sizeof Path);
  return N > 0 ? std::string(Path, static_cast<size_t>(N)) : std::string();
}

std::string programName() {
  const std::string Path = programPath();
  return Path.empty() ? program_invocation_short_name : Path.substr(Path.rfind('/') + 1);
}

} // namespace pilgrim
