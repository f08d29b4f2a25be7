//===- Doctor.cpp - whether compiler, plugin and MPI fit ------------------===//
#include "driver/cc/Doctor.h"
#include "driver/Elf.h"
#include "driver/Preload.h"
#include "driver/cc/Built.h"
#include "driver/cc/Compose.h"
#include "driver/cc/Places.h"
#include "driver/cc/Process.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace pilgrim {

namespace {
namespace fs = std::filesystem;

/// A directory that goes away again.
class Scratch {
public:
  Scratch() {
    std::error_code E;
    std::string Name = (fs::temp_directory_path(E) / "pilgrim-doctor-XXXXXX").string();
    if (::mkdtemp(Name.data()))
      Path = Name;
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() {
    std::error_code E;
    if (!Path.empty())
      fs::remove_all(Path, E);
  }
  std::string file(const std::string &Name, const std::string &Text = "") const {
    std::string File = Path + "/" + Name;
    if (!Text.empty())
      std::ofstream(File) << Text;
    return File;
  }
  std::string Path;
};

class Doctor {
public:
  explicit Doctor(const Language &L) : L(L) {}
  int run();

private:
  void good(const char *What, const std::string &Which) { fmt::print("{:<11} ok      {}\n", What, Which); }
  void note(const char *What, const std::string &Which) { fmt::print("{:<11} -       {}\n", What, Which); }
  void bad(const char *What, const std::string &Which) {
    fmt::print("{:<11} WRONG   {}\n", What, Which);
    Fits = false;
  }
  /// Compiles or links with what the wrapper would pass; the first line that
  /// the compiler said where it fails.
  std::string attempt(const Parts &P, const std::vector<std::string> &Arguments);
  void plugin();
  void mpi();
  void runtime();
  void modules();

