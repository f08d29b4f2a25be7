//===- CallTable.cpp - how the parameters of a call are passed ------------===//
#include "proxygen/CallTable.h"

#include <algorithm>

namespace pilgrim {

const CallInfo *findCall(uint32_t Id) {
  const CallInfo *End = CallTable + NumCalls;
  const CallInfo *At = std::lower_bound(CallTable, End, Id, [](const CallInfo &C, uint32_t I) { return C.Id < I; });
  return At != End && At->Id == Id ? At : nullptr;
}

} // namespace pilgrim
