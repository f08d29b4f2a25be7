//===- Unwind.h - the way up a thread's stack --------------------*- C++ -*-===//
//
// Frame pointers cannot be relied on, and libgcc's unwinder decodes a function's table anew at each frame, which takes
// longer than most MPI calls. So what a table says of a return address is kept: where the caller's frame begins and
// where its frame pointer was put. That is all there is to say nearly everywhere; where it is not, the walk is left to
// libgcc. So it is on other machines than x86-64.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PLATFORM_UNWIND_H
#define PILGRIM_PLATFORM_UNWIND_H

#include "platform/FrameTable.h"

#include <vector>

namespace pilgrim {

/// Takes the frames of a stack, innermost first.
class FrameSink {
public:
  /// A return address, and the stack pointer after the return; IsOurs: what Unwinder's predicate says. False: that is
  /// enough.
  virtual bool take(uintptr_t Return, uintptr_t Stack, bool IsOurs) = 0;
  /// The walk begins again.
  virtual void restart() = 0;

protected:
  ~FrameSink() = default;
};

class Unwinder {
public:
  /// Whether code is the tracer's, the MPI library's, or a Fortran binding.
  using Predicate = bool (*)(uintptr_t Code);
  /// The stack has no frames from StackEnd on.
  Unwinder(uintptr_t StackEnd, Predicate IsOurs);
  /// The same of another thread's stack.
  void limitStack(uintptr_t End) { StackEnd = End; }
  /// Walks up from its caller. True if it came to the end of the stack. Allocates nothing.
  bool walk(FrameSink &Sink);
  /// The same with libgcc alone.
  bool walkSlowly(FrameSink &Sink);
  /// Whether Return lies in the code that a program or a thread starts with, before its own code.
  static bool isStart(uintptr_t Return);

private:
  /// What is known of a return address.
  struct Row {
    uintptr_t Return = 0;
    FrameRule Rule;
    bool IsOurs = false;
  };
  struct Registers {
    uintptr_t Return, Stack, Pointer;
  };
  /// Where a module was, there may be another one.
  void forgetUnloaded();
  const Row &row(uintptr_t Return);
  Row readRow(uintptr_t Return) const;
  bool up(Registers &R, const FrameRule &W) const;

  static constexpr unsigned RowBits = 10;
  uintptr_t StackEnd;
  Predicate IsOurs;
  uint64_t Unloads = 0;  ///< when Rows were read
  std::vector<Row> Rows; ///< a place has two that it may be in
};

} // namespace pilgrim

#endif
