//===- MemoryPlace.h - places in the memory of a traced program --*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_MEMORYPLACE_H
#define PILGRIM_PROXYGEN_MEMORYPLACE_H

#include "proxygen/TypeExtents.h"

#include <optional>
#include <string>

namespace pilgrim {

/// A piece of memory, as the trace names it.
struct MemoryPiece {
  Tag T = Tag::Raw;
  int64_t Number = 0; ///< Heap: of the segment; Map: of the mapping; Stack: the thread; Raw: the address
  std::string Module; ///< Data
  auto operator<=>(const MemoryPiece &) const = default;

  static MemoryPiece stackOf(uint32_t Thread) { return {Tag::Stack, Thread, ""}; }
  /// The main thread's, as other threads see it.
  static MemoryPiece mainStack() { return {Tag::Map, MainStackRegion, ""}; }
};

/// A place in a piece of memory. Offsets are bytes; on a stack they count from its top and are negative.
struct MemoryPlace {
  MemoryPiece In;
  int64_t Offset = 0;
  auto operator<=>(const MemoryPlace &) const = default;
};

/// The place that an address in a call stands for; nullopt: V is no address.
std::optional<MemoryPlace> placeOf(const Value &V, const RankView &View);

/// Whether a null pointer in an output of that kind is an address that MPI gave (MPI_Get_address), rather than that the
/// program passed none.
inline bool isGivenAddress(const ParamSchema &P) { return P.K == Kind::Address; }

} // namespace pilgrim

#endif
