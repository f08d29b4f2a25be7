//===- PassIndex.cpp - items of an event, by passes -----------------------===//
#include "trace/read/PassIndex.h"

#include <algorithm>

namespace pilgrim {

/// Goes to the next change of the number; false: there is none.
bool PassIndex::change(State &S) {
  int64_t Count, Next;
  if (S.UntilChange == Never || !S.UsualItems->next(Count) || Count < 0)
    return false;
  S.Passes += S.UntilChange;
  S.Items += S.UntilChange * S.Usual;
  S.Usual = static_cast<uint64_t>(Count);
  S.UntilChange = S.PassesToChange->next(Next) && Next >= 0 ? static_cast<uint64_t>(Next) : Never;
  return true;
}

PassIndex::PassIndex(const IntStreamData *PassesToChange, const IntStreamData *UsualItems, uint64_t Usual) {
  State S;
  S.Usual = Usual;
  if (PassesToChange && UsualItems) {
    S.PassesToChange.emplace(*PassesToChange);
    S.UsualItems.emplace(*UsualItems);
    if (int64_t First; S.PassesToChange->next(First) && First >= 0)
      S.UntilChange = static_cast<uint64_t>(First);
  }
  Marks.push_back(S);
  // Every change is marked, then every second, every fourth, ...
  for (uint64_t Number = 1, Every = 1; change(S); ++Number) {
    if (Number % Every)
      continue;
    Marks.push_back(S);
    if (Marks.size() < MaxMarks)
      continue;
    for (size_t I = 1; 2 * I < Marks.size(); ++I)
      Marks[I] = std::move(Marks[2 * I]);
    Marks.resize((Marks.size() + 1) / 2, S);
    Every *= 2;
  }
}

PassIndex::State PassIndex::behind(uint64_t Passes) const {
  auto Mark = std::upper_bound(Marks.begin() + 1, Marks.end(), Passes,
                               [](uint64_t P, const State &S) { return P <= S.Passes; });
  State S = *(Mark - 1);
  while (S.UntilChange != Never && S.Passes + S.UntilChange < Passes && change(S))
    ;
  const uint64_t Left = Passes - S.Passes;
  S.Passes = Passes;
  S.Items += Left * S.Usual;
  if (S.UntilChange != Never)
    S.UntilChange -= Left;
  return S;
}

} // namespace pilgrim
