//===- Chunk.cpp - a stretch of a sequence, sealed ------------------------===//
#include "trace/sequences/Chunk.h"
#include "trace/base/Hash.h"

#include <algorithm>
#include <array>
#include <mutex>

namespace pilgrim {

uint64_t Chunk::hash() const {
  if (B->Hash)
    return B->Hash;
  uint64_t H = mix(B->Length, B->Terminals);
  const auto Bytes = bytes();
  for (uint8_t Byte : std::span(Bytes).last(std::min<size_t>(Bytes.size(), 64)))
    H = mix(H, Byte);
  return B->Hash = mix(H, B->Size) | 1;
}

bool Chunk::operator==(const Chunk &Other) const {
  if (B == Other.B)
    return true;
  return B->Length == Other.B->Length && B->Size == Other.B->Size && B->Terminals == Other.B->Terminals &&
         hash() == Other.hash() && bytes() == Other.bytes();
}

/// The last ones that were decoded stay for a while: who looks for something comes by the same ones again.
static void keepForAWhile(std::shared_ptr<const void> Decoded) {
  static std::mutex Lock;
  static auto &Recent = *new std::array<std::shared_ptr<const void>, 8>; // not destroyed when the process ends
  static size_t Next = 0;
  std::lock_guard<std::mutex> L(Lock);
  std::swap(Recent[Next++ % Recent.size()], Decoded);
}

std::shared_ptr<const Chunk::ItemList> Chunk::items() const {
  if (auto Known = B->Items.lock())
    return Known;
  ItemList List = decodeItems(bytes(), B->Terminals).value_or(ItemList());
  uint64_t Length = 0;
  for (RepeatedTerminal &E : List)
    Length += E.Count = std::min(E.Count, B->Length - Length);
  std::erase_if(List, [](const RepeatedTerminal &E) { return E.Count == 0; });
  if (Length < B->Length)
    List.push_back({0, B->Length - Length});
  auto Out = std::make_shared<const ItemList>(std::move(List));
  B->Items = Out;
  keepForAWhile(Out);
  return Out;
}

std::shared_ptr<const Chunk::ValueList> Chunk::values() const {
  if (auto Known = B->Values.lock())
    return Known;
  ValueList List = decodeValues(bytes()).value_or(ValueList());
  List.resize(B->Length);
  auto Out = std::make_shared<const ValueList>(std::move(List));
  B->Values = Out;
  keepForAWhile(Out);
  return Out;
}

void Chunk::write(ByteWriter &W) const {
  W.varint(B->Place);
  W.varint(B->Size);
  W.varint(B->Length);
  if (B->Terminals)
    W.varint(B->Terminals);
}

Chunk Chunk::read(ByteReader &R, bool AreItems) {
  constexpr uint64_t MaxLength = uint64_t(1) << 61;
  const uint64_t Place = R.varint(), Size = R.varint();
  const uint64_t Length = R.varintMax(AreItems ? MaxLength : MaxChunkElements, "a chunk has too many elements");
  const uint64_t Terminals = AreItems ? R.varintMax(uint64_t(1) << 31) : 0;
  const uint64_t All = R.Chunks ? R.Chunks->size() : 0;
  if (Size == 0 || Size > All || Place > All - Size)
    R.fail("a chunk that is not in the section of chunks");
  if (Length == 0 || (AreItems && Terminals == 0))
    R.fail("a chunk without elements");
  return {R.Chunks, Place, Size, Length, static_cast<uint32_t>(Terminals)};
}

} // namespace pilgrim
