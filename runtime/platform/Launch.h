//===- Launch.h - what a launcher says of a process --------------*- C++ -*-===//
#ifndef PILGRIM_PLATFORM_LAUNCH_H
#define PILGRIM_PLATFORM_LAUNCH_H

namespace pilgrim {

/// The rank. Before MPI_Init only launchers know it; 0 without one.
long rankOfLaunch();

/// Whether this process should print what all ranks would print.
inline bool isFirstOfLaunch() { return rankOfLaunch() == 0; }

} // namespace pilgrim

#endif
