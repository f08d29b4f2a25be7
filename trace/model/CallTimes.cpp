//===- CallTimes.cpp - when each call was ----------------------------------===//
#include "trace/model/CallTimes.h"

#include <xxhash.h>

namespace pilgrim {

std::vector<uint8_t> withChecksum(ByteWriter Bytes) {
  Bytes.u32(XXH32(Bytes.Data.data(), Bytes.Data.size(), 0));
  return std::move(Bytes.Data);
}

std::optional<std::vector<uint8_t>> withoutChecksum(const Chunk &C) {
  std::vector<uint8_t> Bytes = C.bytes();
  if (Bytes.size() < 4)
    return std::nullopt;
  ByteReader Sum(std::span<const uint8_t>(Bytes).last(4));
  const uint32_t Was = Sum.u32();
  Bytes.resize(Bytes.size() - 4);
  if (Was != XXH32(Bytes.data(), Bytes.size(), 0))
    return std::nullopt;
  return Bytes;
}

} // namespace pilgrim
