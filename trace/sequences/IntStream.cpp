//===- IntStream.cpp - compressed sequences of integers -------------------===//
#include "trace/sequences/IntStream.h"
#include "trace/base/ReleaseMemory.h"
#include "trace/base/Wrap.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace pilgrim {

static uint64_t hashRun(const LinearRun &R) {
  uint64_t H = static_cast<uint64_t>(R.First) * 0x9e3779b97f4a7c15ull;
  H ^= static_cast<uint64_t>(R.Stride) * 0xc2b2ae3d27d4eb4full + (H >> 31);
  H ^= R.Count * 0x165667b19e3779f9ull + (H << 7);
  return H ^ (H >> 32);
}

/// Few values are no run: those that random ones make would each be new.
void IntStream::emit(LinearRun R) {
  constexpr uint64_t ShortestRun = 4;
  if (!Ended)
    Ended.reset(new EndedRuns);
  if (R.Count >= ShortestRun)
    return Ended->add(R);
  for (uint64_t I = 0; I < R.Count; ++I)
    Ended->add({static_cast<int64_t>(static_cast<uint64_t>(R.First) + I * static_cast<uint64_t>(R.Stride)), 0, 1});
}

void IntStream::EndedRuns::add(LinearRun R) {
  if ((Runs.size() + 1) * 2 > Table.size()) {
    Table.assign(Table.empty() ? 8 : Table.size() * 2, 0);
    for (size_t I = 0; I < Runs.size(); ++I) {
      size_t P = hashRun(Runs[I]) & (Table.size() - 1);
      while (Table[P])
        P = (P + 1) & (Table.size() - 1);
      Table[P] = static_cast<uint32_t>(I + 1);
    }
  }
  size_t P = hashRun(R) & (Table.size() - 1);
  while (Table[P] && !(Runs[Table[P] - 1] == R))
    P = (P + 1) & (Table.size() - 1);
  if (!Table[P]) {
    Runs.push_back(R);
    Table[P] = static_cast<uint32_t>(Runs.size());
  }
  Order.append(Table[P] - 1);
}

/// A value that does not continue the open run.
bool IntStream::startRun(int64_t V) {
  bool IsSealed = false;
  if (Store && !isPlain() && size() >= (isLong() ? Ended->Seal->Review : Store->isLongFrom()))
    IsSealed = review();
  if (isPlain()) {
    Ended->Seal->append(*Store, V);
    if (isPlain())
      return IsSealed;
  }
  if (Run.Count == 0) {
    Run = {V, 0, 1};
    return IsSealed;
  }
  if (Run.Count == 1) {
    Run.Stride = wrappedDifference(V, Run.First);
    Run.Count = 2;
  } else if (Run.Count == 2) {
    emit({Run.First, 0, 1});
    Run.First = wrappedSum(Run.First, Run.Stride);
    Run.Stride = wrappedDifference(V, Run.First);
  } else {
    emit(Run);
    Run = {V, 0, 1};
    return IsSealed;
  }
  Next = wrappedSum(V, Run.Stride);
  return IsSealed;
}

IntStreamData IntStream::liveData() const {
  // The open run stays open: what is appended later must not depend on when
  // somebody looked.
  return IntStream(*this).withOpenRun();
}

/// Of a stream that is not used any more.
IntStreamData IntStream::withOpenRun() {
  if (Run.Count)
    emit(Run);
  return Ended ? IntStreamData{std::move(Ended->Runs), Ended->Order.data()} : IntStreamData();
}

/// The next values, Most at most.
static std::vector<int64_t> take(IntStreamData::Cursor &From, size_t Most) {
  std::vector<int64_t> Out;
  Out.reserve(Most);
  for (int64_t V; Out.size() < Most && From.next(V);)
    Out.push_back(V);
  return Out;
}

/// As Grammar::seal().
void IntStream::seal() {
  if (Run.Count)
    emit(Run);
  const IntStreamData D{std::move(Ended->Runs), Ended->Order.rules()};
  releaseMemory(Ended->Runs, Ended->Table, Ended->Order);
  Run = {0, 0, 0};
  constexpr size_t AtOnce = 4096;
  IntStreamData::Cursor All(D);
  for (std::vector<int64_t> Next; !(Next = take(All, AtOnce)).empty();)
    Ended->Seal->append(*Store, std::span<const int64_t>(Next));
}

/// As Grammar::review().
bool IntStream::review() {
  if (!Ended)
    return false;
  auto &Seal = Ended->Seal;
  if (!Seal) {
    Seal.reset(new Sealer<int64_t>(Store->isLongFrom()));
    Store->addLong();
  }
  const size_t Now = size();
  if (!Seal->Review) {
    const bool Pays = Seal->paysToSeal(*Store, Now * 2);
    if (Pays)
      seal();
    return Pays;
  }
  // Runs and symbols: as many values as a grammar may have items.
  constexpr size_t Enough = 16384;
  if (!Seal->isDue(Now, std::min(Enough, Store->mayHaveRules())))
    return false;
  // The open run is left out of what is compared.
  const IntStreamData D = Ended->data();
  constexpr size_t MostGrowth = 16; // longer streams are well said by runs and rules
  const uint64_t Length = D.length();
  if (Length > MostGrowth * Now)
    return false;
  const size_t N = std::min(Length, Seal->toCompare(*Store, Now));
  IntStreamData::Cursor All(D);
  int64_t Skipped;
  for (uint64_t I = 0; I < (Length - N) / 2; ++I)
    All.next(Skipped);
  const double Part = static_cast<double>(N) / static_cast<double>(Length);
  Seal->compare(*Store, take(All, N),
                Now < Store->mostRules() ? Part * static_cast<double>(entropyOf(bytesOf(D)) >> 19) : HUGE_VAL,
                D.Order.Rules.size() == 1);
  return false;
}

