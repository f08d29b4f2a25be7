//===- Grammar.cpp - a sequence as rules, while it is appended to ---------===//
#include "trace/sequences/Grammar.h"

namespace pilgrim {

void Grammar::appendSymbol(uint32_t Terminal) {
  if (Rules)
    return Rules->append(Terminal);
  // Very many sequences are nothing else. These take no memory.
  if (!SoleCount || Sole == Terminal) {
    Sole = Terminal;
    ++SoleCount;
    return;
  }
  Rules.reset(new Sequitur(Sole, SoleCount, Store));
  Rules->append(Terminal);
}

/// Starts predicting if the sequence ends in something that was repeated.
void Grammar::predict() {
  const Sequitur::End End = Rules ? Rules->end() : Sequitur::End{Sole, SoleCount};
  if (End.Count < 2)
    return;
  unsigned Size = 1;
  if (!End.isRule())
    Window.set(End.Value);
  else if (!Window.set([&](std::vector<uint32_t> &To) {
             const bool IsShort = Rules->expandEnd(MaxPeriod, To);
             Size = static_cast<unsigned>(To.size());
             return IsShort;
           }))
    return;
  Period = Size;
  Position = 0;
  Repeats = 0;
}

/// Brings what was only predicted into the grammar.
void Grammar::flush() {
  if (!Period)
    return;
  const unsigned N = Position;
  Period = Position = 0;
  const uint64_t Times = std::exchange(Repeats, 0);
  if (isPlain()) {
    Seal->Plain.back().Count += Times;
    return;
  }
  if (!Rules) {
    SoleCount += Times;
    return;
  }
  if (Times)
    Rules->repeatEnd(Times);
  for (unsigned I = 0; I < N; ++I)
    Rules->append(Window[I]);
}

void Grammar::appendUnpredicted(uint32_t Terminal) {
  flush();
  if (Store && !isPlain() && symbols() >= (Seal ? Seal->Review : Store->isLongFrom()))
    review();
  if (isPlain())
    return appendPlain(Terminal);
  appendSymbol(Terminal);
  predict();
}

} // namespace pilgrim
