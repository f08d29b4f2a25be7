//===- SeriesCodec.h - the codings of published tracers -----------*- C++ -*-===//
//
// Pilgrim (TPDS 2022, section 2.3.2) codes the durations and the gaps of a buffer of calls as two series. Here a buffer
// is a block of calls, and a codec codes one series. There is one file for each codec. SeriesBlock.h makes blocks of
// what codecs write.
//
//   Zstd   lossless: 64-bit integers under zstd
//   Cfg    bins of the ratio 1 + e, and a grammar of them
//   Hist   the same bins; the most frequent ones of each cluster take a few bits, all other values are kept unchanged
//   Zfp    libzfp with an absolute bound
//   Sz     SZ3, of the logarithms where the bound is a relative one
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TIMES_SERIESCODEC_H
#define PILGRIM_TRACE_TIMES_SERIESCODEC_H

#include "trace/base/Bytes.h"
#include "trace/times/TimeBounds.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace pilgrim {

/// How blocks of times are coded. Bins: by TimeEncoder.h. The numbers are those of the file.
enum class TimeCodec : uint8_t { Bins, Zstd, Cfg, Hist, Zfp, Sz };
/// Which times a codec takes together: none; those of one function and line, wherever the structure has it; or
/// durations of one place, and gaps of one path.
enum class TimeCluster : uint8_t { None, Signature, Path };
struct TimeCoding {
  TimeCodec Codec = TimeCodec::Bins;
  TimeCluster Cluster = TimeCluster::None;
  auto operator<=>(const TimeCoding &) const = default;
  /// The file's number for it.
  uint8_t number() const {
    return static_cast<uint8_t>(static_cast<unsigned>(Codec) * 4 + static_cast<unsigned>(Cluster));
  }
  /// Calls of a block, as it is written. Codings of series hold a block several times over while they code it.
  size_t blockCalls() const { return Codec == TimeCodec::Bins ? 1 << 14 : 1 << 12; }
  /// Whether the number is one; then Out is its coding.
  static bool of(uint64_t Number, TimeCoding &Out);
};

/// The times of one kind of some calls.
struct TimeSeries {
  TimeKind Kind = TimeKind::Duration;
  std::vector<int64_t> Values;    ///< ticks
  std::vector<uint32_t> Clusters; ///< of each value; all 0 without clusters
  std::vector<uint8_t> Pairs;     ///< of each value: of TimeBounds
  size_t size() const { return Pairs.size(); }
};

class SeriesCodec {
public:
  virtual ~SeriesCodec() = default;
  /// Appends a series of one value or more. Decoded: what decode() will give.
  virtual void encode(const TimeSeries &S, ByteWriter &W, std::vector<int64_t> &Decoded) = 0;
  /// Makes S.Values of a series whose other members are known. Damage makes the reader fail.
  virtual void decode(ByteReader &R, TimeSeries &S) = 0;
  /// Whether it profits from values of a cluster that stand together.
  virtual bool wantsOrder() const { return false; }

  // Codecs whose blocks refer to a model: what they keep from block to block.
  virtual bool hasModels() const { return false; }
  /// Whether these series need a further model, which was appended to W then.
  virtual bool needsModel(std::span<const TimeSeries>, ByteWriter &) { return false; }
  /// Makes decode() use a model.
  virtual void readModel(ByteReader &R) { R.fail("a model that nobody needs"); }
};

/// Null: the codec is not in this build, or its library is not on this machine. Bounds must outlive the codec.
std::unique_ptr<SeriesCodec> makeSeriesCodec(TimeCodec Codec, const TimeBounds &Bounds);

// The one of each file.
std::unique_ptr<SeriesCodec> makeZstdCodec();
std::unique_ptr<SeriesCodec> makeCfgCodec(const TimeBounds &Bounds);
std::unique_ptr<SeriesCodec> makeHistCodec(const TimeBounds &Bounds);
std::unique_ptr<SeriesCodec> makeZfpCodec(const TimeBounds &Bounds);
std::unique_ptr<SeriesCodec> makeSzCodec(const TimeBounds &Bounds);

/// The smallest bound of all values of a series, of those that have one of its form.
TimeBound smallestBound(const TimeBounds &Bounds, const TimeSeries &S);

} // namespace pilgrim

#endif
