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

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pilgrim {

/// A decoded time and its class.
struct ScaledTime {
  uint64_t Time;
  unsigned Class;
};

/// Refers to the bins of the bounds.
class TimeScale {
public:
  TimeScale(const TimeBins &Bins, uint64_t Unit, uint64_t Drift)
      : Tables(Bins.tables()), Bins(&Bins), Unit(Bins.bound().isExact() ? Unit : 1), Width(Drift < 4 ? 1 : Drift / 4),
        FirstWide(Drift ? Bins.firstWider(Width) : Bins.numSymbols()), NumPlain(std::min(Bins.numPlain(), FirstWide)) {}

  uint32_t numSymbols() const { return Bins->numSymbols(); }
  /// What exact times are divided by; others by 1.
  uint64_t unit() const { return Unit; }
  /// Units: the time, divided by the unit. Whoever knows that the unit is 1 need not divide, which takes long.
  uint32_t symbol(uint64_t Units) const { return Tables.Last ? Tables.symbol(Units) : Bins->symbol(Units); }
  /// Writes the raw bits; the time that will be decoded.
  [[gnu::always_inline]] ScaledTime write(uint64_t Units, uint32_t Symbol, BitWriter &Raw) const {
    if (Symbol < NumPlain) [[likely]]
      return {Tables.Value[Symbol], Tables.Class[Symbol]};
    const uint64_t Decoded = writeWithBits(Units, Symbol, Raw);
    return {Decoded, classOfTime(Decoded)};
  }
  /// Symbol: below numSymbols().
  [[gnu::always_inline]] ScaledTime read(uint32_t Symbol, BitReader &Raw) const {
    if (Symbol < NumPlain) [[likely]]
      return {Tables.Value[Symbol], Tables.Class[Symbol]};
    const uint64_t Time = readWithBits(Symbol, Raw);
    return {Time, classOfTime(Time)};
  }

private:
  uint64_t writeWithBits(uint64_t Units, uint32_t Symbol, BitWriter &Raw) const {
    if (Symbol >= FirstWide) {
      const unsigned Bits = Bins->fineBits(Symbol, Width);
      const uint64_t Fine = Bins->fine(Units, Symbol, Bits);
      Raw.put(Fine, Bits);
      return Bins->fineTime(Symbol, Bits, Fine);
    }
    const unsigned Bits = Bins->rawBits(Symbol);
    uint64_t Value = 0;
    if (Bits)
      Raw.put(Value = Bins->raw(Units, Symbol), Bits);
    return Bins->time(Symbol, Value) * Unit;
  }
  uint64_t readWithBits(uint32_t Symbol, BitReader &Raw) const {
    if (Symbol >= FirstWide) {
      const unsigned Bits = Bins->fineBits(Symbol, Width);
      return Bins->fineTime(Symbol, Bits, Raw.get(Bits));
    }
    const unsigned Bits = Bins->rawBits(Symbol);
    return Bins->time(Symbol, Bits ? Raw.get(Bits) : 0) * Unit;
  }

  RatioTables Tables;
  const TimeBins *Bins;
  uint64_t Unit, Width;
  uint32_t FirstWide; ///< from here on, symbols have wide bins
  uint32_t NumPlain;  ///< up to here, symbols have no raw bits
};

/// Those of all bounds.
class TimeScales {
public:
  TimeScales() = default;
  TimeScales(TimeScales &&) = default;
  TimeScales &operator=(TimeScales &&) = default;
  TimeScales(const TimeBounds &Bounds, uint64_t Unit, uint64_t Drift) : Bounds(&Bounds) {
    Scales.reserve(Bounds.all().size());
    for (const TimeBins &B : Bounds.all())
      Scales.emplace_back(B, Unit, Drift);
    First = Scales.data();
    IsOne = Bounds.numPairs() == 1;
  }
  template <TimeKind Kind> const TimeScale &of(uint32_t Context) const {
    constexpr auto Which = static_cast<unsigned>(Kind);
    return First[IsOne ? Which : 2 * Bounds->pair(Kind, Context) + Which];
  }
  /// Whether all contexts have the same bounds, so that any context may be asked for.
  bool areSame() const { return IsOne; }

private:
  const TimeBounds *Bounds = nullptr;
  std::vector<TimeScale> Scales;
  const TimeScale *First = nullptr; ///< of Scales
  bool IsOne = false;
};

} // namespace pilgrim

#endif
