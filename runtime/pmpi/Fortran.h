//===- Fortran.h - where Fortran programs call from --------------*- C++ -*-===//
//
// Fortran's MPI routines are bindings in a library of their own, which call the C functions. So the return address that
// a wrapper sees lies in that library. To know where the program called from, libpilgrim exports the bindings' symbols,
// too. Such an entry notes its own return address in a thread-local variable and jumps to the real binding. It does not
// look at arguments. The real binding is looked up at the first call, since a program may load its Fortran library
// late.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_FORTRAN_H
#define PILGRIM_PMPI_FORTRAN_H

#include "platform/CodeRanges.h"

#include <cstdint>

namespace pilgrim {

/// The place in the program that a call comes from: its return address; or, if that lies in a Fortran binding, the
/// place that the binding was called from, 0 if that is not known.
inline uint64_t programSite(const void *ReturnAddress);
/// Whether a call comes from the binding of another function. Some bindings ask MPI how long their arrays are.
bool isBindingsOwn(const void *ReturnAddress, uint32_t Function);

#if defined(__x86_64__)
/// Code of the libraries that hold bindings and were called: one or two.
extern constinit CodeRanges<4> BindingCode;
uint64_t siteBehindBinding(const void *ReturnAddress);
/// Whether an address lies in a library that holds bindings.
inline bool isInBinding(uintptr_t A) { return BindingCode.hold(A); }
inline bool hasBindings() { return !BindingCode.isEmpty(); }
inline uint64_t programSite(const void *ReturnAddress) {
  if (hasBindings())
    return siteBehindBinding(ReturnAddress);
  return reinterpret_cast<uintptr_t>(ReturnAddress);
}
using FortranTarget = void (*)();
/// What the entries note of a call. Outer: of the call before, as a binding may call another one.
struct FortranCall {
  const void *Site = nullptr, *OuterSite = nullptr;
  unsigned Symbol = 0; // offset 16
};
/// How a binding's symbol is made from a function's name: Prefix stands instead of "MPI", and Suffix behind the name.
struct FortranForm {
  char Prefix[6], Suffix[14];
};
constexpr unsigned NumFortranForms = 10;
extern const FortranForm FortranForms[NumFortranForms];
extern "C" {
/// The real bindings by the symbol's number: function's row (Functions.h) * NumFortranForms + form. Null until called.
__attribute__((visibility("hidden"))) extern FortranTarget __pilgrim_fortran_targets[];
__attribute__((visibility("hidden"),
               tls_model("initial-exec"))) extern constinit thread_local FortranCall __pilgrim_fortran_call;
}
#else
inline bool hasBindings() { return false; }
inline bool isInBinding(uintptr_t) { return false; }
inline uint64_t programSite(const void *ReturnAddress) { return reinterpret_cast<uintptr_t>(ReturnAddress); }
#endif

} // namespace pilgrim

// An entry may change rax, r10 and r11: they carry no argument, since no routine has variable arguments. Entries share
// their code, so that each is small.
#define PILGRIM_FORTRAN_ENTRY(Symbol, Index)                                                                           \
  asm(".pushsection .text\n.globl " Symbol "\n.type " Symbol ",@function\n.p2align 4\n" Symbol ":\n\tmovl $" Index     \
      ", %r11d\n\tjmp __pilgrim_fortran_entered\n.size " Symbol ",.-" Symbol "\n.popsection\n");

#endif
