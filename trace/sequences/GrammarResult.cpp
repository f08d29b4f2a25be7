//===- GrammarResult.cpp - what was appended to a grammar -----------------===//
#include "trace/sequences/Grammar.h"

namespace pilgrim {

size_t Grammar::memory() const { return (Rules ? Rules->memory() : 0) + Window.memory() + (Seal ? Seal->memory() : 0); }

size_t Sequitur::memory() const {
  return sizeof(*this) + Symbols.capacity() * sizeof(Symbol) + FreeSymbols.capacity() * 4 +
         RuleTable.capacity() * sizeof(Rule) + FreeRules.capacity() * 4 + Table.capacity() * sizeof(DigramPlace);
}

GrammarData Sequitur::data() const { return rules().smallest(); }

GrammarData Sequitur::rules() const {
  GrammarData D;
  if (RuleTable.size() == 1) {
    for (Index I = Symbols[RuleTable[0].Guard].Next; !isGuard(I); I = Symbols[I].Next)
      D.Rules[0].push_back({Symbols[I].Value, false, Symbols[I].Count});
    return D;
  }
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
  return D;
}

/// What is not sealed, as rules.
GrammarData Grammar::liveData() { return Rules ? Rules->data() : soleData(); }

GrammarData Grammar::soleData() const {
  GrammarData D;
  if (SoleCount)
    D.Rules[0].push_back({Sole, false, SoleCount});
  return D;
}

GrammarData Grammar::rules() {
  flush();
  return Rules ? Rules->rules() : soleData();
}

GrammarData Grammar::data() {
  flush();
  GrammarData D = Seal ? behindChunks(liveData()) : liveData();
  if (!isPlain())
    predict();
  return D;
}

GrammarData grammarOf(std::span<const uint32_t> Sequence) {
  Grammar G;
  for (uint32_t T : Sequence)
    G.append(T);
  return G.data();
}

void GrammarData::append(const GrammarData &Other, uint32_t AddToTerminals) {
  const auto Behind = static_cast<uint32_t>(Rules.size() - 1);
  for (size_t R = 0; R < Other.Rules.size(); ++R) {
    auto &To = R ? Rules.emplace_back() : Rules[0];
    for (const GrammarSymbol &X : Other.Rules[R])
      To.push_back({X.Value + (X.IsRule ? Behind : AddToTerminals), X.IsRule, X.Count});
  }
}

/// The chunks, then Live or what is plain.
GrammarData Grammar::behindChunks(GrammarData Live) {
  // What is left over is a chunk too, if there is enough to say. Here it stays open: more may come.
  constexpr size_t Few = 64;
  SealedPart Sealed = Seal->result(*Store, Few);
  if (Seal->Plain.size() < Few)
    for (const RepeatedTerminal &E : Seal->Plain.all())
      Live.Rules[0].push_back({E.Value, false, E.Count});
  if (Sealed.Chunks.empty())
    return Live;
  GrammarData Out = grammarOf(Sealed.Order);
  const auto First = static_cast<uint32_t>(Out.Rules.size());
  for (auto &Body : Out.Rules)
    for (GrammarSymbol &X : Body)
      X = X.IsRule ? X : GrammarSymbol{First + X.Value, true, X.Count};
  for (uint32_t I = 0; I < Sealed.Chunks.size(); ++I)
    Out.Chunks.emplace_back(First + I, std::move(Sealed.Chunks[I]));
  Out.Rules.resize(First + Sealed.Chunks.size());
  Out.InChunks = std::move(Sealed.Counts);
  Out.append(Live);
  return Out;
}

} // namespace pilgrim
