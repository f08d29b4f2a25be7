//===- Fortran.cpp - where Fortran programs call from ---------------------===//
#include "pmpi/Fortran.h"
#include "pmpi/Functions.h"
#include "pmpi/Real.h"
#include "pmpi/State.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace pilgrim {

#if defined(__x86_64__)

extern "C" {
constinit thread_local FortranCall __pilgrim_fortran_call;
}

namespace {
/// Code of the libraries that hold bindings: one or two.
struct Bindings {
  uintptr_t Begin[4] = {}, End[4] = {};
};
} // namespace
static constinit Bindings Known;
constinit std::atomic<unsigned> NumBindings{0};

bool isInBinding(uintptr_t A) {
  for (unsigned I = 0, N = NumBindings.load(std::memory_order_acquire); I < N; ++I)
    if (A - Known.Begin[I] < Known.End[I] - Known.Begin[I])
      return true;
  return false;
}

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

static void learnBinding(void *Code) {
  struct Search {
    uintptr_t Code, Begin = 0, End = 0;
  } S{reinterpret_cast<uintptr_t>(Code)};
  dl_iterate_phdr(
      [](dl_phdr_info *I, size_t, void *P) {
        auto *S = static_cast<Search *>(P);
        for (unsigned J = 0; J < I->dlpi_phnum; ++J) {
          uintptr_t Begin = I->dlpi_addr + I->dlpi_phdr[J].p_vaddr;
          if (I->dlpi_phdr[J].p_type == PT_LOAD && S->Code - Begin < I->dlpi_phdr[J].p_memsz) {
            S->Begin = Begin;
            S->End = Begin + I->dlpi_phdr[J].p_memsz;
            return 1;
          }
        }
        return 0;
      },
      &S);
  static std::atomic_flag Busy = ATOMIC_FLAG_INIT;
  while (Busy.test_and_set(std::memory_order_acquire)) {
  }
  unsigned N = NumBindings.load(std::memory_order_relaxed);
  if (S.End && N < 4 && !isInBinding(S.Code)) {
    Known.Begin[N] = S.Begin;
    Known.End[N] = S.End;
    NumBindings.store(N + 1, std::memory_order_release);
    RunKind Usual = RunKind::Usual;
    KindOfRun.compare_exchange_strong(Usual, RunKind::UsualWithMore);
  }
  Busy.clear(std::memory_order_release);
}

extern "C" __attribute__((visibility("hidden"), used)) void *__pilgrim_find_fortran(unsigned Index) {
  const FortranForm &Form = FortranForms[Index % NumFortranForms];
  char Symbol[96];
  std::snprintf(Symbol, sizeof Symbol, "%s%s%s", Form.Prefix,
                functionName(Index / NumFortranForms) + std::strlen("MPI"), Form.Suffix);
  for (char *C = Symbol; *C; ++C)
    *C = static_cast<char>(*C >= 'A' && *C <= 'Z' ? *C - 'A' + 'a' : *C);
  void *Code = lookupNext(Symbol);
  if (!Code) {
    // What the dynamic linker would have said without us.
    tell(-1, "symbol lookup error: undefined symbol: %s", Symbol);
    std::_Exit(127);
  }
  // A program may have MPI linked into itself; then its own code is no binding.
  Dl_info Info;
  if (dladdr(Code, &Info) && Info.dli_fbase != nullptr)
    learnBinding(Code);
  // Those of mpi_f08 may go through those of mpif.h, in another library.
  if (void *Plain = lookupNext("mpi_init_"))
    learnBinding(Plain);
  __atomic_store_n(&__pilgrim_fortran_targets[Index], reinterpret_cast<FortranTarget>(Code), __ATOMIC_RELEASE);
  return Code;
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
1:	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %r8
	pushq %r9
	subq $8, %rsp
	movl %r11d, %edi
	call __pilgrim_find_fortran
	addq $8, %rsp
	popq %r9
	popq %r8
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
	jmp *%rax
.size __pilgrim_fortran_entered,.-__pilgrim_fortran_entered
.popsection
)");

#else

bool isBindingsOwn(const void *, uint32_t) { return false; }

#endif

} // namespace pilgrim
