//===- Group.h - Ordered sets of world ranks --------------------*- C++ -*-===//
//
// Groups are immutable and shared: by the communicators of all ranks that have
// the same members, so that sixty thousand ranks do not hold sixty thousand
// lists of sixty thousand.
//
//===----------------------------------------------------------------------===//

#ifndef PILGRIM_BENCHMARKS_GROUP_H
#define PILGRIM_BENCHMARKS_GROUP_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace pilgrim::virtualranks {

/// Mixes \p Value into \p Hash.
inline std::uint64_t hashInto(std::uint64_t Hash, std::uint64_t Value) {
  Hash = (Hash ^ Value) * 0x9e3779b97f4a7c15u;
  return Hash ^ Hash >> 29;
}

class Group {
public:
  explicit Group(std::vector<int> WorldRanks)
      : Members(std::move(WorldRanks)), Sorted(std::ranges::is_sorted(Members)) {}

  const std::vector<int> &members() const { return Members; }
  int size() const { return static_cast<int>(Members.size()); }

  /// The place of a world rank, or -1.
  int rankOf(int WorldRank) const {
    if (Sorted) {
      auto It = std::ranges::lower_bound(Members, WorldRank);
      return It != Members.end() && *It == WorldRank ? static_cast<int>(It - Members.begin()) : -1;
    }
    if (Places.empty())
      for (int Rank = 0; Rank < size(); ++Rank)
        Places.emplace(Members[Rank], Rank);
    auto It = Places.find(WorldRank);
    return It != Places.end() ? It->second : -1;
  }

  std::uint64_t hash() const {
    if (Hash == 0) {
      Hash = Members.size() + 1;
      for (int Member : Members)
        Hash = hashInto(Hash, static_cast<std::uint64_t>(Member));
    }
    return Hash;
  }

private:
  std::vector<int> Members;
  bool Sorted;
  mutable std::uint64_t Hash = 0;              // 0: not yet computed
  mutable std::unordered_map<int, int> Places; // filled when first needed
};

using GroupRef = std::shared_ptr<const Group>;

inline GroupRef makeGroup(std::vector<int> WorldRanks) { return std::make_shared<const Group>(std::move(WorldRanks)); }

/// 0, 1, ... Size - 1.
inline GroupRef makeFullGroup(int Size) {
  std::vector<int> Members(static_cast<std::size_t>(Size));
  std::iota(Members.begin(), Members.end(), 0);
  return makeGroup(std::move(Members));
}

} // namespace pilgrim::virtualranks

#endif // PILGRIM_BENCHMARKS_GROUP_H
