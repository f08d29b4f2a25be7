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
  std::vector<Element> all() const {
    std::vector<Element> Out;
    Out.reserve(Size);
    for (const uint8_t *At = Before.data(); Out.size() + 1 < Size;)
      Out.push_back(take(At));
    if (Size)
      Out.push_back(Last);
    return Out;
  }
  void clear() { *this = {}; }
  size_t memory() const { return Before.capacity(); }

private:
  void put(uint64_t V) {
    uint8_t Bytes[10];
    size_t N = 0;
    for (; V >= 0x80; V >>= 7)
      Bytes[N++] = static_cast<uint8_t>(V) | 0x80;
    Bytes[N++] = static_cast<uint8_t>(V);
    Before.insert(Before.end(), Bytes, Bytes + N);
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
  void put(uint8_t V) { Before.push_back(V); }
  static Element take(const uint8_t *&At) {
    if constexpr (sizeof(Element) == 1) {
      return *At++;
    } else {
      const uint64_t V = takeNumber(At);
      if constexpr (std::is_integral_v<Element>)
        return unzigzag(V);
      else
        return {static_cast<uint32_t>(V >> 1), V & 1 ? takeNumber(At) : 1};
    }
  }

  std::vector<uint8_t> Before; ///< all but the last
  Element Last{};
  size_t Size = 0;
};

} // namespace pilgrim

#endif
