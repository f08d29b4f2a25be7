//===- ChunkModels.h - how items and numbers become decisions -----*- C++ -*-===//
//
// What is decided one by one for items and numbers that do not repeat, and on what the model of each decision depends.
// Code: a class of RangeCoder.h. The same template writes, reads, and adds up what writing would cost. (Internal to
// trace/.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_CHUNKMODELS_H
#define PILGRIM_TRACE_SEQUENCES_CHUNKMODELS_H

#include "trace/sequences/ChunkCodec.h"
#include "trace/sequences/RangeCoder.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace pilgrim {

/// Models, found by a hash of what they depend on. Two that meet share one, which costs bits and no more.
///
/// The table is large for the stretches that it is used for, so it is not made anew for each: the last one that was
/// done with leaves it to the next, and a model that was learnt in an earlier epoch counts as new.
class Models {
public:
  Models() : T(Spare.exchange(nullptr)) {
    if (!T)
      T = new Table;
    if (++T->Epoch)
      return;
    T->All.fill({});
    T->Epoch = 1;
  }
  ~Models() { delete Spare.exchange(T); }
  Models(const Models &) = delete;
  Models &operator=(const Models &) = delete;
  BitModel &operator()(uint32_t Context, uint32_t Node) {
    BitModel &M = T->All[(Context + Node * 0x9e3779b1u) * 0x85ebca6bu >> (32 - LogSize)];
    if (M.Epoch != T->Epoch)
      M = {.Epoch = T->Epoch};
    return M;
  }

private:
  static constexpr unsigned LogSize = 16;
  struct Table {
    uint8_t Epoch = 0; ///< 0: of models that nothing was learnt by
    std::array<BitModel, size_t(1) << LogSize> All{};
  };
  static inline std::atomic<Table *> Spare{nullptr}; ///< that nobody uses
  Table *T;
};

/// A number of 1 or more: its magnitude in unary, then its highest bits, modelled; then the others.
template <typename Code> uint64_t codeCount(Code &C, Models &M, uint32_t Context, uint64_t V) {
  unsigned Width = static_cast<unsigned>(std::bit_width(V)), Magnitude = 1;
  while (Magnitude < 63 && C.bit(M(Context, Magnitude), Magnitude != Width))
    ++Magnitude;
  unsigned Left = Magnitude - 1;
  uint64_t Out = 1;
  for (unsigned Modelled = 0; Left && Modelled < 3; ++Modelled) {
    --Left;
    Out = Out << 1 | C.bit(M(Context, static_cast<uint32_t>(Magnitude << 8 | 1u << 16 | Out)), V >> Left & 1);
  }
  return Out << Left | C.raw(Left, V & ((uint64_t(1) << Left) - 1));
}

/// Any number: its magnitude as the leaf of a tree, which depends on the magnitude before it.
template <typename Code> uint64_t codeNumber(Code &C, Models &M, unsigned &Magnitude, uint64_t V) {
  const unsigned Width = static_cast<unsigned>(std::bit_width(V));
  const uint32_t Context = (Magnitude + 1) * 0x27d4eb2fu;
  uint32_t Node = 1;
  for (int I = 6; I >= 0; --I)
    Node = Node << 1 | C.bit(M(Context, Node), Width >> I & 1);
  Magnitude = std::min(Node & 127, 64u);
  if (Magnitude < 2)
    return Magnitude;
  unsigned Left = Magnitude - 1;
  uint64_t Out = 1;
  for (unsigned Modelled = 0; Left && Modelled < 4; ++Modelled) {
    --Left;
    Out = Out << 1 | C.bit(M(Magnitude * 0x165667b1u, static_cast<uint32_t>(Out)), V >> Left & 1);
  }
  return Out << Left | C.raw(Left, Left ? V & (~uint64_t(0) >> (64 - Left)) : 0);
}

/// Terminals below 2^Bits with their counts, one after the other.
class ItemCoder {
public:
  ItemCoder(uint32_t Terminals, unsigned Order)
      : Terminals(Terminals), Bits(static_cast<unsigned>(std::bit_width(Terminals - 1))), Order(Order) {}
  /// A reader gives any, and gets the one that was written.
  template <typename Code> RepeatedTerminal operator()(Code &C, RepeatedTerminal E) {
    uint32_t Context = 0;
    for (unsigned I = 0; I < Order; ++I)
      Context = std::rotl((Context ^ (Before[I] + 1)) * 0xcc9e2d51u, 15) * 0x1b873593u;
    uint32_t Node = 1;
    for (unsigned I = Bits; I-- > 0;)
      Node = Node << 1 | C.bit(M(Context, Node), E.Value >> I & 1);
    E.Value = std::min(Node - (1u << Bits), Terminals - 1);
    E.Count = codeCount(C, M, (Context ^ (E.Value + 1)) * 0xc2b2ae35u, E.Count);
    std::copy_backward(Before, Before + 3, Before + 4);
    Before[0] = E.Value;
    return E;
  }

private:
  Models M;
  const uint32_t Terminals;
  const unsigned Bits, Order;
  uint32_t Before[4] = {};
};

class NumberCoder {
public:
  template <typename Code> uint64_t operator()(Code &C, uint64_t V) { return codeNumber(C, M, Magnitude, V); }

private:
  Models M;
  unsigned Magnitude = 0;
};

/// These and no more. The state of To is in registers meanwhile.
template <typename Code, typename Coder, typename Element>
void codeAll(Code &To, Coder &How, std::span<const Element> L) {
  Code C = To;
  for (const Element &E : L)
    How(C, E);
  To = C;
}

} // namespace pilgrim

#endif
