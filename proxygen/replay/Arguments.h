//===- Arguments.h - from a call in a trace to its arguments -----*- C++ -*-===//
//
// Makes the arguments of a call from the values that a trace has, and keeps what the call gives, so that later calls
// find it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_ARGUMENTS_H
#define PILGRIM_PROXYGEN_REPLAY_ARGUMENTS_H

#include "proxygen/replay/MakeCall.h"
#include "proxygen/replay/ProbedMessages.h"
#include "proxygen/replay/ReplayState.h"

#include <string>
#include <vector>

namespace pilgrim {

class CallArguments {
public:
  CallArguments(ReplayState &S, uint32_t Thread) : S(S), Thread(Thread) {}

  /// False: the call cannot be made; error() says why. FromCallback: the status that MPI wants to be filled, if the
  /// call is made in a callback that has one.
  bool make(const Call &C, const CallInfo &I, MPI_Status *FromCallback);
  const std::string &error() const { return Error; }
  std::span<const Argument> arguments() const { return Args; }
  /// Before the call, and before any that begins later: those do not mean what this one frees.
  void leave();
  /// Before the call: waits for calls of other threads that use what this one frees.
  void waitForUsers();
  /// After the call: keeps the objects and the memory that it gave.
  void finish(bool Succeeded);

  /// The requests that the call completes or starts.
  struct RequestSlot {
    int64_t Number = -1; ///< in Handles; -1: a null request
    bool IsPersistent = false;
    bool IsGiven = false; ///< as in LiveHandle
    bool IsEarly = false; ///< the same
  };
  std::vector<RequestSlot> Requests;
  MPI_Request *Raw = nullptr;
  /// Sets a status to the four words of one in a trace.
  static void fill(const Names &Constants, MPI_Status &At, std::span<const int64_t> Words);
  /// The number that the call wrote into an output of this name, of several the one at Index; nullopt: it has none.
  std::optional<int64_t> output(std::string_view Name, size_t Index = 0) const;

private:
  struct Gives { ///< an output that is kept
    enum { Object, Freed, Request, Keyval, Memory, FreedMemory } What;
    Kind K;
    int64_t Number;
    void *At;
    std::optional<MemoryPlace> Place;
    uint64_t Before = 0; ///< the handle; of a request that is not freed: its serial
  };
  /// What calls of one signature have in common.
  struct Prepared {
    struct Param {
      bool IsStreamed = false, IsPlaced = false;
      std::optional<MemoryPlace> Place; ///< where it is
    };
    std::vector<Param> Params;
    std::vector<Argument> Args; ///< those that are the same in each call are set
    std::vector<size_t> Others;
    size_t Elements = 0;
    bool IsKnown = false;
    bool IsConstant;    ///< no value of the trace differs from call to call
    bool MayBeFollowed; ///< RecordedAddresses needs to see it
  };
  bool prepare(Prepared &P);
  bool isSame(size_t N) const;
  const std::optional<MemoryPlace> &placeOfParam(size_t N);
  size_t elements() const;
  bool add(size_t N);
  Argument number(const ParamSchema &P, const Value &V);
  int64_t numberOf(const ParamSchema &P, int64_t Word);
  Argument numbers(const ParamSchema &P, const ParamInfo &I, const Value &V, bool Reads);
  Argument out(const ParamInfo &I, const Value &V, size_t Bytes);
  std::optional<uint64_t> handle(const ParamSchema &P, const Value &V, size_t Index, LiveHandle *Live = nullptr);
  Argument handles(const ParamSchema &P, const ParamInfo &I, const Value &V);
  MPI_Request *requestsAt(const ParamSchema &P, const Value &V, size_t Count);
  Argument address(size_t N, const ParamSchema &P, const Value &V);
  Argument status(const ParamSchema &P, const Value &V);
  int64_t fileMode() const;
  std::string fileName(const std::string &Name);
  void findFile(const std::string &File);
  Argument text(const ParamInfo &I, const Value &V);
  Argument userFunction(const ParamInfo &I, const Value &V);
  void positionBefore(const Call &C);
  int64_t objectNumber(const ParamSchema &P, const Value &V, size_t Index) const;
  bool bad(std::string What);

  ReplayState &S;
  uint32_t Thread;
  const Call *C = nullptr;
  const CallInfo *Info = nullptr;
  MPI_Status *FromCallback = nullptr;
  std::shared_ptr<Arena> Room = std::make_shared<Arena>();
  std::vector<Prepared> Signatures; ///< by terminal
  Prepared *Now = nullptr;
  MPI_Request *OwnRequests = nullptr; ///< places of this thread
  size_t Elements = 0;                ///< that an output array has at most
  std::vector<Argument> Args;
  ProbedMessages Probed;
  std::vector<Gives> Outputs;
  std::vector<uint64_t> Used; ///< handles that are acquired
  std::vector<MemoryPiece> UsedBlocks;
  std::vector<int64_t> Taken; ///< requests of other threads
  std::string Error;
};

} // namespace pilgrim

#endif
