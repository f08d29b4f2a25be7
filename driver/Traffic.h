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
  uint64_t UnknownStarts = 0; ///< of requests that no recorded call made: nobody knows what they send, or whether
  std::string Error;          ///< why this is no answer; empty: it is one
};

/// The receiver, if the target is Function.
inline uint64_t receiver(const Flow &F, uint64_t Sender, uint32_t World) {
  return static_cast<uint64_t>(F.Of.eval(static_cast<uint32_t>(Sender), {static_cast<int64_t>(Sender), World}));
}

/// Pairs of a sender and a receiver.
uint64_t pairsOf(const Flow &F);

/// Sends between two processes; Collectives: and what collectives move logically (docs/tools.md).
Traffic findTraffic(const Walk &W, Traffic::By By, bool Collectives);
/// Receives between two processes: From are the receivers, To the senders, and bytes those that there is room for.
/// Receives from any source are not counted.
Traffic findReceives(const Walk &W);

} // namespace pilgrim

#endif
