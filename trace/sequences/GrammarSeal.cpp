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
  Collected<RepeatedTerminal> &Plain = Seal->Plain;
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

void Grammar::clear() {
  if (Store && Rules)
    Store->takeRoom(Rules->room());
  Rules.reset();
  SoleCount = 0;
}

std::optional<std::vector<RepeatedTerminal>> Grammar::flat(const GrammarData &D) const {
  return D.flat(std::min<size_t>(MostGrowth * symbols(), MaxChunkElements));
}

void Grammar::review() {
  if (!Seal) {
    Seal.reset(new Sealing(Store->isLongFrom()));
    Store->addLong();
  }
  const size_t Now = symbols();
  if (!Seal->Review) {
    if (!Seal->paysToSeal(*Store, Now * 2))
      return;
    if (const auto All = flat(liveData())) {
      clear();
      Seal->begin(*Store, *All);
    }
    return;
  }
  Seal->Review = std::max(Seal->Review, Now) * 2;
  // A period of fewer is better said by rules.
  constexpr size_t Enough = 8192;
  if (Now < std::min(Enough, Store->mayHaveRules()))
    return;
  const GrammarData D = liveData();
  if (const auto All = flat(D))
    Seal->compare(*Store, *All, entropyOf(bytesOf(D)) >> 19, D.Rules.size() == 1);
}

} // namespace pilgrim
