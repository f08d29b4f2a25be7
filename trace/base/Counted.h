//===- Counted.h - numbers of things, in words ------------------*- C++ -*-===//
#ifndef PILGRIM_TRACE_BASE_COUNTED_H
#define PILGRIM_TRACE_BASE_COUNTED_H

#include <cstdint>
#include <string>
#include <string_view>

namespace pilgrim {

/// One of them, or several: "rank" and "ranks", "pass" and "passes".
inline std::string plural(uint64_t N, std::string_view What) {
  return std::string(What) + (N == 1 ? "" : What.ends_with('s') ? "es" : "s");
}

/// "1 rank", "3 ranks".
inline std::string counted(uint64_t N, std::string_view What) { return std::to_string(N) + " " + plural(N, What); }

} // namespace pilgrim

#endif
