//===- OutputFolder.cpp - whether a trace can be written later ------------===//
#include "api/OutputFolder.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace pilgrim {

std::string whyNotWritable(const std::string &Path) {
  struct stat S;
  if (stat(Path.c_str(), &S) == 0) {
    if (S_ISDIR(S.st_mode))
      return std::strerror(EISDIR);
    if (!S_ISREG(S.st_mode))
      return "neither a file nor the name of a new one"; // a device, say, that would be replaced
  } else if (errno != ENOENT) {
    return std::strerror(errno);
  }
  const size_t Slash = Path.rfind('/');
  const std::string Folder = Slash == std::string::npos ? "." : Slash == 0 ? "/" : Path.substr(0, Slash);
  if (stat(Folder.c_str(), &S) != 0)
    return std::strerror(errno);
  if (!S_ISDIR(S.st_mode))
    return std::strerror(ENOTDIR);
  return access(Folder.c_str(), W_OK | X_OK) == 0 ? "" : std::strerror(errno);
}

} // namespace pilgrim
