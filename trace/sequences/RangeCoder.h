//===- RangeCoder.h - binary decisions as fractions of bits -------*- C++ -*-===//
//
// An adaptive binary arithmetic coder: every decision has a model, which says how probable a 0 is, and learns what it
// was. The carry is handled as in LZMA's range coder (Martin 1979, Pavlov). Three classes with the same functions:
// writing, reading, and adding up what writing would cost, so that one template describes a format for all three.
// (Internal to trace/.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_RANGECODER_H
#define PILGRIM_TRACE_SEQUENCES_RANGECODER_H

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace pilgrim {

/// How probable a 0 is, in units of 2^-16, and what that was learnt from.
struct BitModel {
  uint16_t Zero = 1 << 15;
  uint8_t Seen = 0;
  uint8_t Epoch = 0; ///< for who uses it again and again: what it was learnt in

  /// The first decisions count as much as all others together have; later ones by 1/Slowest.
  void learn(unsigned Bit) {
    constexpr unsigned Least = 32; // keeps every decision possible
    // Without a branch: what is decided here cannot be foreseen by a processor either.
    const unsigned Now = Zero, Minus = -Bit;
    const unsigned Step = (((65536 - Least - Now) & ~Minus) | ((Now - Least) & Minus)) * Rates[Seen] >> 16;
    Zero = static_cast<uint16_t>(Now + ((Step ^ Minus) - Minus));
    Seen += Seen < Slowest;
  }

private:
  static constexpr unsigned Slowest = 254;
  static constexpr std::array<uint16_t, Slowest + 1> Rates = [] {
    std::array<uint16_t, Slowest + 1> Out{};
    for (unsigned N = 0; N <= Slowest; ++N)
      Out[N] = static_cast<uint16_t>(2 * 65536 / (2 * N + 3));
    return Out;
  }();
};

/// Everything is inlined into the loops that use it, so that the state is in registers.
class RangeWriter {
public:
  explicit RangeWriter(std::vector<uint8_t> &Out) : Out(&Out), Begin(Out.size()), Room(grow(Out, Out.size())) {}
  [[gnu::always_inline]] unsigned bit(BitModel &M, unsigned Bit) {
    const uint32_t Bound = (Range >> 16) * M.Zero, Minus = -Bit;
    Low += Bound & Minus;
    Range = (Bound & ~Minus) | ((Range - Bound) & Minus);
    M.learn(Bit);
    while (Range < (1u << 24))
      shift();
    return Bit;
  }
  /// The lowest N bits of V, all equally probable.
  uint64_t raw(unsigned N, uint64_t V) {
    for (unsigned Left = N; Left;) {
      const unsigned Now = Left < 8 ? Left : 8;
      Left -= Now;
      Range >>= Now;
      Low += Range * (V >> Left & ((1u << Now) - 1));
      while (Range < (1u << 24))
        shift();
    }
    return V;
  }
  /// To be called once, behind the last decision.
  void finish() {
    for (int I = 0; I < 5; ++I)
      shift();
    Out->resize(Room.Next - Out->data());
    while (Out->size() > Begin && Out->back() == 0)
      Out->pop_back(); // a reader sees zeros behind the end
  }

private:
  struct Space {
    uint8_t *Next, *End;
  };
  /// Behind what is there, Used bytes.
  [[gnu::noinline]] static Space grow(std::vector<uint8_t> &Out, size_t Used) {
    Out.resize(Used + Used / 2 + 4096);
    return {Out.data() + Used, Out.data() + Out.size()};
  }
  [[gnu::always_inline]] void put(uint8_t Byte) {
    if (Room.Next == Room.End) [[unlikely]]
      Room = grow(*Out, Out->size());
    *Room.Next++ = Byte;
  }
  [[gnu::always_inline]] void shift() {
    if (Low < 0xff000000u || Low >> 32) {
      const auto Carry = static_cast<uint8_t>(Low >> 32);
      for (; Pending; --Pending) {
        if (HasFirst)
          put(static_cast<uint8_t>(First + Carry));
        HasFirst = true;
        First = 0xff;
      }
      First = static_cast<uint8_t>(Low >> 24);
    }
    ++Pending;
    Low = (Low & 0x00ffffff) << 8;
    Range <<= 8;
  }

  std::vector<uint8_t> *Out;
  size_t Begin;
  Space Room;
  uint64_t Low = 0, Pending = 1; ///< Pending: bytes that a carry may still change
  uint32_t Range = 0xffffffff;
  uint8_t First = 0; ///< of these
  bool HasFirst = false;
};

/// Any bytes can be read: damage gives other decisions.
class RangeReader {
public:
  explicit RangeReader(std::span<const uint8_t> In) : In(In) {
    for (int I = 0; I < 4; ++I)
      Code = Code << 8 | next();
  }
  unsigned bit(BitModel &M, unsigned = 0) {
    const uint32_t Bound = (Range >> 16) * M.Zero;
    const unsigned Bit = Code >= Bound;
    if (Bit) {
      Code -= Bound;
      Range -= Bound;
    } else {
      Range = Bound;
    }
    M.learn(Bit);
    fill();
    return Bit;
  }
  uint64_t raw(unsigned N, uint64_t = 0) {
    uint64_t V = 0;
    for (unsigned Left = N; Left;) {
      const unsigned Now = Left < 8 ? Left : 8;
      Left -= Now;
      Range >>= Now;
      const uint32_t Digit = Code / Range, Most = (1u << Now) - 1, D = Digit < Most ? Digit : Most;
      Code -= D * Range;
      V = V << Now | D;
      fill();
    }
    return V;
  }

  /// Whether there are bytes that nothing was read from.
  bool isBeforeEnd() const { return At < In.size(); }

private:
  uint8_t next() { return At < In.size() ? In[At++] : 0; }
  void fill() {
    while (Range < (1u << 24)) {
      Code = Code << 8 | next();
      Range <<= 8;
    }
  }

  std::span<const uint8_t> In;
  size_t At = 0;
  uint32_t Range = 0xffffffff, Code = 0;
};

/// Adds up bits.
class RangeCost {
public:
  unsigned bit(BitModel &M, unsigned Bit) {
    const unsigned P = Bit ? 65536 - M.Zero : M.Zero;
    Units += Costs[P >> 4];
    M.learn(Bit);
    return Bit;
  }
  uint64_t raw(unsigned N, uint64_t V) {
    Units += uint64_t(N) << 8;
    return V;
  }
  uint64_t bits() const { return Units >> 8; }

private:
  /// -log2(P / 4096) in units of 2^-8.
  static constexpr std::array<uint16_t, 4097> Costs = [] {
    std::array<uint16_t, 4097> Out{};
    for (uint64_t P = 0; P <= 4096; ++P) {
      uint64_t X = (P ? 2 * P : 1) << 18; // of the middle of an interval, as a fraction of 2^31
      const int Whole = 31 - (static_cast<int>(std::bit_width(X)) - 1);
      uint64_t Fraction = 0;
      X <<= Whole;
      for (int I = 0; I < 8; ++I) {
        X = X * X >> 31;
        Fraction = Fraction * 2 + (X >> 32);
        X >>= X >> 32;
      }
      const int Units = Whole * 256 - static_cast<int>(Fraction);
      Out[P] = static_cast<uint16_t>(Units > 0 ? Units : 0);
    }
    return Out;
  }();
  uint64_t Units = 0;
};

} // namespace pilgrim

#endif
