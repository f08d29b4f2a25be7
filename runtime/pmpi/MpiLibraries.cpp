//===- MpiLibraries.cpp - the names of MPI's libraries --------------------===//
#include "pmpi/MpiLibraries.h"
#include "platform/LoadedModules.h"
#include "platform/Symbols.h"

#include <string_view>

namespace pilgrim {

// File names begin like this. The full names, with versions, are what a program that loads MPI late may have loaded.
static constexpr std::string_view WholeLibraries[] = {"libmpich.so", "libmpi.so", "libpmpi.so"};
static constexpr std::string_view PartLibraries[] = {"libopen-", "libpilgrim.so", "libmca_", "mca_"};
static constexpr std::string_view TransportLibraries[] = {"libucs.so",    "libucp.so", "libuct.so", "libucm.so",
                                                          "libfabric.so", "libpsm",    "libopen-"};
static constexpr const char *CSonames[] = {"libmpich.so.12", "libmpi.so.12", "libmpi.so.40", "libmpi.so"};
static constexpr std::string_view FortranLibraries[] = {"libmpichfort", "libmpi_mpifh", "libmpi_usempi", "libmpifort",
                                                        "libpilgrim-f08"};
static constexpr std::string_view CxxLibraries[] = {"libmpichcxx", "libmpicxx", "libmpi_cxx"};
static constexpr const char *FortranSonames[] = {"libmpichfort.so.12", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};

template <size_t N> static bool beginsLikeOneOf(const std::string_view (&Names)[N], const char *Path) {
  const std::string_view File = baseName(Path);
  for (std::string_view Name : Names)
    if (File.starts_with(Name))
      return true;
  return false;
}

bool isWholeMpi(const char *Path) { return beginsLikeOneOf(WholeLibraries, Path); }

bool isMpiLibrary(const char *Path) { return isWholeMpi(Path) || beginsLikeOneOf(PartLibraries, Path); }

bool isCxxLibrary(const char *Path) { return beginsLikeOneOf(CxxLibraries, Path); }

bool isTransportLibrary(const char *Path) { return isMpiLibrary(Path) || beginsLikeOneOf(TransportLibraries, Path); }

bool isFortranLibrary(const char *Path) { return beginsLikeOneOf(FortranLibraries, Path); }

void *symbolInMpiLibraries(const char *Name) {
  for (const char *Library : CSonames)
    if (void *Symbol = symbolInLoaded(Library, Name))
      return Symbol;
  for (const char *Library : FortranSonames)
    if (void *Symbol = symbolInLoaded(Library, Name))
      return Symbol;
  return nullptr;
}

} // namespace pilgrim
