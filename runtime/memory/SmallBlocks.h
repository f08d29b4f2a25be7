//===- SmallBlocks.h - many blocks that live shortly ------------*- C++ -*-===//
//
// What ranks' traces are joined with is made of some hundred thousand small blocks, most of which are given back at
// once. Of blocks that are given back, those of one size are a list, and the next one of that size is its first: a
// fraction of what the allocator of the C library does for a block.
//
// One thread at a time. Room is address space, of which a part at a time becomes memory; that is not given back to the
// system.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_MEMORY_SMALLBLOCKS_H
#define PILGRIM_MEMORY_SMALLBLOCKS_H

#include <cstddef>
#include <cstdint>
#include <new>

namespace pilgrim::memory {

class SmallBlocks {
public:
  /// Bytes of address space at most, and of the largest block that is served.
  static constexpr size_t Room = size_t(1) << 30, Largest = 1024;

  /// Whether there is room. Asks the system for it the first time; never where addresses are limited, since the program
  /// needs them.
  bool reserve();
  /// Null: of blocks of that size there is none. Aligned to 16 bytes.
  void *take(size_t Bytes) {
    const size_t Kind = (Bytes + Step - 1) / Step;
    if (Kind >= Kinds)
      return nullptr;
    if (Given *First = Lists[Kind]) {
      Lists[Kind] = First->Next;
      return First;
    }
    Unused &U = News[Kind];
    if (U.Next == U.End && !extend(Kind))
      return nullptr;
    void *Block = U.Next;
    U.Next += Kind * Step;
    return Block;
  }
  bool holds(const void *Block) const {
    return reinterpret_cast<uintptr_t>(Block) - reinterpret_cast<uintptr_t>(Base) < Size;
  }
  /// Block: one that this holds.
  void giveBack(void *Block) {
    const size_t Kind = KindOf[static_cast<size_t>(static_cast<std::byte *>(Block) - Base) / Part];
    Lists[Kind] = new (Block) Given{Lists[Kind]};
  }

  /// Bytes that become memory at once: what is not used of them takes none where the system gives pages when they are
  /// touched.
  static constexpr size_t AtOnce = size_t(8) << 20;

private:
  struct Given {
    Given *Next;
  };
  struct Unused {
    std::byte *Next, *End;
  };
  bool extend(size_t Kind);

  static constexpr size_t Step = 16, Kinds = Largest / Step + 1, Part = size_t(64) << 10;
  std::byte *Base = nullptr;
  size_t Size = 0, Usable = 0, Parts = 0;
  Given *Lists[Kinds] = {};
  Unused News[Kinds] = {};
  uint8_t KindOf[Room / Part] = {}; ///< of the blocks of each part
};

} // namespace pilgrim::memory

#endif
