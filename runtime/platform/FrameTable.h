//===- FrameTable.h - what unwind tables say of a frame ----------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_FRAMETABLE_H
#define PILGRIM_PLATFORM_FRAMETABLE_H

#include <cstdint>

namespace pilgrim {

/// How to get from a frame to its caller's. A frame's upper end is where the caller's frame begins.
struct FrameRule {
  enum Base : uint8_t {
    Stack,   ///< the upper end is the stack pointer plus Offset
    Pointer, ///< the upper end is the frame pointer plus Offset
    Loaded,  ///< the upper end is stored at the frame pointer plus Offset
    End,     ///< there are no more frames
    Unusual, ///< none of these
  };
  enum Place : uint8_t {
    Same,      ///< the frame pointer is still the caller's
    InFrame,   ///< the caller's is stored at the upper end plus PointerOffset
    ByPointer, ///< the caller's is stored at the frame pointer plus PointerOffset
  };

  int32_t Offset = 0, PointerOffset = 0; ///< bytes
  Base F = Unusual;
  Place P = Same;
};

/// Reads the call frame information (DWARF 5, 6.4, and the Linux Standard Base on .eh_frame) for an address in code.
/// End if there is none, Unusual on other machines than x86-64. Allocates nothing.
FrameRule frameRule(uintptr_t At);
/// The beginning of the function that holds an address; 0 if it is not known.
uintptr_t functionAt(uintptr_t At);

} // namespace pilgrim

#endif
