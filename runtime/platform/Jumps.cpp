//===- Jumps.cpp - parts of the stack that are left -----------------------===//
//
// A longjmp ends calls and functions. Who wants to know of it is told while frames are still whole. So it is of calls
// that an exception leaves (Exceptions.cpp).
//
// A longjmp ends functions whose markers do not run any more. If setjmp was called in code without markers, nobody sets
// the innermost frame (__pilgrim_top) afterwards: it points to memory that is reused. So longjmp is intercepted. Frames
// below the target of the jump are dropped before the jump, while they are still whole.
//
//===----------------------------------------------------------------------===//
#include "platform/Jumps.h"

#include <csetjmp>
#include <cstdlib>
#include <dlfcn.h>

using namespace pilgrim;

namespace {
/// The stack pointer that a longjmp restores; 0 where it is not known how the C library keeps it.
uintptr_t targetStack(const __jmp_buf_tag *To) {
#if defined(__x86_64__) && defined(__GLIBC__)
  uintptr_t Mangled = static_cast<uintptr_t>(To->__jmpbuf[6]), Guard;
  asm("movq %%fs:0x30, %0" : "=r"(Guard));
  return (Mangled >> 17 | Mangled << 47) ^ Guard;
#else
  (void)To;
  return 0;
#endif
}

using Jump = void(__jmp_buf_tag *, int);

[[noreturn]] void jump(Jump *&Next, const char *Name, __jmp_buf_tag *To, int Value) {
  const uintptr_t Stack = targetStack(To);
  leaveBelow(Stack);
  dropFramesBelow(Stack);
  if (!Next)
    Next = reinterpret_cast<Jump *>(dlsym(RTLD_NEXT, Name));
  if (!Next)
    std::abort();
  Next(To, Value);
  __builtin_unreachable();
}
} // namespace

extern "C" {
#define PILGRIM_EXPORT __attribute__((visibility("default")))
#define PILGRIM_JUMP(Name)                                                                                             \
  PILGRIM_EXPORT __attribute__((noreturn)) void pilgrim_##Name(__jmp_buf_tag *To, int Value) __asm__(#Name);           \
  void pilgrim_##Name(__jmp_buf_tag *To, int Value) {                                                                  \
    static Jump *Next;                                                                                                 \
    jump(Next, #Name, To, Value);                                                                                      \
  }
PILGRIM_JUMP(longjmp)
PILGRIM_JUMP(_longjmp)
PILGRIM_JUMP(siglongjmp)
PILGRIM_JUMP(__longjmp_chk)
#if !defined(__x86_64__)
PILGRIM_EXPORT void __pilgrim_drop(void) { dropFramesBelow(reinterpret_cast<uintptr_t>(__builtin_frame_address(0))); }
#endif
}

#if defined(__x86_64__)
// Writes nothing on the stack: the frames may lie right below. So many are taken off that it ends whatever they are.
asm(R"(
  .pushsection .text
  .p2align 4
  .globl __pilgrim_drop
  .type __pilgrim_drop, @function
__pilgrim_drop:
  .cfi_startproc
  movq pilgrim_frame_stack@GOTTPOFF(%rip), %rax
  movq %fs:(%rax), %rcx
  movq %fs:8(%rax), %rdx
  subq %rcx, %rdx
  movq %rsp, %rsi
  subq %rcx, %rsi
  cmpq %rdx, %rsi
  jae 1f
  movq __pilgrim_top@GOTTPOFF(%rip), %rax
  movl $0x100000, %edi
0:
  movq %fs:(%rax), %rdx
  movq %rdx, %r8
  subq %rcx, %r8
  cmpq %rsi, %r8
  jae 1f
  movq (%rdx), %rdx
  movq %rdx, %fs:(%rax)
  decl %edi
  jne 0b
1:
  ret
  .cfi_endproc
  .size __pilgrim_drop, . - __pilgrim_drop
  .popsection
)");
#endif
