//===- Users.h - which calls under way use what ------------------*- C++ -*-===//
//
// In a program with several threads a call may take longer here than in the recorded run. What another thread frees
// meanwhile, an object or a block of memory, is freed when these calls have ended.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_USERS_H
#define PILGRIM_PROXYGEN_REPLAY_USERS_H

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace pilgrim {

/// Nothing waits longer for another thread.
inline constexpr std::chrono::seconds LongestWait(60);

/// Of a replay with one thread nothing needs a lock.
inline std::unique_lock<std::mutex> lockIf(bool HasThreads, std::mutex &Lock) {
  return HasThreads ? std::unique_lock(Lock) : std::unique_lock<std::mutex>();
}

class Users {
public:
  /// A call of this thread uses the thing until release().
  void acquire(uint64_t What) {
    std::lock_guard Guard(Lock);
    Of[What].push_back(std::this_thread::get_id());
  }
  void release(uint64_t What) {
    std::lock_guard Guard(Lock);
    auto It = Of.find(What);
    if (It == Of.end())
      return;
    if (auto Own = std::ranges::find(It->second, std::this_thread::get_id()); Own != It->second.end())
      It->second.erase(Own);
    if (It->second.empty())
      Of.erase(It);
    Unused.notify_all();
  }
  /// False: a call of another thread has used it for so long, and still does. A thread does not wait for itself: the
  /// call may be one around a callback.
  bool wait(uint64_t What, std::chrono::milliseconds Longest = LongestWait) {
    std::unique_lock Guard(Lock);
    return Unused.wait_for(Guard, Longest, [&] {
      auto It = Of.find(What);
      return It == Of.end() || std::ranges::count(It->second, std::this_thread::get_id()) == std::ssize(It->second);
    });
  }

private:
  std::map<uint64_t, std::vector<std::thread::id>> Of;
  std::mutex Lock;
  std::condition_variable Unused;
};

} // namespace pilgrim

#endif
