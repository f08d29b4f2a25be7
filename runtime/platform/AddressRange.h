//===- AddressRange.h - a range of memory ------------------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_ADDRESSRANGE_H
#define PILGRIM_PLATFORM_ADDRESSRANGE_H

#include <cstdint>

namespace pilgrim {

/// The bytes from Begin up to, and without, End. Empty by default.
struct AddressRange {
  uintptr_t Begin = 0;
  uintptr_t End = 0;
  bool holds(uintptr_t Address) const { return Address - Begin < End - Begin; }
};

} // namespace pilgrim

#endif
