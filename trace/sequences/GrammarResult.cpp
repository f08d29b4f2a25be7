//===- GrammarResult.cpp - what was appended to a grammar -----------------===//
#include "trace/sequences/Grammar.h"

namespace pilgrim {

size_t Grammar::memory() const {
  return Symbols.capacity() * sizeof(Symbol) + FreeSymbols.capacity() * 4 + RuleTable.capacity() * sizeof(Rule) +
         FreeRules.capacity() * 4 + Table.capacity() * 4 + Window.capacity() * 4 +
         (Seal ? sizeof(Sealing) + Seal->Plain.capacity() * sizeof(RepeatedTerminal) : 0);
}

/// What is not sealed, as rules.
GrammarData Grammar::liveData() {
  GrammarData D;
  // Rules are numbered by first visit from the start, depth last, so that a
  // rule refers to higher numbers only: topological order by repeated
  // relaxation would cost more than one reverse post-order walk.
  std::vector<uint8_t> State(RuleTable.size(), 0);
  std::vector<uint32_t> Post;
  struct Frame {
    uint32_t Rule;
    Index At;
  };
  std::vector<Frame> Stack{{0, Symbols[RuleTable[0].Guard].Next}};
  State[0] = 1;
  while (!Stack.empty()) {
    Frame &F = Stack.back();
    if (isGuard(F.At)) {
      Post.push_back(F.Rule);
      Stack.pop_back();
      continue;
    }
    uint32_t V = Symbols[F.At].Value;
    F.At = Symbols[F.At].Next;
    if ((V & RuleBit) && !State[V & ~RuleBit]) {
      State[V & ~RuleBit] = 1;
      Stack.push_back({V & ~RuleBit, Symbols[RuleTable[V & ~RuleBit].Guard].Next});
    }
  }
  std::vector<uint32_t> Number(RuleTable.size(), 0);
  D.Rules.assign(Post.size(), {});
  for (size_t I = 0; I < Post.size(); ++I)
    Number[Post[Post.size() - 1 - I]] = static_cast<uint32_t>(I);
  for (uint32_t R : Post) {
    auto &Body = D.Rules[Number[R]];
    size_t Size = 0;
    for (Index I = Symbols[RuleTable[R].Guard].Next; !isGuard(I); I = Symbols[I].Next)
      ++Size;
    Body.reserve(Size);
    for (Index I = Symbols[RuleTable[R].Guard].Next; !isGuard(I); I = Symbols[I].Next) {
      uint32_t V = Symbols[I].Value;
      bool IsRule = V & RuleBit;
      Body.push_back({IsRule ? Number[V & ~RuleBit] : V, IsRule, Symbols[I].Count});
    }
  }
  return std::move(D).smallest();
}

GrammarData Grammar::data() {
  flush();
  GrammarData D = Seal ? behindChunks(liveData()) : liveData();
  if (!isPlain())
    predict();
  return D;
}

/// The chunks, then Live or what is plain.
GrammarData Grammar::behindChunks(GrammarData Live) {
  Sealing S = *Seal;
  // What is left over is a chunk too, if there is enough to say. Here it stays open: more may come.
  constexpr size_t Few = 64;
  if (S.IsPlain && S.Plain.size() >= Few)
    seal(S, S.Plain, encodeItems(S.Plain, S.Form));
  else if (S.IsPlain)
    for (const RepeatedTerminal &E : S.Plain)
      Live.Rules[0].push_back({E.Value, false, E.Count});
  if (S.Chunks.empty())
    return Live;
  const auto N = static_cast<uint32_t>(S.Chunks.size());
  GrammarData Out;
  for (uint32_t I = 0; I < N; ++I) {
    Out.Rules[0].push_back({I + 1, true, 1});
    Out.Chunks.emplace_back(I + 1, std::move(S.Chunks[I]));
  }
  Out.Rules.resize(1 + N);
  Out.InChunks = std::move(S.Counts);
  for (size_t R = 0; R < Live.Rules.size(); ++R) {
    auto &To = R ? Out.Rules.emplace_back() : Out.Rules[0];
    for (const GrammarSymbol &X : Live.Rules[R])
      To.push_back({X.Value + (X.IsRule ? N : 0), X.IsRule, X.Count});
  }
  return Out;
}

} // namespace pilgrim
