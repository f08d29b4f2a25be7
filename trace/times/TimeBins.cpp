//===- TimeBins.cpp - times within a bound, as symbols --------------------===//
#include "trace/times/TimeBins.h"

#include <algorithm>

namespace pilgrim {

namespace {
using Wide = unsigned __int128;
constexpr uint64_t Whole = 1'000'000; ///< the unit of relative bounds
uint64_t saturated(Wide V) { return V > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(V); }

/// The largest square root whose square is not above V.
uint64_t root(Wide V) {
  uint64_t R = 0;
  for (int Bit = 63; Bit >= 0; --Bit)
    if (const uint64_t Next = R | uint64_t(1) << Bit; Wide(Next) * Next <= V)
      R = Next;
  return R;
}
} // namespace

TimeBins::TimeBins(TimeBound Asked) : Bound(Asked) {
  Bound.Relative = std::min(Bound.Relative, TimeBound::MaxRelative);
  Bound.Absolute = std::min(Bound.Absolute, TimeBound::MaxAbsolute);
  if (Bound.Relative) {
    makeBins();
    if (!Last.empty())
      return;
    // Half of what is dropped may be wrong: 2^-(Kept + 1) of the highest bit.
    unsigned Kept = 1;
    while (Whole > uint64_t(Bound.Relative) << (Kept + 1))
      ++Kept;
    MaxRaw = Kept > Mantissa ? Kept - Mantissa : 0;
  } else {
    Step = 2 * Bound.Absolute + 1;
  }
  NumSymbols = (64 - Mantissa + 1) << Mantissa;
}

void TimeBins::makeBins() {
  const uint64_t E = Bound.Relative;
  Last.push_back(0);
  Value.push_back(0);
  while (Last.back() != UINT64_MAX) {
    if (Last.size() == MaxSymbols) {
      Last.clear();
      Value.clear();
      return;
    }
    const uint64_t First = Last.back() + 1;
    // What may stand for First, at most; and the largest time that this may stand for.
    const uint64_t Most = saturated(Wide(First) * (Whole + E) / Whole);
    const uint64_t Furthest = saturated(Wide(Most) * Whole / (Whole - E));
    // Not always as far: of bins of this ratio, the geometric mean of the borders is about the mean of the times.
    const uint64_t Border = std::min(Furthest, saturated(Wide(First) * (Whole + E) * (Whole + E) / (Whole * Whole)));
    const auto Least = static_cast<uint64_t>((Wide(Border) * (Whole - E) + Whole - 1) / Whole);
    Last.push_back(Border);
    Value.push_back(std::clamp(root(Wide(First) * Border), Least, Most));
  }
  NumSymbols = static_cast<uint32_t>(Last.size());
  for (uint64_t V : Value)
    Class.push_back(static_cast<uint8_t>(classOfTime(V)));
  constexpr unsigned CellBits = RatioTables::CellBits;
  Cells.resize(RatioTables::cell(RatioTables::LongTime) + size_t(1));
  uint32_t Bin = 0;
  for (uint32_t Cell = 0; Cell < Cells.size(); ++Cell) {
    // The first time of the cell.
    const uint64_t Begin = uint64_t(1) << (Cell >> CellBits);
    const uint64_t Top = Cell & ((1u << CellBits) - 1);
    const uint64_t Time = Begin + ((Top * Begin) >> CellBits) - 1;
    while (Last[Bin] < Time)
      ++Bin;
    Cells[Cell] = static_cast<uint16_t>(Bin);
  }
}

uint32_t TimeBins::firstWider(uint64_t Width) const {
  if (Last.empty())
    return NumSymbols;
  uint32_t S = 1;
  while (S < NumSymbols && width(S) <= Width)
    ++S;
  return S;
}

} // namespace pilgrim
