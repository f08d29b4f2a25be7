//===- Program.cpp - the program that this process runs -------------------===//
#include "platform/Program.h"

#include <cerrno>
#include <climits>
#include <fcntl.h>
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

std::string programArguments() {
  const int Fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return "";
  std::string Words;
  bool IsName = true; // of the program, which comes first
  size_t Left = 0;
  char Piece[4096];
  for (ssize_t N; (N = read(Fd, Piece, sizeof Piece)) > 0;)
    for (ssize_t I = 0; I < N; ++I) {
      if (!IsName && Words.size() < MaxArguments)
        Words += Piece[I];
      else
        Left += !IsName;
      IsName &= Piece[I] != 0;
    }
  close(Fd);
  if (Left) {
    Words.resize(Words.rfind('\0', Words.size() - 2) + 1); // only whole ones
    Words += "(" + std::to_string(Left) + " bytes and more not kept)" + '\0';
  }
  return Words;
}

std::string hostName() {
  char Name[HOST_NAME_MAX + 1] = "";
  return gethostname(Name, sizeof Name - 1) == 0 ? Name : "";
}

} // namespace pilgrim
