// What --verify keeps by itself: which calls are the program's, how they are nested, which are traced, and which object
// a handle means.
#include "verify/Books.h"
#include "verify/CallLog.h"

#include <gtest/gtest.h>
#include <thread>

using namespace pilgrim;

namespace {
struct VerifyLogTest : testing::Test {
  CallLog Log;
  void SetUp() override {
    startLogging(false);
    logTrace(true);
  }
  CallCopy &enter(uint32_t Function, uintptr_t Frame) {
    Log.leaveUpTo(Frame);
    return *Log.enter<CallCopy>(Function, Frame);
  }
  void end(CallCopy &C) {
    CallLog::returned(C, 0);
    Log.close(C);
  }
};
} // namespace

TEST_F(VerifyLogTest, CallsInsideOfCallsAreDeeper) {
  CallCopy &A = enter(1, 1000);
  EXPECT_TRUE(Log.isInside());
  CallCopy &B = enter(2, 900);
  end(B);
  CallCopy &C = enter(3, 950);
  end(C);
  end(A);
  EXPECT_FALSE(Log.isInside());
  CallCopy &D = enter(4, 1000);
  end(D);
  EXPECT_EQ(A.Depth, 0u);
  EXPECT_EQ(B.Depth, 1u);
  EXPECT_EQ(C.Depth, 1u);
  EXPECT_EQ(D.Depth, 0u);
  EXPECT_TRUE(A.Returned && B.Returned && C.Returned);
  EXPECT_LT(A.Begin, B.Begin);
  EXPECT_LT(B.End, C.Begin);
  EXPECT_LT(C.End, A.End);
}

TEST_F(VerifyLogTest, CallsThatAreLeftAreAbandoned) {
  CallCopy &A = enter(1, 1000);
  CallCopy &B = enter(2, 900);
  Log.leave(950); // a longjmp in a callback of A
  EXPECT_TRUE(B.Abandoned);
  EXPECT_FALSE(A.Abandoned);
  CallCopy &C = enter(3, 1000); // where A's frame was
  EXPECT_TRUE(A.Abandoned);
  EXPECT_EQ(C.Depth, 0u);
  EXPECT_FALSE(A.Returned || B.Returned);
}

TEST_F(VerifyLogTest, CallsThatAreTooDeepAreNotTraced) {
  for (uint32_t I = 0; I < CallLog::MaxDepth + 2; ++I)
    EXPECT_EQ(enter(I, 1000 - I).IsTraced, I < CallLog::MaxDepth) << I;
}

TEST_F(VerifyLogTest, CallsAreNotTracedWhileTracingIsSwitchedOff) {
  EXPECT_TRUE(enter(1, 1000).IsTraced);
  LoggedSwitch::set(true);
  EXPECT_FALSE(enter(1, 1000).IsTraced);
  LoggedSwitch::set(false);
  EXPECT_TRUE(enter(1, 1000).IsTraced);
  const uint64_t Before = LoggedSwitch::epoch();
  LoggedSwitch::begin();
  EXPECT_EQ(LoggedSwitch::epoch() % 2, 1u);
  LoggedSwitch::end();
  EXPECT_NE(LoggedSwitch::epoch(), Before);
}

TEST_F(VerifyLogTest, ACallThatReturnsWhileTheTraceEndsIsLate) {
  CallCopy &A = enter(1, 1000), &B = enter(2, 900), &C = enter(3, 800);
  end(C);
  logTrace(false);
  end(B);
  stopLogging();
  end(A);
  EXPECT_TRUE(C.Returned && !C.IsLate);
  EXPECT_TRUE(B.Returned && B.IsLate);
  EXPECT_FALSE(A.Returned);
}

TEST_F(VerifyLogTest, WhatHappenedBeforeACallStandsBeforeIt) {
  CallCopy &A = enter(1, 1000);
  Log.IsEntering = true;
  const CallCopy *Before = Log.note<CallCopy>(FreedId);
  Log.IsEntering = false;
  const CallCopy *Inside = Log.note<CallCopy>(FreedId);
  ASSERT_EQ(Log.Calls.size(), 3u);
  EXPECT_EQ(Log.Calls[0].get(), Before);
  EXPECT_EQ(Log.Calls[1].get(), &A);
  EXPECT_EQ(Log.Calls[2].get(), Inside);
  EXPECT_EQ(Before->Depth, 0u);
  EXPECT_EQ(Inside->Depth, 1u);
}

