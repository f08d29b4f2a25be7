//===- Traffic.h - who sends how much to whom --------------------*- C++ -*-===//
//
// All messages of a trace as flows: ranks that each send as much to a receiver that follows from the sender, being one
// rank, a constant distance away, a function of the sender, or each of a set. Only where none of these fits, the
// receivers are listed. There are as many flows as the trace has shapes of sends, not as ranks or messages.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_TRAFFIC_H
#define PILGRIM_DRIVER_TRAFFIC_H

#include "trace/read/Communicators.h"

#include <memory>

namespace pilgrim {

struct Flow {
  enum Target : uint8_t {
    Rank,     ///< To
    Distance, ///< To more than the sender
    Function, ///< what Of says of the sender, in the context of the world
    Listed,   ///< Receivers has it, for each sender
    Each,     ///< each of All but the sender
    Higher,   ///< each of All that is above the sender
    Unknown,  ///< nobody knows
  };
  RankSet From;
  Target T = Rank;
  int64_t To = 0;
  std::shared_ptr<const RankSet> All;
  RankFn::Piece Of;
  std::vector<uint32_t> Receivers;  ///< in the order of From
  uint64_t Messages = 0, Bytes = 0; ///< from each of From to each receiver
  uint32_t Part = 0;                ///< into Traffic::Parts
};

struct Traffic {
  enum class By : uint8_t { Nothing, Communicator, Function, Site };
  std::vector<std::string> Parts; ///< what flows are told apart by; one without
  std::vector<Flow> Flows;
  uint64_t Messages = 0, Bytes = 0;               ///< with known receivers; saturate
  uint64_t UnknownMessages = 0, UnknownBytes = 0; ///< without
  std::string Error;                              ///< why this is no answer; empty: it is one
};

/// Divides the ranks from First to Last into blocks of 2^k ranks, the first of which 2^k divides: the largest with
/// which F is content. F(first, size) must be content with a single rank.
template <typename Fn> void forEachAligned(uint64_t First, uint64_t Last, Fn &&F) {
  while (First <= Last) {
    uint64_t N = First ? First & -First : uint64_t(1) << 32;
    while (N > Last - First + 1 || !F(First, N))
      N /= 2;
    First += N;
  }
}

/// The bits in which receivers differ from senders, if that is what the function says.
inline std::optional<uint64_t> flipOf(const RankFn::Piece &P) {
  if (P.isExplained() && P.Cand.Mask == Candidates::Xor && P.Cand.Flip >= 0)
    return P.Cand.Flip;
  return std::nullopt;
}

/// The receiver, if the target is Function.
inline uint64_t receiver(const Flow &F, uint64_t Sender, uint32_t World) {
  return static_cast<uint64_t>(F.Of.eval(static_cast<uint32_t>(Sender), {static_cast<int64_t>(Sender), World}));
}

/// Pairs of a sender and a receiver.
uint64_t pairsOf(const Flow &F);

/// Sends between two processes; Collectives: and what collectives move logically (docs/tools.md).
Traffic findTraffic(const Walk &W, Traffic::By By, bool Collectives);

} // namespace pilgrim

#endif
