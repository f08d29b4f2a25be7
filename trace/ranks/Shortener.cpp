//===- Shortener.cpp - functions of the rank in their shortest form --------===//
#include "trace/ranks/Shortener.h"

namespace pilgrim {

void Shortener::shorten(RankFn &F, const RankSet &Ranks, const RankFn::ContextFn &Ctx) {
  if (F.isSingle())
    return;
  const uint64_t Hash = mix(F.hash(), Ranks.size());
  const size_t I = Find.find(Hash, [&](size_t J) { return Known[J].Ranks == Ranks && Known[J].Long.isSame(F); });
  if (I != Finder::None) {
    F = Known[I].Short;
    return;
  }
  RankFn Long = F;
  F.shorten(Ranks, Ctx);
  Find.add(Hash, Known.size());
  Known.push_back({Ranks, std::move(Long), F});
}

} // namespace pilgrim
