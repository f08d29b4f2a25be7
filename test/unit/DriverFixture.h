//===- DriverFixture.h - what tests of the tool's parts share ----*- C++ -*-===//
#ifndef PILGRIM_TEST_UNIT_DRIVERFIXTURE_H
#define PILGRIM_TEST_UNIT_DRIVERFIXTURE_H

#include "test/unit/TraceFixture.h"
#include "trace/read/Soundness.h"

#include <gtest/gtest.h>

namespace pilgrim::test {

inline Trace opened(const TraceData &T) {
  auto Bytes = writeTrace(T);
  auto Read = Trace::fromBytes(Bytes);
  EXPECT_TRUE(Read) << (Read ? "" : Read.error().What);
  EXPECT_EQ(findInconsistency(*Read), "");
  return std::move(*Read);
}

inline FixtureCall send(FixtureValue Buffer, int64_t Count = 1) {
  return {"MPI_Send", {ok(), std::move(Buffer), word(Count), intType(), word(1), word(0), world(0, 2)}};
}

} // namespace pilgrim::test

#endif
