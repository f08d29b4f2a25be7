//===- UnionFind.h - sets that grow by being united -------------*- C++ -*-===//
#ifndef PILGRIM_TRACE_BASE_UNIONFIND_H
#define PILGRIM_TRACE_BASE_UNIONFIND_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace pilgrim {

/// Disjoint sets of the numbers below N. Initially each number is a set of its own.
class UnionFind {
public:
  explicit UnionFind(size_t N = 0) : Parent(N) { std::iota(Parent.begin(), Parent.end(), 0); }
  size_t size() const { return Parent.size(); }
  /// The least number in the set of I.
  uint32_t find(uint32_t I) {
    while (Parent[I] != I)
      I = Parent[I] = Parent[Parent[I]];
    return I;
  }
  void unite(uint32_t A, uint32_t B) {
    A = find(A);
    B = find(B);
    Parent[std::max(A, B)] = std::min(A, B);
  }

private:
  std::vector<uint32_t> Parent; ///< of each number; never greater than the number itself
};

} // namespace pilgrim

#endif
