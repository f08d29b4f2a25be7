//===- Hash.h - finding equal things -----------------------------*- C++ -*-===//
//
// Finds equal things among those of many ranks by a hash of their content (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_BASE_HASH_H
#define PILGRIM_TRACE_BASE_HASH_H

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pilgrim {

inline uint64_t mix(uint64_t Hash, uint64_t Value) {
  Hash = (Hash ^ Value) * 0x9e3779b97f4a7c15u;
  return Hash ^ Hash >> 29;
}

/// Finds the one of many things that is equal to a given one.
class Finder {
public:
  static constexpr size_t None = SIZE_MAX;
  explicit Finder(size_t N) {
    if (N > MaxFew)
      Places.reserve(N);
  }
  void add(uint64_t Hash, size_t I) {
    if (Places.empty() && NumFew < MaxFew) {
      Few[NumFew++] = {Hash, I};
      return;
    }
    for (const auto &[H, J] : few())
      Places.emplace(H, J);
    NumFew = 0;
    Places.emplace(Hash, I);
  }
  /// The smallest index with that hash for which IsSame holds, or None.
  template <typename Fn> size_t find(uint64_t Hash, Fn IsSame) const {
    size_t First = None;
    for (const auto &[H, I] : few())
      if (H == Hash && I < First && IsSame(I))
        First = I;
    if (Places.empty())
      return First;
    auto [Begin, End] = Places.equal_range(Hash);
    for (auto It = Begin; It != End; ++It)
      if (It->second < First && IsSame(It->second))
        First = It->second;
    return First;
  }

  /// All indices with that hash, ascending.
  std::vector<size_t> all(uint64_t Hash) const {
    std::vector<size_t> Out;
    for (const auto &[H, I] : few())
      if (H == Hash)
        Out.push_back(I);
    auto [Begin, End] = Places.equal_range(Hash);
    for (auto It = Begin; It != End; ++It)
      Out.push_back(It->second);
    std::sort(Out.begin(), Out.end());
    return Out;
  }

private:
  using Place = std::pair<uint64_t, size_t>;
  static constexpr size_t MaxFew = 8;
  std::span<const Place> few() const { return {Few, NumFew}; }

  Place Few[MaxFew]; ///< as long as there are no more; Places is empty then
  size_t NumFew = 0;
  std::unordered_multimap<uint64_t, size_t> Places;
};

} // namespace pilgrim

#endif
