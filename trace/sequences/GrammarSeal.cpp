//===- GrammarSeal.cpp - a grammar where little repeats -------------------===//
//
// The rules are looked at when they have some thousand symbols, and at each doubling. If entropy-coded bytes would say
// the same sequence in less, these become a chunk, and what comes next is only collected until it is enough for another
// one. When such a chunk says that things repeat again, so that rules would do better, they are tried again.
//
//===----------------------------------------------------------------------===//
#include "trace/sequences/Grammar.h"

#include <algorithm>

namespace pilgrim {

static constexpr size_t MostCapacity = 16384;
/// A chunk is this many times as large as the rules at most; longer sequences are well said by these.
static constexpr size_t MostGrowth = 16;

void Grammar::seal(Sealing &S, std::span<const RepeatedTerminal> Items, std::vector<uint8_t> Bytes) {
  uint64_t Length = 0;
  uint32_t Terminals = 0;
  for (const RepeatedTerminal &E : Items) {
    Length += E.Count;
    Terminals = std::max(Terminals, E.Value + 1);
    if (S.Counts.size() < Terminals)
      S.Counts.resize(Terminals);
    S.Counts[E.Value] += E.Count;
  }
  S.Chunks.push_back(Store->keep(std::move(Bytes), Length, Terminals));
}

void Grammar::appendPlain(uint32_t Terminal) {
  std::vector<RepeatedTerminal> &Plain = Seal->Plain;
  if (!Plain.empty() && Plain.back().Value == Terminal) {
    // What comes again is foreseen to go on.
    ++Plain.back().Count;
    Window.assign(1, Terminal);
    Period = 1;
    return;
  }
  if (Plain.size() >= Seal->Capacity)
    sealPlain();
  if (!Seal->IsPlain)
    return appendUnpredicted(Terminal);
  Plain.push_back({Terminal, 1});
}

void Grammar::sealPlain() {
  const bool AreRules = isRegular(Seal->Plain);
  seal(*Seal, Seal->Plain, encodeItems(Seal->Plain, Seal->Form));
  Seal->Plain.clear();
  Seal->Capacity = std::min(Seal->Capacity * 2, MostCapacity);
  if (AreRules) {
    Seal->IsPlain = false;
    Seal->Review = 2 * MostCapacity;
  }
}

bool paysToSeal(size_t Bytes, std::span<const uint8_t> Otherwise, bool HasNoRules) {
  const uint64_t Others = entropyOf(Otherwise) >> 19;
  // A stretch has to learn what is frequent, which the next ones do not lose by.
  return HasNoRules ? Bytes * 20 < Others * 21 : Bytes * 20 < Others * 19;
}

void Grammar::clear() {
  Symbols.clear();
  FreeSymbols.clear();
  RuleTable.clear();
  FreeRules.clear();
  Table.clear();
  TableUsed = 0;
  Length = 0;
  newRule();
}

void Grammar::review() {
  if (!Seal)
    Seal.reset(new Sealing);
  const size_t Now = symbols();
  Seal->Review = std::max(Seal->Review, Now) * 2;
  const GrammarData D = liveData();
  const auto Flat = D.flat(std::min<size_t>(MostGrowth * Now, MaxChunkElements));
  if (!Flat)
    return;
  ByteWriter W;
  D.write(W);
  std::vector<uint8_t> Bytes = encodeItems(*Flat, Seal->Form);
  if (!paysToSeal(Bytes.size(), W.Data, D.Rules.size() == 1))
    return;
  seal(*Seal, *Flat, std::move(Bytes));
  clear();
  Seal->IsPlain = true;
  Seal->Review = FirstReview;
}

} // namespace pilgrim
