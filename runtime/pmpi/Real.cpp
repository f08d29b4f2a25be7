//===- Real.cpp - finding the MPI library's own functions -----------------===//
#include "pmpi/Real.h"
#include "pmpi/Entries.h"
#include "pmpi/Functions.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace pilgrim {

RealFunctions Real;

static const char *const Libraries[] = {
    "libmpich.so.12",     "libmpi.so.12",       "libmpi.so.40",          "libmpi.so",
    "libmpichfort.so.12", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};

void *lookupNext(const char *Name) {
  if (void *P = dlsym(RTLD_NEXT, Name))
    return P;
  // A program that loads MPI itself may keep it out of the global scope.
  for (const char *L : Libraries)
    if (void *H = dlopen(L, RTLD_LAZY | RTLD_NOLOAD)) {
      void *P = dlsym(H, Name);
      dlclose(H);
      if (P)
        return P;
    }
  return nullptr;
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
  return true;
}

void switchEntries(bool Traced) {
  for (unsigned I = 0; I < NumEntries; ++I) {
    EntryPoint &E = EntryPoints[I];
    if (!E.NextPmpi)
      continue;
    // Other threads may be jumping through them: whole pointers, one by one.
    __atomic_store_n(&E.Mpi, Traced ? E.Traced : E.NextMpi, __ATOMIC_RELAXED);
    __atomic_store_n(&E.Pmpi, Traced ? E.Traced : E.NextPmpi, __ATOMIC_RELAXED);
  }
}

namespace {
struct Ranges {
  uintptr_t Begin[8] = {}, End[8] = {};
  std::atomic<unsigned> Count{0};
};
constinit Ranges MpiCode;
} // namespace

/// The C library of MPI: not its Fortran bindings, which call on behalf of the program. Inside another call, one that
/// would return to us was made by MPI as the last thing that it does in there.
static bool isMpiLibrary(const char *Path) {
  const char *Slash = std::strrchr(Path, '/');
  const char *Base = Slash ? Slash + 1 : Path;
  return std::strncmp(Base, "libmpich.so", 11) == 0 || std::strncmp(Base, "libmpi.so", 9) == 0 ||
         std::strncmp(Base, "libpmpi.so", 10) == 0 || std::strncmp(Base, "libopen-", 8) == 0 ||
         std::strncmp(Base, "libpilgrim.so", 13) == 0 || std::strncmp(Base, "libmca_", 7) == 0 ||
         std::strncmp(Base, "mca_", 4) == 0;
}

bool isInMpiLibrary(const void *Address) {
  uintptr_t A = reinterpret_cast<uintptr_t>(Address);
  unsigned N = MpiCode.Count.load(std::memory_order_acquire);
  for (unsigned I = 0; I < N; ++I)
    if (A - MpiCode.Begin[I] < MpiCode.End[I] - MpiCode.Begin[I])
      return true;
  // Rare: a nested call from a place that was not seen before. dladdr knows every module.
  Dl_info Info;
  if (!dladdr(Address, &Info) || !Info.dli_fname || !isMpiLibrary(Info.dli_fname))
    return false;
  struct Search {
    uintptr_t Address, Begin, End;
  } S{A, 0, 0};
  dl_iterate_phdr(
      [](dl_phdr_info *I, size_t, void *P) {
        auto *S = static_cast<Search *>(P);
        for (unsigned J = 0; J < I->dlpi_phnum; ++J) {
          const auto &Ph = I->dlpi_phdr[J];
          uintptr_t Begin = I->dlpi_addr + Ph.p_vaddr;
          if (Ph.p_type == PT_LOAD && S->Address - Begin < Ph.p_memsz) {
            S->Begin = Begin;
            S->End = Begin + Ph.p_memsz;
            return 1;
          }
        }
        return 0;
      },
      &S);
  if (S.End && N < 8) {
    MpiCode.Begin[N] = S.Begin;
    MpiCode.End[N] = S.End;
    MpiCode.Count.compare_exchange_strong(N, N + 1, std::memory_order_release);
  }
  return true;
}

} // namespace pilgrim
