//===- FrameTable.h - what the tables say of a frame -------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_FRAMETABLE_H
#define PILGRIM_PLATFORM_FRAMETABLE_H

#include <cstdint>

namespace pilgrim {

/// Where the caller's frame begins and where its frame pointer was put, seen from a place in code.
struct FrameRule {
  /// What the frame's upper end, where the caller's begins, is counted from: the stack or the frame pointer; Loaded: it
  /// is in memory there. End: there are no more frames. Unusual: something else.
  enum Base : uint8_t { Stack, Pointer, Loaded, End, Unusual };
  enum Place : uint8_t { Same, InFrame, ByPointer }; ///< where the caller's frame pointer is

  int32_t Offset = 0, PointerOffset = 0; ///< bytes, from there
  Base F = Unusual;
  Place P = Same;
};

/// Reads call frame information: DWARF 5, 6.4, and the Linux Standard Base on .eh_frame. End if there is none for this
/// place, Unusual on other machines than x86-64. Allocates nothing.
FrameRule frameRule(uintptr_t At);
/// Where the function begins that this place is in; 0 if nobody knows.
uintptr_t functionAt(uintptr_t At);

} // namespace pilgrim

#endif
