//===- Compiler.h - the compiler beneath a wrapper --------------*- C++ -*-===//
//
// The one that Pilgrim was built for, or the one that the environment names.
// Only the latter has to be asked what it is.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_CC_COMPILER_H
#define PILGRIM_DRIVER_CC_COMPILER_H

#include "driver/cc/Language.h"

#include <expected>
#include <string>
#include <vector>

namespace pilgrim {

enum class CompilerKind { Clang, Flang, Other };

struct Compiler {
  std::vector<std::string> Command; ///< first words of its command line: PILGRIM_CC="ccache clang"
  CompilerKind Kind = CompilerKind::Other;
  int Major = 0;       ///< of its LLVM; 0: it has none
  std::string Version; ///< in words; empty where it was not asked

  bool fitsPlugin() const;
  /// Asks whether -fuse-ld=lld gives a linker that can load the plugin: lld of the same LLVM.
  bool hasFittingLld() const;
};

/// The line that says what is wrong, where there is no such compiler.
std::expected<Compiler, std::string> findCompiler(const Language &L);

/// Asks it for its version, which sets Kind, Major and Version.
bool askVersion(Compiler &C);

/// "clang 14.0.6 is not of the LLVM ..., and the remedy".
std::string describeMismatch(const Language &L, const Compiler &C);

} // namespace pilgrim

#endif
