//===- Alignment.cpp - two sequences, side by side ------------------------===//
#include "trace/sequences/AlignmentParts.h"
#include "trace/sequences/Sequence.h"

#include <algorithm>
#include <array>
#include <map>

namespace pilgrim {

using namespace alignment;

namespace {
class Aligner {
public:
  Aligner(const KeyedSequence &A, const KeyedSequence &B)
      : A(A.Order), B(B.Order), KeysA(A.Keys), KeysB(B.Keys), Left(256 + 4 * (A.Order.symbols() + B.Order.symbols())) {}

  std::optional<Alignment> run() {
    if (A.length() != B.length())
      return std::nullopt;
    Body Start = part(0, 0, A.length());
    if (!Left)
      return std::nullopt;
    return Out.finish(withRules(Start));
  }

private:
  /// Length elements of both, from these places on. Where both repeat themselves, once is enough: what stands there
  /// again and again is a rule.
  Body part(uint64_t InA, uint64_t InB, uint64_t Length) {
    Body To;
    while (Length && Left) {
      --Left;
      uint32_t X = A.at(InA, RunsA), Y = B.at(InB, RunsB);
      if (KeysA[X] != KeysB[Y])
        Left = 0;
      auto [Period, Times] = common(Length);
      if (Period == 1) {
        append(To, {Out.pair(X, Y), false, Times});
      } else {
        const uint64_t Earlier = shift(To, InA, InB, Period);
        InA -= Earlier, InB -= Earlier, Length += Earlier;
        Times = timesThere(InA, InB, Period, Times, Length);
        append(To, Out.repeated(part(InA, InB, Period), Times));
      }
      uint64_t Done = Period * Times;
      InA += Done, InB += Done, Length -= Done;
    }
    return To;
  }

  /// a (b a)^2 b is (a b)^3, however both sides say it. Takes what is part of the repetition at these places off the
  /// end of To, and returns how many elements that are.
  uint64_t shift(Body &To, uint64_t InA, uint64_t InB, uint64_t Period) {
    uint64_t N = 0;
    while (!To.empty() && !To.back().IsRule && MayShift && areEqual(InA - N - 1, InB - N - 1, Period)) {
      if (--To.back().Count == 0)
        To.pop_back();
      ++N, --MayShift;
    }
    return N;
  }

  /// How often the repetition at these places is there, which is Times or more.
  uint64_t timesThere(uint64_t InA, uint64_t InB, uint64_t Period, uint64_t Times, uint64_t Length) {
    uint64_t End = Period * Times;
    while (End < Length && MayShift && areEqual(InA + End - Period, InB + End - Period, Period))
      ++End, --MayShift;
    return End / Period;
  }

  /// Whether the elements at these places stand there again after Period elements.
  bool areEqual(uint64_t InA, uint64_t InB, uint64_t Period) const {
    return A.at(InA) == A.at(InA + Period) && B.at(InB) == B.at(InB + Period);
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
  size_t Left;            ///< elements that may be looked at yet; 0: it is given up
  size_t MayShift = Left; ///< elements that repetitions may be begun earlier by, or continued
  std::vector<Sequence::Run> RunsA, RunsB;
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

uint64_t hashOfKeys(const KeyedSequence &S) {
  const auto &Rules = S.Order.Rules;
  std::vector<Polynomial> Of(Rules.size());
  for (size_t R = Rules.size(); R-- > 0;)
    for (const GrammarSymbol &X : Rules[R])
      Of[R] = Of[R].then((X.IsRule ? Of[X.Value] : Polynomial{S.Keys[X.Value] % Prime, Base}).repeated(X.Count));
  return Of[0].Value ^ Of[0].Power;
}

static constexpr size_t CostOfEntry = 4;

size_t costOf(const GrammarData &G) { return G.symbols() + CostOfEntry * G.terminals(); }

size_t costOf(const Alignment &A) {
  size_t N = costOf(A.Order);
  for (auto [X, Y] : A.Pairs)
    N += X == Alignment::None || Y == Alignment::None ? CostOfRanks : 0;
  return N;
}

} // namespace pilgrim
