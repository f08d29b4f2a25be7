//===- CallCounts.h - how often a thread makes each call ---------*- C++ -*-===//
//
// The calls of a thread without their order: equal ones are counted. Calls that wait, test or probe are not among them,
// but the requests that they complete are, and the messages that they get.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_CALLCOUNTS_H
#define PILGRIM_DRIVER_CALLCOUNTS_H

#include "driver/CallText.h"
#include "driver/DiffCalls.h"
#include "trace/read/RequestSlots.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pilgrim {

class CallCounts {
public:
  explicit CallCounts(const Trace &T) : Values(T, ValueText::Form::Text), Lines(T, ValueText::Form::Text) {}

  struct Equal {
    uint64_t Times = 0;
    uint64_t First = 0;   ///< the number of the first of them
    bool IsMaker = false; ///< of objects, but requests
    std::string Text;     ///< of one of them
    std::string Site;     ///< likewise
  };
  /// By everything that is compared: the function, and a line for each parameter, which begins with its name and '='.
  std::map<std::string, Equal> Calls;
  uint64_t Completed = 0; ///< requests
  uint64_t NotCompared = 0;

  /// Counts the calls of another thread. Error: what is wrong with the trace.
  std::string read(const std::shared_ptr<const RankView> &View);

private:
  /// What a function does, as far as the order of calls may change it.
  struct Waiting {
    bool Waits = false;   ///< completes requests, or asks whether there is a message, or one thing is complete
    bool IsMaker = false; ///< of objects, but requests
    uint32_t Request = 0, Flag = 0;
    std::optional<RequestSlots> Some;
    uint32_t Made = 0, Source = 0, Tag = 0; ///< a request that is made, and of what message
  };
  static bool isProbe(const Waiting &W) { return W.Waits && !W.Request; }
  const Waiting &waitingOf(const FunctionSchema &F);
  static uint64_t completed(const Call &C, const Waiting &W);
  static std::vector<int64_t> completedRequests(const Call &C, const Waiting &W);
  void noteReceive(const Call &C, const Waiting &W);
  void addMatches(const Call &C, const Waiting &W, uint64_t Number);
  std::string keyOf(const Call &C);
  void append(std::string &Out, const ParamSchema &P, const Value &V, const RankView &View);
  void appendWord(std::string &Out, const ParamSchema &P, int64_t W);

  ValueText Values;
  CallText Lines;
  std::map<uint32_t, Waiting> Functions;
  std::map<int64_t, bool> IsGiven; ///< by request
};

} // namespace pilgrim

#endif
