//===- Places.cpp - where the parts of Pilgrim are ------------------------===//
#include "driver/cc/Places.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace pilgrim {

namespace fs = std::filesystem;

static fs::path ownPath() {
  std::error_code E;
  return fs::canonical("/proc/self/exe", E);
}

/// The first of these that is there, below a directory for libraries.
static std::string findBelow(std::initializer_list<const char *> Names) {
  for (const char *Dir : {PILGRIM_LIBRARY_DIR, "../lib", "../lib64"})
    for (const char *Name : Names) {
      std::error_code E;
      fs::path P = fs::canonical(ownPath().parent_path() / Dir / Name, E);
      if (!E)
        return P.string();
    }
  return "";
}

std::string findPlugin() { return findBelow({"pilgrim/pilgrim-pass.so", "pilgrim-pass.so"}); }

std::string findModules() { return findBelow({"pilgrim/flang"}); }

bool isOwnExecutable(const std::string &Command) {
  auto Is = [](const fs::path &P) {
    std::error_code E;
    return fs::equivalent(P, "/proc/self/exe", E) && !E;
  };
  if (Command.find('/') != Command.npos)
    return Is(Command);
  const char *Path = std::getenv("PATH");
  std::istringstream Dirs(Path ? Path : "");
  for (std::string Dir; std::getline(Dirs, Dir, ':');) {
    std::error_code E;
    fs::path P = fs::path(Dir.empty() ? "." : Dir) / Command;
    if (fs::exists(P, E))
      return Is(P);
  }
  return false;
}

bool isDefaultDirectory(const std::string &Directory) {
  std::string_view D = Directory;
  if (D.starts_with("/usr/lib"))
    D.remove_prefix(4);
  if (D == "/lib" || D == "/lib64")
    return true;
  // Debian's /lib/x86_64-linux-gnu.
  return D.starts_with("/lib/") && D.find('/', 5) == D.npos && D.ends_with("-linux-gnu");
}

} // namespace pilgrim
