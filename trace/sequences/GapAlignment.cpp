//===- GapAlignment.cpp - two sequences of which each lacks something -----===//
//
// Sequences are compared as by an edit distance: rule by rule, and short ones also element by element.
//
//===----------------------------------------------------------------------===//
#include "trace/sequences/AlignmentParts.h"

#include <algorithm>
#include <array>
#include <map>

namespace pilgrim {

using namespace alignment;
using DifferencesFn = std::function<size_t(uint32_t, uint32_t)>;

namespace {
/// What two terminals gain if they are a pair; 0: they may not be.
class Gains {
public:
  Gains(const KeyedSequence &A, const KeyedSequence &B, const DifferencesFn &Differences)
      : A(A), B(B), Differences(Differences), TerminalsB(B.Order.terminals()),
        Known(A.Order.terminals() * TerminalsB, Unknown) {}

  uint32_t of(uint32_t X, uint32_t Y) {
    uint8_t &G = Known[X * TerminalsB + Y];
    if (G == Unknown)
      G = A.Keys[X] != B.Keys[Y] ? 0 : uint8_t(4 >> std::min(Differences(X, Y), MostDifferences));
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
  const KeyedSequence &A, &B;
  const DifferencesFn &Differences;
  const size_t TerminalsB;
  std::vector<uint8_t> Known;
};

/// The symbols of a body, and which of them stands at each place. One that stands there with several counts in turn is
/// there several times.
struct Spelling {
  explicit Spelling(const Body &Of) {
    std::vector<uint32_t> Latest; // by what it is, one more than its place in Symbols
    At.reserve(Of.size());
    for (const GrammarSymbol &S : Of) {
      const size_t What = size_t(S.Value) << 1 | S.IsRule;
      if (What >= Latest.size())
        Latest.resize(What + 1);
      uint32_t &Last = Latest[What];
      if (!Last || Symbols[Last - 1].Count != S.Count) {
        Symbols.push_back(S);
        Last = static_cast<uint32_t>(Symbols.size());
      }
      At.push_back(Last - 1);
    }
  }
  Body Symbols;
  std::vector<uint32_t> At;
};

/// A table of which each row has the columns from First to Last only. Both ascend from row to row. Beside these, and
/// at first everywhere, it is 0.
class Band {
public:
  struct Row {
    size_t First, Last;
  };
  explicit Band(std::vector<Row> Of) : Rows(std::move(Of)) {
    size_t Size = 0;
    for (size_t I = 0; I < Rows.size(); ++I) {
      Offsets.push_back(Size);
      Size += Rows[I].Last + 2 - stored(I);
    }
    Numbers.resize(Size);
  }
  const Row &row(size_t I) const { return Rows[I]; }
  /// A place of the row, or one below or to the right of such.
  uint32_t *at(size_t Row, size_t Column) { return &Numbers[Offsets[Row] + (Column - stored(Row))]; }

private:
  size_t stored(size_t Row) const { return Rows[Row ? Row - 1 : 0].First; }
  std::vector<Row> Rows;
  std::vector<size_t> Offsets;
  std::vector<uint32_t> Numbers;
};

/// Compares rules with rules, symbol by symbol (Needleman & Wunsch, 1970), whatever these stand for.
class GapAligner {
public:
  /// Known: what pairs of terminals gain.
  GapAligner(const KeyedSequence &A, const KeyedSequence &B, Gains &Known) : A(A), B(B), OfTerminals(Known) {}

  /// AtLeast: what is known to be gained, if A and B have one rule each.
  Alignment run(uint64_t AtLeast = 0) {
    compare({0, true, 1}, {0, true, 1}, AtLeast);
    return Out.finish(emit({0, true, 1}, {0, true, 1}));
  }

private:
  enum Move : uint8_t { Both, OnlyA, OnlyB };
  struct Comparison {
    uint32_t Gain = 0; ///< of its pairs
    std::vector<Move> Moves;
  };
  using Key = std::array<uint32_t, 4>;
  static Key keyOf(const GrammarSymbol &X, const GrammarSymbol &Y) { return {X.Value, X.IsRule, Y.Value, Y.IsRule}; }

