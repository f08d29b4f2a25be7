//===- RandomThread.h - a thread with structure, made up ---------*- C++ -*-===//
//
// A tree of nodes whose visits take random paths, with numbers of items that change, streams of values, callbacks and
// calls that were not traced. It is written down as docs/format.md says, event by event, without the runtime.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TEST_UNIT_RANDOMTHREAD_H
#define PILGRIM_TEST_UNIT_RANDOMTHREAD_H

#include "test/unit/Samples.h"

namespace pilgrim::test {

class RandomThread {
public:
  explicit RandomThread(uint64_t Seed) : Seed(Seed) {}
  TraceData make() const;

private:
  uint64_t Seed;
};

} // namespace pilgrim::test

#endif
