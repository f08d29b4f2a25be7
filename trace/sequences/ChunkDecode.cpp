//===- ChunkDecode.cpp - reads integers that do not repeat ------------------===//
#include "trace/base/Bytes.h"
#include "trace/base/Wrap.h"
#include "trace/sequences/ChunkCodec.h"
#include "trace/sequences/ChunkForms.h"
#include "trace/sequences/ChunkModels.h"
#include "trace/sequences/RangeCoder.h"

#include <algorithm>
#include <zstd.h>

namespace pilgrim {
using namespace chunks;

namespace {
/// The number of elements.
size_t readElements(ByteReader &R) { return R.varintMax(MaxChunkElements); }

std::vector<RepeatedTerminal> readItems(ByteReader &R, size_t Elements, uint32_t Terminals, unsigned Order) {
  RangeReader Code(R.bytes(R.remaining()));
  ItemCoder How(Terminals, Order);
  std::vector<RepeatedTerminal> Out(Elements);
  for (RepeatedTerminal &E : Out)
    E = How(Code, {0, 1});
  return Out;
}

bool isOrder(unsigned Order) { return std::find(std::begin(Orders), std::end(Orders), Order) != std::end(Orders); }
} // namespace

std::optional<std::vector<RepeatedTerminal>> decodeItems(std::span<const uint8_t> Bytes, uint32_t Terminals) {
  ByteReader R(Bytes);
  const unsigned F = R.byte();
  const size_t Elements = readElements(R);
  const unsigned Order = R.byte();
  const uint64_t Own = R.varint() + 1;
  if (!R.ok() || F != Items || !isOrder(Order) || Own > Terminals || Own > uint64_t(1) << 31)
    return std::nullopt;
  return readItems(R, Elements, static_cast<uint32_t>(Own), Order);
}

std::optional<std::vector<int64_t>> decodeValues(std::span<const uint8_t> Bytes) {
  ByteReader R(Bytes);
  const unsigned F = R.byte();
  const size_t Elements = readElements(R);
  std::vector<int64_t> Out;
  if (F == Indices) {
    const unsigned Order = R.byte();
    const uint64_t NumDistinct = R.varintMax(R.remaining()) + 1;
    std::vector<int64_t> Distinct{R.svarint()};
    for (uint64_t I = 1; I < NumDistinct && R.ok(); ++I)
      Distinct.push_back(static_cast<int64_t>(static_cast<uint64_t>(Distinct.back()) + R.varint()));
    if (!R.ok() || !isOrder(Order))
      return std::nullopt;
    for (const RepeatedTerminal &E : readItems(R, Elements, static_cast<uint32_t>(NumDistinct), Order)) {
      if (E.Count > MaxChunkElements - Out.size())
        return std::nullopt;
      Out.insert(Out.end(), E.Count, Distinct[E.Value]);
    }
    return Out;
  }
  if (F == Text) {
    const auto Frame = R.bytes(R.remaining());
    std::vector<uint8_t> Bytes(Elements);
    if (!R.ok() || ZSTD_decompress(Bytes.data(), Elements, Frame.data(), Frame.size()) != Elements)
      return std::nullopt;
    Out.assign(Bytes.begin(), Bytes.end());
    return Out;
  }
  const Divided Common{R.svarint(), R.varint()};
  if (!R.ok() || (F != Numbers && F != Steps) || Common.Unit == 0)
    return std::nullopt;
  RangeReader Code(R.bytes(R.remaining()));
  NumberCoder How;
  Out.resize(Elements);
  int64_t Last = Common.Base;
  for (int64_t &V : Out) {
    const uint64_t N = How(Code, 0);
    V = F == Numbers
            ? Common.back(N)
            : static_cast<int64_t>(static_cast<uint64_t>(Last) + static_cast<uint64_t>(unzigzag(N)) * Common.Unit);
    Last = V;
  }
  return Out;
}

} // namespace pilgrim
