//===- Parallel.h - the same for many files on some threads -----*- C++ -*-===//
#ifndef PILGRIM_DRIVER_PARALLEL_H
#define PILGRIM_DRIVER_PARALLEL_H

#include <cstddef>
#include <functional>
#include <string>

namespace pilgrim {

struct Failure {
  size_t At = 0;
  std::string What; ///< empty: none
};

/// Calls Work for 0 to Count - 1 in this order, on so many threads. Work returns
/// what is wrong, else nothing. The first that is wrong is returned, whichever
/// thread it falls to; not all behind it are tried. What Work throws is thrown.
Failure forEachIndex(size_t Count, unsigned Threads, const std::function<std::string(size_t)> &Work);

} // namespace pilgrim

#endif