  const Language &L;
  Compiler C;
  Scratch Work;
  std::string Source;
  bool Fits = true, MpiFits = false;
};
} // namespace

std::string Doctor::attempt(const Parts &P, const std::vector<std::string> &Arguments) {
  Outcome O = runCommand(compose(L, C, P, readArguments(Arguments)));
  if (O.Exit == 0)
    return "";
  std::string First;
  for (size_t At = 0; At < O.Output.size();) {
    size_t End = std::min(O.Output.find('\n', At), O.Output.size());
    std::string Line = O.Output.substr(At, End - At);
    if (First.empty() || (Line.find("error") != Line.npos && First.find("error") == First.npos))
      First = Line;
    At = End + 1;
  }
  return First.empty() ? fmt::format("exit code {}", O.Exit) : First;
}

void Doctor::plugin() {
  std::string Path = findPlugin();
  if (C.Kind == CompilerKind::Other)
    return note("plugin", fmt::format("not used: {} is neither clang nor flang, so programs are traced without their "
                                      "structure; unset {} for {}",
                                      C.Command[0], L.Variable, *L.Compiler ? L.Compiler : L.Name));
  if (Path.empty())
    return bad("plugin", fmt::format("no pilgrim-pass.so beside libpilgrim.so: programs are traced without their "
                                     "structure; build Pilgrim with llvm-{}-dev",
                                     built::LlvmMajor));
  if (!C.fitsPlugin())
    return bad("plugin", describeMismatch(L, C));
  Parts P;
  P.Plugin = Path;
  std::string Program = L.isFortran() ? "      end\n" : "int main(void) { return 0; }\n";
  std::string File = Work.file(std::string("plain") + L.Suffix, Program);
  if (std::string Why = attempt(P, {"-c", File, "-o", Work.file("plain.o")}); !Why.empty())
    return bad("plugin", fmt::format("{} does not load into {}: {}; build Pilgrim again with this compiler's LLVM",
                                     Path, C.Command[0], Why));
  good("plugin", fmt::format("{} (LLVM {})", Path, built::LlvmMajor));
}

void Doctor::mpi() {
  if (!*L.MpiWrapper)
    return bad("MPI", fmt::format("there was no compiler wrapper of the MPI for this language when Pilgrim was built: "
                                  "configure it with -DPILGRIM_{}=/path/to/it",
                                  L.isFortran() ? "MPIFORT" : "MPICXX"));
  Parts P;
  P.Modules = findParts(C, true).Modules;
  std::string Remedy =
      fmt::format("install the MPI of {} again, or build Pilgrim again with another PILGRIM_MPICC", L.MpiWrapper);
  if (std::string Why = attempt(P, {"-c", Source, "-o", Work.file("mpi.o")}); !Why.empty())
    return bad("MPI", fmt::format("{} does not compile with the flags of {}: {}; {}",
                                  L.isFortran() ? "mpif.h" : "mpi.h", L.MpiWrapper, Why, Remedy));
  if (std::string Why = attempt(P, {Work.file("mpi.o"), "-o", Work.file("mpi")}); !Why.empty())
    return bad("MPI", fmt::format("a program does not link with the flags of {}: {}; {}", L.MpiWrapper, Why, Remedy));
  MpiFits = true;
  good("MPI", fmt::format("{} ({})", L.MpiWrapper, PILGRIM_MPI_FLAVOR));
}

void Doctor::runtime() {
  std::string Path = findRuntime();
  if (Path.empty())
    return bad("libpilgrim", describeMissingRuntime());
  if (!MpiFits)
    return note("libpilgrim", Path + ": not tried, since the MPI does not fit");
  Parts P;
  P.Runtime = Path;
  std::string Program = Work.file("traced");
  if (std::string Why = attempt(P, {Work.file("mpi.o"), "-o", Program}); !Why.empty())
    return bad("libpilgrim", fmt::format("a program does not link with {}: {}", Path, Why));
  auto E = readElf(Program);
  std::vector<std::string> Needed = E ? E->Needed : std::vector<std::string>();
  if (Needed.empty() || Needed[0] != "libpilgrim.so")
    return bad("libpilgrim", fmt::format("a program linked with {} does not load it first: set PILGRIM_LIBRARY to a "
                                         "libpilgrim.so of this installation",
                                         Path));
  good("libpilgrim", Path);
}

void Doctor::modules() {
  if (C.Kind != CompilerKind::Flang)
    return;
  std::string Dir = findModules();
  for (const char *Name : {"mpi", "mpi_f08"}) {
    std::string What = fmt::format("module {}", Name);
    std::error_code E;
    if (Dir.empty() || !fs::exists(Dir + "/" + Name + ".mod", E)) {
      note("modules", fmt::format("there is no module {} for flang: {}, or set PILGRIM_FC to the compiler that the MPI "
                                  "was built with",
                                  Name, Name[3] ? "use the module mpi" : "include mpif.h"));
      continue;
    }
    Parts P;
    P.Modules = Dir;
    std::string File = Work.file(fmt::format("use_{}.f90", Name),
                                 fmt::format("use {}\ncall MPI_Barrier(MPI_COMM_WORLD)\nend\n", Name));
    if (!Name[3])
      File = Work.file("use_mpi.f90", "use mpi\ninteger ierror\ncall MPI_Barrier(MPI_COMM_WORLD, ierror)\nend\n");
    if (std::string Why = attempt(P, {"-c", File, "-o", Work.file("use.o")}); !Why.empty())
      bad("modules", fmt::format("'use {}' does not compile: {}; build Pilgrim again with this flang", Name, Why));
    else
      good("modules", fmt::format("{}/{}.mod", Dir, Name));
  }
}

int Doctor::run() {
  if (Work.Path.empty()) {
    std::fprintf(stderr, "%s: --doctor: no directory for temporary files: set TMPDIR to one\n", L.Wrapper);
    return 1;
  }
  Source = Work.file(std::string("probe") + L.Suffix, L.Probe);
  if (auto Found = findCompiler(L); !Found) {
    bad("compiler", Found.error());
    return 1;
  } else {
    C = *Found;
  }
  if (!askVersion(C)) {
    bad("compiler", fmt::format("{} --version failed: set {} to a compiler", C.Command[0], L.Variable));
    return 1;
  }
  bool Given = C.Command[0] != L.Compiler;
  good("compiler", fmt::format("{} ({}{})", C.Command[0], C.Version, Given ? fmt::format(", {}", L.Variable) : ""));
  plugin();
  mpi();
  runtime();
  modules();
  if (const auto Off = isOff(); !Off)
    bad("environment", Off.error());
  else if (*Off)
    note("environment", "PILGRIM_WRAPPER=off");
  return Fits ? 0 : 1;
}

int runDoctor(const Language &L) { return Doctor(L).run(); }

} // namespace pilgrim
