//===- SeriesBlock.cpp - blocks of times under a series codec -------------===//
#include "trace/times/SeriesBlock.h"
#include "trace/base/Wrap.h"

#include <algorithm>
#include <numeric>

namespace pilgrim {

/// A series of contexts, as yet without values.
static TimeSeries seriesOf(TimeKind Kind, std::span<const CallContext> Contexts, const TimeBounds &Bounds,
                           const TimeClusters &Clusters) {
  TimeSeries S;
  S.Kind = Kind;
  for (const CallContext &C : Contexts) {
    S.Clusters.push_back(Clusters.of(Kind, C));
    S.Pairs.push_back(static_cast<uint8_t>(Bounds.pair(Kind, Kind == TimeKind::Duration ? C.Place : C.Path)));
  }
  return S;
}

/// The places of a series, those of a cluster together.
static std::vector<uint32_t> orderByCluster(const TimeSeries &S) {
  std::vector<uint32_t> Order(S.size());
  std::iota(Order.begin(), Order.end(), 0u);
  std::stable_sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) { return S.Clusters[A] < S.Clusters[B]; });
  return Order;
}

static TimeSeries reordered(const TimeSeries &S, const std::vector<uint32_t> &Order) {
  TimeSeries Out;
  Out.Kind = S.Kind;
  for (uint32_t I : Order) {
    if (!S.Values.empty())
      Out.Values.push_back(S.Values[I]);
    Out.Clusters.push_back(S.Clusters[I]);
    Out.Pairs.push_back(S.Pairs[I]);
  }
  return Out;
}

/// Under an absolute bound, a short duration may come back as a negative one.
static void clampDurations(TimeKind Kind, std::vector<int64_t> &Values) {
  if (Kind == TimeKind::Duration)
    for (int64_t &V : Values)
      V = std::max<int64_t>(V, 0);
}

static bool isWithin(const TimeBound &B, int64_t Time, int64_t Decoded) {
  const auto Off = static_cast<unsigned __int128>(Time < Decoded ? static_cast<__int128>(Decoded) - Time
                                                                 : static_cast<__int128>(Time) - Decoded);
  const auto Size = static_cast<unsigned __int128>(Time < 0 ? -static_cast<__int128>(Time) : Time);
  return B.Relative ? Off * 1'000'000 <= Size * B.Relative : Off <= B.Absolute;
}

void SeriesEncoder::writeOrdered(const TimeSeries &S, bool IsByCluster, ByteWriter &W, std::vector<int64_t> &Decoded) {
  ByteWriter Own;
  if (IsByCluster) {
    const std::vector<uint32_t> Order = orderByCluster(S);
    std::vector<int64_t> InOrder;
    Codec->encode(reordered(S, Order), Own, InOrder);
    Decoded.resize(S.size());
    for (size_t I = 0; I < Order.size(); ++I)
      Decoded[Order[I]] = InOrder[I];
  } else {
    Codec->encode(S, Own, Decoded);
  }
  clampDurations(S.Kind, Decoded);
  W.varint(IsByCluster);
  W.blob(Own.Data);
  ByteWriter Corrections;
  uint64_t Number = 0, Before = 0;
  for (size_t I = 0; I < S.size(); ++I) {
    const TimeBound &Bound = Bounds.all()[size_t(2) * S.Pairs[I] + static_cast<unsigned>(S.Kind)].bound();
    if (isWithin(Bound, S.Values[I], Decoded[I]))
      continue;
    Corrections.varint(I - Before);
    Corrections.svarint(wrappedDifference(S.Values[I], Decoded[I]));
    Decoded[I] = S.Values[I];
    Before = I;
    ++Number;
  }
  W.varint(Number);
  W.bytes(Corrections.Data);
}

void SeriesEncoder::write(const TimeSeries &S, ByteWriter &W, std::vector<int64_t> &Decoded) {
  if (!Codec->wantsOrder() || Clusters.by() == TimeCluster::None)
    return writeOrdered(S, false, W, Decoded);
  if (Clusters.by() == TimeCluster::Signature)
    return writeOrdered(S, true, W, Decoded);
  // Neighbours in time may be more alike than calls of one path: both are tried.
  ByteWriter InTurn, ByCluster;
  std::vector<int64_t> Other;
  writeOrdered(S, false, InTurn, Decoded);
  writeOrdered(S, true, ByCluster, Other);
  if (ByCluster.Data.size() >= InTurn.Data.size())
    return W.bytes(InTurn.Data);
  Decoded = std::move(Other);
  W.bytes(ByCluster.Data);
}

