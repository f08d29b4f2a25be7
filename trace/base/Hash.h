//===- Hash.h - finding equal things -----------------------------*- C++ -*-===//
//
// Finds equal things among those of many ranks by a hash of their content (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_BASE_HASH_H
#define PILGRIM_TRACE_BASE_HASH_H

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
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
      makeRoom(N);
  }
  void add(uint64_t Hash, size_t I) {
    if (Places.empty() && Used < MaxFew) {
      Few[Used++] = {Hash, I};
      return;
    }
    if ((Used + 1) * 2 > Places.size())
      makeRoom(Used + 1);
    put({Hash, I});
    ++Used;
  }
  /// The smallest index with that hash for which IsSame holds, or None.
  template <typename Fn> size_t find(uint64_t Hash, Fn IsSame) const {
    size_t First = None;
    forEach(Hash, [&](size_t I) {
      if (I < First && IsSame(I))
        First = I;
    });
    return First;
  }
  /// All indices with that hash, ascending.
  std::vector<size_t> all(uint64_t Hash) const {
    std::vector<size_t> Out;
    forEach(Hash, [&](size_t I) { Out.push_back(I); });
    std::sort(Out.begin(), Out.end());
    return Out;
  }

private:
  struct Place {
    uint64_t Hash = 0;
    size_t Index = None; ///< None: free
  };
  static constexpr size_t MaxFew = 8;

  template <typename Fn> void forEach(uint64_t Hash, Fn F) const {
    if (Places.empty()) {
      for (size_t I = 0; I < Used; ++I)
        if (Few[I].Hash == Hash)
          F(Few[I].Index);
      return;
    }
    for (size_t I = placeOf(Hash); Places[I].Index != None; I = (I + 1) & (Places.size() - 1))
      if (Places[I].Hash == Hash)
        F(Places[I].Index);
  }
  size_t placeOf(uint64_t Hash) const { return (Hash ^ Hash >> 32) & (Places.size() - 1); }
  void put(const Place &P) {
    size_t I = placeOf(P.Hash);
    while (Places[I].Index != None)
      I = (I + 1) & (Places.size() - 1);
    Places[I] = P;
  }
  /// For N things and as many more.
  void makeRoom(size_t N) {
    const std::vector<Place> Old = std::exchange(Places, std::vector<Place>(std::bit_ceil(4 * N)));
    for (const Place &P : Old.empty() ? std::span<const Place>(Few, Used) : std::span<const Place>(Old))
      if (P.Index != None)
        put(P);
  }

  Place Few[MaxFew]; ///< as long as there are no more; Places is empty then
  size_t Used = 0;
  std::vector<Place> Places; ///< open addressing; their number is a power of two
};

} // namespace pilgrim

#endif
