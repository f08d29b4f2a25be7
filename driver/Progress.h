//===- Progress.h - how far a long command is -------------------*- C++ -*-===//
//
// One line on a terminal, rewritten in place, for work that takes longer than a
// second. Where stderr is no terminal, nothing.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_PROGRESS_H
#define PILGRIM_DRIVER_PROGRESS_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace pilgrim {

/// 12,288
std::string grouped(uint64_t N);

class Progress {
public:
  /// "WHAT: 12,288 of 65,536 THINGS"; with a Total of 0, which is not known, "WHAT: 12,288 THINGS".
  Progress(std::string What, uint64_t Total, std::string Things);
  /// Clears the line: what is printed next has it for itself.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// So many more are done. To be called by any thread.
  void step(uint64_t Number = 1);

private:
  using Clock = std::chrono::steady_clock;
  void show(Clock::time_point Now, uint64_t Count);

  std::string What, Things;
  uint64_t Total;
  bool IsTerminal;
  std::atomic<uint64_t> Done = 0;
  std::mutex Writing;
  std::atomic<Clock::time_point> Next; ///< when the line is written again
  size_t Width = 0;                    ///< of the line that is there
};

} // namespace pilgrim

#endif
