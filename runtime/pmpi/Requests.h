//===- Requests.h - names of requests ----------------------------*- C++ -*-===//
//
// A request gets the lowest free place in the pool of the call site that made it; places are numbered in order of first
// use. So a loop's requests are the same numbers in each iteration, in whatever order they complete. MPI may hand out
// one handle for several requests (completed sends, MPI_PROC_NULL): a handle leads to a queue, and a completion takes
// the request whose variable had this address, else the oldest.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PMPI_REQUESTS_H
#define PILGRIM_PMPI_REQUESTS_H

#include "core/IdPool.h"
#include "pmpi/HandleMap.h"

#include <memory>
#include <vector>

namespace pilgrim {

enum : unsigned {
  RequestReceives = 1,      ///< its status tells of a message
  RequestWildcard = 2,      ///< source or tag was a wildcard
  RequestPersistent = 4,    ///< survives completion
  RequestTransfersFile = 8, ///< its status tells of bytes only
};

struct RequestRecord {
  uint64_t Handle = 0;
  const void *Variable = nullptr;
  uint32_t Number = 0; ///< the name
  uint32_t Pool = 0, Place = 0;
  uint32_t Next = HandleMap::None; ///< younger request with the same handle
  uint32_t Last = HandleMap::None; ///< of the oldest one: the youngest with the same handle
  unsigned Traits = 0;
  bool Taken = false; ///< already found by the completion call that is looking
};

class Requests {
public:
  /// Index of a new request's record.
  uint32_t made(uint32_t Function, uint64_t Site, uint64_t Handle, const void *Variable, unsigned Traits);
  /// Index of the record that a handle at an address means, or HandleMap::None. Skips Taken ones.
  uint32_t find(uint64_t Handle, const void *Variable);
  /// The same, for a call that leaves the request on the books: one that another thread waits for will do.
  uint32_t findAny(uint64_t Handle, const void *Variable);
  void retire(uint32_t Index);
  RequestRecord &operator[](uint32_t I) { return Records[I]; }

private:
  struct Pool {
    uint32_t Function;
    uint64_t Site;
    IdPool Places;
    std::vector<uint32_t> Numbers;
  };
  uint32_t poolOf(uint32_t Function, uint64_t Site);

  std::vector<RequestRecord> Records;
  std::vector<uint32_t> Free;
  HandleMap Oldest; // by handle
  std::vector<std::unique_ptr<Pool>> Pools;
  static constexpr unsigned CacheSize = 64;
  uint32_t Cache[CacheSize] = {}; // pool + 1, by site
  uint32_t NextNumber = 0;
};

} // namespace pilgrim

#endif
