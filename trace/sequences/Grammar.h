//===- Grammar.h - Sequitur with repetition counts --------------*- C++ -*-===//
//
// A sequence of small integers, kept compressed while it is appended to:
// Sequitur (Nevill-Manning & Witten 1997) with repetition counts, productions A
// -> B^k (Pilgrim, TPDS 2022, section 2.2). Two classes:
//
//   Grammar      the builder. While the sequence repeats the last symbol of its start rule, appending is a comparison
//                with a predicted value and an increment: see predicted().
//   GrammarData  the immutable result: rules of (symbol, count). It can be serialised, expanded and counted.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_SEQUENCES_GRAMMAR_H
#define PILGRIM_TRACE_SEQUENCES_GRAMMAR_H

#include "trace/sequences/Sealer.h"
#include "trace/sequences/Sequitur.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace pilgrim {

/// One right-hand side symbol: a terminal or a rule, repeated Count times
/// (Count >= 1).
struct GrammarSymbol {
  uint32_t Value;
  bool IsRule;
  uint64_t Count;
  bool operator==(const GrammarSymbol &) const = default;
};

/// An immutable context-free grammar that generates exactly one sequence. Rule
/// 0 is the start; a rule refers only to rules with a higher number, so it
/// cannot be cyclic.
class GrammarData {
public:
  std::vector<std::vector<GrammarSymbol>> Rules{1};
  /// Rules that are chunks, ascending; they have no symbols. Rule 0 is none.
  std::vector<std::pair<uint32_t, Chunk>> Chunks{};
  /// By terminal: how often it occurs in chunks, in the whole sequence.
  std::vector<uint64_t> InChunks{};

  bool operator==(const GrammarData &) const = default;
  /// The chunk that a rule is; null: it has symbols.
  const Chunk *chunk(uint32_t Rule) const;
  /// The same sequence without chunks. It takes memory for all that is in them.
  GrammarData expanded() const;
  /// The sequence itself; nothing if it has more than Most elements, each of which may come several times in
  /// succession.
  std::optional<std::vector<RepeatedTerminal>> flat(size_t Most = SIZE_MAX) const;
  /// Calls F for each of these elements until it returns false. Returns whether it never did.
  bool forEachElement(const std::function<bool(const RepeatedTerminal &)> &F) const;
  /// Symbols of all rules: how much there is to say.
  size_t symbols() const;
  /// Length of the generated sequence. Read grammars are checked to stay below
  /// 2^62.
  uint64_t length() const;
  /// Whether length() is below 2^62.
  bool isShort() const;
  /// Whether the sequence is terminal 0, repeated any number of times.
  bool isOneTerminal() const {
    return Rules.size() == 1 && Rules[0].size() == 1 && !Rules[0][0].IsRule && !Rules[0][0].Value;
  }
  /// By rule: how often the sequence comes by it.
  std::vector<uint64_t> uses() const;
  /// Adds another sequence behind this one, AddToTerminals to each of its terminals. It has no chunks.
  void append(const GrammarData &Other, uint32_t AddToTerminals = 0);
  /// Largest terminal plus one.
  uint32_t terminals() const;
  /// How often each terminal occurs in the sequence, computed without expanding
  /// it.
  std::vector<uint64_t> terminalCounts() const;

  /// The sequence with each terminal T replaced by New[T], or removed if that is LeftOut.
  GrammarData renamed(const std::vector<uint32_t> &New) const;
  static constexpr uint32_t LeftOut = UINT32_MAX;

  /// The same sequence without rules if these save nothing, as with random values. An entropy coder needs fewer bytes
  /// for the plain sequence.
  GrammarData smallest() &&;

  /// Open: places of symbols whose counts are not written, counted through all rules, ascending.
  void write(ByteWriter &W, const std::vector<uint32_t> &Open = {}) const {
    W.varint(Rules.size());
    writeRules(W, Open);
  }
  /// The same, without the number of rules.
  void writeRules(ByteWriter &W, const std::vector<uint32_t> &Open = {}) const;
  /// Reads and validates; on damaged input R.ok() is false afterwards.
  static GrammarData read(ByteReader &R) { return read(R, R.count()); }
  /// The same, after the number of rules was read. Open: gets the places whose counts are not in the input; null: no
  /// such places are allowed.
  /// Chunks only where MayHaveChunks.
  static GrammarData read(ByteReader &R, size_t Rules, std::vector<uint32_t> *Open = nullptr,
                          bool MayHaveChunks = false);

  /// Expands a grammar front to back with memory for the open rules only.
  class Cursor {
  public:
    explicit Cursor(const GrammarData &G) : G(&G) { push(0); }
    /// Gives the next terminal; false at the end.
    bool next(uint32_t &Terminal);

  private:
    friend class GrammarIndex;
    struct Frame {
      uint32_t Rule;
      uint32_t Index;
      uint64_t Done; // repetitions of the current symbol that are finished
    };
    void push(uint32_t Rule);
    bool nextInChunk(Frame &F, uint32_t &Terminal);
    const GrammarData *G;
    std::vector<Frame> Stack;
    std::shared_ptr<const Chunk::ItemList> Items; ///< of the chunk that the innermost frame is in
  };
};

