//===- KeptTimes.cpp - how the times of single calls are kept -------------===//
#include "KeptTimes.h"
#include "pmpi/SymbolEncoder.h"

namespace pilgrim {

bool findTimeCoding(const Options &O, TimeCoding &Coding) {
  const TimeCluster Cluster = O.Cluster == ClusterOption::Path ? TimeCluster::Path : TimeCluster::Signature;
  switch (O.Timing) {
  case TimingOption::Calls:
    Coding = {};
    return true;
  case TimingOption::Zstd:
    Coding = {TimeCodec::Zstd, TimeCluster::None};
    return true;
  case TimingOption::Cfg:
    Coding = {TimeCodec::Cfg, TimeCluster::None};
    return true;
  case TimingOption::Hist:
    Coding = {TimeCodec::Hist, Cluster};
    return true;
  case TimingOption::Zfp:
    Coding = {TimeCodec::Zfp, TimeCluster::None};
    return true;
  case TimingOption::ZfpClustered:
    Coding = {TimeCodec::Zfp, Cluster};
    return true;
  case TimingOption::Sz:
    Coding = {TimeCodec::Sz, TimeCluster::None};
    return true;
  case TimingOption::SzClustered:
    Coding = {TimeCodec::Sz, Cluster};
    return true;
  default:
    return false;
  }
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
