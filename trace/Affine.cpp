//===- Affine.cpp - functions that follow from an earlier one -------------===//
#include "trace/Affine.h"

#include <algorithm>

namespace pilgrim {

void AffineWriter::write(ByteWriter &W, const RankFn &F, const RankSet &Ranks) {
  const RankFn::Scale Own = F.scale(Ranks);
  std::vector<int64_t> Values;
  if (!Own.Unit || !F.values(Ranks.size(), Values))
    return F.write(W);
  ByteWriter Plain;
  F.write(Plain);
  if (Kept + Values.size() <= MaxValues) {
    F.rescaled(Own, {0, 1}).values(Ranks.size(), Values);
    auto &Same = Known[Values];
    auto At = std::find_if(Same.begin(), Same.end(), [&](const auto &X) { return X.first == Ranks; });
    if (At == Same.end()) {
      Same.push_back({Ranks, Number});
      Kept += Values.size();
    } else {
      ByteWriter Following;
      Following.byte(12);
      Following.varint(Number - 1 - At->second);
      Following.svarint(Own.First);
      Following.varint(Own.Unit);
      if (Following.Data.size() < Plain.Data.size())
        return W.bytes(Following.Data);
    }
  }
  ++Number;
  W.bytes(Plain.Data);
}

void AffineReader::add(const RankFn &F, const RankSet &Ranks) {
  if (RankFn::Scale S = F.scale(Ranks); S.Unit)
    All.push_back({F, &Ranks, S});
}

RankFn AffineReader::read(ByteReader &R, const RankSet &Ranks) const {
  uint64_t Which = All.size() - 1 - R.varint();
  RankFn::Scale Own{R.svarint(), R.varint()};
  if (Which >= All.size() || !Own.Unit || !(*All[Which].Ranks == Ranks)) {
    R.fail();
    return {};
  }
  R.spend(All[Which].F.memory());
  return R.ok() ? All[Which].F.rescaled(All[Which].Scale, Own) : RankFn();
}

} // namespace pilgrim
