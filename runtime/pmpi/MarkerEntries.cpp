//===- MarkerEntries.cpp - the parts of markers that are not inline -------===//
//
// Markers call these functions, because a call is shorter than their code. The functions keep all registers but one, so
// that the code around a call does not have to save any. They write to the frame. They go on to __pilgrim_visit and
// __pilgrim_leave only if a traced call was made. Only clang compiles such functions, so they are written in assembly.
//
//===----------------------------------------------------------------------===//
#include "api/Markers.h"

#include <stddef.h>

static_assert(offsetof(PilgrimFrame, Parent) == 0 && offsetof(PilgrimFrame, Region) == 8 &&
              offsetof(PilgrimFrame, Node) == 16 && offsetof(PilgrimFrame, Sum) == 24 &&
              offsetof(PilgrimFrame, Event) == 32 && offsetof(PilgrimFrame, Touched) == 36 &&
              sizeof(PilgrimFrame) == 40 && sizeof(PilgrimRegion) == 8);

#if defined(__x86_64__)

// r11 may be changed, and what may hold floating-point numbers.
asm(R"(
  .macro PILGRIM_ENTRY Name
  .pushsection .text
  .p2align 4
  .globl \Name
  .type \Name, @function
\Name:
  .cfi_startproc
  .endm

  .macro PILGRIM_END Name
  .cfi_endproc
  .size \Name, . - \Name
  .popsection
  .endm

  .macro PILGRIM_PUSH Registers:vararg
  .irp Register, \Registers
  pushq %\Register
  .cfi_adjust_cfa_offset 8
  .endr
  .endm

  .macro PILGRIM_POP Registers:vararg
  .irp Register, \Registers
  popq %\Register
  .cfi_adjust_cfa_offset -8
  .endr
  .endm

  # An odd number of registers beside the frame and the return address keeps the stack aligned.
  .macro PILGRIM_CALL Name
  PILGRIM_PUSH rax, rcx, rdx, rsi, rdi, r8, r9, r10, rdi
  call \Name@PLT
  PILGRIM_POP rdi, r10, r9, r8, rdi, rsi, rdx, rcx, rax
  .endm

  # The innermost frame from now on, with nothing in it yet.
  .macro PILGRIM_BEGIN
  movq __pilgrim_top@GOTTPOFF(%rip), %r11
  movq %rdi, %fs:(%r11)
  movq $0, 16(%rdi)
  movq $0, 24(%rdi)
  movq $0, 32(%rdi)
  ret
  .endm

  PILGRIM_ENTRY __pilgrim_enter
  movq %rsi, 8(%rdi)
  movq __pilgrim_top@GOTTPOFF(%rip), %r11
  movq %fs:(%r11), %r11
  movq %r11, (%rdi)
  PILGRIM_BEGIN
  PILGRIM_END __pilgrim_enter

  PILGRIM_ENTRY __pilgrim_enter_loop
  movzwl %si, %r11d
  movl %r11d, 40+32(%rdi)
  leaq 40(%rdi), %r11
  movq %r11, (%rdi)
  movl %esi, %r11d
  shrl $16, %r11d
  shll $3, %r11d
  addq 40+8(%rdi), %r11
  movq %r11, 8(%rdi)
  PILGRIM_BEGIN
  PILGRIM_END __pilgrim_enter_loop

  PILGRIM_ENTRY __pilgrim_next
  cmpl $0, 36(%rdi)
  jne 1f
0:
  movq $0, 24(%rdi)
  movl $0, 32(%rdi)
  ret
1:
  PILGRIM_CALL __pilgrim_visit
  jmp 0b
  PILGRIM_END __pilgrim_next

  PILGRIM_ENTRY __pilgrim_exit
  cmpq $0, 16(%rdi)
  jne 1f
0:
  movq __pilgrim_top@GOTTPOFF(%rip), %r11
  pushq (%rdi)
  .cfi_adjust_cfa_offset 8
  popq %fs:(%r11)
  .cfi_adjust_cfa_offset -8
  ret
1:
  PILGRIM_CALL __pilgrim_leave
  jmp 0b
  PILGRIM_END __pilgrim_exit

  .purgem PILGRIM_ENTRY
  .purgem PILGRIM_END
  .purgem PILGRIM_PUSH
  .purgem PILGRIM_POP
  .purgem PILGRIM_CALL
  .purgem PILGRIM_BEGIN
)");

#else

extern "C" {
#define PILGRIM_EXPORT __attribute__((visibility("default")))

PILGRIM_EXPORT void __pilgrim_enter(PilgrimFrame *Frame, const PilgrimRegion *Region) {
  *Frame = {__pilgrim_top, Region, nullptr, 0, 0, 0};
  __pilgrim_top = Frame;
}

PILGRIM_EXPORT void __pilgrim_enter_loop(PilgrimFrame *Frame, uint32_t Which) {
  Frame[1].Event = Which & 0xffff;
  *Frame = {Frame + 1, Frame[1].Region + (Which >> 16), nullptr, 0, 0, 0};
  __pilgrim_top = Frame;
}

PILGRIM_EXPORT void __pilgrim_next(PilgrimFrame *Frame) {
  if (Frame->Touched)
    __pilgrim_visit(Frame);
  Frame->Sum = 0;
  Frame->Event = 0;
}

PILGRIM_EXPORT void __pilgrim_exit(PilgrimFrame *Frame) {
  if (Frame->Node)
    __pilgrim_leave(Frame);
  __pilgrim_top = Frame->Parent;
}
}

#endif
