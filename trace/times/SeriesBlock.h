//===- SeriesBlock.h - blocks of times under a series codec -------*- C++ -*-===//
//
// A block has start and duration of consecutive calls, as TimeBlock.h says, but under a codec of SeriesCodec.h:
//
//   the head of a block. No decoded start is further from the true one than its drift
//   the series of durations, then that of gaps, which the first call has none of; if there are some, each:
//     varint order: 0 that of the calls, 1 by clusters
//     blob that the codec wrote
//     varint number of corrections; per correction: varint distance from the one before, svarint what is added
//
// As published, nothing keeps errors of starts from adding up: within a block they do. A block begins with its first
// start, exactly. Values that a codec gives back outside of their bound are corrected.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TIMES_SERIESBLOCK_H
#define PILGRIM_TRACE_TIMES_SERIESBLOCK_H

#include "trace/times/SeriesCodec.h"
#include "trace/times/TimeEncoder.h"

#include <map>

namespace pilgrim {

/// The clusters that contexts belong to.
class TimeClusters {
public:
  explicit TimeClusters(TimeCluster By) : By(By) {}
  /// Calls in a place have the number of a signature. To be said for all places, if it is asked for signatures.
  void assign(uint32_t Place, uint32_t Signature) {
    if (SignatureOf.size() <= Place)
      SignatureOf.resize(size_t(Place) + 1);
    SignatureOf[Place] = Signature;
  }
  uint32_t of(TimeKind Kind, const CallContext &C) const {
    switch (By) {
    case TimeCluster::None:
      break;
    case TimeCluster::Signature:
      return C.Place < SignatureOf.size() ? SignatureOf[C.Place] : 0;
    case TimeCluster::Path:
      return Kind == TimeKind::Duration ? C.Place : C.Path;
    }
    return 0;
  }
  TimeCluster by() const { return By; }

private:
  TimeCluster By;
  std::vector<uint32_t> SignatureOf;
};

/// The bounds and the clusters have to outlive encoder and decoder, and may get further contexts meanwhile.
class SeriesEncoder {
public:
  SeriesEncoder(std::unique_ptr<SeriesCodec> Codec, const TimeBounds &Bounds, const TimeClusters &Clusters)
      : Codec(std::move(Codec)), Bounds(Bounds), Clusters(Clusters) {}
  /// As that of TimeEncoder. The model is the last new one, or 0 if there are none.
  TimeEncoder::Result encode(std::span<const TimedCall> Calls, std::vector<uint8_t> &Block,
                             std::vector<uint8_t> &NewModel);

private:
  void write(const TimeSeries &S, ByteWriter &W, std::vector<int64_t> &Decoded);
  void writeOrdered(const TimeSeries &S, bool IsByCluster, ByteWriter &W, std::vector<int64_t> &Decoded);
  std::unique_ptr<SeriesCodec> Codec;
  const TimeBounds &Bounds;
  const TimeClusters &Clusters;
  uint32_t Models = 0;
};

class SeriesDecoder {
public:
  SeriesDecoder(TimeCodec Codec, const TimeBounds &Bounds, const TimeClusters &Clusters)
      : Which(Codec), Bounds(Bounds), Clusters(Clusters), Plain(makeSeriesCodec(Codec, Bounds)) {}
  /// Whether the codec is in this build, and its library on this machine.
  bool isThere() const { return Plain != nullptr; }
  bool hasModels() const { return Plain && Plain->hasModels(); }
  bool knows(uint64_t Model) const { return Models.contains(Model); }
  /// Damage makes the reader fail.
  void readModel(uint64_t Model, ByteReader &R);
  /// As decodeTimes(). The model is known, if the codec has models.
  bool decode(ByteReader &R, uint64_t Model, std::span<const CallContext> Contexts, std::vector<CallTime> &Out);

private:
  void read(ByteReader &R, SeriesCodec &C, TimeSeries &S);
  const TimeCodec Which;
  const TimeBounds &Bounds;
  const TimeClusters &Clusters;
  std::unique_ptr<SeriesCodec> Plain;
  std::map<uint64_t, std::unique_ptr<SeriesCodec>> Models;
};

} // namespace pilgrim

#endif
