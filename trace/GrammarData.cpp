//===- GrammarData.cpp - an immutable grammar -----------------------------===//
//
// Serialised form, per rule: number of symbols, then each symbol as varint
// (value * 4 + isRule * 2 + hasCount), a rule as the difference to the rule it
// stands in, and the count where it is not one.
//
//===----------------------------------------------------------------------===//
#include "trace/Grammar.h"

#include <algorithm>

namespace pilgrim {

static constexpr uint64_t MaxLength = uint64_t(1) << 62;

/// Length of each rule's expansion; a read grammar whose length overflows gives
/// MaxLength or more at rule 0.
static std::vector<uint64_t> ruleLengths(const GrammarData &G) {
  std::vector<uint64_t> Length(G.Rules.size(), 0);
  for (size_t R = G.Rules.size(); R-- > 0;)
    for (const GrammarSymbol &S : G.Rules[R]) {
      __uint128_t L = static_cast<__uint128_t>(S.IsRule ? Length[S.Value] : 1) * S.Count + Length[R];
      Length[R] = L > MaxLength ? MaxLength : static_cast<uint64_t>(L);
    }
  return Length;
}

uint64_t GrammarData::length() const { return ruleLengths(*this)[0]; }

uint32_t GrammarData::terminals() const {
  uint32_t N = 0;
  for (const auto &Body : Rules)
    for (const GrammarSymbol &S : Body)
      if (!S.IsRule)
        N = std::max(N, S.Value + 1);
  return N;
}

std::vector<uint64_t> GrammarData::terminalCounts() const {
  std::vector<uint64_t> Uses(Rules.size(), 0), Counts(terminals(), 0);
  Uses[0] = 1;
  for (size_t R = 0; R < Rules.size(); ++R)
    for (const GrammarSymbol &S : Rules[R])
      (S.IsRule ? Uses[S.Value] : Counts[S.Value]) += Uses[R] * S.Count;
  return Counts;
}

void GrammarData::write(ByteWriter &W) const {
  W.varint(Rules.size());
  for (size_t R = 0; R < Rules.size(); ++R) {
    W.varint(Rules[R].size());
    for (const GrammarSymbol &S : Rules[R]) {
      uint64_t V = S.IsRule ? S.Value - R : S.Value;
      W.varint(V << 2 | uint64_t(S.IsRule) << 1 | uint64_t(S.Count > 1));
      if (S.Count > 1)
        W.varint(S.Count);
    }
  }
}

GrammarData GrammarData::read(ByteReader &R) {
  GrammarData G;
  size_t N = R.count();
  if (N == 0)
    R.fail();
  R.spend(N * sizeof(G.Rules[0]));
  if (!R.ok())
    return G;
  G.Rules.assign(std::max<size_t>(N, 1), {});
  for (size_t I = 0; I < N && R.ok(); ++I) {
    size_t M = R.count();
    R.spend(M * sizeof(GrammarSymbol));
    if (!R.ok())
      break;
    G.Rules[I].reserve(M);
    for (size_t J = 0; J < M && R.ok(); ++J) {
      uint64_t V = R.varint();
      GrammarSymbol S{0, (V & 2) != 0, 1};
      if (V & 1) {
        S.Count = R.varint();
        if (S.Count < 2)
          R.fail();
      }
      V >>= 2;
      if (S.IsRule) {
        V += I;
        if (V <= I || V >= N)
          R.fail();
      } else if (V >= 0x80000000u) {
        R.fail();
      }
      S.Value = static_cast<uint32_t>(V);
      G.Rules[I].push_back(S);
    }
    // A rule that stands for one symbol or none would let a cursor spin through
    // a chain of such without a terminal.
    if (I > 0 && (M == 0 || (M == 1 && G.Rules[I][0].Count < 2)))
      R.fail();
  }
  if (!R.ok() || ruleLengths(G)[0] >= MaxLength) {
    R.fail();
    return {};
  }
  return G;
}

bool GrammarData::Cursor::next(uint32_t &Terminal) {
  while (!Stack.empty()) {
    Frame &F = Stack.back();
    const auto &Body = G->Rules[F.Rule];
    if (F.Index == Body.size()) {
      Stack.pop_back();
      continue;
    }
    const GrammarSymbol &S = Body[F.Index];
    if (F.Done == S.Count) {
      F.Done = 0;
      ++F.Index;
      continue;
    }
    ++F.Done;
    if (!S.IsRule) {
      Terminal = S.Value;
      return true;
    }
    push(S.Value);
  }
  return false;
}

} // namespace pilgrim
