//===- Alignment.cpp - two sequences, side by side ------------------------===//
#include "trace/Alignment.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace pilgrim {

namespace {
/// A grammar that can be looked into anywhere.
class Sequence {
public:
  explicit Sequence(const GrammarData &G) : G(G), Ends(G.Rules.size()) {
    for (size_t R = G.Rules.size(); R-- > 0;) {
      uint64_t End = 0;
      for (const GrammarSymbol &S : G.Rules[R])
        Ends[R].push_back(End += S.Count * period(S));
    }
  }
  uint64_t length() const { return length(0); }

  /// From here on something of Period elements stands again and again, for Left elements.
  struct Run {
    uint64_t Period, Left;
  };
  /// The terminal at a place, and the runs that it is in.
  uint32_t at(uint64_t Place, std::vector<Run> &Runs) const {
    Runs.clear();
    for (uint32_t R = 0;;) {
      size_t I = static_cast<size_t>(std::upper_bound(Ends[R].begin(), Ends[R].end(), Place) - Ends[R].begin());
      const GrammarSymbol &S = G.Rules[R][I];
      if (S.Count > 1)
        Runs.push_back({period(S), Ends[R][I] - Place});
      if (!S.IsRule)
        return S.Value;
      Place = (Place - (I ? Ends[R][I - 1] : 0)) % period(S);
      R = S.Value;
    }
  }

private:
  uint64_t length(uint32_t Rule) const { return Ends[Rule].empty() ? 0 : Ends[Rule].back(); }
  uint64_t period(const GrammarSymbol &S) const { return S.IsRule ? length(S.Value) : 1; }
  const GrammarData &G;
  std::vector<std::vector<uint64_t>> Ends; ///< by rule and symbol: where in the rule's sequence it ends
};

using Body = std::vector<GrammarSymbol>;

void append(Body &To, const GrammarSymbol &S) {
  if (!To.empty() && To.back().Value == S.Value && To.back().IsRule == S.IsRule)
    To.back().Count += S.Count;
  else
    To.push_back(S);
}

class Aligner {
public:
  Aligner(const GrammarData &A, const GrammarData &B, size_t MaxPairs,
          const std::function<bool(uint32_t, uint32_t)> &CanPair)
      : A(A), B(B), MaxPairs(MaxPairs), CanPair(CanPair), Steps(256 + 4 * (costOf(A, 0) + costOf(B, 0))) {}

  std::optional<Alignment> run() {
    if (A.length() != B.length())
      return std::nullopt;
    Body Start = part(0, 0, A.length());
    if (!Steps)
      return std::nullopt;
    Rules.push_back(withRules(Start));
    return Alignment{numbered(), std::move(Pairs)};
  }

private:
  /// Length elements of both, from these places on. Where both repeat themselves, once is enough: what stands there
  /// again and again is a rule.
  Body part(uint64_t InA, uint64_t InB, uint64_t Length) {
    Body Out;
    while (Length && Steps) {
      --Steps;
      uint32_t X = A.at(InA, RunsA), Y = B.at(InB, RunsB);
      auto [Period, Times] = common(Length);
      if (Period == 1) {
        append(Out, {pair(X, Y), false, Times});
      } else {
        Body Inner = part(InA, InB, Period);
        if (Inner.size() == 1)
          append(Out, {Inner[0].Value, Inner[0].IsRule, Inner[0].Count * Times});
        else
          append(Out, {rule(std::move(Inner)), true, Times});
      }
      uint64_t Done = Period * Times;
      InA += Done, InB += Done, Length -= Done;
    }
    return Out;
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

  uint32_t pair(uint32_t X, uint32_t Y) {
    auto [It, New] = Number.try_emplace({X, Y}, static_cast<uint32_t>(Pairs.size()));
    if (New) {
      if (Pairs.size() == MaxPairs || !CanPair(X, Y))
        Steps = 0;
      Pairs.emplace_back(X, Y);
    }
    return It->second;
  }

  uint32_t rule(Body B) {
    Rules.push_back(std::move(B));
    return static_cast<uint32_t>(Rules.size() - 1);
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
    Body Out;
    for (size_t R = Found.Rules.size(); R-- > 0;) {
      Out.clear();
      for (const GrammarSymbol &S : Found.Rules[R]) {
        if (S.IsRule) {
          append(Out, {Place[S.Value], true, S.Count});
        } else {
          GrammarSymbol Inner = Symbols[S.Value];
          Inner.Count *= S.Count;
          append(Out, Inner);
        }
      }
      if (R)
        Place[R] = rule(Out);
    }
    return Out;
  }

  GrammarData numbered() const {
    GrammarData Out;
    Out.Rules.assign(Rules.rbegin(), Rules.rend());
    for (Body &B : Out.Rules)
      for (GrammarSymbol &S : B)
        if (S.IsRule)
          S.Value = static_cast<uint32_t>(Rules.size() - 1 - S.Value);
    std::vector<uint32_t> Same(Pairs.size());
    std::iota(Same.begin(), Same.end(), 0);
    return Out.renamed(Same);
  }

  Sequence A, B;
  size_t MaxPairs;
  const std::function<bool(uint32_t, uint32_t)> &CanPair;
  size_t Steps; ///< that may be made yet; 0: it is given up
  std::vector<Sequence::Run> RunsA, RunsB;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Number;
  std::vector<std::pair<uint32_t, uint32_t>> Pairs;
  std::vector<Body> Rules; ///< each behind those that it refers to
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

std::optional<Alignment> align(const GrammarData &A, const GrammarData &B, size_t MaxPairs,
                               const std::function<bool(uint32_t, uint32_t)> &CanPair) {
  return Aligner(A, B, MaxPairs, CanPair).run();
}

uint64_t hashOfKeys(const GrammarData &G, std::span<const uint64_t> Keys) {
  std::vector<Polynomial> Of(G.Rules.size());
  for (size_t R = G.Rules.size(); R-- > 0;)
    for (const GrammarSymbol &S : G.Rules[R])
      Of[R] = Of[R].then((S.IsRule ? Of[S.Value] : Polynomial{Keys[S.Value] % Prime, Base}).repeated(S.Count));
  return Of[0].Value ^ Of[0].Power;
}

size_t costOf(const GrammarData &G, size_t Entries) {
  size_t N = 4 * Entries;
  for (const auto &Body : G.Rules)
    N += Body.size();
  return N;
}

} // namespace pilgrim