/// A part that not all objects have. Copies have copies of it.
template <typename T> struct Owned : std::unique_ptr<T> {
  Owned() = default;
  Owned(const Owned &Other) : std::unique_ptr<T>(Other ? std::make_unique<T>(*Other) : nullptr) {}
  Owned(Owned &&) = default;
  Owned &operator=(Owned Other) {
    this->swap(Other);
    return *this;
  }
};

/// One period of a sequence. Mostly that is one terminal, which needs no memory of its own.
class PeriodWindow {
public:
  PeriodWindow() = default;
  PeriodWindow(const PeriodWindow &Other) : Long(Other.Long), One(Other.One) { pointLike(Other); }
  PeriodWindow(PeriodWindow &&Other) noexcept : Long(std::move(Other.Long)), One(Other.One) { pointLike(Other); }
  PeriodWindow &operator=(const PeriodWindow &Other) { return *this = PeriodWindow(Other); }
  PeriodWindow &operator=(PeriodWindow &&Other) noexcept {
    One = Other.One;
    Long = std::move(Other.Long);
    pointLike(Other);
    return *this;
  }
  uint32_t operator[](unsigned I) const { return At[I]; }
  void set(uint32_t Terminal) {
    One = Terminal;
    At = &One;
  }
  /// Calls Fill(vector), which is empty before. It returns whether the window is what is in the vector then.
  template <typename Fn> bool set(Fn Fill) {
    if (Long)
      Long->clear();
    else
      Long.reset(new std::vector<uint32_t>);
    if (!Fill(*Long))
      return false;
    At = Long->data();
    return true;
  }
  size_t memory() const { return Long ? sizeof *Long + Long->capacity() * sizeof(uint32_t) : 0; }

private:
  void pointLike(const PeriodWindow &Other) { At = Other.At == &Other.One ? &One : Long->data(); }
  const uint32_t *At = &One;
  Owned<std::vector<uint32_t>> Long;
  uint32_t One = 0;
};

class Grammar {
public:
  /// From now on, stretches that repeat too little are sealed, and kept in Store, which must outlive the grammar.
  void sealTo(ChunkStore &To) { Store = &To; }
  ChunkStore *store() const { return Store; }

  void append(uint32_t Terminal) {
    if (Period && Window[Position] == Terminal)
      advance();
    else
      appendUnpredicted(Terminal);
  }

  /// True while the end of the sequence repeats. `predicted()` is then the next terminal if the repetition continues.
  /// In the steady state, callers compare with it and call advance() instead of append().
  bool predicts() const { return Period != 0; }
  uint32_t predicted() const { return Window[Position]; }
  /// The one that comes so many later.
  uint32_t predicted(unsigned Later) const {
    const unsigned At = Position + Later;
    return Window[At < Period ? At : At % Period];
  }
  void advance() {
    if (++Position == Period) {
      Position = 0;
      ++Repeats;
    }
  }

  /// Whether the sequence ends in repetitions of one terminal. Then advance(N) appends it N times.
  bool repeatsOne() const { return Period == 1; }
  bool repeats(uint32_t Terminal) const { return Period == 1 && Window[0] == Terminal; }
  void advance(uint64_t N) { Repeats += N; }

  bool empty() const { return !SoleCount && !Period && (!Seal || Seal->empty()); }
  /// The grammar of everything appended so far.
  GrammarData data();
  /// What is not sealed, in rules, whether these save anything or not.
  GrammarData rules();
  /// Symbols in use: what it takes memory for.
  size_t symbols() const { return Rules ? Rules->symbols() : 0; }
  /// Bytes of heap memory in use.
  size_t memory() const;

private:
  static constexpr unsigned MaxPeriod = 16384;

  using Sealing = Sealer<RepeatedTerminal>;
  void appendUnpredicted(uint32_t Terminal);
  void appendPlain(uint32_t Terminal);
  bool isPlain() const { return Seal && Seal->IsPlain; }
  void review();
  void seal();
  void clear();
  GrammarData liveData();
  GrammarData soleData() const;
  GrammarData behindChunks(GrammarData Live);
  void appendSymbol(uint32_t Terminal);
  void flush();
  void predict();
  // A terminal that is predicted needs what is in the first cache line.
  PeriodWindow Window; // one period of what is predicted
  unsigned Period = 0, Position = 0;
  uint64_t Repeats = 0;

  Owned<Sequitur> Rules;       // null while the sequence is one terminal, repeated
  uint32_t Sole = 0;           // that terminal ...
  uint64_t SoleCount = 0;      // ... and how often it comes; 0: there was none yet
  ChunkStore *Store = nullptr; // null: nothing is ever sealed
  Owned<Sealing> Seal;         // null: it was not long yet
};

GrammarData grammarOf(std::span<const uint32_t> Sequence);

/// Bits, in units of 2^-16, that an entropy coder would write, taking each byte for itself.
uint64_t entropyOf(std::span<const uint8_t> Bytes);

} // namespace pilgrim

#endif
