//===- LoggedCall.cpp - the log of a call, for --verify -------------------===//
#include "pmpi/LoggedCall.h"
#include "pmpi/MpiLibraries.h"

#include <cerrno>
#include <cstring>
#include <set>
#include <string>

namespace pilgrim {

namespace {
/// Where a call returns to. The dynamic linker's list is looked through each time.
struct ReturnPlace {
  std::string Path; ///< empty: no module's code
  int64_t Offset = 0;
  bool isMpis() const { return isMpiLibrary(Path.c_str()); }
  /// Behind a Fortran binding there is another site, which the copy does not know.
  bool isProgramsSite() const { return !Path.empty() && !isFortranLibrary(Path.c_str()); }
};
} // namespace

/// The program's name when this library was loaded; the program may change it.
static char StartedAs[4096];
__attribute__((constructor)) static void keepName() {
  std::strncpy(StartedAs, program_invocation_name, sizeof StartedAs - 1);
}

static ReturnPlace placeOf(const void *Code) {
  const CopiedModule M = CopiedModule::of(reinterpret_cast<uintptr_t>(Code));
  return {M.IsFound && !*M.Path ? StartedAs : M.Path, M.FromBegin};
}

/// A file's name without its folder, which lives for ever.
static const char *fileName(const std::string &Path) {
  VerifyLock L;
  static auto &Known = *new std::set<std::string>;
  return Known.insert(Path.substr(Path.rfind('/') + 1)).first->c_str();
}

void LoggedCall::begin(CallPlace Place, uint32_t Function, bool IsBindingsOwn, Switch S) {
  ThreadState *T = CurrentThread ? CurrentThread : attachThread();
  if (!T || !T->Log || LoggingState == Logging::Off)
    return;
  CallLog &Of = *T->Log;
  Of.Current = nullptr;
  if (IsBindingsOwn)
    return;
  Of.leaveUpTo(reinterpret_cast<uintptr_t>(Place.Frame));
  const ReturnPlace At = placeOf(Place.Return);
  if (Of.isInside() && At.isMpis())
    return;
  Log = &Of;
  if (S == Switch::On || S == Switch::Off) {
    LoggedSwitch::begin();
    Asked = S;
  }
  if (S == Switch::On && !At.isMpis())
    LoggedSwitch::set(false);
  Epoch = LoggedSwitch::epoch();
  Copy = Of.enter<RawCopy>(Function, reinterpret_cast<uintptr_t>(Place.Frame));
  if (At.isProgramsSite()) {
    Copy->SiteModule = fileName(At.Path);
    Copy->SiteOffset = At.Offset;
  }
  Of.Current = Copy;
  Of.IsEntering = true;
}

void LoggedCall::compareEpochs(bool IsTraced) {
  Log->IsEntering = false;
  const uint64_t Own = Asked != Switch::None; // this call's own switch is no doubt
  if ((Epoch % 2 != Own || Epoch != LoggedSwitch::epoch()) && Copy->Depth < CallLog::MaxDepth)
    Copy->IsTraced = IsTraced;
}

void LoggedCall::end() {
  Log->IsEntering = false;
  CallLog::returned(*Copy, 0);
  Log->close(*Copy);
  if (Asked == Switch::Off && Copy->Depth < CallLog::MaxDepth)
    LoggedSwitch::set(true);
  if (Asked != Switch::None)
    LoggedSwitch::end();
}

} // namespace pilgrim
