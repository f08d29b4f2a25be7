//===- GrammarData.cpp - an immutable grammar -----------------------------===//
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
  for (const auto &[Rule, C] : G.Chunks)
    Length[Rule] = C.length();
  for (size_t R = G.Rules.size(); R-- > 0;)
    for (const GrammarSymbol &S : G.Rules[R]) {
      __uint128_t L = static_cast<__uint128_t>(S.IsRule ? Length[S.Value] : 1) * S.Count + Length[R];
      Length[R] = L > MaxLength ? MaxLength : static_cast<uint64_t>(L);
    }
  return Length;
}

const Chunk *GrammarData::chunk(uint32_t Rule) const {
  if (Chunks.empty() || !Rules[Rule].empty())
    return nullptr;
  auto It = std::lower_bound(Chunks.begin(), Chunks.end(), Rule, [](const auto &C, uint32_t R) { return C.first < R; });
  return It != Chunks.end() && It->first == Rule ? &It->second : nullptr;
}

GrammarData GrammarData::expanded() const {
  GrammarData Out;
  Out.Rules = Rules;
  for (const auto &[Rule, C] : Chunks) {
    const auto Items = C.items();
    for (const RepeatedTerminal &E : *Items)
      Out.Rules[Rule].push_back({E.Value, false, E.Count});
  }
  return Out;
}

size_t GrammarData::symbols() const {
  size_t N = 0;
  for (const auto &Body : Rules)
    N += Body.size();
  return N;
}

uint64_t GrammarData::length() const {
  if (Rules.size() > 1)
    return ruleLengths(*this)[0];
  uint64_t N = 0;
  for (const GrammarSymbol &S : Rules[0])
    N = std::min(N + std::min(S.Count, MaxLength), MaxLength);
  return N;
}

bool GrammarData::isShort() const { return length() < MaxLength; }

uint32_t GrammarData::terminals() const {
  uint32_t N = 0;
  for (const auto &Body : Rules)
    for (const GrammarSymbol &S : Body)
      if (!S.IsRule)
        N = std::max(N, S.Value + 1);
  for (const auto &[Rule, C] : Chunks)
    N = std::max(N, C.terminals());
  return N;
}

std::vector<uint64_t> GrammarData::uses() const {
  std::vector<uint64_t> Uses(Rules.size(), 0);
  Uses[0] = 1;
  for (size_t R = 0; R < Rules.size(); ++R)
    for (const GrammarSymbol &S : Rules[R])
      if (S.IsRule)
        Uses[S.Value] += Uses[R] * S.Count;
  return Uses;
}

std::vector<uint64_t> GrammarData::terminalCounts() const {
  std::vector<uint64_t> Counts(InChunks);
  Counts.resize(terminals());
  if (Rules.size() == 1) { // the frequent case
    for (const GrammarSymbol &S : Rules[0])
      Counts[S.Value] += S.Count;
    return Counts;
  }
  const std::vector<uint64_t> Uses = uses();
  for (size_t R = 0; R < Rules.size(); ++R)
    for (const GrammarSymbol &S : Rules[R])
      if (!S.IsRule)
        Counts[S.Value] += Uses[R] * S.Count;
  return Counts;
}

/// Calls Add(terminal, count) for each symbol of a rule, and of the rules in it, until that returns false.
template <typename Fn> static bool flatten(const GrammarData &G, uint32_t Rule, Fn &&Add) {
  if (const Chunk *C = G.chunk(Rule))
    return std::ranges::all_of(*C->items(), [&](const RepeatedTerminal &E) { return Add(E.Value, E.Count); });
  for (const GrammarSymbol &S : G.Rules[Rule]) {
    if (!S.IsRule && !Add(S.Value, S.Count))
      return false;
    for (uint64_t I = 0; S.IsRule && I < S.Count; ++I)
      if (!flatten(G, S.Value, Add))
        return false;
  }
  return true;
}

