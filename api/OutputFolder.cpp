//===- OutputFolder.cpp - whether a trace can be written later ------------===//
#include "api/OutputFolder.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace pilgrim {

/// Of "a/b/c" "a/b", of "c" ".".
static std::string folderOf(const std::string &Path) {
  const size_t Slash = Path.rfind('/');
  return Slash == std::string::npos ? "." : Slash == 0 ? "/" : Path.substr(0, Slash);
}

std::string targetOf(const std::string &Path) {
  constexpr int MostLinks = 40; // as the system follows
  std::string Target = Path;
  for (int I = 0; I < MostLinks; ++I) {
    char Text[PATH_MAX];
    const ssize_t Length = readlink(Target.c_str(), Text, sizeof Text);
    if (Length <= 0)
      return Target;
    const std::string Next(Text, static_cast<size_t>(Length));
    Target = Next.starts_with('/') ? Next : folderOf(Target) + "/" + Next;
  }
  return Path; // they lead to each other
}

std::string whyNotWritable(const std::string &Name) {
  struct stat S;
  if (stat(Name.c_str(), &S) == 0) { // what /dev/stdout leads to has no name
    if (S_ISDIR(S.st_mode))
      return std::strerror(EISDIR);
    if (!S_ISREG(S.st_mode))
      return "neither a file nor the name of a new one"; // a device, say, that would be replaced
  } else if (errno != ENOENT) {
    return std::strerror(errno);
  }
  const std::string Folder = folderOf(targetOf(Name));
  if (stat(Folder.c_str(), &S) != 0)
    return std::strerror(errno);
  if (!S_ISDIR(S.st_mode))
    return std::strerror(ENOTDIR);
  return access(Folder.c_str(), W_OK | X_OK) == 0 ? "" : std::strerror(errno);
}

} // namespace pilgrim
