//===- Transposition.cpp - partners in a transposed grid ------------------===//
#include "trace/ranks/Transposition.h"

namespace pilgrim {

static bool isPartners(const Transposition &X, const std::vector<uint32_t> &Ranks, const std::vector<int64_t> &Values) {
  for (size_t I = 0; I < Ranks.size(); ++I)
    if (X.partner(Ranks[I]) != Values[I])
      return false;
  return true;
}

bool findTransposition(const RankSet &Set, const std::vector<int64_t> &Values, Transposition &X) {
  if (Values.size() < 8)
    return false;
  std::vector<uint32_t> Ranks;
  Set.forEach([&](uint32_t R) { Ranks.push_back(R); });
  for (uint32_t Block : {1, 2})
    for (size_t I = 0; I < 3; ++I) {
      // Partners of neighbours in a row are Rows apart; where the column is known, so is the row.
      auto Apart = static_cast<int64_t>(static_cast<uint64_t>(Values[I + Block]) - static_cast<uint64_t>(Values[I]));
      if (Ranks[I + Block] != Ranks[I] + Block || Apart < Block || Apart % Block || Apart > Transposition::Limit)
        continue;
      int64_t Rows = Apart / Block, Row = 0;
      size_t At = 0;
      while (At < Ranks.size() && Values[At] >= 0 && (Row = Values[At] / Block % Rows) == 0)
        ++At;
      if (Row <= 0)
        continue;
      int64_t BeforeRow = Ranks[At] / Block - Values[At] / Block / Rows, Columns = BeforeRow / Row;
      X = {Block, static_cast<uint32_t>(Columns), static_cast<uint32_t>(Rows)};
      if (Columns >= 1 && Columns <= Transposition::Limit && isPartners(X, Ranks, Values))
        return true;
    }
  return false;
}

} // namespace pilgrim
