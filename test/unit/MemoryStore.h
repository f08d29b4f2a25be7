// Keeps chunks in memory.
#ifndef PILGRIM_TEST_UNIT_MEMORYSTORE_H
#define PILGRIM_TEST_UNIT_MEMORYSTORE_H

#include "trace/sequences/Chunk.h"

namespace pilgrim::test {

struct MemoryStore final : ChunkStore {
  Chunk keep(std::vector<uint8_t> Bytes, uint64_t Length, uint32_t Terminals) override {
    Size += Bytes.size();
    const uint64_t Own = Bytes.size();
    return {std::make_shared<ChunkMemory>(std::move(Bytes)), 0, Own, Length, Terminals};
  }
  size_t Size = 0; ///< of all of them
};

} // namespace pilgrim::test

#endif
