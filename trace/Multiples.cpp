//===- Multiples.cpp - functions that are a multiple of another one -------===//
#include "trace/Multiples.h"

#include <algorithm>

namespace pilgrim {

void MultipleWriter::write(ByteWriter &W, const RankFn &F, const RankSet &Ranks) {
  uint64_t Divisor = F.divisor();
  std::vector<int64_t> Values;
  if (!Divisor || !F.values(Ranks.size(), Values))
    return F.write(W);
  if (Kept + Values.size() <= MaxValues) {
    F.scaled(Divisor, 1).values(Ranks.size(), Values);
    auto &Same = Known[Values];
    auto At = std::find_if(Same.begin(), Same.end(), [&](const auto &X) { return X.first == Ranks; });
    if (At != Same.end()) {
      W.byte(12);
      W.varint(Number - 1 - At->second);
      W.varint(Divisor);
      return;
    }
    Same.push_back({Ranks, Number});
    Kept += Values.size();
  }
  ++Number;
  F.write(W);
}

void MultipleReader::add(const RankFn &F, const RankSet &Ranks) {
  if (uint64_t Divisor = F.divisor())
    All.push_back({F, &Ranks, Divisor});
}

RankFn MultipleReader::read(ByteReader &R, const RankSet &Ranks) const {
  uint64_t Which = All.size() - 1 - R.varint(), Factor = R.varint();
  if (Which >= All.size() || !Factor || !(*All[Which].Ranks == Ranks)) {
    R.fail();
    return {};
  }
  R.spend(All[Which].F.memory());
  return R.ok() ? All[Which].F.scaled(All[Which].Divisor, Factor) : RankFn();
}

} // namespace pilgrim
