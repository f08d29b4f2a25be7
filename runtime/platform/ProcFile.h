//===- ProcFile.h - what the system says of a process -------------*- C++ -*-===//
//
// May be used in a handler of a signal: it allocates nothing and calls nothing that has a lock.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PLATFORM_PROCFILE_H
#define PILGRIM_PLATFORM_PROCFILE_H

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>

namespace pilgrim {

/// A file below /proc, piece by piece.
class ProcFile {
public:
  ProcFile(const char *Process, const char *Name) {
    char Path[64];
    std::snprintf(Path, sizeof Path, "/proc/%.20s/%.20s", Process, Name);
    Fd = open(Path, O_RDONLY | O_CLOEXEC);
  }
  ~ProcFile() {
    if (Fd >= 0)
      close(Fd);
  }
  ProcFile(const ProcFile &) = delete;

  /// Whether it contains a text. Found, if given, gets what stands behind that.
  bool contains(std::string_view Text, char *Found = nullptr, size_t Room = 0) {
    char Buffer[4096];
    size_t Kept = 0; // of the piece before, which the text may begin in
    for (ssize_t N; Fd >= 0 && (N = read(Fd, Buffer + Kept, sizeof Buffer - Kept)) > 0;) {
      const std::string_view All(Buffer, Kept + static_cast<size_t>(N));
      if (const size_t At = All.find(Text); At != All.npos) {
        if (Found) {
          const std::string_view Rest = All.substr(At + Text.size(), Room - 1);
          std::memcpy(Found, Rest.data(), Rest.size());
          Found[Rest.size()] = 0;
        }
        return true;
      }
      Kept = std::min(All.size(), Text.size() - 1);
      std::memmove(Buffer, All.end() - Kept, Kept);
    }
    return false;
  }

private:
  int Fd;
};

/// The digits of a process's number.
struct ProcessName {
  char Digits[16];
  explicit ProcessName(pid_t Number) { std::snprintf(Digits, sizeof Digits, "%d", Number); }
};

} // namespace pilgrim

#endif