IntStreamData IntStream::data() && { return isLong() ? data() : withOpenRun(); }

/// Chunks, then what is not sealed.
IntStreamData IntStream::data() & {
  if (!isLong())
    return liveData();
  SealedPart Sealed = Ended->Seal->result(*Store, 1);
  IntStreamData Live = liveData();
  if (Sealed.Chunks.empty())
    return Live;
  IntStreamData Out = IntStreamData::ofChunks(std::move(Sealed));
  const auto N = static_cast<uint32_t>(Out.Runs.size());
  Out.Runs.insert(Out.Runs.end(), Live.Runs.begin(), Live.Runs.end());
  Out.Order.append(Live.Order, N);
  return Out;
}

size_t IntStream::memory() const {
  if (!Ended)
    return 0;
  const EndedRuns &E = *Ended;
  return sizeof E + E.Runs.capacity() * sizeof(LinearRun) + E.Table.capacity() * sizeof(uint32_t) + E.Order.memory() +
         (E.Seal ? E.Seal->memory() : 0);
}

IntStreamData IntStreamData::ofChunks(SealedPart Sealed) {
  IntStreamData Out;
  for (uint32_t I = 0; I < Sealed.Chunks.size(); ++I) {
    Out.Runs.push_back({0, 0, Sealed.Chunks[I].length()});
    Out.Chunks.emplace_back(I, std::move(Sealed.Chunks[I]));
  }
  Out.Order = grammarOf(Sealed.Order);
  return Out;
}

const Chunk *IntStreamData::chunk(uint32_t Run) const {
  auto It = std::lower_bound(Chunks.begin(), Chunks.end(), Run, [](const auto &C, uint32_t R) { return C.first < R; });
  return It != Chunks.end() && It->first == Run ? &It->second : nullptr;
}

IntStreamData IntStreamData::expanded() const {
  if (Chunks.empty())
    return *this;
  // Each chunk becomes a rule over its values.
  IntStreamData Out;
  Out.AreSteps = AreSteps;
  Out.Runs = Runs;
  Out.Order.Rules = Order.Rules;
  std::map<int64_t, uint32_t> Known;
  std::map<uint32_t, uint32_t> RuleOf;
  for (const auto &[Run, C] : Chunks) {
    RuleOf[Run] = static_cast<uint32_t>(Out.Order.Rules.size());
    auto &Body = Out.Order.Rules.emplace_back();
    const auto Values = C.values();
    for (int64_t V : *Values) {
      auto [It, New] = Known.try_emplace(V, static_cast<uint32_t>(Out.Runs.size()));
      if (New)
        Out.Runs.push_back({V, 0, 1});
      Body.push_back({It->second, false, 1});
    }
  }
  for (size_t R = 0; R < Order.Rules.size(); ++R)
    for (GrammarSymbol &S : Out.Order.Rules[R])
      if (auto It = RuleOf.find(S.Value); !S.IsRule && It != RuleOf.end())
        S = {It->second, true, S.Count};
  return Out;
}

/// Calls F(terminal, how often it occurs); of one rule, for each of its symbols.
template <typename Fn> static void forEachCount(const GrammarData &G, Fn &&F) {
  if (G.Rules.size() == 1) { // the frequent case, which needs no memory
    for (const GrammarSymbol &S : G.Rules[0])
      F(S.Value, S.Count);
    return;
  }
  const std::vector<uint64_t> Counts = G.terminalCounts();
  for (uint32_t I = 0; I < Counts.size(); ++I)
    F(I, Counts[I]);
}

uint64_t IntStreamData::length() const {
  if (Order.isOneTerminal()) // the frequent case
    return Order.Rules[0][0].Count * Runs[0].Count;
  uint64_t N = 0;
  forEachCount(Order, [&](uint32_t Run, uint64_t Times) { N += Times * Runs[Run].Count; });
  return N;
}

bool IntStreamData::isShort() const {
  __uint128_t Total = 0;
  forEachCount(Order,
               [&](uint32_t Run, uint64_t Times) { Total += static_cast<__uint128_t>(Times) * Runs[Run].Count; });
  return Total >> 62 == 0;
}

bool IntStreamData::Cursor::next(int64_t &Value) {
  while (Current.Count == 0) {
    uint32_t T;
    if (!Runs.next(T))
      return false;
    Current = S->Runs[T];
    const Chunk *C = S->chunk(T);
    Values = C ? C->values() : nullptr;
  }
  if (Values)
    Current.First = (*Values)[Values->size() - Current.Count];
  Value = S->AreSteps ? Sum = wrappedSum(Sum, Current.First) : Current.First;
  Current.First = wrappedSum(Current.First, Current.Stride);
  --Current.Count;
  return true;
}

} // namespace pilgrim
