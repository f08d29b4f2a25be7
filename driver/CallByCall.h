//===- CallByCall.h - calls that nothing says together -----------*- C++ -*-===//
//
// Where what calls have in their streams follows no order, or is an array, it is looked at one call after the other, as
// each rank made them. That takes the time of what the trace has of them: what is irregular takes bytes.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_CALLBYCALL_H
#define PILGRIM_DRIVER_CALLBYCALL_H

#include "trace/read/Walk.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pilgrim {

/// Values of slots that are streamed, by slot.
using SlotValues = std::vector<std::pair<int, std::vector<int64_t>>>;

class CallByCall {
public:
  explicit CallByCall(const Walk &W) : W(W) {}
  /// Of calls to be looked at, all of one thread. Number: what Fn is told of them.
  void add(const CallShape &C, size_t Number) { NumberOf[{C.Of, C.Content}] = Number; }
  using Fn = std::function<void(size_t Number, const Call &C)>;
  /// Calls F for the calls of a rank, in the order in which they were entered. Returns what is wrong with the trace;
  /// empty: nothing.
  std::string run(uint32_t Thread, uint32_t Rank, const Fn &F) const;
  /// The values of some slots in a call.
  static SlotValues valuesOf(const Call &C, const std::vector<unsigned> &Slots);

private:
  const Walk &W;
  std::map<std::pair<const Entry *, const Variant *>, size_t> NumberOf;
};

} // namespace pilgrim

#endif
