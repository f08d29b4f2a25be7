//===- TimeCoder.h - symbols of known frequencies as bits ---------*- C++ -*-===//
//
// Asymmetric numeral systems (rANS; Duda 2013, the reciprocals as in Giesen's public domain code): a symbol that has
// Size of 2^14 shares takes log2(2^14 / Size) bits, at the price of a multiplication. Two states take turns, so that
// the processor works on both at once: one for gaps, one for durations. What is written last is read first, so a writer
// goes through its symbols backwards. (Internal to trace/times.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TIMES_TIMECODER_H
#define PILGRIM_TRACE_TIMES_TIMECODER_H

#include "trace/base/Bytes.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace pilgrim {

/// The shares of a symbol: Size of them, 1 or more, from Start on.
struct TimeShares {
  static constexpr unsigned Log = 14;
  static constexpr uint32_t All = 1u << Log;
  uint16_t Start = 0, Size = 0;
};

/// Shares as the writer needs them.
struct PreparedShares {
  uint32_t Limit = 0; ///< a state from here on has to shrink first. 0: there are no shares
  uint32_t Reciprocal = 0, Bias = 0;
  uint16_t Complement = 0, Shift = 0;

  PreparedShares() = default;
  explicit PreparedShares(TimeShares S)
      : Limit(uint32_t(S.Size) << 17), Complement(static_cast<uint16_t>(TimeShares::All - S.Size)) {
    if (S.Size == 1) {
      Reciprocal = UINT32_MAX;
      Bias = S.Start + TimeShares::All - 1;
      return;
    }
    const auto Log = static_cast<unsigned>(std::bit_width(S.Size - 1u));
    Reciprocal = static_cast<uint32_t>(((uint64_t(1) << (Log + 31)) + S.Size - 1) / S.Size);
    Shift = static_cast<uint16_t>(Log - 1);
    Bias = S.Start;
  }
};

constexpr uint32_t LeastState = 1u << 15; ///< states are below 2^16 times that

class TimeCodeWriter {
public:
  /// The state of the coder while symbols are written, to be kept in registers.
  struct Run {
    uint16_t *Next;
    uint32_t State[2];
    template <unsigned Which> [[gnu::always_inline]] void put(const PreparedShares &S) {
      uint32_t X = State[Which];
      // Without a branch, which nobody could foresee.
      const bool IsLarge = X >= S.Limit;
      *Next = static_cast<uint16_t>(X);
      Next += IsLarge;
      X >>= IsLarge * 16;
      const auto Quotient = static_cast<uint32_t>(uint64_t(X) * S.Reciprocal >> 32) >> S.Shift;
      State[Which] = X + S.Bias + Quotient * S.Complement;
    }
  };
  /// There is room for so many steps of one symbol each. What is put is in the writer when the run ends.
  Run begin(size_t Steps) {
    if (Words.size() - Used <= Steps)
      Words.resize(Words.size() + Words.size() / 2 + Steps + 1);
    return {Words.data() + Used, {State[0], State[1]}};
  }
  void end(const Run &R) {
    Used = static_cast<size_t>(R.Next - Words.data());
    State[0] = R.State[0];
    State[1] = R.State[1];
  }
  /// Number of words, states, words. To be called once.
  void finish(ByteWriter &W) {
    W.varint(Used);
    W.u32(State[0]);
    W.u32(State[1]);
    const size_t At = W.Data.size();
    W.Data.resize(At + 2 * Used);
    for (size_t I = 0; I < Used; ++I) {
      const uint16_t Word = Words[Used - 1 - I];
      W.Data[At + 2 * I] = static_cast<uint8_t>(Word);
      W.Data[At + 2 * I + 1] = static_cast<uint8_t>(Word >> 8);
    }
    Used = 0;
    State[0] = State[1] = LeastState;
  }

  size_t memory() const { return Words.capacity() * sizeof(uint16_t); }

private:
  std::vector<uint16_t> Words = std::vector<uint16_t>(1024);
  size_t Used = 0;
  uint32_t State[2] = {LeastState, LeastState};
};

/// Any bytes can be read; damage gives other symbols, and is mostly noticed at the end.
class TimeCodeReader {
public:
  /// Takes what finish() wrote.
  explicit TimeCodeReader(ByteReader &R) {
    const size_t Words = R.count(2);
    State[0] = R.u32();
    State[1] = R.u32();
    Bytes = R.bytes(2 * Words);
  }
  /// A share of the next symbol.
  template <unsigned Which> uint32_t share() const { return State[Which] & (TimeShares::All - 1); }
  /// Behind the symbol that has this share.
  template <unsigned Which> void advance(TimeShares S) {
    uint32_t X = S.Size * (State[Which] >> TimeShares::Log) + share<Which>() - S.Start;
    if (X < LeastState) {
      if (At + 2 > Bytes.size()) [[unlikely]] {
        Ends = true;
      } else {
        X = X << 16 | Bytes[At] | uint32_t(Bytes[At + 1]) << 8;
        At += 2;
      }
    }
    State[Which] = X;
  }
  /// Whether exactly what was written has been read.
  bool isAtEnd() const { return !Ends && At == Bytes.size() && State[0] == LeastState && State[1] == LeastState; }

private:
  std::span<const uint8_t> Bytes;
  size_t At = 0;
  uint32_t State[2];
  bool Ends = false;
};

/// Bits of equally probable values, the lowest ones first.
class BitWriter {
public:
  void put(uint64_t Value, unsigned Bits) {
    if (Bits > 32) {
      put(Value & UINT32_MAX, 32);
      Value >>= 32;
      Bits -= 32;
    }
    Held |= Value << NumHeld;
    NumHeld += Bits;
    for (; NumHeld >= 8; NumHeld -= 8, Held >>= 8)
      Bytes.push_back(static_cast<uint8_t>(Held));
  }
  /// To be called once, behind the last value.
  std::vector<uint8_t> &finish() {
    if (NumHeld)
      Bytes.push_back(static_cast<uint8_t>(Held));
    NumHeld = 0;
    Held = 0;
    return Bytes;
  }
  void clear() {
    Bytes.clear();
    NumHeld = 0;
    Held = 0;
  }
  size_t memory() const { return Bytes.capacity(); }

private:
  std::vector<uint8_t> Bytes;
  uint64_t Held = 0; ///< NumHeld bits, fewer than 8 between values
  unsigned NumHeld = 0;
};

/// Behind the end there are zeros.
class BitReader {
public:
  explicit BitReader(std::span<const uint8_t> Bytes) : Bytes(Bytes) {}
  uint64_t get(unsigned Bits) {
    if (Bits > 32) {
      const uint64_t Low = get(32);
      return Low | get(Bits - 32) << 32;
    }
    while (NumHeld < Bits) {
      Held |= uint64_t(At < Bytes.size() ? Bytes[At] : 0) << NumHeld;
      ++At;
      NumHeld += 8;
    }
    const uint64_t Value = Held & ((uint64_t(1) << Bits) - 1);
    Held >>= Bits;
    NumHeld -= Bits;
    return Value;
  }
  bool isAtEnd() const { return At == Bytes.size(); }

private:
  std::span<const uint8_t> Bytes;
  size_t At = 0;
  uint64_t Held = 0;
  unsigned NumHeld = 0;
};

} // namespace pilgrim

#endif
