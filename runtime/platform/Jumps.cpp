//===- Jumps.cpp - frames that are jumped over ----------------------------===//
//
// A longjmp ends functions whose markers do not run any more. If setjmp was called in code without markers, nobody sets
// the innermost frame (__pilgrim_top) afterwards: it points to memory that is reused. So longjmp is intercepted. Frames
// below the target of the jump are dropped before the jump, while they are still whole.
//
//===----------------------------------------------------------------------===//
#include "api/Markers.h"

#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>

namespace {
/// Drops frames below Stack.
void dropFramesBelow(uintptr_t Stack) {
  PilgrimFrame *Top = __pilgrim_top;
  if (!Top || reinterpret_cast<uintptr_t>(Top) >= Stack) [[likely]]
    return;
  do
    Top = Top->Parent;
  while (Top && reinterpret_cast<uintptr_t>(Top) < Stack);
  __pilgrim_top = Top;
}

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
  dropFramesBelow(targetStack(To));
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
}
