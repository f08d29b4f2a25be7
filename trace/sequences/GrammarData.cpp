//===- GrammarData.cpp - an immutable grammar -----------------------------===//
//
// Serialised form, per rule: number of symbols, then each symbol as varint
// (value * 4 + isRule * 2 + hasCount), a rule as the difference to the rule it
// stands in, a terminal as 0 if it is the next one that has not occurred, else
// as its number + 1, and the count where it is not one; 0 for one that is not said
// here.
//
//===----------------------------------------------------------------------===//
#include "trace/sequences/Grammar.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace pilgrim {

static constexpr uint64_t MaxLength = uint64_t(1) << 62;

/// Length of each rule's expansion; a read grammar whose length overflows gives
/// MaxLength or more at rule 0.
static std::vector<uint64_t> ruleLengths(const GrammarData &G) {
  std::vector<uint64_t> Length(G.Rules.size(), 0);
  for (size_t R = G.Rules.size(); R-- > 0;)
    for (const GrammarSymbol &S : G.Rules[R]) {
      __uint128_t L = static_cast<__uint128_t>(S.IsRule ? Length[S.Value] : 1) * S.Count + Length[R];
      Length[R] = L > MaxLength ? MaxLength : static_cast<uint64_t>(L);
    }
  return Length;
}

uint64_t GrammarData::length() const { return ruleLengths(*this)[0]; }

bool GrammarData::isShort() const { return length() < MaxLength; }

uint32_t GrammarData::terminals() const {
  uint32_t N = 0;
  for (const auto &Body : Rules)
    for (const GrammarSymbol &S : Body)
      if (!S.IsRule)
        N = std::max(N, S.Value + 1);
  return N;
}

std::vector<uint64_t> GrammarData::terminalCounts() const {
  std::vector<uint64_t> Uses(Rules.size(), 0), Counts(terminals(), 0);
  Uses[0] = 1;
  for (size_t R = 0; R < Rules.size(); ++R)
    for (const GrammarSymbol &S : Rules[R])
      (S.IsRule ? Uses[S.Value] : Counts[S.Value]) += Uses[R] * S.Count;
  return Counts;
}

/// The sequence itself, as one rule.
static GrammarData flat(const GrammarData &G) {
  GrammarData Out;
  auto &Body = Out.Rules[0];
  GrammarData::Cursor C(G);
  for (uint32_t T; C.next(T);) {
    if (!Body.empty() && Body.back().Value == T)
      ++Body.back().Count;
    else
      Body.push_back({T, false, 1});
  }
  return Out;
}

/// log2(N) in units of 2^-16, rounded down: the same on every machine, and no other library has to come into memory.
static uint64_t log2Units(uint64_t N) {
  unsigned Whole = static_cast<unsigned>(std::bit_width(N)) - 1;
  uint64_t Result = Whole, X = Whole >= 31 ? N >> (Whole - 31) : N << (31 - Whole); // 1 <= X / 2^31 < 2
  for (int I = 0; I < 16; ++I) {
    X = X * X >> 31;
    Result = Result * 2 + (X >> 32);
    X >>= X >> 32;
  }
  return Result;
}

static std::vector<uint8_t> bytes(const GrammarData &G) {
  ByteWriter W;
  G.write(W);
  return std::move(W.Data);
}

/// Bits, in units of 2^-16, that an entropy coder would write, taking each byte for itself.
static uint64_t entropy(const std::vector<uint8_t> &Bytes) {
  std::array<size_t, 256> Count{};
  for (uint8_t Byte : Bytes)
    ++Count[Byte];
  uint64_t Bits = 0, All = log2Units(std::max<size_t>(Bytes.size(), 1));
  for (uint64_t N : Count)
    if (N)
      Bits += N * (All - std::min(All, log2Units(N)));
  return Bits;
}

GrammarData GrammarData::smallest() && {
  size_t Symbols = 0;
  for (const auto &Body : Rules)
    Symbols += Body.size();
  // Where the rules say much, they stay. Of few symbols an entropy coder learns nothing.
  if (Rules.size() > 1 && length() <= 4 * Symbols) {
    GrammarData Flat = flat(*this);
    if (Symbols < 64 ? bytes(Flat).size() < bytes(*this).size() : entropy(bytes(Flat)) < entropy(bytes(*this)))
      return Flat;
  }
  return std::move(*this);
}

