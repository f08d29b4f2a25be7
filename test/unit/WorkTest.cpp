// trace/base/Work.h: what is awaited is done first, pauses come through, and what is given up leaves nothing behind.
#include "trace/base/Work.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

using namespace pilgrim;

namespace {
Work inner(std::string &Log, char Name, int Pauses) {
  for (int I = 0; I < Pauses; ++I) {
    Log += Name;
    co_await Pause();
  }
  Log += '.';
}

Work outer(std::string &Log, std::shared_ptr<int> Held) {
  co_await inner(Log, 'a', 2);
  for (int I = 0; I < 2; ++I)
    co_await inner(Log, 'b', I);
  Log += static_cast<char>('0' + *Held);
}
} // namespace

TEST(Work, GoesOnWhereItPaused) {
  std::string Log;
  Work W = outer(Log, std::make_shared<int>(7));
  EXPECT_EQ(Log, "");
  size_t Steps = 1;
  std::string Before;
  for (; !W.goOn(); ++Steps) {
    EXPECT_LE(Log.size() - Before.size(), 2u);
    Before = Log;
  }
  EXPECT_EQ(Log, "aa..b.7");
  EXPECT_GT(Steps, 3u);
}

TEST(Work, MayBeMovedAndGivenUp) {
  std::string Log;
  const auto Held = std::make_shared<int>(7);
  {
    Work W = outer(Log, Held);
    while (Log != "aa")
      ASSERT_FALSE(W.goOn());
    Work Other = std::move(W);
    Work Third = outer(Log, Held);
    Third = std::move(Other);
    ASSERT_FALSE(Third.goOn());
    EXPECT_EQ(Log, "aa.");
    EXPECT_GT(Held.use_count(), 1);
  }
  EXPECT_EQ(Held.use_count(), 1);
}