  /// A terminal may stand for a loop with one call in it.
  static Body once(const KeyedSequence &Of, const GrammarSymbol &S) {
    return S.IsRule ? Of.Order.Rules[S.Value] : Body{{S.Value, false, 1}};
  }

  uint32_t gain(const GrammarSymbol &X, const GrammarSymbol &Y) {
    if (X.Count != Y.Count || (X.Count == 1 && X.IsRule != Y.IsRule))
      return 0;
    return X.IsRule || Y.IsRule ? compare(X, Y).Gain : OfTerminals.of(X.Value, Y.Value);
  }

  static int64_t placeOf(const KeyedSequence &Of, GrammarSymbol S) {
    while (S.IsRule)
      S = Of.Order.Rules[S.Value][0];
    return Of.Places.empty() ? 0 : Of.Places[S.Value];
  }

  /// Of each place of a body, what the symbols before it gain at most, if each of Most is what one of them does.
  static std::vector<uint64_t> gainBefore(const Spelling &Of, const std::vector<uint32_t> &Most) {
    std::vector<uint64_t> Sums{0};
    Sums.reserve(Of.At.size() + 1);
    for (uint32_t S : Of.At)
      Sums.push_back(Sums.back() + Most[S]);
    return Sums;
  }

  /// Places in both from which, and up to which, together as much as AtLeast may be gained.
  static Band bandOf(const std::vector<uint64_t> &BeforeX, const std::vector<uint64_t> &BeforeY, uint64_t AtLeast) {
    std::vector<Band::Row> Rows;
    Rows.reserve(BeforeX.size());
    size_t First = 0, Last = 0;
    for (const uint64_t Before : BeforeX) {
      while (First + 1 < BeforeY.size() && BeforeY[First] + (BeforeX.back() - Before) < AtLeast)
        ++First;
      while (Last + 1 < BeforeY.size() && Before + (BeforeY.back() - BeforeY[Last + 1]) >= AtLeast)
        ++Last;
      Rows.push_back({First, Last});
    }
    return Band(std::move(Rows));
  }

  /// In a band, what is gained from each place to the ends.
  static Band bestGains(const Spelling &X, const Spelling &Y, const std::vector<uint32_t> &Gain, Band Best) {
    for (size_t I = X.At.size(); I-- > 0;) {
      // Without a pair nothing is gained over what stands behind one of both.
      const size_t First = Best.row(I).First, End = std::min(Best.row(I).Last + 1, Y.At.size());
      const uint32_t *Row = &Gain[X.At[I] * Y.Symbols.size()], *Column = Y.At.data() + First;
      const uint32_t *Behind = Best.at(I + 1, First);
      uint32_t *Here = Best.at(I, First), Last = 0;
      for (size_t J = End - First; J-- > 0;)
        Here[J] = Last = std::max(std::max(Behind[J], Row[Column[J]] + Behind[J + 1]), Last);
    }
    return Best;
  }

