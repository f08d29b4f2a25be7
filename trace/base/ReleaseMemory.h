//===- ReleaseMemory.h - containers without memory ------------------*- C++ -*-===//
#ifndef PILGRIM_TRACE_BASE_RELEASEMEMORY_H
#define PILGRIM_TRACE_BASE_RELEASEMEMORY_H

namespace pilgrim {

/// Makes each what it was when it was new. A vector that is assigned {} is empty, too, but keeps its memory: {} is a
/// list of no elements there.
template <typename... T> void releaseMemory(T &...Containers) { ((Containers = T()), ...); }

} // namespace pilgrim

#endif
