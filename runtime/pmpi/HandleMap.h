//===- HandleMap.h - from handles to small numbers ---------------*- C++ -*-===//
//
// A hash table with open addressing from a handle (any 64-bit number) to an index. It usually takes one probe.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_HANDLEMAP_H
#define PILGRIM_PMPI_HANDLEMAP_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pilgrim {

class HandleMap {
public:
  static constexpr uint32_t None = UINT32_MAX;

  /// Finds the value of a handle; null if there is none. Valid until the next insert or erase.
  uint32_t *find(uint64_t Handle) {
    if (Slots.empty())
      return nullptr;
    for (size_t I = home(Handle);; I = (I + 1) & Mask) {
      if (Slots[I].Value == None)
        return nullptr;
      if (Slots[I].Handle == Handle)
        return &Slots[I].Value;
    }
  }
  /// The handle must not be there.
  void insert(uint64_t Handle, uint32_t Value) { enter(Handle) = Value; }
  /// Finds or makes the value of a handle. A new one is None and must be set.
  uint32_t &enter(uint64_t Handle) {
    if ((Used + 1) * 2 > Slots.size()) [[unlikely]]
      grow();
    size_t I = home(Handle);
    while (Slots[I].Value != None) {
      if (Slots[I].Handle == Handle)
        return Slots[I].Value;
      I = (I + 1) & Mask;
    }
    Slots[I].Handle = Handle;
    ++Used;
    return Slots[I].Value;
  }
  void erase(uint64_t Handle) {
    if (uint32_t *V = find(Handle))
      eraseAt(V);
  }
  /// Erases the entry whose value find() returned.
  void eraseAt(uint32_t *V) {
    size_t Hole = reinterpret_cast<Slot *>(reinterpret_cast<char *>(V) - offsetof(Slot, Value)) - Slots.data();
    for (size_t I = (Hole + 1) & Mask; Slots[I].Value != None; I = (I + 1) & Mask)
      if (((I - home(Slots[I].Handle)) & Mask) >= ((I - Hole) & Mask)) {
        Slots[Hole] = Slots[I];
        Hole = I;
      }
    Slots[Hole].Value = None;
    --Used;
  }

private:
  struct Slot {
    uint64_t Handle = 0;
    uint32_t Value = None;
  };
  size_t home(uint64_t H) const {
    H *= 0x9e3779b97f4a7c15ull;
    return (H ^ (H >> 32)) & Mask;
  }
  void place(uint64_t Handle, uint32_t Value) {
    size_t I = home(Handle);
    while (Slots[I].Value != None)
      I = (I + 1) & Mask;
    Slots[I] = {Handle, Value};
  }
  void grow() {
    std::vector<Slot> Old = std::move(Slots);
    Slots.assign(Old.empty() ? 16 : Old.size() * 2, {});
    Mask = Slots.size() - 1;
    for (const Slot &S : Old)
      if (S.Value != None)
        place(S.Handle, S.Value);
  }
  std::vector<Slot> Slots;
  size_t Mask = 0, Used = 0;
};

} // namespace pilgrim

#endif
