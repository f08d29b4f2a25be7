//===- Hash.h - finding equal things -----------------------------*- C++ -*-===//
//
// What many ranks have in different ways is looked for by a hash of its content (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_BASE_HASH_H
#define PILGRIM_TRACE_BASE_HASH_H

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pilgrim {

inline uint64_t mix(uint64_t Hash, uint64_t Value) {
  Hash = (Hash ^ Value) * 0x9e3779b97f4a7c15u;
  return Hash ^ Hash >> 29;
}

/// Which of many things is equal to another one.
class Finder {
public:
  static constexpr size_t None = SIZE_MAX;
  explicit Finder(size_t N) { Places.reserve(N); }
  void add(uint64_t Hash, size_t I) { Places.emplace(Hash, I); }
  /// The first for which IsSame holds, or None.
  template <typename Fn> size_t find(uint64_t Hash, Fn IsSame) const {
    size_t First = None;
    auto [Begin, End] = Places.equal_range(Hash);
    for (auto It = Begin; It != End; ++It)
      if (It->second < First && IsSame(It->second))
        First = It->second;
    return First;
  }

  /// All that may be, ascending.
  std::vector<size_t> all(uint64_t Hash) const {
    std::vector<size_t> Out;
    auto [Begin, End] = Places.equal_range(Hash);
    for (auto It = Begin; It != End; ++It)
      Out.push_back(It->second);
    std::sort(Out.begin(), Out.end());
    return Out;
  }

private:
  std::unordered_multimap<uint64_t, size_t> Places;
};

} // namespace pilgrim

#endif
