//===- Compiler.cpp - the compiler beneath a wrapper ----------------------===//
#include "driver/cc/Compiler.h"
#include "driver/cc/Arguments.h"
#include "driver/cc/Built.h"
#include "driver/cc/Places.h"
#include "driver/cc/Process.h"

#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

namespace pilgrim {

bool Compiler::fitsPlugin() const { return Kind != CompilerKind::Other && Major == built::LlvmMajor; }

bool Compiler::hasFittingLld() const {
  std::vector<std::string> Words = Command;
  Words.insert(Words.end(), {"-fuse-ld=lld", "-Wl,--version"});
  Outcome O = runCommand(Words);
  return O.Exit == 0 && O.Output.find(fmt::format("LLD {}.", built::LlvmMajor)) != std::string::npos;
}

/// A whole path may hold spaces; anything else is words, as in CC.
static std::vector<std::string> commandOf(const std::string &Value) {
  if (Value.find('/') != Value.npos && ::access(Value.c_str(), X_OK) == 0)
    return {Value};
  return splitWords(Value);
}

bool askVersion(Compiler &C) {
  std::vector<std::string> Words = C.Command;
  Words.push_back("--version");
  Outcome O = runCommand(Words);
  if (O.Exit != 0)
    return false;
  C.Version = O.Output.substr(0, O.Output.find('\n'));
  C.Kind = CompilerKind::Other;
  C.Major = 0;
  // "Debian clang version 19.1.7 (3)", "flang-new version 19.1.7". Apple counts
  // otherwise, and has plugins of its own.
  size_t At = C.Version.find(" version ");
  std::string_view Before = std::string_view(C.Version).substr(0, std::min(At, C.Version.size()));
  if (At == std::string::npos || Before.find("Apple") != Before.npos)
    return true;
  std::string_view Name = Before.substr(Before.rfind(' ') + 1);
  if (Name == "clang")
    C.Kind = CompilerKind::Clang;
  else if (Name == "flang" || Name == "flang-new")
    C.Kind = CompilerKind::Flang;
  else
    return true;
  C.Major = std::atoi(C.Version.c_str() + At + 9);
  return true;
}

std::expected<Compiler, std::string> findCompiler(const Language &L) {
  Compiler C;
  const char *Given = std::getenv(L.Variable);
  if (!Given || !*Given) {
    C.Kind = L.isFortran() ? CompilerKind::Flang : CompilerKind::Clang;
    C.Major = built::LlvmMajor;
    C.Command = {L.Compiler};
    if (!*L.Compiler)
      return std::unexpected(fmt::format("there was no {0} when Pilgrim was built: install {1} and build it again, or "
                                         "set {2} to a compiler",
                                         L.Name, L.Package, L.Variable));
    if (::access(L.Compiler, X_OK) != 0)
      return std::unexpected(
          fmt::format("{}: no such program: install {}, or set {} to where it is", L.Compiler, L.Package, L.Variable));
    return C;
  }
  C.Command = commandOf(Given);
  if (C.Command.empty())
    return std::unexpected(fmt::format("{} names no compiler", L.Variable));
  if (isOwnExecutable(C.Command[0]))
    return std::unexpected(fmt::format("{}={} is this wrapper: set it to the compiler beneath", L.Variable, Given));
  if (!askVersion(C))
    return std::unexpected(fmt::format("{}={}: '{} --version' failed: set it to a compiler, or unset it", L.Variable,
                                       Given, C.Command[0]));
  return C;
}

std::string describeMismatch(const Language &L, const Compiler &C) {
  std::string Remedy = *L.Compiler ? fmt::format("unset {}, which gives {}", L.Variable, L.Compiler)
                                   : fmt::format("set {} to one of LLVM {}", L.Variable, built::LlvmMajor);
  return fmt::format("{} is {}, but the plugin is for LLVM {}: {}, or set PILGRIM_WRAPPER=off to do without the plugin",
                     C.Command[0], C.Version, built::LlvmMajor, Remedy);
}

} // namespace pilgrim
