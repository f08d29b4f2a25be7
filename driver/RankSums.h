//===- RankSums.h - numbers added up by rank ---------------------*- C++ -*-===//
//
// Sums for every rank, of numbers that come for sets of ranks. What is kept is how the sums change from one rank to the
// next, so that memory and time grow with the sets' intervals.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_RANKSUMS_H
#define PILGRIM_DRIVER_RANKSUMS_H

#include "trace/ranks/RankSet.h"

#include <array>
#include <map>

namespace pilgrim {

/// N numbers for each rank.
template <size_t N> class RankSums {
public:
  using Numbers = std::array<uint64_t, N>;

  void add(const RankSet &Ranks, const Numbers &X) {
    for (const RankSet::Interval &I : Ranks.intervals()) {
      auto &Begin = Changes[I.First], &End = Changes[uint64_t(I.Last) + 1];
      for (size_t K = 0; K < N; ++K) {
        Begin[K] += X[K];
        End[K] -= X[K];
      }
    }
  }

  /// Calls F(first rank, last rank, sums of each of them) for neighbours that have equal sums, ascending; together
  /// these are Ranks. Sums stay at the limit.
  template <typename Fn> void forEach(const RankSet &Ranks, Fn &&F) const {
    Wide Sums{};
    auto Next = Changes.begin();
    for (const RankSet::Interval &I : Ranks.intervals())
      for (uint64_t First = I.First; First <= I.Last;) {
        for (; Next != Changes.end() && Next->first <= First; ++Next)
          for (size_t K = 0; K < N; ++K)
            Sums[K] += Next->second[K];
        const uint64_t End =
            Next == Changes.end() ? uint64_t(I.Last) + 1 : std::min<uint64_t>(Next->first, I.Last + 1ull);
        Numbers Out;
        for (size_t K = 0; K < N; ++K)
          Out[K] = Sums[K] > static_cast<__int128>(UINT64_MAX) ? UINT64_MAX : static_cast<uint64_t>(Sums[K]);
        F(static_cast<uint32_t>(First), static_cast<uint32_t>(End - 1), Out);
        First = End;
      }
  }

private:
  using Wide = std::array<__int128, N>;
  std::map<uint64_t, Wide> Changes;
};

} // namespace pilgrim

#endif
