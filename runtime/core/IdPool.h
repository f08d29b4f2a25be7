//===- IdPool.h - lowest free number allocator ------------------*- C++ -*-===//
//
// Hands out small numbers: alloc() returns the lowest number that is not in use, free() gives one back. Taking the
// lowest free number, and not just any, is what makes the numbers of two runs, or of two ranks, come out alike when the
// same objects are made and destroyed in the same order.
//
// A tree of bitmaps, 64 children to a word, answers in five word operations whatever the number of ids in use. The pool
// is not thread-safe and knows nothing of what its numbers stand for.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_IDPOOL_H
#define PILGRIM_CORE_IDPOOL_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pilgrim {

/// Pool of the numbers 0 .. 2^30 - 1. Allocator provides the bitmaps' memory (code that runs inside the malloc wrappers
/// passes its own).
template <typename Allocator = std::allocator<uint64_t>> class BasicIdPool {
public:
  /// Number of ids that the pool can hold.
  static constexpr uint32_t Capacity = uint32_t(1) << 30;
  /// What alloc() returns when all Capacity ids are in use.
  static constexpr uint32_t None = UINT32_MAX;

  /// Takes the lowest free id, or returns None.
  uint32_t alloc() {
    // Mostly there are few: one that does not fill the first word.
    if (!Levels[0].empty())
      if (uint64_t Taken = Levels[0][0] | (Levels[0][0] + 1); Taken != ~uint64_t(0)) {
        uint32_t Id = uint32_t(std::countr_zero(Taken ^ Levels[0][0]));
        Levels[0][0] = Taken;
        ++InUse;
        return Id;
      }
    if (InUse == Capacity)
      return None;
    size_t Index = 0;
    for (unsigned L = NumLevels; L-- > 0;)
      Index = Index * 64 + size_t(std::countr_one(word(L, Index)));
    size_t Child = Index;
    for (auto &Level : Levels) {
      size_t Word = Child / 64;
      if (Word >= Level.size())
        Level.resize(Word + 1);
      Level[Word] |= bit(Child);
      if (Level[Word] != ~uint64_t(0))
        break;
      Child = Word;
    }
    ++InUse;
    return uint32_t(Index);
  }

  /// Gives Id back. Returns false, and changes nothing, when it was not in use.
  bool free(uint32_t Id) {
    if (!used(Id))
      return false;
    size_t Child = Id;
    for (auto &Level : Levels) {
      uint64_t &Word = Level[Child / 64];
      bool WasFull = Word == ~uint64_t(0);
      Word &= ~bit(Child);
      if (!WasFull)
        break; // The parents already know of a free id below them.
      Child /= 64;
    }
    --InUse;
    return true;
  }

  /// Whether Id is in use.
  bool used(uint32_t Id) const { return Id < Capacity && (word(0, Id / 64) & bit(Id)) != 0; }

  /// Number of ids in use.
  uint32_t size() const { return InUse; }

  /// Gives all ids back; keeps the memory.
  void clear() {
    for (auto &Level : Levels)
      Level.clear();
    InUse = 0;
  }

private:
  static constexpr unsigned NumLevels = 5; // 64^5 = 2^30

  static constexpr uint64_t bit(size_t Index) { return uint64_t(1) << (Index % 64); }

  /// Words that were never stored are all free.
  uint64_t word(unsigned Level, size_t Index) const { return Index < Levels[Level].size() ? Levels[Level][Index] : 0; }

  /// Levels[0] has one bit per id: in use. A bit of Levels[N + 1] says that the corresponding word of Levels[N] is all
  /// ones.
  std::array<std::vector<uint64_t, Allocator>, NumLevels> Levels;
  uint32_t InUse = 0;
};

using IdPool = BasicIdPool<>;

} // namespace pilgrim

#endif
