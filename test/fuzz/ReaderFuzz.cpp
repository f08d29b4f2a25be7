// libFuzzer over everything that reads a trace. See ReadEverything.h for what
// the bytes are; corpus/ has both kinds.
#include "test/fuzz/ReadEverything.h"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include <algorithm>

using namespace pilgrim;

extern "C" size_t LLVMFuzzerMutate(uint8_t *Data, size_t Size, size_t MaxSize);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  test::readEverything({Data, Size});
  return 0;
}

namespace {
struct Section {
  uint64_t Size, More, Packed;
  std::span<const uint8_t> Name;
};
} // namespace

/// The same with sizes and checksums that are right, or no mutation would get past them; empty if that is too much to
/// ask.
static std::vector<uint8_t> repaired(std::span<const uint8_t> File) {
  constexpr size_t SizeAt = 16;
  ByteReader R(File.subspan(SizeAt));
  R.varint(); // how much follows
  const uint64_t Head = R.varintMax(511);
  std::vector<Section> Sections;
  for (uint64_t N = Head >> 1; N && R.ok(); --N) {
    Section &S = Sections.emplace_back();
    S.Size = R.varint();
    S.More = S.Size & 1 ? R.varint() : 0;
    if (S.More & 2)
      S.Name = R.blob();
    if (S.More & 1) {
      S.Packed = R.varint();
      R.u32();
    }
  }
  if (!R.ok())
    return {};
  auto Body = R.bytes(R.remaining());
  uint64_t Left = Body.size(), Together = 0;
  for (Section &S : Sections)
    if (S.More & 1) {
      S.Packed = std::min(S.Packed, Left);
      Left -= S.Packed;
    }
  auto Alone = Body.subspan(Left);
  // Of what is stored, what a changed length left over is the last section's.
  Section *Last = nullptr;
  for (Section &S : Sections)
    if (!(S.More & 1)) {
      if (!(Head & 1))
        S.Size = std::min(S.Size >> 1, Left - Together) << 1 | (S.Size & 1);
      Together += S.Size >> 1;
      Last = &S;
    }
  if (Last && !(Head & 1))
    Last->Size += (Left - Together) << 1;
  ByteWriter Directory, Summed, Out;
  Directory.varint(Head);
  for (const Section &S : Sections) {
    Directory.varint(S.Size);
    if (S.Size & 1)
      Directory.varint(S.More);
    if (S.More & 2)
      Directory.blob(S.Name);
    if (S.More & 1) {
      Directory.varint(S.Packed);
      Directory.u32(XXH32(Alone.data(), S.Packed, 0));
      Alone = Alone.subspan(S.Packed);
    }
  }
  Summed.varint(Directory.Data.size() + Body.size());
  Summed.bytes(Directory.Data);
  Summed.bytes(Body.first(Left));
  Out.bytes(File.first(12));
  Out.u32(XXH32(Summed.Data.data(), Summed.Data.size(), 0));
  Out.bytes(Summed.Data);
  Out.bytes(Body.subspan(Left));
  return Out.Data;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *Data, size_t Size, size_t MaxSize, unsigned Seed) {
  Size = LLVMFuzzerMutate(Data, Size, MaxSize);
  constexpr size_t LeastHead = 18;
  if (Seed % 8 == 0 || Size < LeastHead || std::memcmp(Data, "PILGRIM\n", 8) != 0)
    return Size;
  std::vector<uint8_t> Good = repaired({Data, Size});
  if (Good.empty() || Good.size() > MaxSize)
    return Size;
  std::copy(Good.begin(), Good.end(), Data);
  return Good.size();
}
