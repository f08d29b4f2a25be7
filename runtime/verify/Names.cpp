//===- Names.cpp - names in a trace and the objects behind them -----------===//
#include "verify/Names.h"
#include "trace/model/RequestName.h"

#include <algorithm>

namespace pilgrim {

static std::string text(Kind K, int64_t Name) {
  if (K == Kind::Request) {
    const RequestName R = RequestName::of(Name, 0);
    return "request " + std::to_string(R.Number) + " of thread " + std::to_string(R.Thread);
  }
  const char *Prefix = symbolPrefix(K);
  return (Prefix ? Prefix : "object ") + std::to_string(Name);
}

/// Where the name of a request is, as a difference says it.
static std::string place(const RequestUse &U) {
  return "call " + std::to_string(U.Call) + " of thread " + std::to_string(U.Thread) + " parameter request (";
}

bool Names::agrees(Kind K, int64_t Serial, int64_t Name, std::string &Why) {
  const std::pair Used{K, Name};
  const auto [It, IsNew] = NameOf.try_emplace({K == Kind::Request, Serial}, Used);
  if (IsNew || It->second == Used)
    return true;
  Why = text(K, Name) + " was " + text(It->second.first, It->second.second) + " before";
  return false;
}

bool Names::agrees(int64_t Serial, RequestUse U, std::string &Why) {
  if (!HasThreads || static_cast<size_t>(Serial) >= Requests.size())
    return agrees(Kind::Request, Serial, U.Name, Why);
  const ObjectLife &Life = Requests[static_cast<size_t>(Serial)];
  U.Raw = Life.Raw;
  if (U.Begin == Life.Made) {
    U.R = RequestUse::Role::Makes;
    U.End = Life.From;
  } else if (U.Begin == Life.To) {
    U.R = RequestUse::Role::Completes;
  }
  Uses.add(U);
  if (!agrees(Kind::Request, Serial, U.Name, Why))
    Exchanged.try_emplace(U.Raw, place(U) + Why + ")");
  return true;
}

/// What is wrong with the names of requests that were exchanged.
std::string Names::misfit() const {
  for (const auto &[Raw, First] : Exchanged) {
    if (!HasAllUses)
      return First;
    if (const RequestUse *U = Uses.misfit(Raw))
      return place(*U) + text(Kind::Request, U->Name) + " fits no request with this handle)";
  }
  return "";
}

std::string Names::clash() const {
  if (std::string Misfit = misfit(); !Misfit.empty())
    return Misfit;
  std::map<std::pair<Kind, int64_t>, std::vector<ObjectLife>> Bearers;
  for (const auto &[Object, Used] : NameOf) {
    const ObjectLives &Lives = livesOf(Used.first);
    const auto Serial = static_cast<size_t>(Object.second);
    if (Used.first == Kind::Request && Serial < Lives.size() && Exchanged.contains(Lives[Serial].Raw))
      continue;
    if (Serial < Lives.size() && Lives[Serial].From < Lives[Serial].To)
      Bearers[Used].push_back(Lives[Serial]);
  }
  for (auto &[Used, Lives] : Bearers) {
    std::sort(Lives.begin(), Lives.end(), [](const ObjectLife &A, const ObjectLife &B) { return A.From < B.From; });
    for (size_t I = 1; I < Lives.size(); ++I)
      if (Lives[I - 1].To > Lives[I].From)
        return "(" + text(Used.first, Used.second) + " stands for two objects at a time)";
  }
  return "";
}

} // namespace pilgrim
