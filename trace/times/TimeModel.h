//===- TimeModel.h - the histograms that times are coded by -------*- C++ -*-===//
//
// A model says how probable each symbol is in each context. It consists of histograms, each for one or several contexts
// whose times are distributed alike. Blocks of calls refer to a model, and can be decoded with it alone; many blocks
// can share one. What a model does not have (other contexts, symbols that did not occur) can be coded, too, in more
// bits.
//
// Counts in a model are rounded to one to four significant bits behind the first, which costs blocks less than their
// exact values would cost here.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TIMES_TIMEMODEL_H
#define PILGRIM_TRACE_TIMES_TIMEMODEL_H

#include "trace/base/Bytes.h"
#include "trace/times/TimeCoder.h"
#include "trace/times/TimeCounts.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pilgrim {

struct ModelModels;

class TimeModel {
public:
  /// Symbols that all histograms of a model may have together. Of more, rare ones are left out.
  static constexpr size_t MaxModelEntries = size_t(1) << 16;

  /// Contexts may have numbers up to this. The numbers above stand for contexts that are too rare to be named:
  /// UINT32_MAX for those of the pair of bounds 0, the one below for pair 1...
  static constexpr uint32_t MaxContext = UINT32_MAX - TimeBounds::MaxPairs;

  TimeModel() { finish(); }
  /// Counts: sorted by key. Unit: exact times of the blocks are multiples of it.
  TimeModel(std::span<const TimeCount> Counts, const TimeBounds &Bounds, uint64_t Unit);
  void write(ByteWriter &W) const;
  /// Damage makes the reader fail; the model is empty then. Memory is spent of the reader's.
  static TimeModel read(ByteReader &R);

  uint64_t unit() const { return Unit; }
  /// About the counts that it was made from. What contexts share is divided evenly.
  std::vector<TimeCount> counts() const;

  /// One histogram. Belongs to the model.
  struct Row {
    uint8_t Kind = 0, Pair = 0; ///< of its contexts; the pair of bounds
    uint32_t First = 0;         ///< of Symbols, Starts and Counts
    uint32_t Size = 0;
    uint16_t Escape = 0; ///< shares from here on stand for all symbols that it has not
    /// By the highest bits of a share: the entry to begin with.
    std::array<uint16_t, 32> Jump{};
  };
  /// The histogram of a context behind a call of a class; null: the model does not know the context. A class that is
  /// not named has the histogram of the next lower one that is, or else of the lowest one.
  const Row *row(TimeKind Kind, uint32_t Context, unsigned Class) const;
  /// For symbols that a histogram has not, and for contexts that are not known: all histograms of the kind added up.
  const Row &fallback(TimeKind Kind, unsigned Pair) const;
  /// Nothing: the row does not have the symbol.
  std::optional<TimeShares> shares(const Row &R, uint32_t Symbol) const;
  static TimeShares escape(const Row &R) { return {R.Escape, static_cast<uint16_t>(TimeShares::All - R.Escape)}; }
  struct Found {
    uint32_t Symbol;
    TimeShares Shares;
  };
  /// Whose share it is. Escaped, with the shares of escape(): of symbols that the row has not.
  static constexpr uint32_t Escaped = UINT32_MAX;
  Found find(const Row &R, uint32_t Share) const {
    if (Share >= R.Escape)
      return {Escaped, escape(R)};
    uint32_t I = R.First + R.Jump[Share >> (TimeShares::Log - 5)];
    const uint32_t Last = R.First + R.Size - 1;
    while (I < Last && Starts[I + 1] <= Share)
      ++I;
    return {Symbols[I], {Starts[I], static_cast<uint16_t>((I < Last ? Starts[I + 1] : R.Escape) - Starts[I])}};
  }

  /// The shares that a time is coded by, one after the other.
  struct Path {
    TimeShares Steps[3];
    unsigned Size = 0;
    float bits() const;
  };
  Path path(TimeKey Key, unsigned Pair) const;
  /// A symbol that no histogram has.
  static TimeShares unknown(uint32_t Symbol) { return {static_cast<uint16_t>(Symbol * 2), 2}; }
  static uint32_t unknownOf(uint32_t Share) { return Share / 2; }

  size_t numRows() const { return Rows.size(); }
  size_t numEntries() const { return Symbols.size(); }
  size_t memory() const;

private:
  struct Member {
    uint64_t Group; ///< TimeKey::group()
    uint32_t Row;
  };
  struct Cluster;
  struct Group;
  static std::vector<Group> groupsOf(std::span<const TimeCount> Counts, uint64_t Least, const TimeBounds &Bounds);
  static constexpr uint32_t MaxCount = 1u << 30;
  static constexpr uint64_t MaxMembers = uint64_t(1) << 20;

  /// A count, rounded to Precision bits behind the highest one, as a number without gaps.
  static uint32_t levelOf(uint64_t Count, unsigned Precision) {
    Count = Count < MaxCount ? Count : MaxCount;
    const int Low = static_cast<int>(std::bit_width(Count)) - 1 - static_cast<int>(Precision);
    if (Low <= 0)
      return static_cast<uint32_t>(Count);
    // If this becomes one bit longer, that is the next level all the same.
    const uint64_t Top = (Count + (uint64_t(1) << (Low - 1))) >> Low;
    return static_cast<uint32_t>((uint64_t(Low) << Precision) + Top);
  }
  static uint32_t countOf(uint32_t Level, unsigned Precision) {
    if (Level < (2u << Precision))
      return Level;
    return ((1u << Precision) + (Level & ((1u << Precision) - 1))) << ((Level >> Precision) - 1);
  }

  template <typename Code> bool code(Code &C, ByteReader *Reader);
  template <typename Code> bool codeRow(Code &C, ModelModels &M, Row &R, unsigned Kind);
  void finish();
  void finishRow(Row &R);
  void addFallback(uint8_t Kind, uint8_t Pair);

  uint64_t Unit = 1;
  unsigned Precision = 1;      ///< significant bits of counts behind the first
  std::vector<Member> Members; ///< ascending
  std::vector<Row> Rows;       ///< the fallbacks behind the others
  size_t NumOwn = 0;           ///< rows before the fallbacks
  std::vector<uint16_t> Symbols, Starts;
  std::vector<uint32_t> Counts; ///< as rounded
};

} // namespace pilgrim

#endif
