// Calls that were made while tracing was off are counted, and are counted as calls nowhere.
#include "trace/read/Untraced.h"
#include "test/unit/Samples.h"
#include "trace/file/Format.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

TEST(Untraced, CallsOfSignaturesStreamsAndCallbacksAreCounted) {
  Trace T = *Trace::fromBytes(writeTrace(switched()));
  const Walk W(T);
  auto Of = [&](const RankSet &Ranks) {
    uint64_t N = 0;
    for (uint32_t Node = 0; Node < W.threads()[0].Nodes; ++Node)
      for (uint32_t Event : W.node(0, Node).Events)
        for (const RankedCount &X : untracedAt(W, 0, Node, Event))
          N += X.N * commonSize(X.Ranks, Ranks);
    return N;
  };
  // Five times the rank's own number, five that are streamed (1, 2, 5, 10, 17), and three.
  EXPECT_EQ(Of(RankSet(0)), 5u * 7 + 35 + 3);
  EXPECT_EQ(Of(RankSet(1)), 5u * 8 + 35 + 3);
  EXPECT_EQ(Of(RankSet(2)), 1000u);
  EXPECT_EQ(untracedCalls(T.data()), 73u + 78 + 1000);
  EXPECT_EQ(T.data().calls(), 2u * 12);
  // One by one.
  for (uint32_t R = 0; R < 3; ++R) {
    CallCursor Calls = Trace::calls(T.view(R, 0));
    uint64_t Missing = 0;
    for (Call C; Calls.next(C);)
      Missing += isUntraced(*C.Function) ? untracedCalls(C) : 0;
    EXPECT_EQ(Missing, Of(RankSet(R)));
  }
}

TEST(Untraced, NumbersThatNobodyCanHaveCalledAreNotAddedUp) {
  LeafBuilder B(1, 0, 0);
  for (int64_t N : {int64_t(-5), INT64_MAX, INT64_MAX, INT64_MAX})
    B.add({UntracedId, "", 0, {value(Tag::Absent), value(Tag::Word, {N})}, {}});
  TraceData T = B.take();
  EXPECT_EQ(untracedCalls(T), UINT64_MAX);
  LeafBuilder C(1, 0, 0);
  C.add({UntracedId, "", 0, {value(Tag::Word, {3})}, {}}); // without the slot
  EXPECT_EQ(untracedCalls(C.take()), 0u);
}
