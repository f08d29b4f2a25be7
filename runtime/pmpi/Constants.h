//===- Constants.h - generated lists of constants ----------------*- C++ -*-===//
#ifndef PILGRIM_PMPI_CONSTANTS_H
#define PILGRIM_PMPI_CONSTANTS_H

#include "pmpi/Mpi.h"
#include "trace/model/Schema.h"

#include <cstdint>
#include <type_traits>

namespace pilgrim {

/// A handle as a number. MPICH's handles are integers, Open MPI's are pointers.
template <typename T> uint64_t rawHandle(T H) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<uintptr_t>(H);
  else
    return static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(H));
}

using PredefinedSink = void (*)(Kind K, int64_t Code, const char *Name, uint64_t Raw);
/// Calls Add for every predefined handle.
void fillPredefined(PredefinedSink Add);

struct NamedValue {
  const char *Key;
  int64_t Value;
  const char *Name;
};
extern const NamedValue NamedValues[];
extern const unsigned NumNamedValues;
extern const char *const SentinelNames[];
extern const unsigned NumSentinels;

} // namespace pilgrim

#endif
