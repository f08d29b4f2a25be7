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

template <typename T> static void put(uint8_t *Data, T V) {
  for (size_t I = 0; I < sizeof V; ++I)
    Data[I] = static_cast<uint8_t>(V >> (8 * I));
}

/// Puts a file's size and checksum right, or no mutation would get past them.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *Data, size_t Size, size_t MaxSize, unsigned Seed) {
  Size = LLVMFuzzerMutate(Data, Size, MaxSize);
  constexpr size_t HeadEnd = 45, Sections = 5;
  if (Seed % 8 == 0 || Size < HeadEnd || std::memcmp(Data, "PILGRIM\n", 8) != 0)
    return Size;
  put<uint64_t>(Data + 16, Size);
  if (Data[24] == 0) {
    // What a changed length left over is the last section's.
    size_t Left = Size - HeadEnd;
    for (size_t I = 0; I < Sections; ++I) {
      uint8_t *At = Data + 25 + 4 * I;
      ByteReader R({At, 4});
      uint32_t Bytes = R.u32();
      if (Bytes > Left || I + 1 == Sections)
        put(At, Bytes = static_cast<uint32_t>(Left));
      Left -= Bytes;
    }
  }
  put<uint32_t>(Data + 12, XXH32(Data + 16, Size - 16, 0));
  return Size;
}
