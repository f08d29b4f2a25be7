//===- Unloading.cpp - code that goes -------------------------------------===//
//
// Where a module was, another one may be loaded. What is kept of addresses of code (names of places, tables for the way
// up a stack) is of no use then. The dynamic linker tells nobody, so dlclose is intercepted.
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
