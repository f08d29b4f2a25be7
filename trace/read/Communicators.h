//===- Communicators.h - who is in which communicator ------------*- C++ -*-===//
//
// A trace stores what one rank knows of a communicator: a number, the own rank, the size, the smallest world rank of
// the group. The calls that made the communicator tell which process is its rank k. All members of a parent make the
// same creations over it in the same order. So ranks are members of one new communicator if they have the same parent,
// are at the same creation over it, and see the same smallest world rank. The two sides of an intercommunicator are
// matched by the arguments of their leaders: peer communicator, both leaders, tag. Where there is no parent, members of
// one communicator give the same tag; the leaders' groups tell who the other leader is.
//
// A communicator is known only if all its members are found and their own ranks are 0, 1, ... without gaps. Nothing is
// guessed. These are unknown:
//   - communicators with processes of other worlds;
//   - on ranks that switched tracing off, or that made communicators in several threads: all communicators but
//     MPI_COMM_WORLD and MPI_COMM_SELF, since the number of creations says nothing there;
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

  /// A communicator of a call as one rank sees it. Local: world ranks of the own group, by rank in the communicator.
  /// Remote: the same for the other group of an intercommunicator. Spans are valid as long as the Communicators object.
  struct View {
    bool IsKnown = false, IsInter = false;
    std::span<const uint32_t> Local, Remote;
    /// The group that rank arguments of a call count in.
    std::span<const uint32_t> peers() const { return IsInter ? Remote : Local; }
  };
  /// Object: the thread's object reference in a call.
  View find(uint32_t Thread, uint32_t Object, uint32_t Rank) const;
  /// World rank of member K, as a call names it; nothing if the communicator is unknown or has no such member.
  std::optional<uint32_t> worldRank(uint32_t Thread, uint32_t Object, uint32_t Rank, int64_t K) const;

  /// Ranks on which this number stood for several communicators, one after the other, as far as the trace tells them
  /// apart.
  RankSet reused(const CallShape &C, unsigned Slot) const;
  /// A call that was made Times times with a communicator.
  struct Use {
    uint32_t Call = 0; ///< index into the calls asked about
    uint32_t Rank = 0;
    View Of;
    uint64_t Times = 0;
  };
  /// Finds the communicators with which these calls of a thread were made on some of its ranks. Slots: for each call,
  /// the slot of the communicator. False if there are too many calls to go through; F is then not called.
  bool inOrder(uint32_t Thread, std::span<const CallShape> Calls, std::span<const unsigned> Slots, const RankSet &Ranks,
               const std::function<void(const Use &)> &F) const;

private:
  friend class CommunicatorFinder;
  static constexpr uint32_t Unknown = UINT32_MAX;
  /// Limit on steps through calls in order, all ranks together.
  static constexpr uint64_t MaxWork = uint64_t(1) << 23;
  /// What the trace stores of a communicator on one rank.
  struct Facts {
    int64_t Id = 0, Own = 0, Size = 0, Leader = 0, Remote = -1;
    auto operator<=>(const Facts &) const = default;
  };
  struct Known {
    Facts Of;
    uint32_t Place = Unknown; ///< into Sides
    bool IsReused = false;    ///< for several communicators
  };
  /// Calls of a thread that make communicators, and the slots of the new ones.
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
  RankSet Reusing;                                   ///< ranks with reused numbers
  std::map<uint32_t, std::vector<uint32_t>> InOrder; ///< by rank in Reusing: places of all communicators that it made
  std::vector<Creations> Made;                       ///< by thread
};

} // namespace pilgrim

#endif