GrammarData GrammarData::renamed(const std::vector<uint32_t> &New) const {
  // From the last rule on: what rules came to stand for. Equal ones become one, and one of a single symbol goes.
  std::vector<std::vector<GrammarSymbol>> Bodies(Rules.size());
  std::map<std::vector<std::array<uint64_t, 3>>, uint32_t> Known;
  std::vector<uint32_t> Same(Rules.size());
  for (size_t R = Rules.size(); R-- > 0;) {
    auto &Body = Bodies[R];
    Body.reserve(Rules[R].size());
    for (GrammarSymbol S : Rules[R]) {
      if (!S.IsRule) {
        if (New[S.Value] == LeftOut)
          continue;
        S.Value = New[S.Value];
      } else if (const auto &Inside = Bodies[S.Value]; Inside.empty())
        continue;
      else if (Inside.size() == 1)
        S = {Inside[0].Value, Inside[0].IsRule, Inside[0].Count * S.Count};
      else
        S.Value = Same[S.Value];
      if (!Body.empty() && Body.back().Value == S.Value && Body.back().IsRule == S.IsRule)
        Body.back().Count += S.Count;
      else
        Body.push_back(S);
    }
    if (R == 0)
      break;
    std::vector<std::array<uint64_t, 3>> Key;
    Key.reserve(Body.size());
    for (const GrammarSymbol &S : Body)
      Key.push_back({S.Value, S.IsRule, S.Count});
    Same[R] = Known.try_emplace(std::move(Key), static_cast<uint32_t>(R)).first->second;
  }
  // A start that is a rule, once, is that rule. Then those that are used, in their order.
  uint32_t Start = 0;
  while (Bodies[Start].size() == 1 && Bodies[Start][0].IsRule && Bodies[Start][0].Count == 1)
    Start = Bodies[Start][0].Value;
  std::vector<uint32_t> Number(Rules.size(), 0);
  Number[Start] = 1;
  GrammarData Out;
  Out.Rules.clear();
  for (size_t R = Start; R < Rules.size(); ++R)
    if (Number[R]) {
      Number[R] = static_cast<uint32_t>(Out.Rules.size() + 1);
      for (const GrammarSymbol &S : Bodies[R])
        if (S.IsRule)
          Number[S.Value] = 1;
      Out.Rules.push_back(std::move(Bodies[R]));
    }
  for (auto &Body : Out.Rules)
    for (GrammarSymbol &S : Body)
      if (S.IsRule)
        S.Value = Number[S.Value] - 1;
  return Out;
}

void GrammarData::writeRules(ByteWriter &W, const std::vector<uint32_t> &Open) const {
  uint32_t New = 0, Place = 0;
  auto NextOpen = Open.begin();
  for (size_t R = 0; R < Rules.size(); ++R) {
    W.varint(Rules[R].size());
    for (const GrammarSymbol &S : Rules[R]) {
      uint64_t V = S.IsRule ? S.Value - R : S.Value == New ? 0 : uint64_t(S.Value) + 1;
      if (!S.IsRule)
        New = std::max(New, S.Value + 1);
      bool IsOpen = NextOpen != Open.end() && *NextOpen == Place++;
      NextOpen += IsOpen;
      W.varint(V << 2 | uint64_t(S.IsRule) << 1 | uint64_t(IsOpen || S.Count > 1));
      if (IsOpen || S.Count > 1)
        W.varint(IsOpen ? 0 : S.Count);
    }
  }
}

GrammarData GrammarData::read(ByteReader &R, size_t N, std::vector<uint32_t> *Open) {
  GrammarData G;
  uint32_t Place = 0;
  if (N == 0)
    R.fail("a grammar without a start");
  R.spend(N * sizeof(G.Rules[0]));
  if (!R.ok())
    return G;
  G.Rules.assign(std::max<size_t>(N, 1), {});
  uint32_t New = 0;
  for (size_t I = 0; I < N && R.ok(); ++I) {
    size_t M = R.count();
    R.spend(M * sizeof(GrammarSymbol));
    if (!R.ok())
      break;
    G.Rules[I].reserve(M);
    for (size_t J = 0; J < M && R.ok(); ++J, ++Place) {
      uint64_t V = R.varint();
      GrammarSymbol S{0, (V & 2) != 0, 1};
      if (V & 1) {
        S.Count = R.varint();
        if (S.Count == 0 && Open) {
          Open->push_back(Place);
          S.Count = 2;
        }
        if (S.Count < 2)
          R.fail("the count of a symbol is below 2");
      }
      V >>= 2;
      if (S.IsRule) {
        V += I;
        if (V <= I || V >= N)
          R.fail("a rule refers to one that is not behind it");
      } else {
        V = V ? V - 1 : New;
        if (V >= 0x80000000u)
          R.fail("a terminal is 2^31 or more");
        New = std::max(New, static_cast<uint32_t>(V) + 1);
      }
      S.Value = static_cast<uint32_t>(V);
      G.Rules[I].push_back(S);
    }
    // A rule that stands for one symbol or none would let a cursor spin through
    // a chain of such without a terminal.
    if (R.ok() && I > 0 && (M == 0 || (M == 1 && G.Rules[I][0].Count < 2)))
      R.fail("a rule stands for one symbol or none");
  }
  if (R.ok() && ruleLengths(G)[0] >= MaxLength)
    R.fail("a sequence has 2^62 elements or more");
  if (!R.ok())
    return {};
  return G;
}

bool GrammarData::Cursor::next(uint32_t &Terminal) {
  while (!Stack.empty()) {
    Frame &F = Stack.back();
    const auto &Body = G->Rules[F.Rule];
    if (F.Index == Body.size()) {
      Stack.pop_back();
      continue;
    }
    const GrammarSymbol &S = Body[F.Index];
    if (F.Done == S.Count) {
      F.Done = 0;
      ++F.Index;
      continue;
    }
    ++F.Done;
    if (!S.IsRule) {
      Terminal = S.Value;
      return true;
    }
    push(S.Value);
  }
  return false;
}

} // namespace pilgrim
