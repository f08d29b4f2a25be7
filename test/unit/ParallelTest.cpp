// Work on several threads, and how far it is.
#include "driver/Parallel.h"
#include "driver/Progress.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

using namespace pilgrim;

namespace {

TEST(Parallel, callsForEachIndexOnce) {
  for (unsigned Threads : {1u, 2u, 7u}) {
    std::vector<std::atomic<int>> Calls(1001);
    Failure F = forEachIndex(Calls.size(), Threads, [&](size_t I) {
      ++Calls[I];
      return std::string();
    });
    EXPECT_EQ(F.What, "");
    EXPECT_TRUE(std::all_of(Calls.begin(), Calls.end(), [](const auto &N) { return N == 1; }));
  }
  EXPECT_EQ(forEachIndex(0, 3, [](size_t) { return std::string("called"); }).What, "");
}

TEST(Parallel, tellsTheFirstFailureWhicheverComesLast) {
  std::promise<void> OtherFails;
  Failure F = forEachIndex(2, 2, [&](size_t I) {
    if (I == 0)
      OtherFails.get_future().wait_for(std::chrono::seconds(1));
    else
      OtherFails.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(I * 50));
    return "bad " + std::to_string(I);
  });
  EXPECT_EQ(F.At, 0u);
  EXPECT_EQ(F.What, "bad 0");
}

TEST(Parallel, throwsWhatAThreadThrows) {
  for (size_t Bad : {size_t(0), size_t(99)})
    EXPECT_THROW(forEachIndex(100, 3,
                              [&](size_t I) -> std::string {
                                if (I == Bad)
                                  throw std::bad_alloc();
                                return "";
                              }),
                 std::bad_alloc);
}

TEST(Progress, numbersHaveTheirThousandsApart) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(65536), "65,536");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

} // namespace
