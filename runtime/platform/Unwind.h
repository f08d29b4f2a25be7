//===- Unwind.h - the way up a thread's stack --------------------*- C++ -*-===//
//
// Frame pointers cannot be relied on. libgcc's unwinder decodes a function's unwind table anew at each frame, which
// takes longer than most MPI calls. So the Unwinder decodes a table once for each return address and keeps two facts:
// where the caller's frame begins, and where its frame pointer was saved. Nearly all frames need nothing else. If a
// frame does, libgcc does the whole walk. On other machines than x86-64 it always does.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PLATFORM_UNWIND_H
#define PILGRIM_PLATFORM_UNWIND_H

#include "platform/FrameTable.h"

#include <vector>

namespace pilgrim {

/// Receives the frames of a stack, innermost first.
class FrameSink {
public:
  /// Receives a return address, and the stack pointer after the return. IsOurs: what Unwinder's predicate says of the
  /// address. Returns false to end the walk.
  virtual bool take(uintptr_t Return, uintptr_t Stack, bool IsOurs) = 0;
  /// The walk begins again: forget the frames so far.
  virtual void restart() = 0;

protected:
  ~FrameSink() = default;
};

class Unwinder {
public:
  /// Whether code belongs to the tracer or to libraries that call on the program's behalf, and not to the program.
  using Predicate = bool (*)(uintptr_t Code);
  /// The stack has no frames from StackEnd on.
  Unwinder(uintptr_t StackEnd, Predicate IsOurs);
  /// From now on walks another thread's stack.
  void limitStack(uintptr_t End) { StackEnd = End; }
  /// Walks up from its caller. Returns true if it reached the end of the stack. Allocates nothing.
  bool walk(FrameSink &Sink);
  /// The same with libgcc alone.
  bool walkSlowly(FrameSink &Sink);
  /// Whether Return lies in the code that a program or a thread starts with, before its own code.
  static bool isStart(uintptr_t Return);

private:
  /// What is known of the frame that a return address leads to.
  struct Row {
    uintptr_t Return = 0;
    FrameRule Rule;
    bool IsOurs = false;
  };
  struct Registers {
    uintptr_t Return, Stack, Pointer;
  };
  /// Forgets all rows if a module was unloaded: another one may be in its place.
  void forgetUnloaded();
  const Row &row(uintptr_t Return);
  Row readRow(uintptr_t Return) const;
  bool up(Registers &R, const FrameRule &W) const;

  static constexpr unsigned RowBits = 10;
  uintptr_t StackEnd;
  Predicate IsOurs;
  uint64_t Unloads = 0;  ///< unloads() when Rows were read
  std::vector<Row> Rows; ///< a hash table; each return address has two places in it
};

} // namespace pilgrim

#endif
