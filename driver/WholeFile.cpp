//===- WholeFile.cpp - files that are written whole or not at all ---------===//
#include "driver/WholeFile.h"
#include "driver/Command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace pilgrim {

int writeWhole(const std::string &File, std::string_view Content) {
  const std::string Part = File + ".part";
  std::FILE *F = std::fopen(Part.c_str(), "w");
  bool Good = F && std::fwrite(Content.data(), 1, Content.size(), F) == Content.size();
  Good = F && std::fclose(F) == 0 && Good;
  if (Good && std::rename(Part.c_str(), File.c_str()) == 0)
    return 0;
  const int Why = errno;
  ::unlink(Part.c_str());
  return fail(File, std::string("cannot write: ") + std::strerror(Why));
}

} // namespace pilgrim
