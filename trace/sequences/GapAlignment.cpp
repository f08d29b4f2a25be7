//===- GapAlignment.cpp - two sequences of which each lacks something -----===//
//
// Sequences are compared as by an edit distance: rule by rule, and short ones also element by element.
//
//===----------------------------------------------------------------------===//
#include "trace/sequences/AlignmentParts.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>

namespace pilgrim {

using namespace alignment;
using DifferencesFn = std::function<size_t(uint32_t, uint32_t)>;

namespace {
/// What two terminals gain if they are a pair; 0: they may not be.
class TerminalGains {
public:
  TerminalGains(const KeyedSequence &A, const KeyedSequence &B, const DifferencesFn &Differences)
      : A(A), B(B), Differences(Differences), TerminalsB(B.Order.terminals()),
        Known(A.Order.terminals() * TerminalsB, Unknown) {}

  uint32_t of(uint32_t X, uint32_t Y) {
    uint8_t &G = Known[X * TerminalsB + Y];
    if (G == Unknown)
      G = A.Keys[X] != B.Keys[Y] ? 0 : ByDifferences[std::min(Differences(X, Y), MostDifferences)];
    return G;
  }

  /// What an alignment of all elements gains.
  uint64_t of(const Alignment &Both) {
    const auto Times = Both.Order.terminalCounts();
    uint64_t Sum = 0;
    for (size_t I = 0; I < Times.size(); ++I)
      if (const auto [X, Y] = Both.Pairs[I]; X != Alignment::None && Y != Alignment::None)
        Sum += of(X, Y) * Times[I];
    return Sum;
  }

private:
  static constexpr uint8_t Unknown = UINT8_MAX;
  static constexpr uint8_t ByDifferences[MostDifferences + 1] = {7, 5, 3, 2, 1};
  const KeyedSequence &A, &B;
  const DifferencesFn &Differences;
  const size_t TerminalsB;
  std::vector<uint8_t> Known;
};

using Symbols = std::span<const GrammarSymbol>;

/// The symbols of a body, and which of them stands at each place. One that stands there with several counts in turn is
/// there several times.
struct Spelling {
  Body Different;
  std::vector<uint32_t> At;
};

/// The spellings of the symbols of a side, each made when it is first asked for.
class Spellings {
public:
  explicit Spellings(const GrammarData &Of)
      : Of(Of), Rules(Of.Rules.size()), Known(Rules + Of.terminals()), Latest(Known.size()) {}
  /// How many symbols there are that differ in more than how often they stand somewhere.
  size_t symbols() const { return Known.size(); }
  size_t number(const GrammarSymbol &S) const { return S.IsRule ? S.Value : Rules + S.Value; }
  /// Of a symbol, repeated once: a terminal may stand for a loop with one call in it. Valid as long as this.
  const Spelling &of(const GrammarSymbol &S) {
    Spelling &Out = Known[number(S)];
    if (Out.At.empty())
      spell(Out, S);
    return Out;
  }

private:
  void spell(Spelling &Out, const GrammarSymbol &S) {
    const GrammarSymbol Terminal{S.Value, false, 1};
    const Symbols B = S.IsRule ? Symbols(Of.Rules[S.Value]) : Symbols(&Terminal, 1);
    Out.At.reserve(B.size());
    for (const GrammarSymbol &X : B) {
      uint32_t &Last = Latest[number(X)];
      if (!Last || Out.Different[Last - 1].Count != X.Count) {
        Out.Different.push_back(X);
        Last = static_cast<uint32_t>(Out.Different.size());
      }
      Out.At.push_back(Last - 1);
    }
    for (const GrammarSymbol &X : Out.Different)
      Latest[number(X)] = 0;
  }

