//===- Names.cpp - constants of this MPI by name --------------------------===//
#include "proxygen/replay/Names.h"
#include "pmpi/Constants.h"
#include "proxygen/replay/MakeCall.h"

#include <cstring>
#include <unordered_map>

namespace pilgrim {

/// By name.
using HandleTable = std::unordered_map<std::string, uint64_t>;

static const HandleTable &predefined(Kind K) {
  static const std::map<Kind, HandleTable> Table = [] {
    static std::map<Kind, HandleTable> *Filling; // fillPredefined takes a plain function
    std::map<Kind, HandleTable> Out;
    Filling = &Out;
    fillPredefined([](Kind K, int64_t, const char *Name, uint64_t Raw) { (*Filling)[K].emplace(Name, Raw); });
    return Out;
  }();
  static const HandleTable None;
  auto It = Table.find(K);
  return It == Table.end() ? None : It->second;
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
  const HandleTable &Table = predefined(K);
  auto It = Table.find(Name);
  return It == Table.end() ? std::nullopt : std::optional(It->second);
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
