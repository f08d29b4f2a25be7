//===- Compose.cpp - the compiler's command line --------------------------===//
#include "driver/cc/Compose.h"
#include "driver/Preload.h"
#include "driver/cc/Places.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace pilgrim {

std::expected<bool, std::string> isOff() {
  const char *Mode = std::getenv("PILGRIM_WRAPPER");
  const std::string_view M = Mode ? Mode : "";
  if (!M.empty() && M != "on" && M != "off")
    return std::unexpected(fmt::format("PILGRIM_WRAPPER={}: accepted: on, off", M));
  return M == "off";
}

std::string describeMissingRuntime() {
  if (const char *Own = std::getenv("PILGRIM_LIBRARY"); Own && *Own)
    return fmt::format("PILGRIM_LIBRARY={}: there is no such file", Own);
  return "no libpilgrim.so where this wrapper looks for it: install Pilgrim again, or set PILGRIM_LIBRARY to its path";
}

Parts findParts(const Compiler &C, bool Off) {
  Parts P;
  if (C.Kind == CompilerKind::Flang)
    P.Modules = findModules();
  if (Off)
    return P;
  P.Runtime = findRuntime();
  if (C.Kind != CompilerKind::Other)
    P.Plugin = findPlugin();
  return P;
}

namespace {
using Words = std::vector<std::string>;

class Composer {
public:
  Composer(const Language &L, const Compiler &C, const Parts &P, const Arguments &A) : L(L), C(C), P(P), A(A) {
    // -show alone is asked for what would be added.
    Works = A.HasInput || A.Show;
    Links = Works && A.Links && !A.Relocatable;
  }
  Words compose();

private:
  Words before() const;
  Words after() const;
  Words unwarned(const Words &W) const;
  std::string modulesLibrary() const;
  void linker(Words &Out, std::initializer_list<std::string> Options) const;

  const Language &L;
  const Compiler &C;
  const Parts &P;
  const Arguments &A;
  bool Works, Links;
};
} // namespace

static void append(Words &Out, const Words &More) { Out.insert(Out.end(), More.begin(), More.end()); }

static void append(Words &Out, const char *const *List) {
  for (; *List; ++List)
    Out.push_back(*List);
}

/// flang knows no -Xlinker; elsewhere it lets paths have commas.
void Composer::linker(Words &Out, std::initializer_list<std::string> Options) const {
  for (const std::string &O : Options)
    if (C.Kind == CompilerKind::Flang)
      Out.push_back("-Wl," + O);
    else
      append(Out, Words{"-Xlinker", O});
}

/// Not everything that is added is of use for every command, and a warning
/// about it may be an error.
Words Composer::unwarned(const Words &W) const {
  if (W.empty() || C.Kind != CompilerKind::Clang || C.Major < 14)
    return W;
  Words Out = {"--start-no-unused-arguments"};
  append(Out, W);
  Out.push_back("--end-no-unused-arguments");
  return Out;
}

Words Composer::before() const {
  Words Out;
  // Procedures with arguments of assumed rank, which a program's own MPI_Send_f08ts has. Later versions need no
  // option for them.
  if (C.Kind == CompilerKind::Flang && C.Major == 19)
    append(Out, Words{"-Xflang", "-mmlir", "-Xflang", "-allow-assumed-rank"});
  if (!P.Plugin.empty() && !A.HasPlugin)
    Out.push_back("-fpass-plugin=" + P.Plugin);
  // Only LLVM's linker can run the plugin, which then knows the whole program.
  if (Links && !P.Plugin.empty() && A.FullLto && (A.Linker.empty() || A.Linker == "lld") && C.hasFittingLld()) {
    if (A.Linker.empty())
      Out.push_back("-fuse-ld=lld");
    linker(Out, {"--load-pass-plugin=" + P.Plugin});
  }
  // C programs name no symbol of it, and must need it all the same. That of the modules stands between libpilgrim and
  // the MPI's, whose procedures of the same names are another compiler's.
  for (const std::string &Library : {P.Runtime, modulesLibrary()})
    if (Links && !Library.empty()) {
      linker(Out, {"--push-state", "--no-as-needed", Library, "--pop-state"});
      std::string Dir = std::filesystem::path(Library).parent_path();
      if (!isDefaultDirectory(Dir))
        linker(Out, {"-rpath", Dir});
    }
  return Out;
}

Words Composer::after() const {
  Words Out;
  if (std::string Own = ownModules(A, P); !Own.empty())
    Out.push_back("-I" + Own);
  if (!P.Modules.empty())
    Out.push_back("-I" + P.Modules); // before the MPI's, which may be another compiler's
  append(Out, L.Compile);
  if (!Links)
    return Out;
  if (P.Runtime.empty()) {
    append(Out, L.Link);
    return Out;
  }
  // libpilgrim has every symbol of the MPI that the program names, but it does
  // not take the MPI's place.
  linker(Out, {"--push-state", "--no-as-needed"});
  append(Out, L.Link);
  linker(Out, {"--pop-state"});
  return Out;
}

std::string Composer::modulesLibrary() const {
  std::error_code E;
  std::string Library = P.Modules + "/libpilgrim-f08.so";
  return !P.Modules.empty() && std::filesystem::exists(Library, E) ? Library : "";
}

Words Composer::compose() {
  Words Out = C.Command;
  if (!Works) {
    append(Out, A.Passed);
    return Out;
  }
  if (C.Kind == CompilerKind::Other)
    append(Out, L.Own);
  append(Out, unwarned(before()));
  // After "--" everything is a file.
  Words Given(A.Passed.begin(), A.Passed.begin() + static_cast<ptrdiff_t>(A.DoubleDash));
  Words Files(A.Passed.begin() + static_cast<ptrdiff_t>(A.DoubleDash), A.Passed.end());
  append(Out, Given);
  append(Out, unwarned(after()));
  append(Out, Files);
  return Out;
}

std::vector<std::string> compose(const Language &L, const Compiler &C, const Parts &P, const Arguments &A) {
  return Composer(L, C, P, A).compose();
}

} // namespace pilgrim
