//===- GrammarSeal.cpp - a grammar where little repeats -------------------===//
//
// The rules are looked at when they have some thousand symbols, and at each doubling. If entropy-coded bytes would say
// the same sequence in less, it is cut into chunks, and what comes next is only collected until it is enough for
// another one. When such a chunk says that things repeat again, so that rules would do better, they are tried again.
//
//===----------------------------------------------------------------------===//
#include "trace/sequences/Grammar.h"

#include <algorithm>

namespace pilgrim {

/// A chunk is this many times as large as the rules at most; longer sequences are well said by these.
static constexpr size_t MostGrowth = 16;

void Grammar::appendPlain(uint32_t Terminal) {
  std::vector<RepeatedTerminal> &Plain = Seal->Plain;
  if (!Plain.empty() && Plain.back().Value == Terminal) {
    // What comes again is foreseen to go on.
    ++Plain.back().Count;
    Window.set(Terminal);
    Period = 1;
    return;
  }
  Seal->append(*Store, {Terminal, 1});
  if (!Seal->IsPlain)
    appendUnpredicted(Terminal);
}

bool paysToSeal(size_t Bytes, std::span<const uint8_t> Otherwise, bool HasNoRules) {
  const uint64_t Others = entropyOf(Otherwise) >> 19;
  // A stretch has to learn what is frequent, which the next ones do not lose by.
  return HasNoRules ? Bytes * 20 < Others * 21 : Bytes * 20 < Others * 19;
}

void Grammar::clear() {
  Symbols = {};
  FreeSymbols = {};
  RuleTable = {};
  SoleCount = 0;
  FreeRules = {};
  Table = {};
  TableUsed = 0;
  Length = 0;
}

void Grammar::review() {
  if (!Seal) {
    Seal.reset(new Sealing);
    Store->addLong();
  }
  const size_t Now = symbols();
  Seal->Review = std::max(Seal->Review, Now) * 2;
  // A period of fewer is better said by rules.
  constexpr size_t Enough = 8192;
  if (Now < std::min(Enough, Store->mayHaveRules()))
    return;
  const GrammarData D = liveData();
  const auto Flat = D.flat(std::min<size_t>(MostGrowth * Now, MaxChunkElements));
  if (!Flat)
    return;
  if (!paysToSeal(encodeItems(*Flat, Seal->Form).size(), bytesOf(D), D.Rules.size() == 1))
    return;
  clear();
  Seal->begin(*Store, *Flat);
}

} // namespace pilgrim
