//===- Names.cpp - constants of this MPI by name --------------------------===//
#include "proxygen/replay/Names.h"
#include "pmpi/Constants.h"
#include "proxygen/replay/MakeCall.h"

#include <cstring>

namespace pilgrim {

using HandleTable = std::map<std::pair<Kind, std::string>, uint64_t>;

static const HandleTable &predefined() {
  static const HandleTable Table = [] {
    static HandleTable *Filling; // fillPredefined takes a plain function
    HandleTable Out;
    Filling = &Out;
    fillPredefined([](Kind K, int64_t, const char *Name, uint64_t Raw) { Filling->emplace(std::pair(K, Name), Raw); });
    return Out;
  }();
  return Table;
}

Names::Names(const Trace &Of) : T(Of) {
  for (const auto &[Key, Name] : T.names())
    for (unsigned I = 0; I < NumNamedValues; ++I)
      if (Key.first == NamedValues[I].Key && Name == NamedValues[I].Name && Key.second != NamedValues[I].Value)
        Others[Key.first][Key.second] = NamedValues[I].Value;
}

int64_t Names::number(const ParamSchema &P, int64_t V) const {
  if (Others.empty() || P.Names.empty())
    return V;
  auto Key = Others.find(P.Names);
  if (Key == Others.end())
    return V;
  if (!P.IsFlags) {
    auto It = Key->second.find(V);
    return It == Key->second.end() ? V : It->second;
  }
  int64_t Out = V;
  for (const auto &[There, Here] : Key->second)
    if (There && (V & There) == There)
      Out = (Out & ~There) | Here;
  return Out;
}

std::optional<uint64_t> Names::handle(Kind K, const std::string &Name) {
  auto It = predefined().find({K, Name});
  return It == predefined().end() ? std::nullopt : std::optional(It->second);
}

const std::string *Names::nameOf(const ParamSchema &P, int64_t V) const {
  return T.constantName(P.Names.empty() ? handleNames(P.K) : P.Names, V);
}

std::optional<uint64_t> Names::handle(const ParamSchema &P, int64_t Word) const {
  const std::string *Name = nameOf(P, Word);
  return Name ? handle(P.K, *Name) : std::nullopt;
}

const void *Names::sentinel(const std::string &Name) {
  for (unsigned I = 0; I < NumSentinelAddresses; ++I)
    if (Name == SentinelAddresses[I].Name)
      return SentinelAddresses[I].Address;
  return nullptr;
}

} // namespace pilgrim
