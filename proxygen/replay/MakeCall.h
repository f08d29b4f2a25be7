//===- MakeCall.h - calls of MPI from arguments in a row ---------*- C++ -*-===//
//
// Generated from api/ (emit_calls.py) for the functions that the installed mpi.h has.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_MAKECALL_H
#define PILGRIM_PROXYGEN_REPLAY_MAKECALL_H

#include <cstdint>
#include <mpi.h>
#include <span>
#include <type_traits>

namespace pilgrim {

/// A number, a handle or an address. It becomes what the parameter's type is.
class Argument {
public:
  Argument(uint64_t Bits = 0) : Bits(Bits) {}
  Argument(const void *Address) : Bits(reinterpret_cast<uintptr_t>(Address)) {}
  uint64_t bits() const { return Bits; }
  template <typename T> operator T() const {
    if constexpr (std::is_pointer_v<T>)
      return reinterpret_cast<T>(static_cast<uintptr_t>(Bits));
    else
      return static_cast<T>(Bits);
  }

private:
  uint64_t Bits;
};

/// Makes the call of a function with its arguments in order. False: this MPI does not have the function.
bool makeCall(uint32_t Id, std::span<const Argument> Arguments, int &Result);

struct SentinelAddress {
  const char *Name;
  const void *Address;
};
/// Constants that stand for addresses, such as MPI_IN_PLACE.
extern const SentinelAddress SentinelAddresses[];
extern const unsigned NumSentinelAddresses;

} // namespace pilgrim

#endif
