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

bool Names::agrees(Kind K, int64_t Serial, int64_t Name, std::string &Why) {
  const std::pair Used{K, Name};
  const auto [It, IsNew] = NameOf.try_emplace({K == Kind::Request, Serial}, Used);
  if (IsNew || It->second == Used)
    return true;
  Why = text(K, Name) + " was " + text(It->second.first, It->second.second) + " before";
  return false;
}

std::string Names::clash() const {
  std::map<std::pair<Kind, int64_t>, std::vector<ObjectLife>> Bearers;
  for (const auto &[Object, Used] : NameOf) {
    const ObjectLives &Lives = livesOf(Used.first);
    const auto Serial = static_cast<size_t>(Object.second);
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
