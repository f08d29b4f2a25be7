//===- FoundGroups.h - groups found member by member -------------*- C++ -*-===//
//
// Each member of a communicator's group says what it knows of it, under a key that all members come to by themselves
// (internal to trace/read/). A group is complete if its members are ranks 0, 1, ... of it without gaps. Two groups face
// each other in an intercommunicator if both say one token.
//
// This goes in rounds, since what makes a group may be known only when others are complete.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_FOUNDGROUPS_H
#define PILGRIM_TRACE_READ_FOUNDGROUPS_H

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pilgrim {

class FoundGroups {
public:
  /// What a group is known by; equal on all members. 0: unknown.
  using Key = uint64_t;
  static Key mix(std::initializer_list<uint64_t> Words);

  /// Forgets the groups of the round before, but for members() and facing(). False: that round found no more than the
  /// one before it, and all is kept.
  bool beginRound();
  struct Member {
    uint32_t Rank = 0;            ///< of the world
    int64_t Own = 0;              ///< rank in the group
    int64_t Size = 0, Leader = 0; ///< of the group; Leader: its smallest world rank
  };
  /// Family: groups of which all are wrong if one is; 0: none.
  void add(Key Group, const Member &M, Key Family);
  /// Notes that both of two groups that face each other come to Token.
  void say(Key Token, Key Group);
  void endRound();

  /// World ranks by rank in a group that was complete in the round before; empty if there was none.
  std::span<const uint32_t> members(Key Group) const;
  /// What a group faces, as rounds before found it.
  struct Facing {
    Key Both = 0, Other = 0; ///< Both: the same for either side
    unsigned Number = 0;     ///< 0 for one side, 1 for the other
  };
  /// Null: nothing is known, or sides contradict each other.
  const Facing *facing(Key Group) const;
  /// Calls F for each group that is complete after the last round.
  void forEachComplete(const std::function<void(Key, const std::vector<uint32_t> &)> &F) const;

private:
  struct Group {
    int64_t Size = 0, Leader = 0;
    Key Family = 0;
    std::vector<std::pair<int64_t, uint32_t>> Found; ///< own rank, world rank
    std::vector<uint32_t> Members;                   ///< if it is complete
    bool IsGood = true;
  };
  void complete();
  void face();

  std::unordered_map<Key, Group> Groups, Before;
  std::unordered_map<Key, std::vector<Key>> Tokens; ///< groups that say the same
  std::unordered_map<Key, Facing> Faces;            ///< Both: 0 if sides contradict each other
  size_t GroupsBefore = SIZE_MAX, FacesBefore = SIZE_MAX;
};

} // namespace pilgrim

#endif
