// libFuzzer over everything that reads a trace. See ReadEverything.h for what
// the bytes are; corpus/ has both kinds.
#include "test/fuzz/ReadEverything.h"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

using namespace pilgrim;

extern "C" size_t LLVMFuzzerMutate(uint8_t *Data, size_t Size, size_t MaxSize);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  test::readEverything({Data, Size});
  return 0;
}

static uint64_t u64(const uint8_t *Data) {
  ByteReader R({Data, 8});
  return R.u64();
}

template <typename T> static void put(uint8_t *Data, T V) {
  for (size_t I = 0; I < sizeof V; ++I)
    Data[I] = static_cast<uint8_t>(V >> (8 * I));
}

/// Puts a file's size and checksums right, or no mutation would get past them.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *Data, size_t Size, size_t MaxSize, unsigned Seed) {
  Size = LLVMFuzzerMutate(Data, Size, MaxSize);
  constexpr size_t HeadEnd = 24 + 5 * 24;
  if (Seed % 8 == 0 || Size < HeadEnd + 4 || std::memcmp(Data, "PILGRIM\n", 8) != 0)
    return Size;
  put<uint64_t>(Data + 16, Size);
  size_t At = HeadEnd + 4;
  for (size_t Entry = 24; Entry < HeadEnd; Entry += 24) {
    uint64_t Stored = u64(Data + Entry + 16);
    if (Entry + 24 == HeadEnd || Stored > Size - At) {
      // What a changed length left over is the last section's.
      Stored = Size - At;
      put<uint64_t>(Data + Entry + 16, Stored);
    }
    if (Data[Entry + 1] == 0)
      put<uint64_t>(Data + Entry + 8, Stored);
    put<uint32_t>(Data + Entry + 4, XXH32(Data + At, Stored, 0));
    At += Stored;
  }
  put<uint32_t>(Data + HeadEnd, XXH32(Data, HeadEnd, 0));
  return Size;
}