  const GrammarData &Of;
  const size_t Rules;
  std::vector<Spelling> Known;
  std::vector<uint32_t> Latest; ///< of the body that is spelled: by symbol, one more than its place in Different
};

/// A table of which each row has the columns from First to Last only. Both ascend from row to row. Beside these it
/// is 0.
class Band {
public:
  struct Row {
    size_t First, Last;
    size_t Begin; ///< where column 0 would be
  };
  void clear() {
    Rows.clear();
    Size = 0;
  }
  void add(size_t First, size_t Last) {
    const size_t Stored = Rows.empty() ? First : Rows.back().First;
    Rows.push_back({First, Last, Size - Stored});
    Size += Last + 2 - Stored;
  }
  /// Numbers of an earlier table may be left in the columns of the rows.
  void finish() {
    if (Capacity < Size) {
      Numbers = std::make_unique_for_overwrite<uint32_t[]>(Size);
      Capacity = Size;
    }
    for (size_t I = 0; I < Rows.size(); ++I) {
      std::fill(at(I, Rows[I ? I - 1 : 0].First), at(I, Rows[I].First), 0);
      *at(I, Rows[I].Last + 1) = 0;
    }
  }
  const Row &row(size_t I) const { return Rows[I]; }
  /// A place of the row, or one below or to the right of such.
  uint32_t *at(size_t Row, size_t Column) { return Numbers.get() + (Rows[Row].Begin + Column); }

private:
  std::vector<Row> Rows;
  std::unique_ptr<uint32_t[]> Numbers;
  size_t Size = 0, Capacity = 0;
};

/// Compares rules with rules, symbol by symbol (Needleman & Wunsch, 1970), whatever these stand for.
class GapAligner {
public:
  /// Known: what pairs of terminals gain.
  GapAligner(const KeyedSequence &A, const KeyedSequence &B, TerminalGains &Known)
      : A(A), B(B), OfTerminals(Known), SpellingsA(A.Order), SpellingsB(B.Order),
        Known(SpellingsA.symbols() * SpellingsB.symbols(), None), TerminalsB(B.Order.terminals()),
        Pairs((A.Order.terminals() + size_t(1)) * (TerminalsB + 1), Alignment::None) {}

  /// AtLeast: what is known to be gained, if A and B have one rule each.
  Alignment run(uint64_t AtLeast = 0) {
    compare({0, true, 1}, {0, true, 1}, AtLeast);
    return Out.finish(emit({0, true, 1}, {0, true, 1}));
  }

private:
  enum Move : uint8_t { Both, OnlyA, OnlyB };
  static constexpr uint32_t None = UINT32_MAX;
  struct Comparison {
    uint32_t Gain = 0; ///< of its pairs
    size_t First = 0;  ///< of its moves
    size_t Size = 0;
  };
  using Key = std::array<uint32_t, 4>;
  static Key keyOf(const GrammarSymbol &X, const GrammarSymbol &Y) { return {X.Value, X.IsRule, Y.Value, Y.IsRule}; }

  uint32_t gain(const GrammarSymbol &X, const GrammarSymbol &Y) {
    if (X.Count != Y.Count || (X.Count == 1 && X.IsRule != Y.IsRule))
      return 0;
    return X.IsRule || Y.IsRule ? Comparisons[compare(X, Y)].Gain : OfTerminals.of(X.Value, Y.Value);
  }

  static int64_t placeOf(const KeyedSequence &Of, GrammarSymbol S) {
    while (S.IsRule)
      S = Of.Order.Rules[S.Value][0];
    return Of.Places.empty() ? 0 : Of.Places[S.Value];
  }

  /// Of each place of a body, what the symbols before it gain at most, if each of Most is what one of them does.
  static void gainBefore(const Spelling &Of, const uint32_t *Most, std::vector<uint64_t> &Sums) {
    Sums.assign(1, 0);
    for (uint32_t S : Of.At)
      Sums.push_back(Sums.back() + Most[S]);
  }

  /// Finds, in all places from which, and up to which, together as much as AtLeast may be gained, what is gained from
  /// there to the ends. Returns what is gained in all.
  uint32_t bestGains(const Spelling &X, const Spelling &Y, const uint32_t *Gain, uint64_t AtLeast) {
    Best.clear();
    size_t From = 0, To = 0;
    for (const uint64_t Before : BeforeX) {
      while (From + 1 < BeforeY.size() && BeforeY[From] + (BeforeX.back() - Before) < AtLeast)
        ++From;
      while (To + 1 < BeforeY.size() && Before + (BeforeY.back() - BeforeY[To + 1]) >= AtLeast)
        ++To;
      Best.add(From, To);
    }
    Best.finish();
    // Without a pair nothing is gained over what stands behind one of both.
    std::fill(Best.at(X.At.size(), From), Best.at(X.At.size(), To + 1), 0);
    for (size_t I = X.At.size(); I-- > 0;) {
      const size_t First = Best.row(I).First, End = std::min(Best.row(I).Last + 1, Y.At.size());
      const uint32_t *Row = &Gain[X.At[I] * Y.Different.size()], *Column = Y.At.data() + First;
      const uint32_t *Behind = Best.at(I + 1, First);
      uint32_t *Here = Best.at(I, First), Last = 0, BehindBoth = Behind[End - First];
      Here[End - First] = 0;
      for (size_t J = End - First; J-- > 0;) {
        const uint32_t BehindX = Behind[J];
        Here[J] = Last = std::max(std::max(BehindX, Row[Column[J]] + BehindBoth), Last);
        BehindBoth = BehindX;
      }
    }
    return *Best.at(0, 0);
  }

