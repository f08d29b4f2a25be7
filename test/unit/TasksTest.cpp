#include "platform/Tasks.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace pilgrim;

namespace {
/// A thread that does one thing when it is told to, and lives until the end.
class Worker {
public:
  Worker() : Own([this] { run(); }) {}
  ~Worker() {
    tell([] {});
    Own.join();
  }
  void tell(std::function<void()> Do) {
    std::unique_lock L(Lock);
    Next = std::move(Do);
    Changed.notify_all();
    Changed.wait(L, [this] { return !Next; });
  }

private:
  void run() {
    std::unique_lock L(Lock);
    for (int I = 0; I < 2; ++I) {
      Changed.wait(L, [this] { return Next != nullptr; });
      Next();
      Next = nullptr;
      Changed.notify_all();
    }
  }
  std::mutex Lock;
  std::condition_variable Changed;
  std::function<void()> Next;
  std::thread Own;
};

unsigned madeBefore(Worker &W) {
  unsigned Number = ~0u;
  W.tell([&] { Number = threadsMadeBefore(); });
  return Number;
}
} // namespace

TEST(Tasks, ThreadsMadeBefore) {
  EXPECT_EQ(threadsMadeBefore(), 0u) << "the main thread";
  Worker First, Second, Third;
  EXPECT_EQ(madeBefore(Third), 3u);
  EXPECT_EQ(madeBefore(First), 1u);
  EXPECT_EQ(madeBefore(Second), 2u);
}

TEST(Tasks, HasFirstThreadEnded) {
  EXPECT_FALSE(hasFirstThreadEnded());
  const pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (!Child) {
    std::thread([] {
      for (int I = 0; I < 10000 && !hasFirstThreadEnded(); ++I)
        usleep(1000);
      _exit(hasFirstThreadEnded() ? 0 : 1);
    }).detach();
    syscall(SYS_exit, 0);
  }
  int Status = -1;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
}
