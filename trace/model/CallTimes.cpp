//===- CallTimes.cpp - when each call was ----------------------------------===//
#include "trace/model/CallTimes.h"
#include "trace/model/TraceData.h"

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

void findTimeBases(TraceData &T) {
  // By clock; of a rank whose clock is not known, the rank's own.
  using Key = std::pair<uint64_t, uint32_t>;
  auto KeyOf = [](const CallTimes &X) { return Key(X.Clock, X.Clock ? 0 : X.Rank); };
  std::map<Key, CallTimes::TimeBase> Bases;
  for (const Group &G : T.Groups)
    for (const CallTimes &X : G.Times) {
      const auto [At, New] = Bases.try_emplace(KeyOf(X), X.Origin, X.NanoPerTick);
      if (!New && X.Origin < At->second.Origin)
        At->second = {X.Origin, X.NanoPerTick};
    }
  for (Group &G : T.Groups)
    for (CallTimes &X : G.Times)
      X.Base = Bases.at(KeyOf(X));
}

} // namespace pilgrim
