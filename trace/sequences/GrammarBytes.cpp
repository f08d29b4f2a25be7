//===- GrammarBytes.cpp - an immutable grammar as bytes -------------------===//
//
// Serialised form, per rule: number of symbols, then each symbol as varint
// (value * 4 + isRule * 2 + hasCount), a rule as the difference to the rule it
// stands in, a terminal as 0 if it is the next one that has not occurred, else
// as its number + 1, and the count where it is not one; 0 for one that is not said
// here. A rule that is a chunk has 0 symbols, then its place, size, length and
// number of terminals. Behind all rules: how often each terminal occurs in chunks, in the whole sequence.
//
//===----------------------------------------------------------------------===//
#include "trace/sequences/Grammar.h"

#include <algorithm>

namespace pilgrim {

void GrammarData::writeRules(ByteWriter &W, const std::vector<uint32_t> &Open) const {
  uint32_t New = 0, Place = 0;
  auto NextOpen = Open.begin();
  for (size_t R = 0; R < Rules.size(); ++R) {
    W.varint(Rules[R].size());
    if (const Chunk *C = chunk(static_cast<uint32_t>(R))) {
      C->write(W);
      New = std::max(New, C->terminals());
    }
    for (const GrammarSymbol &S : Rules[R]) {
      uint64_t V = S.IsRule ? S.Value - R : S.Value == New ? 0 : uint64_t(S.Value) + 1;
      if (!S.IsRule)
        New = std::max(New, S.Value + 1);
      bool IsOpen = NextOpen != Open.end() && *NextOpen == Place++;
      NextOpen += IsOpen;
      W.varint(V << 2 | uint64_t(S.IsRule) << 1 | uint64_t(IsOpen || S.Count > 1));
      if (IsOpen || S.Count > 1)
        W.varint(IsOpen ? 0 : S.Count);
    }
  }
  for (uint64_t N : InChunks)
    W.varint(N);
}

/// How often terminals occur in chunks, which have as many elements in the whole sequence.
static void readInChunks(ByteReader &R, GrammarData &G) {
  const std::vector<uint64_t> Uses = G.uses();
  uint64_t Elements = 0; // no more than the sequence has
  uint32_t Terminals = 0;
  for (const auto &[Rule, C] : G.Chunks) {
    Elements += Uses[Rule] * C.length();
    Terminals = std::max(Terminals, C.terminals());
  }
  if (Terminals > R.remaining())
    R.fail("more terminals of chunks than bytes are left");
  for (uint32_t T = 0; T < Terminals && R.ok(); ++T) {
    G.InChunks.push_back(R.varintMax(Elements, "more of a terminal than chunks have elements"));
    Elements -= G.InChunks.back();
  }
  if (Elements)
    R.fail("chunks have more elements than their terminals say");
}

GrammarData GrammarData::read(ByteReader &R, size_t N, std::vector<uint32_t> *Open, bool MayHaveChunks) {
  GrammarData G;
  uint32_t Place = 0;
  if (N == 0)
    R.fail("a grammar without a start");
  R.spend(N * sizeof(G.Rules[0]));
  if (!R.ok())
    return G;
  G.Rules.assign(std::max<size_t>(N, 1), {});
  uint32_t New = 0;
  for (size_t I = 0; I < N && R.ok(); ++I) {
    size_t M = R.count();
    R.spend(M * sizeof(GrammarSymbol));
    if (!R.ok())
      break;
    if (M == 0 && I > 0 && MayHaveChunks) {
      Chunk C = Chunk::read(R, true);
      if (!R.ok())
        break;
      New = std::max(New, C.terminals());
      G.Chunks.emplace_back(static_cast<uint32_t>(I), std::move(C));
      continue;
    }
    G.Rules[I].reserve(M);
    for (size_t J = 0; J < M && R.ok(); ++J, ++Place) {
      uint64_t V = R.varint();
      GrammarSymbol S{0, (V & 2) != 0, 1};
      if (V & 1) {
        S.Count = R.varint();
        if (S.Count == 0 && Open) {
          Open->push_back(Place);
          S.Count = 2;
        }
        if (S.Count < 2)
          R.fail("the count of a symbol is below 2");
      }
      V >>= 2;
      if (S.IsRule) {
        V += I;
        if (V <= I || V >= N)
          R.fail("a rule refers to one that is not behind it");
      } else {
        V = V ? V - 1 : New;
        if (V >= 0x80000000u)
          R.fail("a terminal is 2^31 or more");
        New = std::max(New, static_cast<uint32_t>(V) + 1);
      }
      S.Value = static_cast<uint32_t>(V);
      G.Rules[I].push_back(S);
    }
    // A rule that stands for one symbol or none would let a cursor spin through
    // a chain of such without a terminal.
    if (R.ok() && I > 0 && (M == 0 || (M == 1 && G.Rules[I][0].Count < 2)))
      R.fail("a rule stands for one symbol or none");
  }
  if (R.ok() && !G.isShort())
    R.fail("a sequence has 2^62 elements or more");
  if (!G.Chunks.empty() && Open && !Open->empty())
    R.fail("chunks beside counts that differ by rank");
  if (R.ok() && !G.Chunks.empty())
    readInChunks(R, G);
  if (!R.ok())
    return {};
  return G;
}

} // namespace pilgrim
