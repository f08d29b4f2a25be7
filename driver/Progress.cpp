//===- Progress.cpp - how far a long command is ---------------------------===//
#include "driver/Progress.h"

#include <cstdio>
#include <unistd.h>

namespace pilgrim {

static constexpr std::chrono::milliseconds Patience(1000), Interval(100);

std::string grouped(uint64_t N) {
  std::string Out = std::to_string(N);
  for (size_t I = Out.size(); I > 3;)
    Out.insert(I -= 3, 1, ',');
  return Out;
}

Progress::Progress(std::string What, uint64_t Total, std::string Things)
    : What(std::move(What)), Things(std::move(Things)), Total(Total), IsTerminal(isatty(STDERR_FILENO)),
      Next(Clock::now() + Patience) {}

Progress::~Progress() {
  if (Width)
    std::fprintf(stderr, "\r%*s\r", static_cast<int>(Width), "");
}

void Progress::step(uint64_t Number) {
  const uint64_t Count = Done += Number;
  if (!IsTerminal)
    return;
  Clock::time_point Now = Clock::now();
  // Whoever is late finds the line written.
  if (Now < Next.load() || !Writing.try_lock())
    return;
  std::lock_guard Lock(Writing, std::adopt_lock);
  if (Now >= Next.load())
    show(Now, Count);
}

void Progress::show(Clock::time_point Now, uint64_t Count) {
  std::string Line = "pilgrim: " + What + ": " + grouped(Count) + (Total ? " of " + grouped(Total) : "") + " " + Things;
  Width = Line.size(); // numbers only grow
  std::fprintf(stderr, "\r%s", Line.c_str());
  Next = Now + Interval;
}

} // namespace pilgrim
