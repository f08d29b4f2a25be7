//===- Jumps.cpp - parts of the stack that are left -----------------------===//
//
// A longjmp or an exception ends calls and functions. Who wants to know of it is told while frames are still whole.
//
// A longjmp ends functions whose markers do not run any more. If setjmp was called in code without markers, nobody sets
// the innermost frame (__pilgrim_top) afterwards: it points to memory that is reused. So longjmp is intercepted. Frames
// below the target of the jump are dropped before the jump, while they are still whole.
//
//===----------------------------------------------------------------------===//
#include "platform/Jumps.h"
#include "api/Markers.h"

#include <atomic>
#include <csetjmp>
#include <cstdlib>
#include <dlfcn.h>

namespace pilgrim {
static constinit std::atomic<LeaveHook *> Hook = nullptr;
void setLeaveHook(LeaveHook *New) { Hook = New; }

static void leave(uintptr_t Stack) {
  if (LeaveHook *Call = Hook.load(std::memory_order_relaxed))
    Call(Stack);
}

void dropFramesBelow(uintptr_t Stack) {
  PilgrimFrame *Top = __pilgrim_top;
  if (!Top || reinterpret_cast<uintptr_t>(Top) >= Stack) [[likely]]
    return;
  do
    Top = Top->Parent;
  while (Top && reinterpret_cast<uintptr_t>(Top) < Stack);
  __pilgrim_top = Top;
}
} // namespace pilgrim

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
  leave(Stack);
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
/// The C++ library's: an exception has been caught, by the function that calls this. Its version is that of the
/// library, a hidden one: the linker must not take it for the library's, which is in libpilgrim as well.
PILGRIM_EXPORT void *pilgrim_begin_catch(void *Exception) {
  using Catch = void *(void *);
  static Catch *Next = reinterpret_cast<Catch *>(dlsym(RTLD_NEXT, "__cxa_begin_catch"));
  leave(reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa()));
  return Next ? Next(Exception) : Exception;
}
__asm__(".symver pilgrim_begin_catch,__cxa_begin_catch@CXXABI_1.3,remove");
PILGRIM_JUMP(longjmp)
PILGRIM_JUMP(_longjmp)
PILGRIM_JUMP(siglongjmp)
PILGRIM_JUMP(__longjmp_chk)
}
