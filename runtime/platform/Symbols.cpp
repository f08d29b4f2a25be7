//===- Symbols.cpp - functions of libraries that are loaded ---------------===//
#include "platform/Symbols.h"

#include <dlfcn.h>

namespace pilgrim {

void *symbolInLoaded(const char *Library, const char *Name) {
  void *Handle = dlopen(Library, RTLD_LAZY | RTLD_NOLOAD);
  if (!Handle)
    return nullptr;
  void *Symbol = dlsym(Handle, Name);
  dlclose(Handle); // only our reference to it: the process still has the library
  return Symbol;
}

} // namespace pilgrim
