//===- PaceTest.cpp - when replayed calls begin ---------------------------===//
#include "proxygen/replay/Pace.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace pilgrim;

namespace {

constexpr double Tenth = 0.1;

/// Calls of one thread. Each takes no time, but for what the test says.
class Replayed {
public:
  explicit Replayed(double Speed = 1) : P{true, Speed}, Clock(P) {}
  /// A call that was recorded Start seconds after the first one, and took so long; here it takes Takes.
  void call(double Start, double Took = 0, double Takes = 0) {
    Call C;
    C.Timed = Call::Time::Own;
    C.Start = Start;
    C.Duration = Took;
    Clock.before(C);
    sleep(Takes);
    Clock.after();
  }
  /// What a replay needs for itself between two calls.
  static void sleep(double Seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(Seconds)); }
  double now() const { return Clock.now(); }
  double recorded() const { return Clock.recorded(); }

private:
  Pace P;
  PaceClock Clock;
};

/// What Calls replays takes Least seconds, and hardly more. A busy machine makes things later, not earlier, so the
/// second is tried again.
template <typename Fn> void expectTakes(double Least, Fn Calls, double Speed = 1) {
  double Now = 0;
  for (int Try = 0; Try < 5; ++Try) {
    Replayed R(Speed);
    Calls(R);
    Now = R.now();
    EXPECT_GE(Now, Least - 1e-6);
    if (Now < Least + 0.9 * Tenth)
      return;
  }
  ADD_FAILURE() << Now << " s each time, not " << Least;
}

TEST(Pace, WaitsAsLongAsTheProgramComputedLessWhatWasNeededItself) {
  expectTakes(3 * Tenth, [](Replayed &R) {
    R.call(0);
    R.sleep(Tenth);
    R.call(3 * Tenth);
    EXPECT_DOUBLE_EQ(R.recorded(), 3 * Tenth);
  });
}

TEST(Pace, ASpeedOfTwoTakesHalfAsLong) {
  const auto Calls = [](Replayed &R) {
    R.call(0);
    R.call(4 * Tenth);
  };
  expectTakes(2 * Tenth, Calls, 2);
}

TEST(Pace, WhatTookTooLongIsMadeUpForBeforeLaterCalls) {
  expectTakes(5 * Tenth, [](Replayed &R) {
    R.call(0);
    R.sleep(3 * Tenth);
    R.call(Tenth); // two tenths too late
    R.call(2 * Tenth);
    R.call(5 * Tenth);
  });
}

TEST(Pace, ACallThatTookLongerIsNotMadeUpFor) {
  expectTakes(5 * Tenth, [](Replayed &R) {
    R.call(0);
    R.call(Tenth, 0, 2 * Tenth); // it waited for another rank
    R.call(3 * Tenth);
  });
}

TEST(Pace, WhoCaughtUpInACallIsNotLateAnyMore) {
  expectTakes(6 * Tenth, [](Replayed &R) {
    R.call(0);
    R.sleep(3 * Tenth);
    R.call(Tenth, 3 * Tenth, Tenth); // two tenths too late, but it waited two tenths less for others
    R.call(6 * Tenth);
  });
}

} // namespace
