//===- Preload.cpp - whether a program can be traced ----------------------===//
#include "driver/Preload.h"
#include "driver/Elf.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace pilgrim {

static std::string realPath(const std::string &Path) {
  char *Real = ::realpath(Path.c_str(), nullptr);
  std::string S = Real ? Real : "";
  std::free(Real);
  return S;
}

std::string findRuntime() {
  if (const char *Variable = std::getenv("PILGRIM_LIBRARY"); Variable && *Variable)
    return realPath(Variable);
  std::string Self = realPath("/proc/self/exe");
  size_t Slash = Self.rfind('/');
  if (Slash == std::string::npos)
    return "";
  std::string Bin = Self.substr(0, Slash);
  for (const char *Dir : {PILGRIM_LIBRARY_DIR, "../lib", "../lib64"})
    if (std::string Path = realPath(Bin + "/" + Dir + "/libpilgrim.so"); !Path.empty())
      return Path;
  return "";
}

namespace {
enum class Flavor { None, Unknown, Mpich, OpenMpi };

/// Which MPI's a library is, by its name.
Flavor flavorOf(const std::string &Name) {
  auto Starts = [&](const char *Prefix) { return Name.starts_with(Prefix); };
  if (Starts("libopen-rte.") || Starts("libopen-pal.") || Starts("libmpi_mpifh") || Starts("libmpi_usempi") ||
      Starts("libmpi_cxx."))
    return Flavor::OpenMpi;
  if (Starts("libmpich") || Starts("libmpl.") || Starts("libmpi_cray") || Starts("libmpi_gnu") ||
      Starts("libmpicxx.") || Starts("libmpifort."))
    return Flavor::Mpich;
  if (!Starts("libmpi."))
    return Starts("libmpi_") ? Flavor::Unknown : Flavor::None;
  // The common ABI of MPICH and its derivatives is version 12; Open MPI has had
  // 20 and 40 since. (1.10 had 12, too: then libopen-pal tells.)
  if (Starts("libmpi.so.12"))
    return Flavor::Mpich;
  if (Starts("libmpi.so.20") || Starts("libmpi.so.40"))
    return Flavor::OpenMpi;
  return Flavor::Unknown;
}

const char *nameOf(Flavor F) { return F == Flavor::OpenMpi ? "Open MPI" : F == Flavor::Mpich ? "MPICH" : ""; }

Flavor ourFlavor() {
  std::string Ours = PILGRIM_MPI_FLAVOR;
  return Ours == "mpich" ? Flavor::Mpich : Ours == "openmpi" ? Flavor::OpenMpi : Flavor::Unknown;
}

std::string findOtherMpi(const std::vector<std::string> &Libraries) {
  Flavor Theirs = Flavor::None;
  std::string By;
  for (const std::string &Name : Libraries) {
    Flavor F = flavorOf(Name.substr(Name.rfind('/') + 1));
    bool Surer = Name.find("libopen-") != std::string::npos;
    if (F == Flavor::None || F == Flavor::Unknown || (Theirs != Flavor::None && !Surer))
      continue;
    Theirs = F;
    By = Name;
  }
  Flavor Ours = ourFlavor();
  if (Theirs == Flavor::None || Ours == Flavor::Unknown || Theirs == Ours)
    return "";
  return "needs " + By + ", which is " + nameOf(Theirs) + ", but this Pilgrim was built for " + nameOf(Ours);
}
} // namespace

std::string findObstacle(const std::string &Program) {
  auto E = readElf(Program);
  if (!E)
    return ""; // a script: whatever it starts is looked at by the runtime
  if (!E->HasInterpreter)
    return "is linked statically, so nothing can be preloaded";
  auto Self = readElf("/proc/self/exe");
  if (Self && (Self->Is64 != E->Is64 || Self->Machine != E->Machine))
    return "is for another machine than libpilgrim";
  struct stat S;
  if (::stat(Program.c_str(), &S) == 0 &&
      (((S.st_mode & S_ISUID) && S.st_uid != ::geteuid()) || ((S.st_mode & S_ISGID) && S.st_gid != ::getegid())))
    return "runs with other rights (setuid), so nothing can be preloaded";
  return findOtherMpi(findNeeded(Program, *E).Names);
}

std::string findAsan(const std::string &Program) {
  auto E = readElf(Program);
  for (const std::string &Name : E ? E->Needed : std::vector<std::string>())
    if (Name.starts_with("libasan.") || Name.starts_with("libclang_rt.asan"))
      return Name;
  return "";
}

std::string preloadList(const std::string &Library, const std::string &Before) {
  std::string First, Rest;
  for (size_t At = 0; At < Before.size();) {
    size_t End = std::min(Before.find_first_of(": ", At), Before.size());
    std::string Item = Before.substr(At, End - At);
    At = End + 1;
    if (Item.empty() || Item == Library)
      continue;
    std::string Name = Item.substr(Item.rfind('/') + 1);
    if (Name.starts_with("libasan.") || Name.starts_with("libtsan.") || Name.starts_with("libclang_rt."))
      First += Item + ":";
    else
      Rest += ":" + Item;
  }
  return First + Library + Rest;
}

} // namespace pilgrim