  /// Returns an index into Comparisons.
  uint32_t compare(const GrammarSymbol &SymbolA, const GrammarSymbol &SymbolB, uint64_t AtLeast = 0) {
    const size_t Number = SpellingsA.number(SymbolA) * SpellingsB.symbols() + SpellingsB.number(SymbolB);
    if (Known[Number] != None)
      return Known[Number];
    const Spelling &X = SpellingsA.of(SymbolA), &Y = SpellingsB.of(SymbolB);
    // Elements repeat: what one gains beside another is found once. Then come the most that each of both sides gains.
    const size_t Height = X.Different.size(), Width = Y.Different.size(), Begin = Gains.size();
    const size_t MostX = Begin + Height * Width, MostY = MostX + Height;
    Gains.resize(MostY + Width);
    for (size_t I = 0; I < Height; ++I)
      for (size_t J = 0; J < Width; ++J) {
        const uint32_t G = gain(X.Different[I], Y.Different[J]); // which may move what Gains holds
        Gains[Begin + I * Width + J] = G;
        Gains[MostX + I] = std::max(Gains[MostX + I], G);
        Gains[MostY + J] = std::max(Gains[MostY + J], G);
      }
    // Mostly nearly as much is gained as may be. What was found with too high a guess can be reached.
    gainBefore(X, Gains.data() + MostX, BeforeX);
    gainBefore(Y, Gains.data() + MostY, BeforeY);
    const uint64_t Most = std::min(BeforeX.back(), BeforeY.back()), Guess = std::max(AtLeast, Most - Most / 8);
    Comparison C;
    C.Gain = bestGains(X, Y, Gains.data() + Begin, Guess);
    if (C.Gain < Guess)
      C.Gain = bestGains(X, Y, Gains.data() + Begin, std::max<uint64_t>(AtLeast, C.Gain));
    C.First = Moves.size();
    for (size_t I = 0, J = 0; I < X.At.size() || J < Y.At.size();) {
      const uint32_t Here = *Best.at(I, J);
      const bool InX = I < X.At.size(), InY = J < Y.At.size();
      const uint32_t G = InX && InY ? Gains[Begin + X.At[I] * Width + Y.At[J]] : 0;
      bool IsPair = G && Here == G + *Best.at(I + 1, J + 1);
      bool MayBeA = InX && Here == *Best.at(I + 1, J);
      bool MayBeB = InY && Here == *Best.at(I, J + 1);
      bool IsA = MayBeA && !(MayBeB && placeOf(B, Y.Different[Y.At[J]]) < placeOf(A, X.Different[X.At[I]]));
      Move M = IsPair ? Both : IsA ? OnlyA : OnlyB;
      Moves.push_back(M);
      I += M != OnlyB;
      J += M != OnlyA;
    }
    C.Size = Moves.size() - C.First;
    Gains.resize(Begin);
    Known[Number] = static_cast<uint32_t>(Comparisons.size());
    Comparisons.push_back(C);
    return Known[Number];
  }

  /// What two symbols stand for once.
  Body emit(const GrammarSymbol &SymbolA, const GrammarSymbol &SymbolB) {
    const Comparison C = Comparisons[compare(SymbolA, SymbolB)];
    const Spelling &X = SpellingsA.of(SymbolA), &Y = SpellingsB.of(SymbolB);
    Body To;
    size_t I = 0, J = 0;
    for (size_t N = 0; N < C.Size; ++N) {
      const Move M = Moves[C.First + N];
      if (M == OnlyA)
        append(To, onlyOf(A, X.Different[X.At[I++]]));
      else if (M == OnlyB)
        append(To, onlyOf(B, Y.Different[Y.At[J++]]));
      else {
        const GrammarSymbol &OfX = X.Different[X.At[I++]], &OfY = Y.Different[Y.At[J++]];
        append(To, both(OfX, OfY));
      }
    }
    return To;
  }

  uint32_t pair(uint32_t X, uint32_t Y) {
    // None + 1 is 0.
    uint32_t &Number = Pairs[size_t(X + 1) * (TerminalsB + 1) + (Y + 1)];
    if (Number == Alignment::None)
      Number = Out.add(X, Y);
    return Number;
  }

