//===- Sequitur.h - the rules of a sequence -----------------------*- C++ -*-===//
//
// Sequitur (Nevill-Manning & Witten 1997) with repetition counts, productions A -> B^k (Pilgrim, TPDS 2022, section
// 2.2): a pair of symbols that comes twice becomes a rule, and equal neighbours are one symbol with a count. Internal
// to trace/: sequences are built with Grammar.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_SEQUITUR_H
#define PILGRIM_TRACE_SEQUENCES_SEQUITUR_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pilgrim {

class ChunkStore;
class GrammarData;

class Sequitur {
public:
  /// The sequence of Terminal, Count times. Store: is told how much room symbols have; it must outlive this. Null:
  /// none.
  Sequitur(uint32_t Terminal, uint64_t Count, ChunkStore *Store);

  void append(uint32_t Terminal);
  /// What the sequence ends with: a terminal, or a rule, so many times.
  struct End {
    uint32_t Value;
    uint64_t Count;
    bool isRule() const { return Value & RuleBit; }
  };
  End end() const {
    const Symbol &Last = Symbols[last()];
    return {Last.Value, Last.Count};
  }
  /// Appends what end() names so many times more.
  void repeatEnd(uint64_t Times);
  /// Writes the terminals that end() names once behind Out; false if there would be more than Most of them in Out.
  bool expandEnd(size_t Most, std::vector<uint32_t> &Out) const { return expandTo(end().Value, 1, Most, Out); }

  GrammarData data() const;
  /// The same in rules, whether these save anything or not.
  GrammarData rules() const;
  /// Symbols in use: what it takes memory for.
  size_t symbols() const { return Symbols.size() - FreeSymbols.size(); }
  /// Symbols that there is memory for.
  size_t room() const { return Symbols.capacity(); }
  /// Bytes of heap memory in use, this object's among them.
  size_t memory() const;

private:
  // Symbols live in one array and refer to each other by index; every rule is a
  // ring closed by a guard symbol.
  using Index = uint32_t;
  static constexpr uint32_t RuleBit = 0x80000000u, GuardValue = 0xffffffffu;
  static constexpr Index None = 0xffffffffu;
  struct Symbol {
    uint32_t Value; // terminal, or RuleBit | rule; GuardValue in a guard
    Index Prev, Next;
    uint32_t GuardRule; // of a guard: its rule
    uint64_t Count;
  };
  struct DigramPlace {
    Index First = None;
    uint32_t Hash = 0;
  };
  struct Rule {
    Index Guard;
    uint32_t Uses; // symbols that name it
  };

  /// Of the sequence: its last symbol.
  Index last() const { return Symbols[RuleTable[0].Guard].Prev; }
  bool expandTo(uint32_t Value, uint64_t Count, size_t Most, std::vector<uint32_t> &Out) const;

  bool isGuard(Index I) const { return Symbols[I].Value == GuardValue; }
  Index allocate(uint32_t Value, uint64_t Count);
  uint32_t newRule();
  void insertAfter(Index At, Index I);
  void unlink(Index I);
  void release(Index I);
  void use(uint32_t Value, int By);

  bool check(Index First);
  void match(Index New, Index Old);
  Index substitute(Index First, uint32_t R);
  Index mergeWithPrev(Index I);
  void inlineIfUnderused(Index I);

  // Digram index: open addressing over the first symbols of digrams.
  uint32_t digramHash(Index First) const;
  bool sameDigram(Index A, Index B) const;
  DigramPlace *findDigram(Index First, uint32_t Hash);
  void addDigram(Index First);
  void dropDigram(Index First);
  void growTable();
  void enterDigram(DigramPlace New);
  void insertDigram(Index First, uint32_t Hash);

  std::vector<Symbol> Symbols;
  std::vector<Index> FreeSymbols;
  std::vector<Rule> RuleTable;
  std::vector<uint32_t> FreeRules;
  std::vector<DigramPlace> Table;
  size_t TableUsed = 0;
  ChunkStore *Store;
};

} // namespace pilgrim

#endif
