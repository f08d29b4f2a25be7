//===- Untraced.cpp - calls of MPI that no tracer sees --------------------===//
#include "proxygen/replay/Untraced.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace pilgrim {

namespace {
struct Search {
  const char *Name;
  void *Found;
};
} // namespace

/// Preloaded libraries, tracers among them, come before the MPI library.
static int look(dl_phdr_info *Module, size_t, void *Context) {
  auto &S = *static_cast<Search *>(Context);
  void *Handle = *Module->dlpi_name ? ::dlopen(Module->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  if (!Handle)
    return 0;
  Dl_info Info;
  if (void *At = ::dlsym(Handle, S.Name);
      At && ::dladdr(At, &Info) && std::strcmp(Info.dli_fname, Module->dlpi_name) == 0)
    S.Found = At;
  ::dlclose(Handle);
  return 0;
}

void *lastLoaded(const char *Name, void *Linked) {
  Search S{Name, Linked};
  ::dl_iterate_phdr(look, &S);
  return S.Found;
}

} // namespace pilgrim
