//===- CallTable.cpp - how the parameters of a call are passed ------------===//
#include "proxygen/CallTable.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace pilgrim {

const CallInfo *findCall(uint32_t Id) {
  static const std::vector<const CallInfo *> ById = [] {
    std::vector<const CallInfo *> Out;
    for (unsigned N = 0; N < NumCalls; ++N) {
      Out.resize(std::max<size_t>(Out.size(), CallTable[N].Id + 1));
      Out[CallTable[N].Id] = &CallTable[N];
    }
    return Out;
  }();
  return Id < ById.size() ? ById[Id] : nullptr;
}

/// Whether it makes or starts requests, and returns without waiting for other processes.
static bool isImmediate(const CallInfo &I) {
  return I.Which == Completes::None && std::ranges::any_of(I.Params, [](const ParamInfo &P) {
           return std::string_view(P.Name) == "request" || std::string_view(P.Name) == "array_of_requests";
         });
}

static bool findKeepsTurn(const CallInfo &I) {
  const std::string_view Name = I.Name;
  // A replay and a proxy wait in these two until there is what they found in the recorded run.
  if (Name == "MPI_Request_get_status" || Name == "MPI_Parrived")
    return false;
  return I.IsLocal || isImmediate(I) || Name == "MPI_Init" || Name == "MPI_Init_thread" || Name == "MPI_Finalize";
}

/// As CallTable.
static const std::vector<char> Keep = [] {
  std::vector<char> Out;
  for (unsigned N = 0; N < NumCalls; ++N)
    Out.push_back(findKeepsTurn(CallTable[N]));
  return Out;
}();

bool awaitsMessage(const CallInfo &I) {
  auto Has = [&](std::string_view Name) {
    return std::ranges::any_of(I.Params, [&](const ParamInfo &P) { return Name == P.Name; });
  };
  return std::string_view(I.Chapter) == "p2p" && Has("source") && !Has("request") && !Has("flag");
}

bool endsWhatOthersUse(const CallInfo &I) {
  return std::string_view(I.Name) == "MPI_Finalize" || std::ranges::any_of(I.Params, [](const ParamInfo &P) {
           const std::string_view Kind = P.Kind;
           return P.Flags & ParamInfo::Freed && Kind != "request" && Kind != "message";
         });
}

bool keepsTurn(const CallInfo &I) { return Keep[static_cast<size_t>(&I - CallTable)]; }

} // namespace pilgrim
