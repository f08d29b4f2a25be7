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
    if (Heads.empty() && NumFew < MaxFew) {
      Few[NumFew++] = {Hash, I};
      return;
    }
    if ((Things.size() + NumFew + 1) * 2 > Heads.size())
      makeRoom(Things.size() + NumFew + 1);
    for (const Thing &X : std::span<const Thing>(Few, std::exchange(NumFew, 0)))
      enter(X);
    enter({Hash, I});
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
  struct Thing {
    uint64_t Hash;
    size_t Index;
    size_t Next = None; ///< another one with that hash
  };
  static constexpr size_t MaxFew = 8;

  template <typename Fn> void forEach(uint64_t Hash, Fn F) const {
    for (size_t I = 0; I < NumFew; ++I)
      if (Few[I].Hash == Hash)
        F(Few[I].Index);
    if (!Heads.empty())
      for (size_t I = Heads[place(Hash)]; I != None; I = Things[I].Next)
        F(Things[I].Index);
  }
  /// Where the first thing with a hash is, or would be.
  size_t place(uint64_t Hash) const {
    size_t I = (Hash ^ Hash >> 32) & (Heads.size() - 1);
    while (Heads[I] != None && Things[Heads[I]].Hash != Hash)
      I = (I + 1) & (Heads.size() - 1);
    return I;
  }
  void enter(Thing New) {
    size_t &Head = Heads[place(New.Hash)];
    New.Next = std::exchange(Head, Things.size());
    Things.push_back(New);
  }
  /// For N things and as many more.
  void makeRoom(size_t N) {
    Heads.assign(std::bit_ceil(4 * N), None);
    for (const Thing &X : std::exchange(Things, {}))
      enter(X);
  }

  Thing Few[MaxFew]; ///< as long as there are no more; the others are empty then
  size_t NumFew = 0;
  std::vector<Thing> Things;
  std::vector<size_t> Heads; ///< the first thing of each hash; open addressing, their number is a power of two
};

} // namespace pilgrim

#endif
