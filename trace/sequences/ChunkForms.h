//===- ChunkForms.h - the bytes of a chunk ------------------------*- C++ -*-===//
//
//   form, a byte: 0 items, 1 indices into a list of values, 2 numbers, 3 steps, 4 text
//   varint elements
//   items, indices: the order, a byte; varint terminals - 1
//   indices: the values, ascending: the first, then differences
//   numbers, steps: what is subtracted from each, and what each is divided by
//   text: a frame of zstd, whose bytes are the values; others: the range coder's bytes
//
// (Internal to ChunkCodec.h.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_CHUNKFORMS_H
#define PILGRIM_TRACE_SEQUENCES_CHUNKFORMS_H

#include <cstdint>

namespace pilgrim::chunks {

enum Form : uint8_t { Items, Indices, Numbers, Steps, Text };
constexpr uint8_t Orders[] = {0, 1, 2, 4};

/// What all values have in common.
struct Divided {
  int64_t Base;
  uint64_t Unit; ///< 1 or more
  uint64_t of(int64_t V) const { return (static_cast<uint64_t>(V) - static_cast<uint64_t>(Base)) / Unit; }
  int64_t back(uint64_t V) const { return static_cast<int64_t>(V * Unit + static_cast<uint64_t>(Base)); }
};

} // namespace pilgrim::chunks

#endif
