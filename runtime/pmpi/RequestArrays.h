//===- RequestArrays.h - arrays of requests, call after call ------*- C++ -*-===//
//
// A program waits for any or some of many requests, call after call, with one array in which those that are complete
// become null. Two things are remembered of such arrays, so that a call costs what has changed:
//
//   FoundArrays     which requests of the books stand in an array, by its address
//   ArrayHistory    what the thread's last array of so many requests was, as a reader of the trace knows it
//                   (trace/model/RequestArray.h)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_REQUESTARRAYS_H
#define PILGRIM_PMPI_REQUESTARRAYS_H

#include "pmpi/Mpi.h"
#include "pmpi/Requests.h"

#include <array>
#include <span>

namespace pilgrim {

constexpr int64_t NullRequest = -1;                      ///< the name of MPI_REQUEST_NULL
constexpr uint32_t UnknownRequest = HandleMap::None - 1; ///< in the place of an index: it is not in the books

/// An array of requests as it was when a call left it.
struct FoundArray {
  const MPI_Request *Base = nullptr;
  uint64_t LastUse = 0;
  uint64_t Changes = 0;             ///< Requests::changes() then
  std::vector<MPI_Request> Handles; ///< null: nothing is known of the place
  std::vector<uint32_t> Found;      ///< index in the books, HandleMap::None, or UnknownRequest
  std::vector<uint64_t> Serials;    ///< of what was found
  std::vector<int64_t> Names;       ///< as the thread's calls name them
  bool HasWildcard = false;         ///< whether a request that was ever found in it was a receive with a wildcard
};

class FoundArrays {
public:
  /// The array, with what is now in each place. Valid until the next call.
  FoundArray &find(Requests &Books, uint32_t Thread, const MPI_Request *Base, size_t N);
  /// A call has returned: takes those that became null off the books.
  static void leave(Requests &Books, FoundArray &A);

private:
  static void look(Requests &Books, uint32_t Thread, FoundArray &A, std::span<const uint32_t> Places);
  static void lookAgain(Requests &Books, uint32_t Thread, FoundArray &A);
  std::array<FoundArray, 8> Arrays;
  uint64_t Uses = 0;
};

} // namespace pilgrim

#endif
