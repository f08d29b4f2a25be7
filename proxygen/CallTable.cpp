//===- CallTable.cpp - how the parameters of a call are passed ------------===//
#include "proxygen/CallTable.h"

#include <algorithm>
#include <string_view>

namespace pilgrim {

const CallInfo *findCall(uint32_t Id) {
  const CallInfo *End = CallTable + NumCalls;
  const CallInfo *At = std::lower_bound(CallTable, End, Id, [](const CallInfo &C, uint32_t I) { return C.Id < I; });
  return At != End && At->Id == Id ? At : nullptr;
}

/// Whether it makes or starts requests, and returns without waiting for other processes.
static bool isImmediate(const CallInfo &I) {
  return I.Which == Completes::None && std::ranges::any_of(I.Params, [](const ParamInfo &P) {
           return std::string_view(P.Name) == "request" || std::string_view(P.Name) == "array_of_requests";
         });
}

bool keepsTurn(const CallInfo &I) {
  const std::string_view Name = I.Name;
  // A replay and a proxy wait in these two until there is what they found in the recorded run.
  if (Name == "MPI_Request_get_status" || Name == "MPI_Parrived")
    return false;
  return I.IsLocal || isImmediate(I) || Name == "MPI_Init" || Name == "MPI_Init_thread" || Name == "MPI_Finalize";
}

} // namespace pilgrim
