//===- FunctionInfo.h - what the recorder knows of a function ----*- C++ -*-===//
//
// Static descriptions of traced functions, generated from api/: the slots of a raw call record and how to read them.
// The recorder itself knows no function.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_CORE_FUNCTIONINFO_H
#define PILGRIM_CORE_FUNCTIONINFO_H

#include "trace/model/Schema.h"

#include <cstdint>
#include <span>

namespace pilgrim {

/// How a slot lies in a raw record.
enum class Layout : uint8_t {
  Word,   ///< one word
  Vector, ///< item count or a state below zero, then Columns words an item
  Text,   ///< byte count or a state below zero, then the bytes, eight to a word
};

/// States of Vector and Text slots in the place of the count; SentinelState - K names sentinel K of sentinelName().
enum : int64_t { AbsentState = -1, NullState = -2, SentinelState = -3 };

struct SlotInfo {
  const char *Name;
  Kind K;
  Layout L;
  uint8_t Columns;
  bool IsArray, IsOutput, IsMachine, IsHidden, IsFlags;
  const char *Names;              ///< constants that name values, or null
  SlotRelation Relations[3] = {}; ///< that do not follow from kinds and order; None behind the last
};

/// The characters of a slot of Layout::Text at At, where it has some.
inline std::string_view textOf(const uint64_t *At) {
  return {reinterpret_cast<const char *>(At + 1), static_cast<size_t>(At[0])};
}

/// Number of words of a slot at At.
inline size_t rawWords(const SlotInfo &S, const uint64_t *At) {
  int64_t N = static_cast<int64_t>(At[0]);
  switch (S.L) {
  case Layout::Word:
    return 1;
  case Layout::Vector:
    return 1 + (N > 0 ? static_cast<size_t>(N) * S.Columns : 0);
  case Layout::Text:
    return 1 + (N > 0 ? (static_cast<size_t>(N) + 7) / 8 : 0);
  }
  return 1;
}

/// The slots of a function. Functions share descriptions of equal slots: each is described once, and a list holds their
/// numbers. That keeps the tables small. A pointer in them would cost each rank memory, because the dynamic linker
/// writes it when the library is loaded.
class SlotList {
public:
  constexpr SlotList(const SlotInfo *Table, std::span<const uint16_t> Numbers) : Table(Table), Numbers(Numbers) {}
  size_t size() const { return Numbers.size(); }
  const SlotInfo &operator[](size_t I) const { return Table[Numbers[I]]; }

private:
  const SlotInfo *Table;
  std::span<const uint16_t> Numbers;
};

struct FunctionInfo {
  uint32_t Id;
  const char *Name;
  bool IsCollective;
  SlotList Slots; ///< return code first
  Level L = Level::Mpi;
};

/// The first words of a raw record. Behind them, at RawHead, stands slot 0: the return code.
enum : unsigned {
  RawFunction = 0, ///< function id | depth << 32
  RawSite = 1,     ///< return address
  RawAbsent = 2,   ///< bit N: slot N, a Word, has no value
  RawHead = 3,
};

} // namespace pilgrim

#endif
