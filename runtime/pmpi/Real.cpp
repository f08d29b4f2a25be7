//===- Real.cpp - finding the MPI library's own functions -----------------===//
#include "pmpi/Real.h"
#include "platform/CodeRanges.h"
#include "platform/LoadedModules.h"
#include "platform/Tell.h"
#include "pmpi/Entries.h"
#include "pmpi/FortranDetours.h"
#include "pmpi/Functions.h"
#include "pmpi/MpiLibraries.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <span>

namespace pilgrim {

RealFunctions Real;

void *lookupNext(const char *Name) {
  if (void *P = dlsym(RTLD_NEXT, Name))
    return P;
  // A program that loads MPI itself may keep it out of the global scope.
  return symbolInMpiLibraries(Name);
}

bool resolveRealFunctions(RealLookup Lookup) {
  if (!Lookup("PMPI_Init"))
    return false;
#define PILGRIM_RESOLVE(Function) Real.Function = reinterpret_cast<decltype(Real.Function)>(Lookup("P" #Function));
  PILGRIM_REAL_FUNCTIONS(PILGRIM_RESOLVE)
#undef PILGRIM_RESOLVE
#define PILGRIM_RESOLVE(Variable)                                                                                      \
  if (!pilgrimAt_##Variable)                                                                                           \
    pilgrimAt_##Variable = static_cast<decltype(pilgrimAt_##Variable)>(Lookup(#Variable));
  PILGRIM_VARIABLES(PILGRIM_RESOLVE)
#undef PILGRIM_RESOLVE
  for (unsigned I = 0; I < NumEntries; ++I) {
    EntryPoint &E = EntryPoints[I];
    char Name[96] = "P";
    std::strncat(Name, functionName(I), sizeof Name - 2);
    E.NextPmpi = reinterpret_cast<EntryTarget>(Lookup(Name));
    E.NextMpi = reinterpret_cast<EntryTarget>(Lookup(Name + 1));
    if (!E.NextMpi)
      E.NextMpi = E.NextPmpi;
  }
  detourBindings();
  return true;
}

static void hasNoMpi() {
  tell(TellLevel::Error, "the program calls MPI, but no MPI library is loaded: link it with pilgrim-cc, or with MPI "
                         "behind -lpilgrim after -Wl,--no-as-needed");
  std::_Exit(127);
}

static int isNot(int *Flag) {
  *Flag = 0;
  return MPI_SUCCESS;
}

void standInForMpi() {
  for (auto Ask : {&Real.MPI_Initialized, &Real.MPI_Finalized})
    if (!*Ask)
      *Ask = isNot;
  // Another thread may have found MPI meanwhile.
#define PILGRIM_STAND_IN(Function)                                                                                     \
  if (!Real.Function)                                                                                                  \
    Real.Function = reinterpret_cast<decltype(Real.Function)>(reinterpret_cast<void *>(hasNoMpi));
  PILGRIM_REAL_FUNCTIONS(PILGRIM_STAND_IN)
#undef PILGRIM_STAND_IN
}

/// Other threads may be jumping through them: whole pointers, one by one.
static void redirect(EntryPoint &E, EntryTarget Mpi, EntryTarget Pmpi) {
  if (!E.NextPmpi)
    return;
  __atomic_store_n(&E.Mpi, Mpi, __ATOMIC_RELAXED);
  __atomic_store_n(&E.Pmpi, Pmpi, __ATOMIC_RELAXED);
}

void useUntimedWrappers() {
  for (EntryPoint &E : std::span(EntryPoints, NumEntries))
    redirect(E, E.Untimed, E.Untimed);
}

void bypassWrappers() {
  for (EntryPoint &E : std::span(EntryPoints, NumEntries))
    redirect(E, E.NextMpi, E.NextPmpi);
}

/// Code of MPI's C libraries that nested calls came from.
static constinit CodeRanges<8> MpiCode;

bool isInMpiLibrary(const void *Address) {
  // Inside another call, a call that would return to the Fortran bindings is the program's. One that would return to
  // libpilgrim was made by MPI as the last thing that it does in there: it counts as MPI's.
  if (MpiCode.hold(reinterpret_cast<uintptr_t>(Address)))
    return true;
  // Rare: a nested call from a place that was not seen before.
  ModulePlace Place;
  if (!moduleAt(Address, Place) || !isMpiLibrary(Place.Path))
    return false;
  MpiCode.add(Place.Segment);
  return true;
}

} // namespace pilgrim
