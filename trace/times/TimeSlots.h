//===- TimeSlots.h - the times of a block, counted ----------------*- C++ -*-===//
//
// A table of bounded size: each symbol in a context has a slot, with how often it occurs in the block and how it is
// written. Slots stay from block to block, so that a thread which goes on as before finds all of them. (Internal to
// trace/times.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TIMES_TIMESLOTS_H
#define PILGRIM_TRACE_TIMES_TIMESLOTS_H

#include "trace/times/TimeCoder.h"
#include "trace/times/TimeCounts.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace pilgrim {

class TimeSlots {
public:
  struct Slot {
    TimeKey Key;
    uint32_t Count = 0;
    float Bits = 0;        ///< that it takes under the current model
    PreparedShares Shares; ///< in the current model, if one step is enough
  };
  static constexpr uint16_t None = UINT16_MAX;

  /// Where slots are, for a loop that counts: they stay there.
  Slot *data() { return Slots.data(); }
  /// Counts one more. None: there is no room for further keys. First: data().
  uint16_t count(Slot *First, TimeKey Key) {
    size_t I = Key.bits() * 0x9e3779b97f4a7c15u >> (64 - LogSize);
    if (First[I].Key != Key) [[unlikely]]
      if (I = place(Key, I); I == None)
        return None;
    ++First[I].Count;
    return static_cast<uint16_t>(I);
  }
  const Slot &operator[](uint16_t I) const { return Slots[I]; }

  /// Calls F(slot) for those that are new since the last call, or for all.
  template <typename Fn> void prepare(bool All, Fn &&F) {
    for (size_t I = All ? 0 : Prepared; I < Used.size(); ++I)
      F(Slots[Used[I]]);
    Prepared = Used.size();
  }
  /// Slots in the order of their keys; also those that do not occur in this block.
  std::span<const uint16_t> sorted() {
    if (Sorted.size() != Used.size()) {
      Sorted = Used;
      std::sort(Sorted.begin(), Sorted.end(), [&](uint16_t A, uint16_t B) { return Slots[A].Key < Slots[B].Key; });
    }
    return Sorted;
  }
  /// Nothing has been counted. If the table has become half full, it is emptied.
  void restart() {
    const bool IsEmptied = Used.size() > MaxUsed / 2;
    for (uint16_t I : Used)
      if (IsEmptied)
        Slots[I] = {};
      else
        Slots[I].Count = 0;
    if (IsEmptied) {
      Used.clear();
      Sorted.clear();
      Prepared = 0;
    }
  }

  size_t memory() const {
    return Slots.capacity() * sizeof(Slot) + (Used.capacity() + Sorted.capacity()) * sizeof(uint16_t);
  }

private:
  /// Where the key is, from I on, or where it has been put.
  [[gnu::noinline]] size_t place(TimeKey Key, size_t I) {
    for (; Slots[I].Key != Key; I = (I + 1) % Slots.size())
      if (!Slots[I].Key.bits()) {
        if (Used.size() == MaxUsed)
          return None;
        Used.push_back(static_cast<uint16_t>(I));
        Slots[I].Key = Key;
        break;
      }
    return I;
  }

  static constexpr unsigned LogSize = 13;
  static constexpr size_t MaxUsed = 6000;
  std::vector<Slot> Slots = std::vector<Slot>(size_t(1) << LogSize);
  std::vector<uint16_t> Used, Sorted;
  size_t Prepared = 0;
};

} // namespace pilgrim

#endif
