//===- LookupWrappers.cpp - MPI's functions, looked up by name ------------===//
//
// A program may open the MPI library and ask dlsym() for its functions, as Julia's MPI.jl and Python's ctypes do. What
// it finds that way is the MPI library's, whatever was preloaded. So dlsym is ours: where it finds a function of an MPI
// library that this library stands before, it gives that one.
//
// What RTLD_NEXT and RTLD_DEFAULT mean depends on who calls. So the caller's return address stays where it is: dlsym
// asks which function is to answer, and jumps there.
//
//===----------------------------------------------------------------------===//
#include "platform/LoadedModules.h"
#include "platform/Symbols.h"
#include "pmpi/Entries.h"
#include "pmpi/MpiLibraries.h"

#include <dlfcn.h>

namespace pilgrim {

/// Whether a name may be one of MPI's functions, in C or in Fortran. Who looks up PMPI's wants to pass by a tool.
static bool isMpiName(const char *Name) {
  return (Name[0] == 'M' && Name[1] == 'P' && Name[2] == 'I') || (Name[0] == 'm' && Name[1] == 'p' && Name[2] == 'i');
}

static void *lookUpMpi(void *Library, const char *Name) {
  void *Found = nextLookup()(Library, Name);
  ModulePlace Place;
  if (!Found || !moduleAt(Found, Place) || !(isMpiLibrary(Place.Path) || isFortranLibrary(Place.Path)))
    return Found;
  // As a program that is linked with MPI has it. It is no own function if another tool comes first. Not looked up with
  // a handle of this library: dlopen() would initialize it once more in a process that has finalized it to end.
  void *First = nextLookup()(RTLD_DEFAULT, Name);
  if (First && areInOneModule(First, EntryPoints))
    return First;
  dlerror(); // the program's lookup has succeeded
  return Found;
}

extern "C" __attribute__((visibility("hidden"), used)) SymbolLookup *pilgrimWhoLooksUp(void *Library, const char *Name);
SymbolLookup *pilgrimWhoLooksUp(void *Library, const char *Name) {
  return Library != RTLD_NEXT && Library != RTLD_DEFAULT && isMpiName(Name) ? lookUpMpi : nextLookup();
}

} // namespace pilgrim

#if defined(__x86_64__)
asm(R"(
  .pushsection .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  push %rdi
  .cfi_adjust_cfa_offset 8
  push %rsi
  .cfi_adjust_cfa_offset 8
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call pilgrimWhoLooksUp
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  pop %rsi
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size dlsym, .-dlsym
  .popsection
)");
#elif defined(__aarch64__)
asm(R"(
  .pushsection .text
  .globl dlsym
  .type dlsym, %function
dlsym:
  .cfi_startproc
  stp x29, x30, [sp, #-32]!
  .cfi_adjust_cfa_offset 32
  .cfi_rel_offset x30, 8
  stp x0, x1, [sp, #16]
  bl pilgrimWhoLooksUp
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  .cfi_adjust_cfa_offset -32
  .cfi_restore x30
  br x16
  .cfi_endproc
  .size dlsym, .-dlsym
  .popsection
)");
#endif
