//===- PathMask.h - a path through a region as a number ---------*- C++ -*-===//
//
// Mostly the arms that were taken say which events a visit comes by: those that are in no arm, and those in these. So a
// path is the events that are otherwise, a bit each, those of the arms lowest: 0 is all events (internal to trace/).
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

  /// Of a region, and the numbers of those of its events that are known, ascending. Both live as long as this.
  PathMask(const Region &X, const std::vector<uint32_t> &Events);
  unsigned bits() const { return Bits; }
  /// Of a path; nothing if it is not in the order of the events, or too many of them are otherwise.
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
