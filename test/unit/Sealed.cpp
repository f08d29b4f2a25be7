#include "test/unit/Sealed.h"

#include <algorithm>

namespace pilgrim::test {

Chunk chunkOf(std::vector<uint8_t> Bytes, uint64_t Length, uint32_t Terminals) {
  const uint64_t Size = Bytes.size();
  return {std::make_shared<ChunkMemory>(std::move(Bytes)), 0, Size, Length, Terminals};
}

std::vector<size_t> cuts(size_t N, std::mt19937_64 &Random) {
  std::vector<size_t> Out{0, N};
  for (unsigned I = Random() % 4; I--;)
    Out.push_back(Random() % (N + 1));
  std::sort(Out.begin(), Out.end());
  Out.erase(std::unique(Out.begin(), Out.end()), Out.end());
  return Out;
}

GrammarData sealed(const GrammarData &G, std::mt19937_64 &Random) {
  const std::vector<RepeatedTerminal> Flat = *G.flat();
  const std::vector<size_t> Cuts = cuts(Flat.size(), Random);
  GrammarData Out;
  for (size_t I = 0; I + 1 < Cuts.size(); ++I) {
    const auto Part = std::span(Flat).subspan(Cuts[I], Cuts[I + 1] - Cuts[I]);
    if (Random() % 3 == 0) {
      for (const RepeatedTerminal &E : Part)
        Out.Rules[0].push_back({E.Value, false, E.Count});
      continue;
    }
    uint64_t Length = 0;
    uint32_t Terminals = 0;
    for (const RepeatedTerminal &E : Part) {
      Length += E.Count;
      Terminals = std::max(Terminals, E.Value + 1);
      Out.InChunks.resize(std::max<size_t>(Out.InChunks.size(), Terminals));
      Out.InChunks[E.Value] += E.Count;
    }
    ChunkForm Form;
    const auto Rule = static_cast<uint32_t>(Out.Rules.size());
    Out.Rules[0].push_back({Rule, true, 1});
    Out.Chunks.emplace_back(Rule, chunkOf(encodeItems(Part, Form), Length, Terminals));
    Out.Rules.emplace_back();
  }
  return Out;
}

IntStreamData sealed(const IntStreamData &S, std::mt19937_64 &Random) {
  IntStreamData Steps = S;
  Steps.AreSteps = false;
  const Numbers Values = expand(Steps);
  const std::vector<size_t> Cuts = cuts(Values.size(), Random);
  IntStreamData Out;
  Out.AreSteps = S.AreSteps;
  for (size_t I = 0; I + 1 < Cuts.size(); ++I) {
    const auto Part = std::span(Values).subspan(Cuts[I], Cuts[I + 1] - Cuts[I]);
    const bool IsPlain = Random() % 3 == 0;
    for (size_t J = 0; J < (IsPlain ? Part.size() : 1); ++J) {
      Out.Order.Rules[0].push_back({static_cast<uint32_t>(Out.Runs.size()), false, 1});
      Out.Runs.push_back(IsPlain ? LinearRun{Part[J], 0, 1} : LinearRun{0, 0, Part.size()});
    }
    ChunkForm Form;
    if (!IsPlain)
      Out.Chunks.emplace_back(static_cast<uint32_t>(Out.Runs.size() - 1),
                              chunkOf(encodeValues(Part, Form), Part.size()));
  }
  return Out;
}

TraceData sealed(TraceData T, unsigned Seed) {
  std::mt19937_64 Random(Seed);
  constexpr uint64_t Many = 100000;
  auto Items = [&](std::vector<RankedItems> &L) {
    for (RankedItems &X : L)
      if (X.Functions.empty() && X.Order.length() < Many)
        X.Order = sealed(X.Order, Random);
  };
  auto Streams = [&](RankedStreams &L) {
    for (RankedStream &S : L)
      if (S.Functions.empty() && S.Values.length() < Many)
        S.Values = sealed(S.Values, Random);
  };
  for (Group &G : T.Groups)
    for (NodeData &N : G.Nodes) {
      Items(N.Paths);
      Streams(N.Visits);
      for (auto &[Id, E] : N.Events) {
        Items(E.Items);
        Streams(E.PassesToChange);
        Streams(E.UsualItems);
        for (auto &[Key, S] : E.Streams)
          Streams(S);
      }
    }
  Streams(T.TurnThreads);
  Streams(T.TurnLengths);
  return T;
}

} // namespace pilgrim::test
