//===- RankGroups.h - the groups that a rank makes ---------------*- C++ -*-===//
//
// A trace stores a group's number, and not its members. These follow from the calls that made the group (internal to
// trace/read/). Few groups are ever asked about. So a group is noted as the call that made it, and its members are
// listed when somebody asks.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_RANKGROUPS_H
#define PILGRIM_TRACE_READ_RANKGROUPS_H

#include "trace/read/Walk.h"

#include <map>
#include <memory>

namespace pilgrim {

/// How a function makes a group, and from which of its slots; -1: it has none.
struct GroupMaker {
  enum Way : uint8_t {
    OfComm,
    OfRemote,
    OfProcessSet,
    Incl,
    Excl,
    RangeIncl,
    RangeExcl,
    Union,
    Intersection,
    Difference,
    Foreign, ///< the members are not known
  };
  Way How = Foreign;
  int New = -1, Comm = -1, One = -1, Other = -1, Ranks = -1, Set = -1;
};

/// How the function makes a group; nothing if it makes none.
std::optional<GroupMaker> groupMakerOf(const FunctionSchema &F);

/// The word of a slot on one rank, if there is one and it is not streamed. Slot -1: there is none.
std::optional<int64_t> plainWord(const Walk &W, const CallShape &C, int Slot, uint32_t Rank);

/// The groups of one rank, in the order in which it makes them.
class RankGroups {
public:
  using Members = std::vector<uint32_t>; ///< world ranks, by rank in the group
  /// Members of the communicator that is known by Comm, or of its other side; nothing if they are unknown.
  using CommFn = std::function<std::optional<std::span<const uint32_t>>(uint64_t Comm, bool IsRemote)>;

  RankGroups(const Walk &W, uint32_t Rank) : W(W), Rank(Rank) {}
  /// Notes the group that the call made. Comm: what its communicator is known by; 0: unknown, or there is none.
  void make(const CallShape &C, const GroupMaker &M, uint64_t Comm);
  /// The members of the group in a slot, as it is now; nothing if they are unknown. Budget: world ranks to list.
  std::optional<Members> members(const CallShape &C, int Slot, const CommFn &OfComm, uint64_t &Budget) const;

private:
  /// Groups that are made of each other more deeply than this are unknown.
  static constexpr unsigned MaxDepth = 32;
  struct Made {
    const CallShape *By = nullptr;
    GroupMaker How;
    uint64_t Comm = 0;
    unsigned Depth = 1;
    std::shared_ptr<const Made> One, Other;
  };

  std::shared_ptr<const Made> find(const CallShape &C, int Slot) const;
  std::optional<Members> list(const Made *G, const CommFn &OfComm, uint64_t &Budget) const;
  std::optional<Members> ofProcessSet(const Made &G, uint64_t &Budget) const;
  std::optional<Members> select(const Made &G, const Members &Of, uint64_t &Budget) const;
  std::optional<std::vector<uint32_t>> chosen(const Made &G, size_t Size, uint64_t &Budget) const;

  const Walk &W;
  uint32_t Rank;
  std::map<int64_t, std::shared_ptr<const Made>> ByNumber;
};

} // namespace pilgrim

#endif
