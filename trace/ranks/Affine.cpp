//===- Affine.cpp - functions that follow from an earlier one -------------===//
#include "trace/ranks/Affine.h"

#include <algorithm>

namespace pilgrim {

/// Where a multiple of an earlier one begins.
static uint64_t multiple(const RankFn::Scale &Earlier, uint64_t Unit) {
  return static_cast<uint64_t>(static_cast<__int128>(Earlier.First) * static_cast<__int128>(Unit) /
                               static_cast<__int128>(Earlier.Unit));
}

void AffineWriter::write(ByteWriter &W, const RankFn &Uncompressed, const RankSet &Ranks) {
  if (Uncompressed.isSingle())
    return Uncompressed.write(W);
  const RankFn F = Uncompressed.compressed();
  const RankFn::Scale Own = F.scale(Ranks);
  if (!Own.Unit)
    return F.write(W);
  const std::vector<uint8_t> Plain = bytesOf(F);
  const uint32_t Shape = Shapes.number(bytesOf(F.rescaled(Own, {0, 1})));
  if (Shape == Known.size())
    Known.emplace_back();
  auto &Same = Known[Shape];
  auto At = std::find_if(Same.begin(), Same.end(), [&](const Earlier &X) { return X.Ranks == Ranks; });
  if (At == Same.end()) {
    Same.push_back({Ranks, Number, Own});
  } else {
    ByteWriter Following;
    Following.byte(12);
    Following.varint(Number - 1 - At->Number);
    Following.varint(Own.Unit);
    Following.svarint(static_cast<int64_t>(static_cast<uint64_t>(Own.First) - multiple(At->Scale, Own.Unit)));
    if (Following.Data.size() < Plain.size())
      return W.bytes(Following.Data);
  }
  ++Number;
  W.bytes(Plain);
}

void AffineReader::add(const RankFn &F, const RankSet &Ranks) {
  if (RankFn::Scale S = F.scale(Ranks); S.Unit)
    All.push_back({F, Ranks, S});
}

RankFn AffineReader::read(ByteReader &R, const RankSet &Ranks) const {
  uint64_t Which = All.size() - 1 - R.varint();
  uint64_t Unit = R.varint(), Begin = static_cast<uint64_t>(R.svarint());
  if (Which >= All.size() || !Unit || !(All[Which].Ranks == Ranks)) {
    R.fail("no earlier function that this can follow from");
    return {};
  }
  RankFn::Scale Own{static_cast<int64_t>(Begin + multiple(All[Which].Scale, Unit)), Unit};
  R.spend(All[Which].F.memory());
  return R.ok() ? All[Which].F.rescaled(All[Which].Scale, Own) : RankFn();
}

} // namespace pilgrim
