//===- RequestUses.cpp - requests that have one handle --------------------===//
#include "verify/RequestUses.h"

#include <algorithm>
#include <queue>

namespace pilgrim {

/// Tickets tell which of two calls came first only if one ended before the other began. So each completion gets one of
/// the requests that were there at some time between its beginning and its end.
static const RequestUse *misfitOf(const std::vector<RequestUse> &Uses) {
  using Role = RequestUse::Role;
  std::vector<const RequestUse *> Makes, Others, Completions;
  for (const RequestUse &U : Uses)
    (U.R == Role::Makes ? Makes : U.R == Role::Names ? Others : Completions).push_back(&U);
  auto ByBegin = [](const RequestUse *A, const RequestUse *B) { return A->Begin < B->Begin; };
  std::ranges::sort(Makes, ByBegin);
  std::ranges::sort(Completions, ByBegin);
  auto EndsLater = [](const RequestUse *A, const RequestUse *B) { return A->End > B->End; };
  std::priority_queue<const RequestUse *, std::vector<const RequestUse *>, decltype(EndsLater)> Waiting(EndsLater);
  std::vector<uint64_t> Ends; // of the requests that Makes made
  size_t Next = 0;
  for (size_t I = 0; I < Makes.size(); ++I) {
    const RequestUse *Successor = I + 1 < Makes.size() ? Makes[I + 1] : nullptr;
    for (; Next < Completions.size() && (!Successor || Completions[Next]->Begin < Successor->End); ++Next)
      Waiting.push(Completions[Next]);
    if (Waiting.empty()) {
      if (Successor)
        return Successor; // the name is given again before it is free
      Ends.push_back(~uint64_t(0));
      continue;
    }
    if (Waiting.top()->End < Makes[I]->Begin)
      return Waiting.top();
    Ends.push_back(Waiting.top()->End);
    Waiting.pop();
  }
  if (!Waiting.empty())
    return Waiting.top();
  if (Next < Completions.size())
    return Completions[Next];
  for (const RequestUse *U : Others) {
    const auto Later = std::ranges::upper_bound(Makes, U->End, {}, &RequestUse::Begin);
    if (Later == Makes.begin() || Ends[static_cast<size_t>(Later - Makes.begin()) - 1] < U->Begin)
      return U;
  }
  return nullptr;
}

const RequestUse *RequestUses::misfit(uint64_t Raw) const {
  if (const auto Same = ByName.find(Raw); Same != ByName.end())
    for (const auto &[Name, Uses] : Same->second)
      if (const RequestUse *U = misfitOf(Uses))
        return U;
  return nullptr;
}

} // namespace pilgrim
