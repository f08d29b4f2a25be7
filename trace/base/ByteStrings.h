//===- ByteStrings.h - a list in which each thing stands once ------*- C++ -*-===//
//
// What is to be written is often equal to what was written before. Its bytes say whether it is (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_BASE_BYTESTRINGS_H
#define PILGRIM_TRACE_BASE_BYTESTRINGS_H

#include "trace/base/Hash.h"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

namespace pilgrim {

/// Strings of bytes, numbered in the order in which they came first.
class ByteStrings {
public:
  uint32_t number(std::vector<uint8_t> Bytes) {
    const uint64_t Hash = XXH3_64bits(Bytes.data(), Bytes.size());
    size_t I = Find.find(Hash, [&](size_t J) { return All[J] == Bytes; });
    if (I == Finder::None) {
      I = All.size();
      Find.add(Hash, I);
      All.push_back(std::move(Bytes));
    }
    return static_cast<uint32_t>(I);
  }
  size_t size() const { return All.size(); }
  auto begin() const { return All.begin(); }
  auto end() const { return All.end(); }

private:
  std::vector<std::vector<uint8_t>> All;
  Finder Find{0};
};

} // namespace pilgrim

#endif