TEST(VerifyBooksTest, AnObjectHasOneNumberUntilItIsFreed) {
  ObjectBook B;
  EXPECT_EQ(B.find(Kind::Comm, 5), UnknownObject);
  const int64_t First = B.made(Kind::Comm, 5, false, 1);
  EXPECT_EQ(B.find(Kind::Comm, 5), First);
  EXPECT_EQ(B.find(Kind::Win, 5), UnknownObject);
  EXPECT_EQ(B.leaving(Kind::Comm, 5), First);
  EXPECT_EQ(B.find(Kind::Comm, 5), First);                // callbacks of the call that frees it
  const int64_t Second = B.made(Kind::Comm, 5, false, 4); // another thread is given the handle
  EXPECT_NE(Second, First);
  B.left(Kind::Comm, 5, First, true, 3);
  EXPECT_EQ(B.find(Kind::Comm, 5), Second);
  EXPECT_EQ(B.lives()[size_t(First)].To, 3u);
  EXPECT_EQ(B.leaving(Kind::Comm, 5), Second);
  B.left(Kind::Comm, 5, Second, false, 6); // the call failed
  EXPECT_EQ(B.find(Kind::Comm, 5), Second);
}

TEST(VerifyBooksTest, AnObjectWithSeveralReferencesIsFreedWithTheLastOne) {
  ObjectBook B;
  const int64_t G = B.made(Kind::Group, 5, true, 1);
  EXPECT_EQ(B.made(Kind::Group, 5, true, 2), G);
  EXPECT_EQ(B.leaving(Kind::Group, 5), UnknownObject);
  B.left(Kind::Group, 5, UnknownObject, true, 3);
  EXPECT_EQ(B.find(Kind::Group, 5), G);
  EXPECT_EQ(B.leaving(Kind::Group, 5), G);
  B.left(Kind::Group, 5, G, true, 4);
  EXPECT_EQ(B.find(Kind::Group, 5), UnknownObject);
  // A handle that MPI hands out again stands for another object, even if nobody saw the first one go.
  const int64_t Next = B.made(Kind::Group, 5, true, 5);
  EXPECT_NE(B.made(Kind::Group, 5, false, 6), Next);
}

TEST(VerifyBooksTest, RequestsThatShareAHandleAreToldApart) {
  RequestBook B;
  int V1 = 0, V2 = 0, V3 = 0;
  const int64_t A = B.made(7, &V1, TellsMessage, 1, 1), C = B.made(7, &V2, 0, 2, 2);
  EXPECT_EQ(B.find(7, &V2).Serial, C);
  EXPECT_EQ(B.find(7, &V3).Serial, A); // the oldest
  const auto Taken = B.take(7, &V1);
  EXPECT_EQ(Taken.Serial, A);
  EXPECT_EQ(Taken.Traits, unsigned(TellsMessage));
  EXPECT_EQ(B.take(7, &V1).Serial, C);
  EXPECT_EQ(B.take(7, &V1).Serial, UnknownObject);
  EXPECT_EQ(B.find(7, nullptr).Serial, A); // another thread waits for it
  B.putBack(Taken);
  EXPECT_EQ(B.take(7, &V1).Serial, A);
  B.complete(Taken, 9);
  EXPECT_EQ(B.lives()[size_t(A)].To, 9u);
  EXPECT_EQ(B.take(8, &V1).Serial, UnknownObject);
}

TEST(VerifyBooksTest, ARequestOfTheSameThreadIsPreferred) {
  RequestBook B;
  int V1 = 0, V2 = 0, V3 = 0;
  const int64_t A = B.made(7, &V1, 0, 1, 1);
  int64_t Own = 0, Its = 0;
  std::thread([&] {
    Own = B.made(7, &V2, 0, 2, 2);
    Its = B.find(7, &V3).Serial;
  }).join();
  EXPECT_EQ(Its, Own);
  EXPECT_EQ(B.take(7, &V3).Serial, A);
  EXPECT_EQ(B.take(7, &V3).Serial, Own); // there is no other one
}
