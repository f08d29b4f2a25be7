//===- KeptTimes.cpp - how the times of single calls are kept -------------===//
#include "KeptTimes.h"
#include "pmpi/SymbolEncoder.h"

namespace pilgrim {

bool findTimeCoding(const Options &O, TimeCoding &Coding) {
  Coding = {};
  if (usesClusters(O.Timing))
    Coding.Cluster = O.Cluster == ClusterOption::Path ? TimeCluster::Path : TimeCluster::Signature;
  switch (O.Timing) {
  case TimingOption::Zstd:
    Coding.Codec = TimeCodec::Zstd;
    break;
  case TimingOption::Cfg:
    Coding.Codec = TimeCodec::Cfg;
    break;
  case TimingOption::Hist:
    Coding.Codec = TimeCodec::Hist;
    break;
  case TimingOption::Zfp:
  case TimingOption::ZfpClustered:
    Coding.Codec = TimeCodec::Zfp;
    break;
  case TimingOption::Sz:
  case TimingOption::SzClustered:
    Coding.Codec = TimeCodec::Sz;
    break;
  default:
    break;
  }
  return keepsSingleTimes(O.Timing);
}

/// What the bounds are in a coding that does not take those of --error, or takes others by default.
static ErrorBounds boundsOf(const Options &O, TimeCodec Codec) {
  ErrorBounds B = O.Error;
  if (Codec == TimeCodec::Zstd)
    B.Duration = B.Gap = {0, 0};
  if (Codec == TimeCodec::Zfp && B.Text.empty())
    B.Duration = B.Gap = {0, 10e-6};
  return B;
}

TimeErrors errorsInTicks(const Process &P, TimeCodec Codec, double (*NanoPerTick)(const Process &)) {
  const ErrorBounds B = boundsOf(P.Opts, Codec);
  auto Bound = [&](const ErrorBound &E) {
    constexpr double Safe = 0.98; // as ticks are not known so well
    return TimeBound{static_cast<uint32_t>(E.Relative * 1e6),
                     E.Seconds > 0 ? static_cast<uint64_t>(E.Seconds * 1e9 / NanoPerTick(P) * Safe) : 0};
  };
  TimeErrors Out{Bound(B.Duration), Bound(B.Gap), {}, {}};
  for (const auto &[Name, Own] : B.OfFunction)
    if (const uint32_t Id = functionNamed(Name); Id != NoFunction)
      Out.OfFunction[Id] = Bound(Own);
  return Out;
}

} // namespace pilgrim