TimeEncoder::Result SeriesEncoder::encode(std::span<const TimedCall> Calls, std::vector<uint8_t> &Block,
                                          std::vector<uint8_t> &NewModel) {
  std::vector<CallContext> Contexts;
  for (const TimedCall &C : Calls)
    Contexts.push_back({C.Place, C.Path});
  TimeSeries Series[] = {seriesOf(TimeKind::Duration, Contexts, Bounds, Clusters),
                         seriesOf(TimeKind::Gap, std::span(Contexts).subspan(1), Bounds, Clusters)};
  TimeEncoder::Result R;
  R.Head.Calls = Calls.size();
  R.Head.FirstStart = R.Head.Earliest = R.Head.Latest = Calls[0].Start;
  for (size_t I = 0; I < Calls.size(); ++I) {
    const TimedCall &C = Calls[I];
    Series[0].Values.push_back(static_cast<int64_t>(C.End - C.Start));
    if (I)
      Series[1].Values.push_back(static_cast<int64_t>(C.Start - Calls[I - 1].End));
    R.TotalDuration += C.End - C.Start;
  }
  ByteWriter Model, Coded;
  R.IsNewModel = Codec->needsModel(Series, Model);
  Models += R.IsNewModel;
  R.Model = Models ? Models - 1 : 0;
  NewModel.insert(NewModel.end(), Model.Data.begin(), Model.Data.end());
  std::vector<int64_t> Durations, Gaps;
  write(Series[0], Coded, Durations);
  if (Series[1].size())
    write(Series[1], Coded, Gaps);
  uint64_t Now = Calls[0].Start;
  for (size_t I = 0; I < Calls.size(); ++I) {
    if (I)
      Now += static_cast<uint64_t>(Gaps[I - 1]);
    const auto Off = static_cast<int64_t>(Now - Calls[I].Start);
    R.Head.Drift = std::max(R.Head.Drift, static_cast<uint64_t>(Off < 0 ? -Off : Off));
    R.Head.Earliest = std::min(R.Head.Earliest, Now);
    Now += static_cast<uint64_t>(Durations[I]);
    R.Head.Latest = std::max(R.Head.Latest, Now);
  }
  ByteWriter W;
  W.Data.swap(Block);
  R.Head.write(W);
  W.bytes(Coded.Data);
  W.Data.swap(Block);
  return R;
}

void SeriesDecoder::readModel(uint64_t Model, ByteReader &R) {
  auto Codec = makeSeriesCodec(Which, Bounds);
  Codec->readModel(R);
  Models[Model] = std::move(Codec);
}

void SeriesDecoder::read(ByteReader &R, SeriesCodec &C, TimeSeries &S) {
  const bool IsByCluster = R.varintMax(1);
  ByteReader Own(R.blob());
  if (!R.ok())
    return;
  std::vector<uint32_t> Order;
  if (IsByCluster) {
    Order = orderByCluster(S);
    TimeSeries InOrder = reordered(S, Order);
    C.decode(Own, InOrder);
    S.Values.resize(S.size());
    for (size_t I = 0; I < Order.size() && I < InOrder.Values.size(); ++I)
      S.Values[Order[I]] = InOrder.Values[I];
  } else {
    C.decode(Own, S);
  }
  if (!Own.ok() || !Own.atEnd())
    return R.fail(Own.ok() ? "bytes of times are left over" : Own.reason());
  clampDurations(S.Kind, S.Values);
  uint64_t At = 0;
  for (size_t N = R.count(2); N-- && R.ok();) {
    At += R.varint();
    const int64_t More = R.svarint();
    if (At >= S.Values.size())
      return R.fail("a correction of no call");
    S.Values[At] = wrappedSum(S.Values[At], More);
  }
}

bool SeriesDecoder::decode(ByteReader &R, uint64_t Model, std::span<const CallContext> Contexts,
                           std::vector<CallTime> &Out) {
  const TimeBlockHead Head = TimeBlockHead::read(R);
  if (R.ok() && (Head.Calls != Contexts.size() || Contexts.empty()))
    R.fail("a block of times is one of other calls");
  if (!R.ok())
    return false;
  SeriesCodec &C = hasModels() ? *Models.at(Model) : *Plain;
  TimeSeries Durations = seriesOf(TimeKind::Duration, Contexts, Bounds, Clusters),
             Gaps = seriesOf(TimeKind::Gap, Contexts.subspan(1), Bounds, Clusters);
  read(R, C, Durations);
  if (Gaps.size() && R.ok())
    read(R, C, Gaps);
  if (R.ok() && (Durations.Values.size() != Durations.size() || Gaps.Values.size() != Gaps.size()))
    R.fail("a block of times is damaged");
  if (!R.ok())
    return false;
  uint64_t Now = Head.FirstStart;
  for (size_t I = 0; I < Contexts.size(); ++I) {
    if (I)
      Now += static_cast<uint64_t>(Gaps.Values[I - 1]);
    Out.push_back({Now, static_cast<uint64_t>(Durations.Values[I])});
    Now += static_cast<uint64_t>(Durations.Values[I]);
  }
  return true;
}

} // namespace pilgrim