  GrammarSymbol both(const GrammarSymbol &X, const GrammarSymbol &Y) {
    if (!X.IsRule && !Y.IsRule)
      return {pair(X.Value, Y.Value), false, X.Count};
    auto At = Emitted.find(keyOf(X, Y));
    if (At == Emitted.end())
      At = Emitted.emplace(keyOf(X, Y), Out.repeated(emit(X, Y), 1)).first;
    return {At->second.Value, At->second.IsRule, At->second.Count * X.Count};
  }

  GrammarSymbol onlyOf(const KeyedSequence &Of, const GrammarSymbol &S) {
    bool IsA = &Of == &A;
    if (!S.IsRule)
      return {IsA ? pair(S.Value, Alignment::None) : pair(Alignment::None, S.Value), false, S.Count};
    Key K{S.Value, IsA, Alignment::None, Alignment::None};
    auto At = Emitted.find(K);
    if (At == Emitted.end()) {
      Body To;
      for (const GrammarSymbol &Inner : Of.Order.Rules[S.Value])
        append(To, onlyOf(Of, Inner));
      At = Emitted.emplace(K, Out.repeated(std::move(To), 1)).first;
    }
    return {At->second.Value, At->second.IsRule, At->second.Count * S.Count};
  }

  const KeyedSequence &A, &B;
  TerminalGains &OfTerminals;
  Spellings SpellingsA, SpellingsB;
  std::vector<uint32_t> Known; ///< by symbols of both: index into Comparisons
  std::vector<Comparison> Comparisons;
  std::vector<Move> Moves;     ///< of one comparison behind those of another
  std::vector<uint32_t> Gains; ///< of the comparisons under way, those of an inner one behind those of an outer one
  // Of the comparison under way; kept so that the next one need not ask for memory.
  std::vector<uint64_t> BeforeX, BeforeY;
  Band Best;
  std::map<Key, GrammarSymbol> Emitted; ///< of what stands for a symbol of each, once; or for one of one side
  const size_t TerminalsB;
  std::vector<uint32_t> Pairs; ///< by terminals of both, counted from 1: their number in Out
  Result Out;
};
} // namespace

/// What a rule stands for, element by element.
static void appendElements(Body &To, const GrammarData &G, size_t Rule) {
  for (const GrammarSymbol &S : G.Rules[Rule]) {
    for (uint64_t I = 0; I < S.Count; ++I)
      if (S.IsRule)
        appendElements(To, G, S.Value);
      else
        To.push_back({S.Value, false, 1});
  }
}

/// One rule, of each element.
static GrammarData flat(const GrammarData &G) {
  GrammarData Out;
  Out.Rules[0].reserve(G.length());
  appendElements(Out.Rules[0], G, 0);
  return Out;
}

uint64_t workOfGaps(const KeyedSequence &A, const KeyedSequence &B) { return A.Order.symbols() * B.Order.symbols(); }

std::optional<Alignment> alignWithGaps(const KeyedSequence &A, const KeyedSequence &B,
                                       const DifferencesFn &Differences) {
  constexpr uint64_t MaxWork = uint64_t(1) << 20;
  constexpr uint64_t FewElements = 512;
  if (workOfGaps(A, B) > MaxWork)
    return std::nullopt;
  TerminalGains Known(A, B, Differences);
  Alignment ByRules = GapAligner(A, B, Known).run();
  // Nothing is shorter than the longer of both.
  if (A.Order.length() > FewElements || B.Order.length() > FewElements ||
      costOf(ByRules) <= std::max(costOf(A.Order), costOf(B.Order)))
    return ByRules;
  // Rules may have come about in different ways and not fit; without any, what is repeated may come to stand beside
  // something else each time. The elements can be aligned as the rules are: what gains less is not looked at.
  GrammarData FlatA = flat(A.Order), FlatB = flat(B.Order);
  Alignment Flat = GapAligner({FlatA, A.Keys, A.Places}, {FlatB, B.Keys, B.Places}, Known).run(Known.of(ByRules));
  Grammar Order;
  for (const GrammarSymbol &S : Flat.Order.Rules[0])
    for (uint64_t I = 0; I < S.Count; ++I)
      Order.append(S.Value);
  Flat.Order = Order.data();
  return std::move(costOf(ByRules) <= costOf(Flat) ? ByRules : Flat);
}

} // namespace pilgrim
