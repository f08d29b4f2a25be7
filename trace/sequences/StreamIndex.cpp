//===- StreamIndex.cpp - looking into a stream anywhere -------------------===//
#include "trace/sequences/StreamIndex.h"

#include <algorithm>

namespace pilgrim {

uint64_t StreamIndex::period(const IntStreamData &S, const GrammarSymbol &X) const {
  if (!X.IsRule)
    return S.Runs[X.Value].Count;
  return Ends[X.Value].empty() ? 0 : Ends[X.Value].back();
}

StreamIndex::StreamIndex(const IntStreamData &S) : Ends(S.Order.Rules.size()) {
  for (size_t R = Ends.size(); R-- > 0;) {
    uint64_t End = 0;
    for (const GrammarSymbol &X : S.Order.Rules[R])
      Ends[R].push_back(End += X.Count * period(S, X));
  }
}

int64_t StreamIndex::at(const IntStreamData &S, uint64_t Place) const {
  for (uint32_t R = 0;;) {
    size_t I = static_cast<size_t>(std::upper_bound(Ends[R].begin(), Ends[R].end(), Place) - Ends[R].begin());
    const GrammarSymbol &X = S.Order.Rules[R][I];
    Place = (Place - (I ? Ends[R][I - 1] : 0)) % period(S, X);
    if (!X.IsRule) {
      const LinearRun &Run = S.Runs[X.Value];
      return static_cast<int64_t>(static_cast<uint64_t>(Run.First) + Place * static_cast<uint64_t>(Run.Stride));
    }
    R = X.Value;
  }
}

} // namespace pilgrim
