//===- EncodeVisits.cpp - numbers of visits as bytes ----------------------===//
#include "trace/file/EncodeVisits.h"

#include <algorithm>

namespace pilgrim {

namespace {
/// How the visits of some ranks are written: as the stream, or, if Always is not 0, as this number for each activation.
struct VisitForm : RankedStream {
  uint64_t Always = 0;
};

class VisitEncoder {
public:
  VisitEncoder(const NodeData &N, const VisitedNode &V) : N(N), V(V) {}

  std::vector<uint8_t> run() {
    const std::vector<VisitForm> L = shortest();
    if (L.size() == 1 && L[0].Always == 1 && L[0].Ranks == V.Ranks)
      return {};
    return write(L);
  }

private:
  /// As functions of the rank, or number by number.
  std::vector<VisitForm> shortest() {
    RankedStreams Parts;
    for (const RankedStream &S : N.Visits) {
      // Where all numbers differ, to say each is longer.
      if (!ranksAlike(S.Functions, S.Ranks, V.World))
        return forms(N.Visits);
      S.forEachPart(V.World, [&](const RankedStream &X) { Parts.push_back(X); });
    }
    std::vector<VisitForm> ByNumber = forms(Parts);
    if (Parts.size() == N.Visits.size())
      return ByNumber;
    std::vector<VisitForm> ByFunction = forms(N.Visits);
    return write(ByFunction).size() < write(ByNumber).size() ? ByFunction : ByNumber;
  }

  std::vector<VisitForm> forms(const RankedStreams &L) {
    std::vector<VisitForm> Out;
    for (const RankedStream &S : L) {
      VisitForm F{S};
      const LinearRun *R = S.Functions.empty() ? onlyRun(S.Values) : nullptr;
      if (R && R->First > 0 && V.Activations.isAlways(S.Ranks, R->Count))
        F.Always = static_cast<uint64_t>(R->First);
      auto Same = std::find_if(Out.begin(), Out.end(), [&](const VisitForm &O) { return O.Always == F.Always; });
      if (F.Always && Same != Out.end())
        Same->Ranks.unite(S.Ranks);
      else
        Out.push_back(std::move(F));
    }
    return Out;
  }

  /// The run that a stream of equal values is; null.
  static const LinearRun *onlyRun(const IntStreamData &S) {
    const bool IsOne = S.Runs.size() == 1 && S.Chunks.empty() && !S.Runs[0].Stride && S.Order.isOneTerminal();
    return IsOne && S.Order.Rules[0][0].Count == 1 ? &S.Runs[0] : nullptr;
  }

  std::vector<uint8_t> write(const std::vector<VisitForm> &L) {
    ByteWriter To;
    bool Ranked = writeListHead(L, V.Ranks, To);
    for (const VisitForm &F : L) {
      if (Ranked)
        F.Ranks.write(To);
      To.varint(F.Always);
      if (!F.Always)
        F.RankedStream::write(To);
    }
    return std::move(To.Data);
  }

  const NodeData &N;
  const VisitedNode &V;
};
} // namespace

std::vector<uint8_t> encodeVisits(const NodeData &N, const VisitedNode &V) { return VisitEncoder(N, V).run(); }

} // namespace pilgrim
