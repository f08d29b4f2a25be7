// The same trace with chunks: stretches of its sequences and streams, at random places, are sealed.
#ifndef PILGRIM_TEST_UNIT_SEALED_H
#define PILGRIM_TEST_UNIT_SEALED_H

#include "test/unit/Sequences.h"
#include "trace/model/TraceData.h"

#include <algorithm>
#include <random>

namespace pilgrim::test {

Chunk chunkOf(std::vector<uint8_t> Bytes, uint64_t Length, uint32_t Terminals = 0);

/// Where a sequence of N elements is cut.
std::vector<size_t> cuts(size_t N, std::mt19937_64 &Random);

GrammarData sealed(const GrammarData &G, std::mt19937_64 &Random);

IntStreamData sealed(const IntStreamData &S, std::mt19937_64 &Random);

TraceData sealed(TraceData T, unsigned Seed);

} // namespace pilgrim::test

#endif
