//===- Parallel.cpp - the same for many files on some threads -------------===//
#include "driver/Parallel.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace pilgrim {

namespace {
class Crew {
public:
  Crew(size_t Count, unsigned Threads, const std::function<std::string(size_t)> &Work)
      : Count(Count), Threads(static_cast<unsigned>(std::clamp<size_t>(Count, 1, Threads))), Work(Work),
        Batch(std::bit_floor(std::clamp<size_t>(Count / this->Threads / 4, 1, 64))) {}

  Failure run() {
    {
      std::vector<std::jthread> Others;
      try {
        while (Others.size() + 1 < Threads)
          Others.emplace_back([this] { work(); });
      } catch (const std::system_error &) {
        // No more threads than these, then.
      }
      work();
    }
    if (Thrown)
      std::rethrow_exception(Thrown);
    return std::move(First);
  }

private:
  void work() {
    try {
      for (size_t I; (I = Next.fetch_add(Batch)) < Count;)
        for (size_t End = std::min(I + Batch, Count); I < End; ++I) {
          if (I > BadAt)
            return;
          if (std::string What = Work(I); !What.empty())
            return note({I, std::move(What)});
        }
    } catch (...) {
      std::lock_guard Lock(Mutex);
      Thrown = std::current_exception();
      BadAt = 0;
    }
  }

  void note(Failure F) {
    std::lock_guard Lock(Mutex);
    if (F.At >= BadAt)
      return;
    BadAt = F.At;
    First = std::move(F);
  }

  const size_t Count;
  const unsigned Threads;
  const std::function<std::string(size_t)> &Work;
  const size_t Batch;                   ///< neighbours that one thread takes at once; several batches for each thread
  std::atomic<size_t> Next = 0;         ///< that no thread has taken yet
  std::atomic<size_t> BadAt = SIZE_MAX; ///< what is behind need not be tried
  std::mutex Mutex;                     ///< of writing BadAt and what follows
  Failure First;
  std::exception_ptr Thrown;
};
} // namespace

Failure forEachIndex(size_t Count, unsigned Threads, const std::function<std::string(size_t)> &Work) {
  return Crew(Count, Threads, Work).run();
}

} // namespace pilgrim