  const Comparison &compare(const GrammarSymbol &SymbolA, const GrammarSymbol &SymbolB, uint64_t AtLeast = 0) {
    auto [It, New] = Known.try_emplace(keyOf(SymbolA, SymbolB));
    if (!New)
      return It->second;
    const Body X = once(A, SymbolA), Y = once(B, SymbolB);
    // Elements repeat: what one gains beside another is found once.
    const Spelling OfX(X), OfY(Y);
    const size_t Width = OfY.Symbols.size();
    std::vector<uint32_t> Gain(OfX.Symbols.size() * Width), MostX(OfX.Symbols.size()), MostY(Width);
    for (size_t I = 0; I < MostX.size(); ++I)
      for (size_t J = 0; J < Width; ++J) {
        const uint32_t G = Gain[I * Width + J] = gain(OfX.Symbols[I], OfY.Symbols[J]);
        MostX[I] = std::max(MostX[I], G);
        MostY[J] = std::max(MostY[J], G);
      }
    // Mostly nearly as much is gained as may be. What was found with too high a guess can be reached.
    const auto BeforeX = gainBefore(OfX, MostX), BeforeY = gainBefore(OfY, MostY);
    const uint64_t Most = std::min(BeforeX.back(), BeforeY.back()), Guess = std::max(AtLeast, Most - Most / 8);
    Band Best = bestGains(OfX, OfY, Gain, bandOf(BeforeX, BeforeY, Guess));
    if (const uint64_t Found = *Best.at(0, 0); Found < Guess)
      Best = bestGains(OfX, OfY, Gain, bandOf(BeforeX, BeforeY, std::max(AtLeast, Found)));
    Comparison &C = It->second;
    C.Gain = *Best.at(0, 0);
    for (size_t I = 0, J = 0; I < X.size() || J < Y.size();) {
      const uint32_t Here = *Best.at(I, J);
      const bool InX = I < X.size(), InY = J < Y.size();
      const uint32_t G = InX && InY ? Gain[OfX.At[I] * Width + OfY.At[J]] : 0;
      bool IsPair = G && Here == G + *Best.at(I + 1, J + 1);
      bool MayBeA = InX && Here == *Best.at(I + 1, J);
      bool MayBeB = InY && Here == *Best.at(I, J + 1);
      bool IsA = MayBeA && !(MayBeB && placeOf(B, Y[J]) < placeOf(A, X[I]));
      Move M = IsPair ? Both : IsA ? OnlyA : OnlyB;
      C.Moves.push_back(M);
      I += M != OnlyB;
      J += M != OnlyA;
    }
    return C;
  }

  /// What two symbols stand for once.
  Body emit(const GrammarSymbol &SymbolA, const GrammarSymbol &SymbolB) {
    Body X = once(A, SymbolA), Y = once(B, SymbolB), To;
    auto NextX = X.begin(), NextY = Y.begin();
    for (Move M : compare(SymbolA, SymbolB).Moves) {
      if (M == OnlyA)
        append(To, onlyOf(A, *NextX++));
      else if (M == OnlyB)
        append(To, onlyOf(B, *NextY++));
      else
        append(To, both(*NextX++, *NextY++));
    }
    return To;
  }

  GrammarSymbol both(const GrammarSymbol &X, const GrammarSymbol &Y) {
    if (!X.IsRule && !Y.IsRule)
      return {Out.pair(X.Value, Y.Value), false, X.Count};
    auto At = Emitted.find(keyOf(X, Y));
    if (At == Emitted.end())
      At = Emitted.emplace(keyOf(X, Y), Out.repeated(emit(X, Y), 1)).first;
    return {At->second.Value, At->second.IsRule, At->second.Count * X.Count};
  }

  GrammarSymbol onlyOf(const KeyedSequence &Of, const GrammarSymbol &S) {
    bool IsA = &Of == &A;
    if (!S.IsRule)
      return {IsA ? Out.pair(S.Value, Alignment::None) : Out.pair(Alignment::None, S.Value), false, S.Count};
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
  Gains &OfTerminals;
  std::map<Key, Comparison> Known;
  std::map<Key, GrammarSymbol> Emitted; ///< of what stands for a symbol of each, once; or for one of one side
  Result Out;
};
} // namespace

/// One rule, of each element.
static GrammarData flat(const GrammarData &G) {
  GrammarData Out;
  Out.Rules[0].reserve(G.length());
  GrammarData::Cursor C(G);
  for (uint32_t T; C.next(T);)
    Out.Rules[0].push_back({T, false, 1});
  return Out;
}

std::optional<Alignment> alignWithGaps(const KeyedSequence &A, const KeyedSequence &B,
                                       const DifferencesFn &Differences) {
  constexpr size_t MaxWork = size_t(1) << 20;
  constexpr uint64_t FewElements = 512;
  if (symbols(A.Order) * symbols(B.Order) > MaxWork)
    return std::nullopt;
  Gains Known(A, B, Differences);
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
  return costOf(ByRules) <= costOf(Flat) ? ByRules : Flat;
}

} // namespace pilgrim
