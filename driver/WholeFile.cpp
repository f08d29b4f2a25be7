//===- WholeFile.cpp - files that are written whole or not at all ---------===//
#include "driver/WholeFile.h"
#include "api/OutputFolder.h"
#include "driver/Command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace pilgrim {

/// 0, or an errno.
static int writeTo(const std::string &File, std::string_view Content) {
  std::FILE *F = std::fopen(File.c_str(), "wb");
  if (!F)
    return errno;
  int Why = std::fwrite(Content.data(), 1, Content.size(), F) == Content.size() ? 0 : errno;
  if (std::fclose(F) != 0 && !Why)
    Why = errno;
  return Why;
}

/// What stands there is replaced, but not a link: where that leads to is.
static int replace(const std::string &File, std::string_view Content) {
  const std::string To = targetOf(File), Part = To + "." + std::to_string(getpid()) + ".tmp";
  int Why = writeTo(Part, Content);
  if (!Why && std::rename(Part.c_str(), To.c_str()) != 0)
    Why = errno;
  if (Why)
    ::unlink(Part.c_str());
  return Why;
}

int writeWhole(const std::string &File, std::string_view Content) {
  // A device, or what another program reads meanwhile, gets it at once.
  struct stat S;
  const int Known = stat(File.c_str(), &S) == 0 ? 0 : errno;
  const int Why = Known == ELOOP                      ? Known
                  : Known == 0 && !S_ISREG(S.st_mode) ? writeTo(File, Content)
                                                      : replace(File, Content);
  return Why ? fail(File, std::string("cannot write: ") + std::strerror(Why)) : 0;
}

int refuseInput(std::string_view Option, const std::string &File, std::span<const std::string> Traces) {
  std::error_code Ignored; // what is not there is not the same
  for (const std::string &Trace : Traces)
    if (std::filesystem::equivalent(File, Trace, Ignored))
      return fail(std::string(Option) + " " + File + ": that is " +
                  (Traces.size() == 1 ? "the trace" : "one of the traces"));
  return 0;
}

} // namespace pilgrim
