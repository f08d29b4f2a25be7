//===- Symbols.cpp - functions of libraries that are loaded ---------------===//
#include "platform/Symbols.h"

#include <atomic>
#include <dlfcn.h>

namespace pilgrim {

SymbolLookup *nextLookup() {
  static constinit std::atomic<SymbolLookup *> Next = nullptr;
  SymbolLookup *Known = Next.load(std::memory_order_relaxed);
  if (!Known) {
    // By its first version: dlsym() itself cannot be asked.
#if defined(__x86_64__)
    static constexpr char Version[] = "GLIBC_2.2.5";
#else
    static constexpr char Version[] = "GLIBC_2.17";
#endif
    void *Symbol = dlvsym(RTLD_NEXT, "dlsym", Version);
    if (!Symbol) // the C library comes before us
      Symbol = dlvsym(RTLD_DEFAULT, "dlsym", Version);
    Known = reinterpret_cast<SymbolLookup *>(Symbol);
    Next.store(Known, std::memory_order_relaxed);
  }
  return Known;
}

void *symbolInLoaded(const char *Library, const char *Name) {
  void *Handle = dlopen(Library, RTLD_LAZY | RTLD_NOLOAD);
  if (!Handle)
    return nullptr;
  void *Symbol = nextLookup()(Handle, Name);
  dlclose(Handle); // only our reference to it: the process still has the library
  return Symbol;
}

} // namespace pilgrim
