// Names of requests that have one handle, for --verify: threads may exchange them, and whatever else is wrong is
// noticed.
#include "verify/Names.h"

#include <gtest/gtest.h>

using namespace pilgrim;

namespace {
/// Requests, and the calls that make and complete them.
class SomeRequests {
public:
  explicit SomeRequests(bool HasThreads) : HasThreads(HasThreads) {}
  /// A call from Begin to End makes a request, and the trace calls it Name. Returns its serial number.
  int64_t make(uint64_t Raw, int64_t Name, uint64_t Begin, uint64_t End) {
    Lives.push_back({Kind::Request, End, ~uint64_t(0), Raw, Begin});
    const auto Serial = static_cast<int64_t>(Lives.size() - 1);
    Uses.push_back({Serial, use(Name, Begin, End)});
    return Serial;
  }
  /// A call completes the request, which the trace calls Name there.
  void complete(int64_t Serial, int64_t Name, uint64_t Begin, uint64_t End) {
    Lives[static_cast<size_t>(Serial)].To = Begin;
    test(Serial, Name, Begin, End);
  }
  /// A call names the request.
  void test(int64_t Serial, int64_t Name, uint64_t Begin, uint64_t End) {
    Uses.push_back({Serial, use(Name, Begin, End)});
  }
  /// What is wrong; empty if nothing is.
  std::string compared(bool HasAllUses = true) const {
    const ObjectLives None;
    Names Named(None, Lives, HasThreads);
    if (!HasAllUses)
      Named.lacksUses();
    for (const auto &[Serial, Use] : Uses)
      if (std::string Why; !Named.agrees(Serial, Use, Why))
        return Why;
    return Named.clash();
  }

private:
  static RequestUse use(int64_t Name, uint64_t Begin, uint64_t End) {
    RequestUse U;
    U.Name = Name;
    U.Begin = Begin;
    U.End = End;
    return U;
  }
  bool HasThreads;
  ObjectLives Lives{1};
  std::vector<std::pair<int64_t, RequestUse>> Uses;
};

/// Two requests with one handle, whose names the calls that complete them have the other way round.
SomeRequests exchanged(bool HasThreads, uint64_t OtherHandle = 7) {
  SomeRequests R(HasThreads);
  const int64_t A = R.make(7, 0, 1, 2), B = R.make(OtherHandle, 1, 3, 4);
  R.complete(A, 1, 5, 6);
  R.complete(B, 0, 7, 8);
  return R;
}
} // namespace

TEST(VerifyRequestsTest, ThreadsMayExchangeRequestsThatHaveOneHandle) {
  EXPECT_EQ(exchanged(true).compared(), "");
  EXPECT_EQ(exchanged(false).compared(), "request 1 of thread 0 was request 0 of thread 0 before");
}

TEST(VerifyRequestsTest, RequestsWithOtherHandlesAreNotExchanged) {
  EXPECT_EQ(exchanged(true, 8).compared(),
            "call 0 of thread 0 parameter request (request 1 of thread 0 fits no request with this handle)");
}

TEST(VerifyRequestsTest, AnExchangeThatMayNotBeKnownIsNone) {
  EXPECT_EQ(exchanged(true).compared(false),
            "call 0 of thread 0 parameter request (request 1 of thread 0 was request 0 of thread 0 before)");
}

TEST(VerifyRequestsTest, ANameMayBeGivenAgainOnceItsRequestIsComplete) {
  auto Compared = [](uint64_t Again) {
    SomeRequests R(true);
    const int64_t A = R.make(7, 0, 1, 2), B = R.make(7, 1, 3, 4);
    R.complete(A, 1, 10, 11);
    const int64_t C = R.make(7, 1, Again, Again + 1);
    R.complete(B, 0, 30, 31);
    R.complete(C, 1, 40, 41);
    return R.compared();
  };
  EXPECT_EQ(Compared(20), "");
  EXPECT_NE(Compared(5), "");
}

TEST(VerifyRequestsTest, ANameOfARequestThatIsNotThereIsNoticed) {
  auto Compared = [](int64_t Last, uint64_t Begin) {
    SomeRequests R(true);
    const int64_t A = R.make(7, 0, 1, 2), B = R.make(7, 1, 3, 4);
    R.complete(A, 1, 5, 6);
    R.complete(B, 0, 7, 8);
    const int64_t C = R.make(7, 2, 20, 21);
    R.complete(C, Last, Begin, Begin + 3);
    return R.compared();
  };
  EXPECT_EQ(Compared(2, 22), "");
  EXPECT_NE(Compared(0, 22), ""); // complete
  EXPECT_NE(Compared(3, 22), ""); // never made
  EXPECT_NE(Compared(2, 10), ""); // not made yet
}

TEST(VerifyRequestsTest, ARequestIsCompletedOnce) {
  SomeRequests R(true);
  const int64_t A = R.make(7, 0, 1, 2), B = R.make(7, 1, 3, 4);
  R.complete(A, 1, 5, 6);
  R.complete(B, 1, 7, 8);
  EXPECT_NE(R.compared(), "");
}

TEST(VerifyRequestsTest, CallsThatOverlapMayHaveComeInEitherOrder) {
  SomeRequests R(true);
  const int64_t A = R.make(7, 0, 1, 60), B = R.make(7, 1, 3, 4);
  R.complete(A, 1, 5, 50);
  const int64_t C = R.make(7, 1, 45, 46); // the name is free before the call that completed B is over
  R.complete(B, 0, 10, 58);
  R.complete(C, 1, 4, 70);
  EXPECT_EQ(R.compared(), "");
}

TEST(VerifyRequestsTest, ACallThatCompletesNothingNamesARequestThatIsThere) {
  auto Compared = [](uint64_t Begin) {
    SomeRequests R(true);
    const int64_t A = R.make(7, 0, 1, 2), B = R.make(7, 1, 3, 4);
    R.test(B, 0, Begin, Begin + 1);
    R.complete(A, 1, 10, 11);
    R.complete(B, 0, 12, 13);
    return R.compared();
  };
  EXPECT_EQ(Compared(8), "");
  EXPECT_NE(Compared(20), "");
}
