//===- Unloading.cpp - code that goes -------------------------------------===//
//
// After a module is unloaded, another one may be loaded at its addresses. What was kept about addresses of code is
// wrong then: names of call sites, rows of unwind tables. The dynamic linker does not tell, so dlclose is intercepted.
//
//===----------------------------------------------------------------------===//
#include "platform/LoadedModules.h"

#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) int pilgrim_dlclose(void *Module) __asm__("dlclose");
int pilgrim_dlclose(void *Module) {
  static int (*Next)(void *);
  if (!Next)
    Next = reinterpret_cast<int (*)(void *)>(dlsym(RTLD_NEXT, "dlclose"));
  if (!Next)
    return -1;
  const int Result = Next(Module);
  pilgrim::lookForUnloads();
  return Result;
}
