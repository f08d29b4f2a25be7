//===- Elf.h - what a program is, before it runs ----------------*- C++ -*-===//
//
// Reads just enough of an executable to say whether a library can be preloaded
// into it, and which MPI it needs. The dynamic linker would tell more, but only
// by running what may be the program's own code.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_ELF_H
#define PILGRIM_DRIVER_ELF_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pilgrim {

struct ElfFile {
  bool Is64 = false;
  uint16_t Machine = 0;
  bool HasInterpreter = false; ///< PT_INTERP: a dynamic linker starts it
  std::vector<std::string> Needed;
  std::string RunPath, RPath;
};

/// Nothing if the file is none, or not one that makes sense.
std::optional<ElfFile> readElf(const std::string &Path);

struct NeededLibraries {
  std::vector<std::string> Names; ///< all, as DT_NEEDED names them
};

/// The libraries that a program needs, directly or not, as the dynamic linker
/// would find them.
NeededLibraries findNeeded(const std::string &Path, const ElfFile &Program);

} // namespace pilgrim

#endif
