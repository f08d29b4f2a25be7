//===- LoggedCall.cpp - the log of a call, for --verify -------------------===//
#include "pmpi/LoggedCall.h"
#include "pmpi/MpiLibraries.h"

#include <dlfcn.h>

namespace pilgrim {

/// Whether code belongs to an MPI library. The dynamic linker is asked each time.
static bool isMpis(const void *Code) {
  Dl_info Info;
  return dladdr(Code, &Info) && Info.dli_fname && isMpiLibrary(Info.dli_fname);
}

void LoggedCall::begin(CallPlace Place, uint32_t Function, bool IsBindingsOwn, Switch S) {
  ThreadState *T = CurrentThread ? CurrentThread : attachThread();
  if (!T || !T->Log)
    return;
  CallLog &Of = *T->Log;
  Of.Current = nullptr;
  if (IsBindingsOwn)
    return;
  Of.leaveUpTo(reinterpret_cast<uintptr_t>(Place.Frame));
  if (Of.isInside() && isMpis(Place.Return))
    return;
  Log = &Of;
  if (S == Switch::On || S == Switch::Off) {
    LoggedSwitch::begin();
    Asked = S;
  }
  if (S == Switch::On && !isMpis(Place.Return))
    LoggedSwitch::set(false);
  Epoch = LoggedSwitch::epoch();
  Copy = Of.enter<RawCopy>(Function, reinterpret_cast<uintptr_t>(Place.Frame));
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