bool GrammarData::forEachElement(const std::function<bool(const RepeatedTerminal &)> &F) const {
  RepeatedTerminal Open{0, 0};
  auto Add = [&](uint32_t Terminal, uint64_t Count) {
    if (Open.Count && Open.Value != Terminal) {
      if (!F(Open))
        return false;
      Open.Count = 0;
    }
    Open = {Terminal, Open.Count + Count};
    return true;
  };
  return flatten(*this, 0, Add) && (!Open.Count || F(Open));
}

std::optional<std::vector<RepeatedTerminal>> GrammarData::flat(size_t Most) const {
  std::vector<RepeatedTerminal> Out;
  auto Add = [&](const RepeatedTerminal &E) {
    Out.push_back(E);
    return Out.size() <= Most;
  };
  return forEachElement(Add) ? std::optional(std::move(Out)) : std::nullopt;
}

/// The same as one rule.
static GrammarData withoutRules(const GrammarData &G) {
  GrammarData Out;
  const auto Flat = G.flat();
  for (const RepeatedTerminal &E : *Flat)
    Out.Rules[0].push_back({E.Value, false, E.Count});
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

uint64_t entropyOf(std::span<const uint8_t> Bytes) {
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
  const size_t Symbols = symbols();
  // Where the rules say much, they stay. Of few symbols an entropy coder learns nothing.
  if (Rules.size() > 1 && length() <= 4 * Symbols) {
    GrammarData Flat = withoutRules(*this);
    const auto AsFlat = bytesOf(Flat), AsRules = bytesOf(*this);
    if (Symbols < 64 ? AsFlat.size() < AsRules.size() : entropyOf(AsFlat) < entropyOf(AsRules))
      return Flat;
  }
  return std::move(*this);
}

/// Chunk by chunk, if nothing is left out.
static GrammarData renamedChunks(const GrammarData &G, const std::vector<uint32_t> &New) {
  GrammarData Out;
  Out.Rules = G.Rules;
  for (auto &Body : Out.Rules)
    for (GrammarSymbol &S : Body)
      S.Value = S.IsRule ? S.Value : New[S.Value];
  ChunkForm Form;
  for (const auto &[Rule, C] : G.Chunks) {
    const auto Items = C.items();
    Chunk::ItemList Renamed;
    uint32_t Terminals = 0;
    for (const RepeatedTerminal &E : *Items) {
      const uint32_t T = New[E.Value];
      Terminals = std::max(Terminals, T + 1);
      if (!Renamed.empty() && Renamed.back().Value == T)
        Renamed.back().Count += E.Count;
      else
        Renamed.push_back({T, E.Count});
    }
    auto Bytes = std::make_shared<ChunkMemory>(encodeItems(Renamed, Form));
    const uint64_t Size = Bytes->size();
    Out.Chunks.emplace_back(Rule, Chunk(std::move(Bytes), 0, Size, C.length(), Terminals));
    Out.InChunks.resize(std::max<size_t>(Out.InChunks.size(), Terminals));
  }
  for (size_t T = 0; T < G.InChunks.size(); ++T)
    if (G.InChunks[T])
      Out.InChunks[New[T]] += G.InChunks[T];
  return Out;
}

GrammarData GrammarData::renamed(const std::vector<uint32_t> &New) const {
  if (!Chunks.empty() && std::ranges::find(New, LeftOut) == New.end())
    return renamedChunks(*this, New);
  if (!Chunks.empty())
    return expanded().renamed(New);
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

void GrammarData::Cursor::push(uint32_t Rule) {
  Stack.push_back({Rule, 0, 0});
  if (const Chunk *C = G->chunk(Rule))
    Items = C->items();
}

bool GrammarData::Cursor::nextInChunk(Frame &F, uint32_t &Terminal) {
  if (F.Index < Items->size() && F.Done == (*Items)[F.Index].Count) {
    F.Done = 0;
    ++F.Index;
  }
  if (F.Index == Items->size()) {
    Items.reset();
    return false;
  }
  ++F.Done;
  Terminal = (*Items)[F.Index].Value;
  return true;
}

bool GrammarData::Cursor::next(uint32_t &Terminal) {
  while (!Stack.empty()) {
    Frame &F = Stack.back();
    if (Items) {
      if (nextInChunk(F, Terminal))
        return true;
      Stack.pop_back();
      continue;
    }
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
