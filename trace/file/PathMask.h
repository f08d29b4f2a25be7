//===- PathMask.h - a path through a region as a number ---------*- C++ -*-===//
//
// A visit usually passes the events outside of arms and the events inside the arms taken. A path is stored as a mask of
// the exceptions: each event has a bit, which is set if the event does not follow its arm. Bits of arms are the lowest.
// Mask 0 is the path over all events (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_FILE_PATHMASK_H
#define PILGRIM_TRACE_FILE_PATHMASK_H

#include "trace/model/TraceData.h"

#include <optional>

namespace pilgrim {

class PathMask {
public:
  static constexpr unsigned MaxBits = 62;

  /// X: the region. Events: the numbers of its known events, ascending. Both must outlive this object.
  PathMask(const Region &X, const std::vector<uint32_t> &Events);
  unsigned bits() const { return Bits; }
  /// The mask of a path; nothing if the path is not in the order of the events, or an exception has no bit below
  /// bits().
  std::optional<uint64_t> of(const std::vector<uint32_t> &Path) const;
  /// The path of a mask below 2^bits().
  std::vector<uint32_t> path(uint64_t Mask) const;

private:
  template <typename Fn> void forEach(Fn &&F) const;

  const Region &X;
  const std::vector<uint32_t> &Events;
  unsigned Arms = 0, Bits;
};

} // namespace pilgrim

#endif
