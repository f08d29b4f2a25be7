//===- CaseCounts.cpp - values of streamed slots, call by call -------------===//
#include "trace/read/CaseCounts.h"
#include "trace/base/Hash.h"

#include <unordered_map>

namespace pilgrim {

namespace {
struct HashOfValues {
  size_t operator()(const std::vector<int64_t> &Values) const {
    uint64_t H = Values.size();
    for (int64_t V : Values)
      H = mix(H, static_cast<uint64_t>(V));
    return H;
  }
};
} // namespace

CaseCounts countCases(const GrammarData &Order, std::span<const uint64_t> Users, std::span<const IntStreamData> Columns,
                      size_t MostCases) {
  std::vector<IntStreamData::Cursor> Values(Columns.begin(), Columns.end());
  const uint64_t All = (uint64_t(1) << Columns.size()) - 1;
  std::unordered_map<std::vector<int64_t>, uint64_t, HashOfValues> Numbers;
  std::vector<int64_t> Key; // the terminal, then the values
  GrammarData::Cursor Items(Order);
  for (uint32_t Item; Items.next(Item);) {
    if (!Users[Item])
      continue;
    Key.assign(1, Item);
    for (size_t I = 0; I < Values.size(); ++I)
      if (int64_t V; Users[Item] >> I & 1) {
        if (!Values[I].next(V))
          return {};
        Key.push_back(V);
      }
    if (Users[Item] == All && ++Numbers[Key] == 1 && Numbers.size() > MostCases)
      return {};
  }
  for (auto &C : Values)
    if (int64_t V; C.next(V))
      return {};
  CaseCounts Out{true};
  Out.Of.resize(Users.size());
  for (const auto &[Of, N] : Numbers)
    Out.Of[static_cast<size_t>(Of[0])].push_back({{Of.begin() + 1, Of.end()}, N});
  for (auto &L : Out.Of)
    std::ranges::sort(L, {}, &CaseCounts::Case::Values);
  return Out;
}

} // namespace pilgrim
