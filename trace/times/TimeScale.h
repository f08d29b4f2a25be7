//===- TimeScale.h - times of a block as symbols and raw bits -----*- C++ -*-===//
//
// What a block adds to the bins of a bound: exact times are divided by a unit. A time whose bin is so wide that it
// alone would make the starts drift is said more exactly, by raw bits. That takes fewer bits than to correct the start
// behind it. (Internal to trace/times.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TIMES_TIMESCALE_H
#define PILGRIM_TRACE_TIMES_TIMESCALE_H

#include "trace/times/TimeBounds.h"
#include "trace/times/TimeCoder.h"

#include <cstdint>
#include <vector>

namespace pilgrim {

/// Refers to the bins of the bounds.
class TimeScale {
public:
  TimeScale(const TimeBins &Bins, uint64_t Unit, uint64_t Drift)
      : Bins(&Bins), Unit(Bins.bound().isExact() ? Unit : 1), Width(Drift < 4 ? 1 : Drift / 4),
        FirstWide(Drift ? Bins.firstWider(Width) : Bins.numSymbols()) {}

  uint32_t numSymbols() const { return Bins->numSymbols(); }
  /// Whether an exact time is no multiple of the unit.
  bool isOff(uint64_t Time) const { return Unit != 1 && Time % Unit; }
  uint32_t symbol(uint64_t Time) const { return Bins->symbol(Unit == 1 ? Time : Time / Unit); }
  /// Writes the raw bits; the time that will be decoded.
  uint64_t write(uint64_t Time, uint32_t Symbol, BitWriter &Raw) const {
    if (Symbol >= FirstWide) [[unlikely]] {
      const unsigned Bits = Bins->fineBits(Symbol, Width);
      const uint64_t Fine = Bins->fine(Time, Symbol, Bits);
      Raw.put(Fine, Bits);
      return Bins->fineTime(Symbol, Bits, Fine);
    }
    const unsigned Bits = Bins->rawBits(Symbol);
    uint64_t Value = 0;
    if (Bits)
      Raw.put(Value = Bins->raw(Unit == 1 ? Time : Time / Unit, Symbol), Bits);
    return Bins->time(Symbol, Value) * Unit;
  }
  /// Symbol: below numSymbols().
  uint64_t read(uint32_t Symbol, BitReader &Raw) const {
    if (Symbol >= FirstWide) [[unlikely]] {
      const unsigned Bits = Bins->fineBits(Symbol, Width);
      return Bins->fineTime(Symbol, Bits, Raw.get(Bits));
    }
    const unsigned Bits = Bins->rawBits(Symbol);
    return Bins->time(Symbol, Bits ? Raw.get(Bits) : 0) * Unit;
  }

private:
  const TimeBins *Bins;
  uint64_t Unit, Width;
  uint32_t FirstWide;
};

/// Those of all bounds.
class TimeScales {
public:
  TimeScales() = default;
  TimeScales(const TimeBounds &Bounds, uint64_t Unit, uint64_t Drift) : Bounds(&Bounds) {
    Scales.reserve(Bounds.all().size());
    for (const TimeBins &B : Bounds.all())
      Scales.emplace_back(B, Unit, Drift);
  }
  template <TimeKind Kind> const TimeScale &of(uint32_t Context) const {
    return Scales[2 * Bounds->pair(Kind, Context) + static_cast<unsigned>(Kind)];
  }

private:
  const TimeBounds *Bounds = nullptr;
  std::vector<TimeScale> Scales;
};

} // namespace pilgrim

#endif
