//===- Alignment.cpp - two sequences, side by side ------------------------===//
#include "trace/sequences/Alignment.h"
#include "trace/sequences/Sequence.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace pilgrim {

using DifferencesFn = std::function<size_t(uint32_t, uint32_t)>;

namespace {
using Body = std::vector<GrammarSymbol>;

void append(Body &To, const GrammarSymbol &S) {
  if (!To.empty() && To.back().Value == S.Value && To.back().IsRule == S.IsRule)
    To.back().Count += S.Count;
  else
    To.push_back(S);
}

size_t symbols(const GrammarData &G) {
  size_t N = 0;
  for (const Body &B : G.Rules)
    N += B.size();
  return N;
}

/// Pairs and rules of an alignment that is made.
class Result {
public:
  uint32_t pair(uint32_t X, uint32_t Y) {
    auto [It, New] = Number.try_emplace({X, Y}, static_cast<uint32_t>(Pairs.size()));
    if (New)
      Pairs.emplace_back(X, Y);
    return It->second;
  }
  /// Those that B refers to are there already.
  uint32_t rule(Body B) {
    Rules.push_back(std::move(B));
    return static_cast<uint32_t>(Rules.size() - 1);
  }
  /// What B stands for, so many times.
  GrammarSymbol repeated(Body B, uint64_t Times) {
    if (B.size() == 1)
      return {B[0].Value, B[0].IsRule, B[0].Count * Times};
    return {rule(std::move(B)), true, Times};
  }
  Alignment finish(Body Start) {
    rule(std::move(Start));
    GrammarData Out;
    Out.Rules.assign(Rules.rbegin(), Rules.rend());
    for (Body &B : Out.Rules)
      for (GrammarSymbol &S : B)
        if (S.IsRule)
          S.Value = static_cast<uint32_t>(Rules.size() - 1 - S.Value);
    std::vector<uint32_t> Same(Pairs.size());
    std::iota(Same.begin(), Same.end(), 0);
    return {Out.renamed(Same), std::move(Pairs)};
  }

private:
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Number;
  std::vector<std::pair<uint32_t, uint32_t>> Pairs;
  std::vector<Body> Rules; ///< each behind those that it refers to
};

class Aligner {
public:
  Aligner(const KeyedSequence &A, const KeyedSequence &B)
      : A(A.Order), B(B.Order), KeysA(A.Keys), KeysB(B.Keys), Steps(256 + 4 * (symbols(A.Order) + symbols(B.Order))) {}

  std::optional<Alignment> run() {
    if (A.length() != B.length())
      return std::nullopt;
    Body Start = part(0, 0, A.length());
    if (!Steps)
      return std::nullopt;
    return Out.finish(withRules(Start));
  }

private:
  /// Length elements of both, from these places on. Where both repeat themselves, once is enough: what stands there
  /// again and again is a rule.
  Body part(uint64_t InA, uint64_t InB, uint64_t Length) {
    Body To;
    while (Length && Steps) {
      --Steps;
      uint32_t X = A.at(InA, RunsA), Y = B.at(InB, RunsB);
      if (KeysA[X] != KeysB[Y])
        Steps = 0;
      auto [Period, Times] = common(Length);
      if (Period == 1)
        append(To, {Out.pair(X, Y), false, Times});
      else
        append(To, Out.repeated(part(InA, InB, Period), Times));
      uint64_t Done = Period * Times;
      InA += Done, InB += Done, Length -= Done;
    }
    return To;
  }

  /// The longest stretch of RunsA and RunsB in which both repeat themselves, by its shortest period; or one element.
  std::pair<uint64_t, uint64_t> common(uint64_t Length) const {
    uint64_t Period = 1, Times = 1;
    for (const Sequence::Run &X : RunsA)
      for (const Sequence::Run &Y : RunsB) {
        uint64_t Left = std::min({X.Left, Y.Left, Length}), Shared = X.Period / std::gcd(X.Period, Y.Period);
        if (Shared > Left / Y.Period)
          continue;
        Shared *= Y.Period;
        uint64_t N = Left / Shared;
        if (N > 1 && (N * Shared > Period * Times || (N * Shared == Period * Times && Shared < Period)))
          Period = Shared, Times = N;
      }
    return {Period, Times};
  }

