//===- Fortran.cpp - where Fortran programs call from ---------------------===//
#include "pmpi/Fortran.h"
#include "platform/LoadedModules.h"
#include "pmpi/FortranDetours.h"
#include "pmpi/Functions.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pilgrim {

#if defined(__x86_64__)

extern "C" {
constinit thread_local FortranCall __pilgrim_fortran_call;
}

constinit CodeRanges<4> BindingCode;

uint64_t siteBehindBinding(const void *ReturnAddress) {
  uintptr_t A = reinterpret_cast<uintptr_t>(ReturnAddress);
  if (!isInBinding(A))
    return A;
  for (const void *Site : {__pilgrim_fortran_call.Site, __pilgrim_fortran_call.OuterSite})
    if (!isInBinding(reinterpret_cast<uintptr_t>(Site)))
      return reinterpret_cast<uintptr_t>(Site);
  return 0;
}

bool isBindingsOwn(const void *ReturnAddress, uint32_t Function) {
  return isInBinding(reinterpret_cast<uintptr_t>(ReturnAddress)) &&
         FunctionRows[__pilgrim_fortran_call.Symbol / NumFortranForms].Id != Function;
}

/// Remembers the library that holds a binding.
static void learnBinding(const void *Code) {
  ModulePlace Place;
  if (!moduleAt(Code, Place) || !BindingCode.add(Place.Segment))
    return;
  WrapperForm Usual = WrapperForm::Usual;
  ActiveForm.compare_exchange_strong(Usual, WrapperForm::UsualAfterPrologue);
}

static FortranTarget findBinding(unsigned Index) {
  const FortranForm &Form = FortranForms[Index % NumFortranForms];
  char Symbol[96];
  std::snprintf(Symbol, sizeof Symbol, "%s%s%s", Form.Prefix,
                functionName(Index / NumFortranForms) + std::strlen("MPI"), Form.Suffix);
  for (char *C = Symbol; *C; ++C)
    *C = static_cast<char>(*C >= 'A' && *C <= 'Z' ? *C - 'A' + 'a' : *C);
  void *Code = lookupNext(Symbol);
  if (!Code) {
    // The dynamic linker would have said this without us.
    tell(TellLevel::Error, "symbol lookup error: undefined symbol: %s", Symbol);
    std::_Exit(127);
  }
  learnBinding(Code);
  // Those of mpi_f08 may go through those of mpif.h, in another library.
  if (void *Plain = lookupNext("mpi_init_"))
    learnBinding(Plain);
  return reinterpret_cast<FortranTarget>(Code);
}

/// Where a call goes that is not known to go straight to its binding.
extern "C" __attribute__((visibility("hidden"), used)) FortranTarget __pilgrim_fortran_target(unsigned Index,
                                                                                              uintptr_t *Arguments) {
  FortranTarget To = detour(Index, Arguments, findBinding);
  if (!To)
    __atomic_store_n(&__pilgrim_fortran_targets[Index], To = findBinding(Index), __ATOMIC_RELEASE);
  return To;
}

// Entries come here with the symbol's number in r11.
asm(R"(
.pushsection .text
.globl __pilgrim_fortran_entered
.hidden __pilgrim_fortran_entered
.type __pilgrim_fortran_entered,@function
.p2align 4
__pilgrim_fortran_entered:
	movq __pilgrim_fortran_call@gottpoff(%rip), %r10
	movl %r11d, %fs:16(%r10)
	movq %fs:(%r10), %rax
	movq %rax, %fs:8(%r10)
	movq (%rsp), %rax
	movq %rax, %fs:(%r10)
	leaq __pilgrim_fortran_targets(%rip), %rax
	movq (%rax,%r11,8), %rax
	testq %rax, %rax
	je 1f
	jmp *%rax
1:	pushq %r9
	pushq %r8
	pushq %rcx
	pushq %rdx
	pushq %rsi
	pushq %rdi
	movq %rsp, %rsi
	movl %r11d, %edi
	subq $8, %rsp
	call __pilgrim_fortran_target
	addq $8, %rsp
	popq %rdi
	popq %rsi
	popq %rdx
	popq %rcx
	popq %r8
	popq %r9
	jmp *%rax
.size __pilgrim_fortran_entered,.-__pilgrim_fortran_entered
.popsection
)");

#else

bool isBindingsOwn(const void *, uint32_t) { return false; }

#endif

} // namespace pilgrim
