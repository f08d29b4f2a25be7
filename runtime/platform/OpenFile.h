//===- OpenFile.h - a file of the tracer's own --------------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_OPENFILE_H
#define PILGRIM_PLATFORM_OPENFILE_H

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace pilgrim {

/// As open(), but the descriptor is above 2: a program that has closed its standard output may still print. It is
/// closed by exec.
inline int openFile(const char *Path, int Flags, mode_t Mode = 0) {
  const int Fd = open(Path, Flags | O_CLOEXEC, Mode);
  if (Fd < 0 || Fd > 2)
    return Fd;
  const int Higher = fcntl(Fd, F_DUPFD_CLOEXEC, 3), Why = errno;
  close(Fd);
  errno = Why;
  return Higher;
}

} // namespace pilgrim

#endif
