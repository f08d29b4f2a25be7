//===- BlockMap.h - map of heap block starts --------------------*- C++ -*-===//
//
// Remembers where heap blocks start and how long they are, so cheaply that every malloc and free can afford it: one
// byte per 16-byte granule of the address space, in maps of 16 MB chunks that are made when first needed. A block of up
// to 976 bytes is one byte store at malloc, one byte load and store at free. There are no locks; blocks never overlap,
// so the bytes of a block belong to whoever owns the block.
//
// The map never reads the memory it describes, nor does it ask the allocator. It does not give segments their numbers
// (see Segments.cpp); it only keeps the mark that a block has one. A block must be erased before the allocator gets it
// back and inserted after the allocator has returned it.
//
// What a granule's byte says:
//   0                   no block starts here
//   1..61               a block of that many granules starts here
//   62                  a block of 62..16383 granules starts here; the two
//                       bytes that follow hold their number
//   63                  a larger block starts here; see Chunk
//   + 64                ... and it is a registered segment
//   128..255            one of the two bytes after a 62
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_MEMORY_BLOCKMAP_H
#define PILGRIM_MEMORY_BLOCKMAP_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pilgrim::memory {

/// A heap block as the map knows it.
struct Block {
  uintptr_t Base = 0;
  size_t Size = 0; ///< The requested size, rounded up to granules.
  bool Registered = false;
};

namespace blockmap {

inline constexpr unsigned GranuleShift = 4;
inline constexpr unsigned ChunkShift = 24;
#if defined(__x86_64__)
inline constexpr unsigned AddressBits = 47;
#else
inline constexpr unsigned AddressBits = 48;
#endif
inline constexpr size_t ChunkCount = size_t(1) << (AddressBits - ChunkShift);
inline constexpr size_t ChunkGranules = size_t(1) << (ChunkShift - GranuleShift);

inline constexpr uint8_t MaxInline = 61;
inline constexpr uint8_t Medium = 62;
inline constexpr uint8_t Large = 63;
inline constexpr uint8_t SizeMask = 63;
inline constexpr uint8_t RegisteredFlag = 64;
inline constexpr uint8_t ContinuationFlag = 128;

inline constexpr size_t MaxInlineSize = size_t(MaxInline) << GranuleShift;
/// Granules of a large block, at least; also how far it may be from an address back to the start of a block that is not
/// large.
inline constexpr size_t LargeGranules = 1 << 14;
/// Large blocks are so long that of any LargeGranules aligned granules at most one can be their start.
inline constexpr size_t LargeSlots = ChunkGranules / LargeGranules;

/// The map of 16 MB of address space. Made by mmap, hence all zero, and only the pages of it that are used take memory.
struct Chunk {
  /// One byte per granule, and some for the two bytes after the last.
  alignas(4096) std::atomic<uint8_t> Bytes[ChunkGranules + 16];
  /// Bit N: a large block starts in the Nth part of the chunk ...
  std::atomic<uint64_t> LargeMask;
  /// ... at this address, with this size.
  std::atomic<uintptr_t> LargeBase[LargeSlots];
  std::atomic<size_t> LargeSize[LargeSlots];
};

/// All chunks' maps; null where there is none yet. Not of atomics, as proving that so many need no constructor is more
/// than some compilers will do; used through directoryEntry only.
__attribute__((visibility("hidden"))) extern Chunk *Directory[ChunkCount];

inline size_t chunkIndex(uintptr_t Address) {
  // The mask keeps a wild pointer given to free() within the directory.
  return (Address >> ChunkShift) & (ChunkCount - 1);
}

inline std::atomic_ref<Chunk *> directoryEntry(uintptr_t Address) {
  return std::atomic_ref(Directory[chunkIndex(Address)]);
}

/// The map of the chunk that holds Address, or null.
inline Chunk *chunkOf(uintptr_t Address) { return directoryEntry(Address).load(std::memory_order_acquire); }

inline size_t granuleIndex(uintptr_t Address) { return (Address >> GranuleShift) & (ChunkGranules - 1); }

void *insertSlow(void *Start, size_t Size);

} // namespace blockmap

/// Records that a block of Size bytes starts at Start. Ignores the null pointer. Start must be aligned to 16 bytes.
/// Returns Start, which spares malloc to keep it across the call to insertSlow.
inline void *insertBlock(void *Start, size_t Size) {
  using namespace blockmap;
  auto Base = reinterpret_cast<uintptr_t>(Start);
  Chunk *C = chunkOf(Base);
  // Size - 1 sends the rare empty block the slow way.
  if (!C || Size - 1 >= MaxInlineSize) [[unlikely]]
    return insertSlow(Start, Size);
  C->Bytes[granuleIndex(Base)].store(uint8_t((Size + 15) >> GranuleShift), std::memory_order_relaxed);
  return Start;
}

/// Erases the block at Start if it is a small one that is not registered, which is nearly all of them. Returns false,
/// and does nothing, if not.
inline bool eraseSmallBlock(const void *Start) {
  using namespace blockmap;
  auto Base = reinterpret_cast<uintptr_t>(Start);
  Chunk *C = chunkOf(Base);
  if (!C)
    return false;
  auto &Byte = C->Bytes[granuleIndex(Base)];
  if (uint8_t(Byte.load(std::memory_order_relaxed) - 1) >= MaxInline)
    return false;
  Byte.store(0, std::memory_order_relaxed);
  return true;
}

/// Erases the block at Start, whatever its size, and says in Old what it was. Returns false if no block is known to
/// start there.
bool eraseBlock(const void *Start, Block &Old);

/// Reads the block that starts at Start. Returns false if none does.
bool blockAt(const void *Start, Block &Found);

/// Finds the block that holds Address, or that ends there if Address is not the start of a page. Returns false if there
/// is none.
bool findBlock(const void *Address, Block &Found);

/// Marks the block at Base, which must be in the map, as registered.
void markRegistered(uintptr_t Base);

} // namespace pilgrim::memory

#endif
