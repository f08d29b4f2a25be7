//===- Starts.h - what a started request sends -------------------*- C++ -*-===//
//
// A persistent request says what it sends where it is made, and sends it as often as it is started. The two calls are
// tied by the request's number. Where different calls made requests of one number, one after the other, their order in
// the program says which was started.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_STARTS_H
#define PILGRIM_DRIVER_STARTS_H

#include "driver/CallByCall.h"
#include "driver/Messages.h"
#include "trace/read/Walk.h"

#include <functional>
#include <map>

namespace pilgrim {

class Starts {
public:
  using Fixed = SlotValues;

  explicit Starts(const Walk &W) : W(W) {}
  /// A call that makes a persistent request, or starts some.
  void add(const CallShape &C, const MessageRule &Rule) { Entries.push_back({C, Rule}); }
  struct Use {
    const CallShape *Made; ///< the request
    Fixed Values;          ///< that Made's streamed slots had then
    RankedCount Times;     ///< that it was started
  };
  using UseFn = std::function<void(const Use &)>;
  /// Tells what is started. To be called once, behind all add().
  void find(const UseFn &OnUse);
  /// Requests that were started, and nothing tells what they send.
  const std::vector<RankedCount> &unknown() const { return Unknown; }

private:
  struct Entry {
    CallShape C;
    MessageRule Rule;
    bool isStart() const { return Rule.How == MessageRule::Start; }
  };
  /// A call with a request of a number. Of a call that makes it, N says nothing.
  struct Request {
    size_t Of; ///< entry
    Fixed Values;
    RankSet Ranks;
    uint64_t N;
  };
  using Requests = std::map<int64_t, std::vector<Request>>;

  bool requestsOf(size_t Index, Requests &Out) const;
  void findOf(uint32_t Thread);
  void inOrder(uint32_t Thread, const RankSet &Ranks);
  void callByCall(uint32_t Thread, const RankSet &Ranks);
  void lose(uint32_t Thread, const RankSet &Ranks);

  const Walk &W;
  std::vector<Entry> Entries;
  const UseFn *OnUse = nullptr;
  std::vector<RankedCount> Unknown;
};

} // namespace pilgrim

#endif
