//===- Collected.h - what waits to be sealed --------------------*- C++ -*-===//
//
// There may be tens of thousands of sequences that collect elements, so these wait as bytes: mostly one or two instead
// of 16 (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_COLLECTED_H
#define PILGRIM_TRACE_SEQUENCES_COLLECTED_H

#include "trace/base/Bytes.h"
#include "trace/sequences/ChunkCodec.h"

#include <algorithm>
#include <type_traits>

namespace pilgrim {

/// Elements, of which only the last one can be seen and changed. Element: as of Sealer.
template <typename Element> class Collected {
public:
  bool empty() const { return Size == 0; }
  size_t size() const { return Size; }
  Element &back() { return Last; }
  void push_back(const Element &E) {
    if (Size++)
      put(Last);
    Last = E;
  }
  void append(std::span<const Element> L) {
    if constexpr (IsText) {
      if (L.size() > 1) {
        push_back(L.front());
        put(Last);
        room(L.size());
        std::copy(L.begin() + 1, L.end() - 1, Before.begin() + static_cast<ptrdiff_t>(Used));
        Used += L.size() - 2;
        Size += L.size() - 1;
        Last = L.back();
        return;
      }
    }
    for (const Element &E : L)
      push_back(E);
  }
  std::vector<Element> all() const {
    std::vector<Element> Out;
    Out.reserve(Size);
    if constexpr (IsText)
      Out.assign(Before.begin(), Before.begin() + static_cast<ptrdiff_t>(Used));
    else
      for (const uint8_t *At = Before.data(); Out.size() + 1 < Size;)
        Out.push_back(take(At));
    if (Size)
      Out.push_back(Last);
    return Out;
  }
  void clear() { *this = {}; }
  size_t memory() const { return Before.capacity(); }

private:
  static constexpr bool IsText = sizeof(Element) == 1;

  /// Sees to so many bytes behind those that are used.
  void room(size_t Bytes) {
    constexpr size_t Least = 32;
    if (Before.size() - Used < Bytes) [[unlikely]]
      Before.resize(std::max(Used + Bytes, std::max(Before.size() * 2, Least)));
  }
  void put(uint64_t V) {
    constexpr size_t Most = 10;
    room(Most);
    uint8_t *At = Before.data() + Used;
    for (; V >= 0x80; V >>= 7)
      *At++ = static_cast<uint8_t>(V) | 0x80;
    *At++ = static_cast<uint8_t>(V);
    Used = static_cast<size_t>(At - Before.data());
  }
  static uint64_t takeNumber(const uint8_t *&At) {
    uint64_t V = 0;
    for (unsigned Shift = 0;; Shift += 7) {
      const uint8_t B = *At++;
      V |= static_cast<uint64_t>(B & 0x7f) << Shift;
      if (!(B & 0x80))
        return V;
    }
  }

  // Of items, the lowest bit says whether a count follows.
  void put(const RepeatedTerminal &E) {
    put(uint64_t(E.Value) << 1 | (E.Count != 1));
    if (E.Count != 1)
      put(E.Count);
  }
  void put(int64_t V) { put(zigzag(V)); }
  void put(uint8_t V) {
    room(1);
    Before[Used++] = V;
  }
  static Element take(const uint8_t *&At) {
    const uint64_t V = takeNumber(At);
    if constexpr (std::is_integral_v<Element>)
      return unzigzag(V);
    else
      return {static_cast<uint32_t>(V >> 1), V & 1 ? takeNumber(At) : 1};
  }

  std::vector<uint8_t> Before; ///< all but the last, in its first Used bytes
  size_t Used = 0;
  Element Last{};
  size_t Size = 0;
};

} // namespace pilgrim

#endif
