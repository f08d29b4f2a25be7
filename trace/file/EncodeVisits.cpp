//===- EncodeVisits.cpp - numbers of visits as bytes ----------------------===//
#include "trace/file/EncodeVisits.h"
#include "trace/file/JointVisits.h"

#include <algorithm>

namespace pilgrim {

namespace {
/// How the visits of some ranks are written: as the stream, or, if Always is not 0, as this number for each activation.
struct VisitForm {
  RankSet Ranks;
  const RankedStream *Of;
  uint64_t Always;
};

class VisitEncoder {
public:
  VisitEncoder(const Group &G, const NodeData &N, const VisitedNode &V) : G(G), N(N), V(V) {}

  EncodedVisits run(JointBudget *Budget) {
    std::vector<uint8_t> Separate = shortest();
    if (Separate.empty())
      return {NodeHead::Once, {}};
    const bool AreAlike = N.Visits.size() == 1 && N.Visits[0].Functions.empty();
    if (Budget && !AreAlike && Budget->Tries[Separate]++ < JointBudget::MaxTries)
      if (auto Together = joint(Budget->Work); Together && Together->Bytes.size() < Separate.size())
        return *Together;
    return {NodeHead::Listed, std::move(Separate)};
  }

private:
  /// As functions of the rank, or number by number.
  std::vector<uint8_t> shortest() {
    if (std::ranges::all_of(N.Visits, [](const RankedStream &S) { return S.Functions.empty(); }))
      return write(N.Visits);
    RankedStreams Parts;
    for (const RankedStream &S : N.Visits) {
      // Where all numbers differ, to say each is longer.
      if (!ranksAlike(S.Functions, S.Ranks, V.World))
        return write(N.Visits);
      S.forEachPart(V.World, [&](const RankedStream &X) { Parts.push_back(X); });
    }
    std::vector<uint8_t> ByNumber = write(Parts);
    if (Parts.size() == N.Visits.size())
      return ByNumber;
    std::vector<uint8_t> ByFunction = write(N.Visits);
    return ByFunction.size() < ByNumber.size() ? ByFunction : ByNumber;
  }

  std::vector<VisitForm> forms(const RankedStreams &L) {
    std::vector<VisitForm> Out;
    for (const RankedStream &S : L) {
      VisitForm F{S.Ranks, &S, 0};
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

  /// No bytes: one visit at every activation.
  std::vector<uint8_t> write(const RankedStreams &Visits) {
    const std::vector<VisitForm> L = forms(Visits);
    if (L.size() == 1 && L[0].Always == 1 && L[0].Ranks == V.Ranks)
      return {};
    ByteWriter To;
    bool Ranked = writeListHead(L, V.Ranks, To);
    for (const VisitForm &F : L) {
      if (Ranked)
        F.Ranks.write(To);
      To.varint(F.Always);
      if (!F.Always)
        F.Of->write(To);
    }
    return std::move(To.Data);
  }

  /// Of all ranks together.
  std::optional<EncodedVisits> joint(uint64_t &Work) {
    auto Joint = joinVisits(G, N, V.World, Work);
    if (!Joint)
      return std::nullopt;
    ByteWriter To;
    // As many stretches as each rank has activations, all equally long.
    const LinearRun *R = onlyRun(*Joint);
    if (R && V.Activations.isAlways(V.Ranks, R->Count)) {
      To.varint(static_cast<uint64_t>(R->First));
      return EncodedVisits{NodeHead::JointEqual, std::move(To.Data)};
    }
    Joint->write(To);
    return EncodedVisits{NodeHead::Joint, std::move(To.Data)};
  }

  const Group &G;
  const NodeData &N;
  const VisitedNode &V;
};
} // namespace

EncodedVisits encodeVisits(const Group &G, const NodeData &N, const VisitedNode &V, JointBudget *Budget) {
  return VisitEncoder(G, N, V).run(Budget);
}

} // namespace pilgrim