  /// What stands in several places, but not again and again, is left to Sequitur.
  Body withRules(const Body &Plain) {
    std::map<std::array<uint64_t, 3>, uint32_t> Known;
    Body Symbols;
    Grammar Repeated;
    for (const GrammarSymbol &S : Plain) {
      auto [It, New] = Known.try_emplace({S.Value, S.IsRule, S.Count}, static_cast<uint32_t>(Symbols.size()));
      if (New)
        Symbols.push_back(S);
      Repeated.append(It->second);
    }
    GrammarData Found = Repeated.data();
    // The last rule first, as all of ours: a rule stands behind those that it refers to.
    std::vector<uint32_t> Place(Found.Rules.size());
    Body To;
    for (size_t R = Found.Rules.size(); R-- > 0;) {
      To.clear();
      for (const GrammarSymbol &S : Found.Rules[R])
        append(To, S.IsRule ? GrammarSymbol{Place[S.Value], true, S.Count}
                            : GrammarSymbol{Symbols[S.Value].Value, Symbols[S.Value].IsRule,
                                            Symbols[S.Value].Count * S.Count});
      if (R)
        Place[R] = Out.rule(To);
    }
    return To;
  }

  Sequence A, B;
  const std::vector<uint64_t> &KeysA, &KeysB;
  size_t Steps; ///< that may be made yet; 0: it is given up
  std::vector<Sequence::Run> RunsA, RunsB;
  Result Out;
};

/// Compares rules with rules, symbol by symbol (Needleman & Wunsch, 1970), whatever these stand for.
class GapAligner {
public:
  GapAligner(const KeyedSequence &A, const KeyedSequence &B, const DifferencesFn &Differences)
      : A(A), B(B), Differences(Differences) {}

  std::optional<Alignment> run() {
    if (symbols(A.Order) * symbols(B.Order) > MaxWork)
      return std::nullopt;
    // Not more than that: a terminal is a symbol somewhere.
    TerminalsB = B.Order.terminals();
    Gains.assign(A.Order.terminals() * TerminalsB, Unknown);
    return Out.finish(emit({0, true, 1}, {0, true, 1}));
  }

private:
  static constexpr size_t MaxWork = size_t(1) << 20;
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
    return X.IsRule || Y.IsRule ? compare(X, Y).Gain : gain(X.Value, Y.Value);
  }

  uint32_t gain(uint32_t X, uint32_t Y) {
    uint8_t &G = Gains[X * TerminalsB + Y];
    if (G == Unknown)
      G = A.Keys[X] != B.Keys[Y] ? 0 : uint8_t(4 >> std::min<size_t>(Differences(X, Y), 2));
    return G;
  }

  static int64_t placeOf(const KeyedSequence &Of, GrammarSymbol S) {
    while (S.IsRule)
      S = Of.Order.Rules[S.Value][0];
    return Of.Places.empty() ? 0 : Of.Places[S.Value];
  }

