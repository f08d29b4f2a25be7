//===- Communicators.h - who is in which communicator ------------*- C++ -*-===//
//
// A trace says of a communicator what one rank knows: a number, the own rank, the size, the smallest world rank of the
// group. Whose own rank is k is found by the calls that made the communicator. All members of a parent make the same
// creations over it in the same order; so members of one creation are the ranks whose parents are the same, at the same
// creation over it, with the same smallest world rank. The two sides of an intercommunicator are tied by what their
// leaders say to each other: peer communicator, both leaders, tag.
//
// A communicator is known only if all its members are found and their own ranks are 0, 1, ... without gaps. Nothing is
// guessed: what cannot be known is unknown, as are
//   - communicators with processes of other worlds, and what sessions make;
//   - all but MPI_COMM_WORLD and MPI_COMM_SELF of ranks that switched tracing off, or that made communicators in
//   several
//     threads: the number of creations says nothing there;
//   - a number that stood for communicators with different members, one after the other, unless the calls that use it
//     are asked about in order (inOrder).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_READ_COMMUNICATORS_H
#define PILGRIM_TRACE_READ_COMMUNICATORS_H

#include "trace/read/Walk.h"

#include <map>

namespace pilgrim {

class Communicators {
public:
  /// Looks at all calls that make communicators. Its time grows with their number on all ranks.
  explicit Communicators(const Walk &W);

  /// A communicator of a call as one rank sees it: world ranks by rank in the communicator, of the own side and, of an
  /// intercommunicator, of the other one. Spans are valid as long as this object.
  struct View {
    bool IsKnown = false, IsInter = false;
    std::span<const uint32_t> Local, Remote;
    /// Those that a rank among a call's arguments is one of.
    std::span<const uint32_t> peers() const { return IsInter ? Remote : Local; }
  };
  /// Object: of a thread, as a call has it.
  View find(uint32_t Thread, uint32_t Object, uint32_t Rank) const;
  /// World rank of the member K that a call names; nothing if the communicator is unknown or has no such member.
  std::optional<uint32_t> worldRank(uint32_t Thread, uint32_t Object, uint32_t Rank, int64_t K) const;

  /// Ranks on which a communicator stands for several, one after the other, as far as the trace tells them apart.
  RankSet reused(const CallShape &C, unsigned Slot) const;
  /// A call that was made Times times with a communicator.
  struct Use {
    uint32_t Call = 0; ///< of those that were asked about
    uint32_t Rank = 0;
    View Of;
    uint64_t Times = 0;
  };
  /// With which communicators these calls of a thread were made on some of its ranks; Slots: of each call, where the
  /// communicator stands. False, and nothing is called, if there are too many calls to go through.
  bool inOrder(uint32_t Thread, std::span<const CallShape> Calls, std::span<const unsigned> Slots, const RankSet &Ranks,
               const std::function<void(const Use &)> &F) const;

private:
  friend class CommunicatorFinder;
  static constexpr uint32_t Unknown = UINT32_MAX;
  /// Steps through calls in order, of all ranks together.
  static constexpr uint64_t MaxSteps = uint64_t(1) << 23;
  /// What the trace says of a communicator on one rank.
  struct Facts {
    int64_t Id = 0, Own = 0, Size = 0, Leader = 0, Remote = -1;
    auto operator<=>(const Facts &) const = default;
  };
  struct Known {
    Facts Of;
    uint32_t Place = Unknown; ///< into Sides
    bool IsReused = false;    ///< by several
  };
  /// Calls of a thread that make communicators, and where the new one stands.
  struct Creations {
    std::vector<CallShape> Calls;
    std::vector<unsigned> New;
  };
  struct Side {
    uint32_t Local = Unknown, Remote = Unknown; ///< into Lists
    auto operator<=>(const Side &) const = default;
  };
  Facts factsOf(uint32_t Thread, uint32_t Object, uint32_t Rank) const;
  bool isMade(const CallShape &C, unsigned Slot) const;
  View view(uint32_t Place) const;
  const Known *known(uint32_t Rank, const Facts &F) const;

  const Walk &W;
  std::vector<uint32_t> World;
  std::vector<std::vector<uint32_t>> Lists; ///< distinct lists of members
  std::vector<Side> Sides;
  std::vector<std::vector<Known>> OfRank;            ///< by world rank, sorted
  RankSet Reusing;                                   ///< ranks that have some that are reused
  std::map<uint32_t, std::vector<uint32_t>> InOrder; ///< of these ranks: places of all that they made
  std::vector<Creations> Made;                       ///< by thread
};

} // namespace pilgrim

#endif
