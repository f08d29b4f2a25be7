//===- TimeBins.h - times within a bound, as symbols --------------*- C++ -*-===//
//
// A time (a duration, or a gap between calls; in clock ticks) becomes a symbol, which an entropy coder writes, and
// sometimes raw bits behind it. Both together give a time that differs from the true one by no more than the bound.
//
//   relative   bins of the ratio (1 + e)^2. Small integers have a bin each, so they are exact.
//   absolute   multiples of 2a + 1, written like exact times
//   exact      the magnitude and the bits behind the highest one are the symbol, the lower bits are raw
//
// Relative bounds below 0.6% would need many thousand bins. They are written like exact times, too, without the bits
// that the bound makes superfluous.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TIMES_TIMEBINS_H
#define PILGRIM_TRACE_TIMES_TIMEBINS_H

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pilgrim {

/// By how much a decoded time may differ from the true one. Both 0: not at all.
struct TimeBound {
  uint32_t Relative = 0; ///< in millionths of the true time, at most MaxRelative. Absolute must be 0 beside it
  uint64_t Absolute = 0; ///< in ticks, at most MaxAbsolute
  static constexpr uint32_t MaxRelative = 500'000;
  static constexpr uint64_t MaxAbsolute = uint64_t(1) << 40;
  bool isExact() const { return !Relative && !Absolute; }
  auto operator<=>(const TimeBound &) const = default;
};

/// Times by how long they are: the number of bits, halved.
inline unsigned classOfTime(uint64_t Time) {
  const auto Class = static_cast<unsigned>(std::bit_width(Time)) / 2;
  return Class < 15 ? Class : 15;
}

/// The tables of a relative bound. A loop that has a copy of its own need not fetch their addresses again for each
/// time.
struct RatioTables {
  const uint64_t *Last = nullptr;  ///< the largest time of each bin; null: the bound is another one
  const uint64_t *Value = nullptr; ///< the time that it stands for
  const uint8_t *Class = nullptr;  ///< of Value
  const uint16_t *Cells = nullptr; ///< by cell: the first bin to look at

  uint32_t symbol(uint64_t Time) const {
    uint32_t Bin = Cells[cell(Time)];
    Bin += Time > Last[Bin]; // mostly enough
    while (Time > Last[Bin]) [[unlikely]]
      ++Bin;
    return Bin;
  }
  /// Exponent and highest bits of the time plus one, as a floating point number has them: processors are slower at
  /// finding the highest bit of an integer. All long times are in the last cell.
  static uint32_t cell(uint64_t Time) {
    const uint64_t More = Time < LongTime ? Time + 1 : LongTime;
    return static_cast<uint32_t>(
        (std::bit_cast<uint64_t>(static_cast<double>(static_cast<int64_t>(More))) >> (52 - CellBits)) -
        (uint64_t(1023) << CellBits));
  }
  static constexpr uint64_t LongTime = uint64_t(1) << 52;
  static constexpr unsigned CellBits = 5;
};

/// Immutable. Larger bounds than allowed are taken as the largest allowed one.
class TimeBins {
public:
  explicit TimeBins(TimeBound Bound = {});

  const TimeBound &bound() const { return Bound; }
  /// Symbols are below this.
  static constexpr uint32_t MaxSymbols = 4096;
  uint32_t numSymbols() const { return NumSymbols; }

  /// The symbol of a time of any size.
  uint32_t symbol(uint64_t Time) const {
    if (!Last.empty()) [[likely]]
      return tables().symbol(Time);
    const uint64_t Q = quotient(Time);
    if (Q < (1u << Mantissa))
      return static_cast<uint32_t>(Q);
    const unsigned Low = 63 - std::countl_zero(Q) - Mantissa;
    return static_cast<uint32_t>((Low << Mantissa) + (Q >> Low));
  }
  /// These of the bins.
  RatioTables tables() const {
    return Last.empty() ? RatioTables{} : RatioTables{Last.data(), Value.data(), Class.data(), Cells.data()};
  }
  /// Symbols below this have no raw bits, and stand for value(Symbol).
  uint32_t numPlain() const { return Last.empty() ? 0 : NumSymbols; }
  uint64_t value(uint32_t Symbol) const { return Value[Symbol]; }
  /// classOfTime(value(Symbol))
  unsigned classOf(uint32_t Symbol) const { return Class[Symbol]; }
  /// The number of raw bits behind the symbol, which must be below numSymbols().
  unsigned rawBits(uint32_t Symbol) const {
    if (!Last.empty()) [[likely]]
      return 0;
    const unsigned Low = lowBits(Symbol);
    return Low < MaxRaw ? Low : MaxRaw;
  }
  /// These bits of a time that has the symbol.
  uint64_t raw(uint64_t Time, uint32_t Symbol) const {
    const unsigned Low = lowBits(Symbol), Bits = rawBits(Symbol);
    return Bits ? (quotient(Time) >> (Low - Bits)) & (~uint64_t(0) >> (64 - Bits)) : 0;
  }
  /// The time that symbol and raw bits stand for. Any that fit are allowed.
  uint64_t time(uint32_t Symbol, uint64_t Raw) const {
    if (!Last.empty()) [[likely]]
      return Value[Symbol];
    if (Symbol < (1u << Mantissa))
      return Symbol * Step;
    const unsigned Low = lowBits(Symbol), Dropped = Low - rawBits(Symbol);
    const uint64_t Top = (1u << Mantissa) + (Symbol & ((1u << Mantissa) - 1));
    return (Top << Low | Raw << Dropped | (Dropped ? uint64_t(1) << (Dropped - 1) : 0)) * Step;
  }

  /// Bins of relative bounds are as wide as the times that they stand for are long. The first symbol whose bin has more
  /// than Width times; numSymbols() if there is none, or if the bound is another one.
  uint32_t firstWider(uint64_t Width) const;
  /// Where in its bin a time is, in Bits bits, so that about Width times are left. The symbol is one of a wide bin.
  unsigned fineBits(uint32_t Symbol, uint64_t Width) const {
    return static_cast<unsigned>(std::bit_width((width(Symbol) - 1) / Width));
  }
  uint64_t fine(uint64_t Time, uint32_t Symbol, unsigned Bits) const {
    return static_cast<uint64_t>((static_cast<Wide>(Time - Last[Symbol - 1] - 1) << Bits) / width(Symbol));
  }
  /// The time in the middle of these. Fine has Bits bits.
  uint64_t fineTime(uint32_t Symbol, unsigned Bits, uint64_t Fine) const {
    return Last[Symbol - 1] + 1 +
           static_cast<uint64_t>((2 * static_cast<Wide>(Fine) + 1) * width(Symbol) >> (Bits + 1));
  }

  /// Highest bits behind the first one that belong to the symbol of an exact time.
  static constexpr unsigned Mantissa = 4;

private:
  using Wide = unsigned __int128;
  void makeBins();
  /// Times of a bin but the first.
  uint64_t width(uint32_t Symbol) const { return Last[Symbol] - Last[Symbol - 1]; }
  uint64_t quotient(uint64_t Time) const {
    // Times so large that the sum would overflow are off by half a step more, which nobody records.
    return Step == 1 ? Time : (Time > UINT64_MAX - Step / 2 ? Time : Time + Step / 2) / Step;
  }
  static unsigned lowBits(uint32_t Symbol) { return Symbol < (2u << Mantissa) ? 0 : (Symbol >> Mantissa) - 1; }

  TimeBound Bound;
  uint64_t Step = 1;    ///< of absolute bounds
  unsigned MaxRaw = 64; ///< lower bits are not written
  uint32_t NumSymbols = 0;
  std::vector<uint64_t> Last, Value; ///< of relative bounds: see RatioTables
  std::vector<uint8_t> Class;
  std::vector<uint16_t> Cells;
};

} // namespace pilgrim

#endif
