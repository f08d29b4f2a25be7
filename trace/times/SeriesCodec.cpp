//===- SeriesCodec.cpp - the codings of published tracers -----------------===//
#include "trace/times/SeriesCodec.h"

#include <algorithm>
#include <bitset>

namespace pilgrim {

bool TimeCoding::of(uint64_t Number, TimeCoding &Out) {
  if (Number > static_cast<uint64_t>(TimeCodec::Sz) * 4 + 3 || Number % 4 > static_cast<uint64_t>(TimeCluster::Path))
    return false;
  Out = {static_cast<TimeCodec>(Number / 4), static_cast<TimeCluster>(Number % 4)};
  return true;
}

std::unique_ptr<SeriesCodec> makeSeriesCodec(TimeCodec Codec, const TimeBounds &Bounds) {
  switch (Codec) {
  case TimeCodec::Bins:
    break;
  case TimeCodec::Zstd:
    return makeZstdCodec();
  case TimeCodec::Cfg:
    return makeCfgCodec(Bounds);
  case TimeCodec::Hist:
    return makeHistCodec(Bounds);
  case TimeCodec::Zfp:
    return makeZfpCodec(Bounds);
  case TimeCodec::Sz:
    return makeSzCodec(Bounds);
  }
  return nullptr;
}

TimeBound smallestBound(const TimeBounds &Bounds, const TimeSeries &S) {
  std::bitset<256> Pairs;
  for (uint8_t P : S.Pairs)
    Pairs.set(P);
  TimeBound Least{UINT32_MAX, UINT64_MAX};
  for (unsigned P = 0; P < Bounds.numPairs(); ++P)
    if (Pairs[P]) {
      const TimeBound &B = Bounds.all()[2 * P + static_cast<unsigned>(S.Kind)].bound();
      if (B.Relative)
        Least.Relative = std::min(Least.Relative, B.Relative);
      else
        Least.Absolute = std::min(Least.Absolute, B.Absolute);
    }
  return {Least.Relative == UINT32_MAX ? 0 : Least.Relative, Least.Absolute == UINT64_MAX ? 0 : Least.Absolute};
}

} // namespace pilgrim
