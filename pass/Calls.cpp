//===- Calls.cpp - What a call may lead to --------------------------------===//
#include "pass/Calls.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace pilgrim {

namespace {

const char *const MpiNames[] = {
#include "MpiNames.inc"
};

// Parts of the C library, POSIX and compilers' runtimes that LLVM's own list of library functions lacks.
const char *const HarmlessNames[] = {
#define PILGRIM_HARMLESS(Name) #Name,
#include "pass/Harmless.def"
};

const char *const HarmlessPrefixes[] = {
    "llvm.",   "__cxa_",     "__gxx_",       "_Unwind_",    "__kmpc_",       "omp_",           "ompx_",
    "GOMP_",   "kmp_",       "_Fortran",     "_gfortran_",  "__isoc",        "__asan_",        "__tsan_",
    "__msan_", "__ubsan_",   "__sanitizer_", "__hwasan_",   "pthread_",      "sem_",           "__libc_",
    "__errno", "__ctype_",   "__builtin_",   "__stack_chk", "__llvm_",       "__gcov_",        "__atomic_",
    "__sync_", "__emutls",   "__tls_",       "__muldc",     "__mulsc",       "__divdc",        "__divsc",
    "_ZGV",    "__pilgrim_", "f90",          "__gnu_",      "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZN10__cxxabiv1",
    "nccl",    "cuda",       "hip"};

/// With large counts it is another function in C.
std::string withoutSuffixes(StringRef Name) {
  Name = Name.rtrim('_');
  const bool IsLarge = Name.consume_back("_large");
  for (StringRef Suffix : {"_f08ts", "_f08", "_cptr", "_fts"})
    if (Name.consume_back(Suffix))
      break;
  return Name.str() + (IsLarge ? "_c" : "");
}

} // namespace

Calls::Calls(const TargetLibraryInfo &Library) : Library(Library) {
  for (const char *Name : MpiNames)
    Mpi.insert(Name);
}

Function *Calls::callee(const CallBase &Call) {
  return dyn_cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
}

/// Without MPI_, in lower case, in whatever language it is called; empty: of no function of MPI's.
static std::string mpiName(StringRef Name) {
  if (Name.starts_with("MPI_") || Name.starts_with("PMPI_")) {
    Name.consume_front("P");
    Name.consume_front("MPI_");
    if (Name.contains("_c2f") || Name.contains("_f2c") || Name.contains("f08"))
      return {};
    return StringRef(Name.lower()).rtrim('_').str(); // some compilers for Fortran make capitals
  }
  // A specific procedure of the module, where it is not bound to a name of its own.
  bool InModule = Name.consume_front("_QMmpi_f08P") || Name.consume_front("_QMmpiP") ||
                  Name.consume_front("_QMpmpi_f08P") || Name.consume_front("_QMpmpiP");
  if (!InModule && !Name.ends_with("_"))
    return {};
  const bool IsProfiling = Name.consume_front("p");
  return Name.consume_front("mpi_") || (IsProfiling && Name.consume_front("mpir_")) ? withoutSuffixes(Name)
                                                                                    : std::string();
}

/// The end of the program is no part of its structure: nothing comes behind it, and loops that do nothing else would
/// be loops with events.
static const char *const Abort = "abort";

bool Calls::isMpi(StringRef Name) const {
  std::string Mpi = mpiName(Name);
  return Mpi != Abort && this->Mpi.contains(Mpi);
}

bool Calls::isStandardCxx(StringRef Name) {
  // Also streams, strings and allocators, which have short names: _ZNSo is a function of std::ostream.
  for (StringRef Prefix :
       {"_ZNSt", "_ZNKSt", "_ZSt", "_ZTv0_n24_NSt", "_ZNVSt", "_ZNOSt", "_ZNRSt", "_ZNSo", "_ZNKSo", "_ZNSi", "_ZNKSi",
        "_ZNSd", "_ZNKSd", "_ZNSs", "_ZNKSs", "_ZNSa", "_ZNKSa", "_ZNSb", "_ZNKSb"})
    if (Name.starts_with(Prefix))
      return true;
  return false;
}

bool Calls::isHarmless(const Function &Function) const {
  StringRef Name = Function.getName();
  if (Function.isIntrinsic() || Function.onlyReadsMemory())
    return true;
  if (Name.starts_with("MPI_") || Name.starts_with("PMPI_") || mpiName(Name) == Abort)
    return !isMpi(Name); // what is not traced of MPI does not call what is
  LibFunc Known;
  if (Library.getLibFunc(Name, Known) || isStandardCxx(Name))
    return true;
  // operator new and delete, of any kind.
  if (Name.starts_with("_Znw") || Name.starts_with("_Zna") || Name.starts_with("_Zdl") || Name.starts_with("_Zda"))
    return true;
  for (StringRef Prefix : HarmlessPrefixes)
    if (Name.starts_with(Prefix))
      return true;
  static const StringSet<> *Names = [] {
    auto *Set = new StringSet<>;
    for (const char *Harmless : HarmlessNames)
      Set->insert(Harmless);
    return Set;
  }();
  return Names->contains(Name);
}

} // namespace pilgrim
