//===- BlockMap.cpp - map of heap block starts ----------------------------===//
//
// The parts of the block map that are off the fast path: making chunks, blocks too long for one byte, and look-ups. See
// BlockMap.h for the layout.
//
// A block of 256 KB or more ("large") is found in constant time: the chunk in which it starts lists it, and for each
// further chunk whose first byte it covers, Owners names it. Any other block starts at most 256 KB before each of its
// bytes, so that a scan of at most 16 KB of map finds it.
//
//===----------------------------------------------------------------------===//
#include "memory/BlockMap.h"
#include "memory/Reserve.h"

#include <algorithm>
#include <bit>
#include <cerrno>

namespace pilgrim::memory {

namespace blockmap {

Chunk *Directory[ChunkCount];

/// Base of the large block that holds the first byte of a chunk but starts in an earlier one; 0 for none.
static uintptr_t Owners[ChunkCount];

static std::atomic_ref<uintptr_t> ownerOf(uintptr_t Address) { return std::atomic_ref(Owners[chunkIndex(Address)]); }

static constexpr auto Relaxed = std::memory_order_relaxed;
static constexpr size_t NotFound = ~size_t(0);

static_assert(std::endian::native == std::endian::little, "scanBack takes the highest byte of a word for the last");

/// The chunk of Address, made if need be; null if there is no memory.
static Chunk *makeChunk(uintptr_t Address) {
  std::atomic_ref<Chunk *> Entry = directoryEntry(Address);
  Chunk *C = Entry.load(std::memory_order_acquire);
  if (C)
    return C;
  // A malloc that succeeds should not change errno.
  int SavedErrno = errno;
  void *Memory = ownPages(sizeof(Chunk));
  errno = SavedErrno;
  if (!Memory)
    return nullptr;
  auto *New = static_cast<Chunk *>(Memory);
  if (Entry.compare_exchange_strong(C, New, std::memory_order_acq_rel, std::memory_order_acquire))
    return New;
  ownPagesBack(Memory, sizeof(Chunk)); // Another thread was faster.
  return C;
}

/// Sets Owners for all chunks whose first byte is inside a large block.
static void setOwners(uintptr_t Base, size_t Size, uintptr_t Value) {
  uintptr_t Last = (Base + Size - 1) >> ChunkShift;
  for (uintptr_t I = (Base >> ChunkShift) + 1; I <= Last; ++I)
    ownerOf(I << ChunkShift).store(Value, Relaxed);
}

void *insertSlow(void *Start, size_t Size) {
  auto Base = reinterpret_cast<uintptr_t>(Start);
  if (!Base || Base >> AddressBits)
    return Start;
  Chunk *C = makeChunk(Base);
  if (!C)
    return Start;
  size_t Granule = granuleIndex(Base);
  size_t Count = Size ? (Size >> GranuleShift) + ((Size & 15) != 0) : 1;
  auto *Bytes = &C->Bytes[Granule];
  if (Count <= MaxInline) {
    Bytes[0].store(uint8_t(Count), Relaxed);
  } else if (Count < LargeGranules) {
    Bytes[1].store(uint8_t(ContinuationFlag | (Count & 127)), Relaxed);
    Bytes[2].store(uint8_t(ContinuationFlag | (Count >> 7)), Relaxed);
    Bytes[0].store(Medium, Relaxed);
  } else {
    size_t Slot = Granule / LargeGranules;
    C->LargeBase[Slot].store(Base, Relaxed);
    C->LargeSize[Slot].store(Count << GranuleShift, Relaxed);
    C->LargeMask.fetch_or(uint64_t(1) << Slot, std::memory_order_release);
    setOwners(Base, Count << GranuleShift, Base);
    Bytes[0].store(Large, Relaxed);
  }
  return Start;
}

/// Reads the block that starts at granule Granule of C, which lies at address Base.
static bool decode(const Chunk &C, size_t Granule, uintptr_t Base, Block &Found) {
  const auto *Bytes = &C.Bytes[Granule];
  uint8_t Byte = Bytes[0].load(Relaxed);
  if (!Byte || (Byte & ContinuationFlag))
    return false;
  size_t Size;
  switch (Byte & SizeMask) {
  case Large:
    Size = C.LargeSize[Granule / LargeGranules].load(Relaxed);
    break;
  case Medium:
    Size = (size_t(Bytes[1].load(Relaxed) & 127) | size_t(Bytes[2].load(Relaxed) & 127) << 7) << GranuleShift;
    break;
  default:
    Size = size_t(Byte & SizeMask) << GranuleShift;
  }
  Found = {Base, Size, (Byte & RegisteredFlag) != 0};
  return true;
}

/// Whether Address is just past Candidate and counts as part of it.
static bool endsAt(const Block &Candidate, uintptr_t Address) {
  return Address - Candidate.Base == Candidate.Size && (Address & 4095) != 0;
}

/// The last granule in [First, Last] of C at which a block starts.
static size_t scanBack(const Chunk &C, size_t First, size_t Last) {
  using WordType [[gnu::may_alias]] = uint64_t;
  constexpr uint64_t Flags = 0x8080808080808080;
  for (size_t Index = Last & ~size_t(7);; Index -= 8) {
    uint64_t Word = __atomic_load_n(
        static_cast<const WordType *>(__builtin_assume_aligned(&C.Bytes[Index], sizeof(WordType))), __ATOMIC_RELAXED);
    if (Word) {
      if (Last < Index + 7) // Only in the first round: drop bytes after Last.
        Word &= ~uint64_t(0) >> (8 * (Index + 7 - Last));
      Word &= ~(((Word & Flags) >> 7) * 255); // Drop continuation bytes.
      if (Word) {
        size_t Granule = Index + size_t(std::bit_width(Word) - 1) / 8;
        return Granule >= First ? Granule : NotFound;
      }
    }
    if (Index <= First)
      return NotFound;
  }
}

/// Finds the last large block that starts at or before Address, as far as it may hold the address. C is the chunk of
/// Address or null.
static bool findLarge(const Chunk *C, uintptr_t Address, Block &Found) {
  uintptr_t Base = 0;
  if (C) {
    size_t Slot = granuleIndex(Address) / LargeGranules;
    uint64_t Mask = C->LargeMask.load(std::memory_order_acquire) & (~uint64_t(0) >> (63 - Slot));
    if (Mask) {
      // The block that starts in the same slot may start after the address.
      Base = C->LargeBase[std::bit_width(Mask) - 1].load(Relaxed);
      if (Base > Address) {
        Mask &= ~(uint64_t(1) << (std::bit_width(Mask) - 1));
        Base = Mask ? C->LargeBase[std::bit_width(Mask) - 1].load(Relaxed) : 0;
      }
    }
  }
  if (!Base)
    Base = ownerOf(Address).load(Relaxed);
  if (!Base)
    return false;
  const Chunk *Start = chunkOf(Base);
  return Start && decode(*Start, granuleIndex(Base), Base, Found);
}

} // namespace blockmap

using namespace blockmap;

bool blockAt(const void *Start, Block &Found) {
  auto Base = reinterpret_cast<uintptr_t>(Start);
  if (Base >> AddressBits)
    return false;
  Chunk *C = chunkOf(Base);
  return C && decode(*C, granuleIndex(Base), Base, Found);
}

bool eraseBlock(const void *Start, Block &Old) {
  if (!blockAt(Start, Old))
    return false;
  Chunk *C = chunkOf(Old.Base);
  size_t Granule = granuleIndex(Old.Base);
  auto *Bytes = &C->Bytes[Granule];
  uint8_t Code = Bytes[0].load(Relaxed) & SizeMask;
  Bytes[0].store(0, Relaxed);
  if (Code == Medium) {
    Bytes[1].store(0, Relaxed);
    Bytes[2].store(0, Relaxed);
  } else if (Code == Large) {
    C->LargeMask.fetch_and(~(uint64_t(1) << (Granule / LargeGranules)), Relaxed);
    setOwners(Old.Base, Old.Size, 0);
  }
  return true;
}

bool findBlock(const void *Pointer, Block &Found) {
  auto Address = reinterpret_cast<uintptr_t>(Pointer);
  if (Address >> AddressBits)
    return false;
  Chunk *C = chunkOf(Address);
  // Large blocks first: no scan is needed for them, and should a library that bypasses the wrappers have freed a block
  // behind our back, its stale mark inside a large block then does no harm.
  Block LargeBlock;
  if (findLarge(C, Address, LargeBlock) && Address - LargeBlock.Base < LargeBlock.Size) {
    Found = LargeBlock;
    return true;
  }
  size_t Last = granuleIndex(Address);
  size_t Granule = NotFound;
  if (C)
    Granule = scanBack(*C, Last < LargeGranules ? 0 : Last - LargeGranules + 1, Last);
  uintptr_t ChunkBase = Address >> ChunkShift << ChunkShift;
  if (Granule == NotFound && Last < LargeGranules - 1 && ChunkBase) {
    ChunkBase -= uintptr_t(1) << ChunkShift;
    C = chunkOf(ChunkBase);
    if (C)
      Granule = scanBack(*C, ChunkGranules - LargeGranules + 1 + Last, ChunkGranules - 1);
  }
  // No other block can start between the last start and the address.
  if (Granule != NotFound && decode(*C, Granule, ChunkBase + (Granule << GranuleShift), Found) &&
      (Address - Found.Base < Found.Size || endsAt(Found, Address)))
    return true;
  Found = LargeBlock;
  return Found.Base && endsAt(Found, Address);
}

void markRegistered(uintptr_t Base) {
  if (Chunk *C = chunkOf(Base))
    C->Bytes[granuleIndex(Base)].fetch_or(RegisteredFlag, Relaxed);
}

} // namespace pilgrim::memory
