//===- GrammarSeal.cpp - a grammar where little repeats -------------------===//
//
// The rules are looked at when they have some thousand symbols, and at each doubling. If entropy-coded bytes would say
// the same sequence in less, it is cut into chunks, and what comes next is only collected until it is enough for
// another one. When such a chunk says that things repeat again, so that rules would do better, they are tried again.
//
//===----------------------------------------------------------------------===//
#include "trace/sequences/Grammar.h"

#include <algorithm>
#include <cmath>

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

/// From now on what comes is collected, behind what is in the rules.
void Grammar::seal() {
  const GrammarData D = rules();
  clear();
  constexpr size_t AtOnce = 4096;
  std::vector<RepeatedTerminal> Next;
  D.forEachElement([&](const RepeatedTerminal &E) {
    Next.push_back(E);
    if (Next.size() == AtOnce) {
      Seal->append(*Store, std::span<const RepeatedTerminal>(Next));
      Next.clear();
    }
    return true;
  });
  Seal->append(*Store, std::span<const RepeatedTerminal>(Next));
}

void Grammar::review() {
  if (!Seal) {
    Seal.reset(new Sealing(Store->isLongFrom()));
    Store->addLong();
  }
  const size_t Now = symbols();
  if (!Seal->Review) {
    if (Seal->paysToSeal(*Store, Now * 2))
      seal();
    return;
  }
  // A period of fewer is better said by rules.
  constexpr size_t Enough = 8192;
  if (!Seal->isDue(Now, std::min(Enough, Store->mayHaveRules())))
    return;
  const GrammarData D = liveData();
  size_t Length = 0;
  if (!D.forEachElement([&](const RepeatedTerminal &) { return ++Length <= MostGrowth * Now; }))
    return;
  const size_t N = std::min(Length, Seal->toCompare(*Store, Now)), First = (Length - N) / 2;
  std::vector<RepeatedTerminal> Middle;
  Middle.reserve(N);
  D.forEachElement([&, At = size_t(0)](const RepeatedTerminal &E) mutable {
    if (At++ >= First)
      Middle.push_back(E);
    return Middle.size() < N;
  });
  const double Part = static_cast<double>(N) / static_cast<double>(Length);
  Seal->compare(*Store, std::move(Middle),
                Now < Store->mostRules() ? Part * static_cast<double>(entropyOf(bytesOf(D)) >> 19) : HUGE_VAL,
                D.Rules.size() == 1);
}

} // namespace pilgrim
