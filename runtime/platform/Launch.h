//===- Launch.h - what a launcher says of a process --------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_LAUNCH_H
#define PILGRIM_PLATFORM_LAUNCH_H

#include <string>
#include <sys/types.h>

namespace pilgrim {

/// The rank. Before MPI_Init only launchers know it; 0 without one.
long rankOfLaunch();

/// Whether this process should print what all ranks would print.
inline bool isFirstOfLaunch() { return rankOfLaunch() == 0; }

/// The process that started the ranks on this machine.
struct Launcher {
  pid_t Number;
  bool IsKnown;    ///< as one, so that all below it are ranks or scripts that start them
  bool EndsOthers; ///< when one has ended without MPI_Finalize
};

/// The nearest process above us that starts ranks; if none is known, our parent. This and the next two may be called in
/// a handler of a signal.
Launcher launcher();

/// 0: it is outside of this container. -1: not known.
pid_t parentOf(pid_t Process);

/// Calls F(process) for those that a process comes from, beginning with its parent, until F returns true. There may be
/// scripts between it and the launcher, which may be the first process of a container.
template <typename Fn> bool forEachAbove(pid_t Process, Fn &&F) {
  constexpr unsigned Most = 16;
  for (unsigned Seen = 0; Process > 1 && Seen < Most; ++Seen) {
    Process = parentOf(Process);
    if (Process >= 0 && F(Process))
      return true;
  }
  return false;
}

/// What tells this run from others, the same text on all of its ranks and all machines; empty: nothing known does.
std::string nameOfRun();

} // namespace pilgrim

#endif
