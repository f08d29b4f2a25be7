//===- RequestSlots.h - calls that complete some of many requests -*- C++ -*-===//
#ifndef PILGRIM_TRACE_READ_REQUESTSLOTS_H
#define PILGRIM_TRACE_READ_REQUESTSLOTS_H

#include "trace/model/Schema.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace pilgrim {

/// The slots by which a function of this kind says what it completed. Its array of requests is as
/// trace/model/RequestArray.h says.
struct RequestSlots {
  uint32_t Requests; ///< the array
  uint32_t Places;   ///< the number of a place that is complete, or an array of such
  uint32_t Flag = 0; ///< whether there is any; 0: always

  /// Nothing: the function is of another kind.
  static std::optional<RequestSlots> of(const FunctionSchema &F);
  /// Calls Complete(place) for each request that a call completed. Value: gives the words of a slot, none if it has no
  /// value.
  void forEachComplete(const std::function<std::span<const int64_t>(uint32_t)> &Value,
                       const std::function<void(int64_t)> &Complete) const;
};

} // namespace pilgrim

#endif