  const Comparison &compare(const GrammarSymbol &SymbolA, const GrammarSymbol &SymbolB) {
    auto [It, New] = Known.try_emplace(keyOf(SymbolA, SymbolB));
    if (!New)
      return It->second;
    Body X = once(A, SymbolA), Y = once(B, SymbolB);
    const size_t Width = Y.size() + 1;
    std::vector<uint32_t> Best((X.size() + 1) * Width); // from there to the ends
    // Elements repeat: what a call gains beside each of the other side is found once.
    std::map<std::array<uint64_t, 3>, std::vector<uint32_t>> Rows;
    for (size_t I = X.size(); I-- > 0;) {
      std::vector<uint32_t> &Row = Rows[{X[I].Value, X[I].IsRule, X[I].Count}];
      for (size_t J = Row.size(); J < Y.size(); ++J)
        Row.push_back(gain(X[I], Y[J]));
      // Without a pair nothing is gained over what stands behind one of both.
      uint32_t *Here = &Best[I * Width];
      const uint32_t *Behind = Here + Width;
      uint32_t Last = 0;
      for (size_t J = Y.size(); J-- > 0;)
        Here[J] = Last = std::max(std::max(Behind[J], Row[J] + Behind[J + 1]), Last);
    }
    Comparison &C = It->second;
    C.Gain = Best[0];
    for (size_t I = 0, J = 0; I < X.size() || J < Y.size();) {
      uint32_t Here = Best[I * Width + J];
      const uint32_t G = I < X.size() && J < Y.size() ? gain(X[I], Y[J]) : 0;
      bool IsPair = G && Here == G + Best[(I + 1) * Width + J + 1];
      bool MayBeA = I < X.size() && Here == Best[(I + 1) * Width + J];
      bool MayBeB = J < Y.size() && Here == Best[I * Width + J + 1];
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

  static constexpr uint8_t Unknown = UINT8_MAX;
  const KeyedSequence &A, &B;
  const DifferencesFn &Differences;
  size_t TerminalsB = 0;
  std::vector<uint8_t> Gains; ///< of pairs of terminals
  std::map<Key, Comparison> Known;
  std::map<Key, GrammarSymbol> Emitted; ///< of what stands for a symbol of each, once; or for one of one side
  Result Out;
};

// Polynomials modulo a Mersenne prime: the hash of two sequences, one behind the other, follows from theirs.
constexpr uint64_t Prime = (uint64_t(1) << 61) - 1, Base = 0x1234567890abcdu;

uint64_t times(uint64_t X, uint64_t Y) {
  __uint128_t P = static_cast<__uint128_t>(X) * Y;
  uint64_t Sum = static_cast<uint64_t>(P & Prime) + static_cast<uint64_t>(P >> 61);
  return Sum >= Prime ? Sum - Prime : Sum;
}

struct Polynomial {
  uint64_t Value = 0, Power = 1; ///< Power: what a value before it is multiplied with
  Polynomial then(const Polynomial &O) const {
    uint64_t Sum = times(Value, O.Power) + O.Value;
    return {Sum >= Prime ? Sum - Prime : Sum, times(Power, O.Power)};
  }
  Polynomial repeated(uint64_t N) const {
    Polynomial Out, Square = *this;
    for (; N; N /= 2, Square = Square.then(Square))
      if (N & 1)
        Out = Out.then(Square);
    return Out;
  }
};
} // namespace

std::optional<Alignment> align(const KeyedSequence &A, const KeyedSequence &B) { return Aligner(A, B).run(); }

/// One rule, of each element.
static GrammarData flat(const GrammarData &G) {
  GrammarData Out;
  GrammarData::Cursor C(G);
  for (uint32_t T; C.next(T);)
    Out.Rules[0].push_back({T, false, 1});
  return Out;
}

std::optional<Alignment> alignWithGaps(const KeyedSequence &A, const KeyedSequence &B,
                                       const DifferencesFn &Differences) {
  constexpr uint64_t FewElements = 512;
  auto ByRules = GapAligner(A, B, Differences).run();
  if (A.Order.length() > FewElements || B.Order.length() > FewElements)
    return ByRules;
  // Nothing is shorter than the longer of both.
  if (ByRules && costOf(*ByRules) <= std::max(costOf(A.Order), costOf(B.Order)))
    return ByRules;
  // Rules may have come about in different ways and not fit; without any, what is repeated may come to stand beside
  // something else each time.
  GrammarData FlatA = flat(A.Order), FlatB = flat(B.Order);
  auto Flat = GapAligner({FlatA, A.Keys, A.Places}, {FlatB, B.Keys, B.Places}, Differences).run();
  Grammar Order;
  for (const GrammarSymbol &S : Flat->Order.Rules[0])
    for (uint64_t I = 0; I < S.Count; ++I)
      Order.append(S.Value);
  Flat->Order = Order.data();
  return ByRules && costOf(*ByRules) <= costOf(*Flat) ? ByRules : Flat;
}

uint64_t hashOfKeys(const KeyedSequence &S) {
  const auto &Rules = S.Order.Rules;
  std::vector<Polynomial> Of(Rules.size());
  for (size_t R = Rules.size(); R-- > 0;)
    for (const GrammarSymbol &X : Rules[R])
      Of[R] = Of[R].then((X.IsRule ? Of[X.Value] : Polynomial{S.Keys[X.Value] % Prime, Base}).repeated(X.Count));
  return Of[0].Value ^ Of[0].Power;
}

static constexpr size_t CostOfEntry = 4, CostOfRanks = 2;

size_t costOf(const GrammarData &G) { return symbols(G) + CostOfEntry * G.terminals(); }

size_t costOf(const Alignment &A) {
  size_t N = costOf(A.Order);
  for (auto [X, Y] : A.Pairs)
    N += X == Alignment::None || Y == Alignment::None ? CostOfRanks : 0;
  return N;
}

} // namespace pilgrim
