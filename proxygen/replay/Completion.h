//===- Completion.h - the same requests complete again -----------*- C++ -*-===//
//
// Which of several requests completes first, and whether a test finds one, differs from run to run. The calls that
// follow in a trace rely on what completed in the recorded run. So a call that completed requests is made when these
// have completed here, too; if it gives others all the same, their handles are exchanged: both are complete, and the
// later call that wants the other one finds it (Pilgrim, section 3.3.4, asks only that all complete in the end). A
// persistent request keeps its handle, and is not given again before it is started; so it is known which were given.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_COMPLETION_H
#define PILGRIM_PROXYGEN_REPLAY_COMPLETION_H

#include "proxygen/replay/Arguments.h"

namespace pilgrim {

class Completion {
public:
  explicit Completion(Handles &Objects) : Objects(Objects) {}
  /// Before a call: waits until the requests that it completed in the recorded run are complete, or until the message
  /// that a probe found is there.
  void before(const Call &C, const CallInfo &I, CallArguments &A);
  /// After it. Succeeded: here.
  void after(const CallInfo &I, CallArguments &A, bool Succeeded);

private:
  /// Whether an earlier call gave it, so that no other one will.
  static bool isGone(const CallArguments &A, uint32_t N);
  void exchange(CallArguments &A, const std::vector<uint32_t> &Given);

  Handles &Objects;
  std::vector<uint32_t> Expected;  ///< indices of requests
  std::vector<MPI_Request> Before; ///< all of them
  bool HasNone = false;            ///< the call is given null requests instead
  bool MayBeEarly = false;         ///< it tests one persistent request, and found nothing in the recorded run
};

/// Whether the call is an MPI_Improbe that found nothing in the recorded run. It is made as an MPI_Iprobe, as it would
/// take a message here that another call received.
bool asksOnly(const Call &C, const CallInfo &I);
int ask(const CallArguments &Of);

/// Whether the call is an MPI_Win_test that found nothing in the recorded run. It is not made: it might end the epoch
/// here, and then the next one would be an error.
bool isLeftOut(const Call &C, const CallInfo &I);

/// Whether a call that gives a flag has to be repeated until the flag is true: it was, and the call changes nothing
/// while it is not.
bool repeatsUntilTrue(const Call &C, const CallInfo &I);

} // namespace pilgrim

#endif
