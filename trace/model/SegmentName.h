//===- SegmentName.h - which segment a buffer lies in ------------*- C++ -*-===//
//
// The first word of a value of Tag::Heap: the segment's number, kind of memory, and device. All kinds share one number
// space, so two buffers overlap only if their segments have the same number.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_SEGMENTNAME_H
#define PILGRIM_TRACE_MODEL_SEGMENTNAME_H

#include <cstdint>

namespace pilgrim {

/// The numbers are part of the format.
enum class MemoryKind : uint8_t {
  Heap = 0,    ///< of the program
  Device = 1,  ///< of an accelerator
  Managed = 2, ///< moved between the host and accelerators as it is used
  Pinned = 3,  ///< of the host, page-locked for an accelerator
};

struct SegmentName {
  uint32_t Number = 0;
  MemoryKind Kind = MemoryKind::Heap;
  uint32_t Device = 0; ///< which accelerator; 0 for the heap

  int64_t word() const {
    return static_cast<int64_t>(static_cast<uint64_t>(Device) << 34 | static_cast<uint64_t>(Kind) << 32 | Number);
  }
  static SegmentName of(int64_t Word) {
    uint64_t W = static_cast<uint64_t>(Word);
    return {static_cast<uint32_t>(W), static_cast<MemoryKind>(W >> 32 & 3), static_cast<uint32_t>(W >> 34)};
  }
};

} // namespace pilgrim

#endif
