//===- RequestName.h - names of requests in calls -----------------*- C++ -*-===//
#ifndef PILGRIM_TRACE_MODEL_REQUESTNAME_H
#define PILGRIM_TRACE_MODEL_REQUESTNAME_H

#include <cstdint>

namespace pilgrim {

/// The word of a request that no recorded call made.
constexpr int64_t UnknownRequestName = -2;

/// Each thread numbers the requests that it makes by itself, so threads that do the same have the same calls. In a call
/// a request is one word, 0 or more: its number; of a request that another thread than the caller made, also that
/// thread + 1, from bit 32 on.
struct RequestName {
  uint32_t Thread; ///< that made it
  uint32_t Number;

  constexpr int64_t in(uint32_t Caller) const {
    return static_cast<int64_t>(Thread == Caller ? Number : (uint64_t(Thread) + 1) << 32 | Number);
  }
  static constexpr RequestName of(int64_t Word, uint32_t Caller) {
    const uint64_t Maker = static_cast<uint64_t>(Word) >> 32;
    return {Maker ? static_cast<uint32_t>(Maker - 1) : Caller, static_cast<uint32_t>(Word)};
  }
};

} // namespace pilgrim

#endif
