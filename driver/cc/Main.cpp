//===- Main.cpp - pilgrim-cc, pilgrim-cxx, pilgrim-fort -------------------===//
//
// Compiler wrappers that take the place of mpicc, mpicxx and mpifort. They look
// at the arguments, add to them, and become the compiler: so output, files and
// exit code are the compiler's. They say nothing but what is wrong.
//
// PILGRIM_LANGUAGE, which is set for each of the three, is Cc, Cxx or Fort.
//
//===----------------------------------------------------------------------===//
#include "driver/ShellWord.h"
#include "driver/cc/Built.h"
#include "driver/cc/Compose.h"
#include "driver/cc/Doctor.h"
#include "driver/cc/Process.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <string_view>

namespace pilgrim {

static constexpr const Language &Own = built::PILGRIM_LANGUAGE;

static int fail(const std::string &What) {
  std::fprintf(stderr, "%s: %s\n", Own.Wrapper, What.c_str());
  return 1;
}

static int show(const std::vector<std::string> &Words) {
  std::string Line;
  for (const std::string &W : Words)
    Line += (Line.empty() ? "" : " ") + quoted(W);
  std::puts(Line.c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}

static int run(const std::vector<std::string> &Words) {
  Arguments A = readArguments(Words);
  if (A.Doctor)
    return runDoctor(Own);
  const auto Off = isOff();
  if (!Off)
    return fail(Off.error());
  auto C = findCompiler(Own);
  if (!C)
    return fail(C.error());
  Parts P = findParts(*C, *Off);
  if (!A.HasInput && !A.Show)
    return become(Own.Wrapper, compose(Own, *C, P, A));
  if (!P.Plugin.empty() && !C->fitsPlugin())
    return fail(describeMismatch(Own, *C));
  if (!*Off && P.Runtime.empty() && A.Links && A.HasInput)
    return fail(describeMissingRuntime());
  if (!P.Runtime.empty() && A.Static && A.Links && A.HasInput)
    return fail("-static: libpilgrim.so cannot be part of a static program: link without -static, or with "
                "PILGRIM_WRAPPER=off what was compiled so");
  if (C->Kind == CompilerKind::Flang)
    if (std::string Missing = findMissingModule(A, P); !Missing.empty())
      return fail(Missing);
  std::vector<std::string> Command = compose(Own, *C, P, A);
  return A.Show ? show(Command) : become(Own.Wrapper, Command);
}

} // namespace pilgrim

int main(int Argc, char **Argv) {
  try {
    return pilgrim::run(std::vector<std::string>(Argv + (Argc > 0), Argv + Argc));
  } catch (const std::exception &E) {
    return pilgrim::fail(E.what());
  }
}
