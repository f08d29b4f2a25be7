//===- IntStream.cpp - compressed sequences of integers -------------------===//
#include "trace/sequences/IntStream.h"
#include "trace/base/ReleaseMemory.h"
#include "trace/base/Wrap.h"

#include <algorithm>
#include <map>
#include <optional>

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

/// All values, if they are not many for the memory they take.
std::optional<std::vector<int64_t>> IntStream::flat(const IntStreamData &D) const {
  constexpr size_t MostGrowth = 16;
  const uint64_t Length = D.length() + Run.Count;
  if (Length > std::min<uint64_t>(MostGrowth * size(), MaxChunkElements))
    return std::nullopt;
  std::vector<int64_t> Flat;
  Flat.reserve(Length);
  IntStreamData::Cursor C(D);
  for (int64_t V; C.next(V);)
    Flat.push_back(V);
  for (uint64_t I = 0; I < Run.Count; ++I)
    Flat.push_back(static_cast<int64_t>(static_cast<uint64_t>(Run.First) + I * static_cast<uint64_t>(Run.Stride)));
  return Flat;
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
    if (!Seal->paysToSeal(*Store, Now * 2))
      return false;
    const auto Flat = flat(Ended->data());
    if (!Flat)
      return false;
    releaseMemory(Ended->Runs, Ended->Table, Ended->Order);
    Run = {0, 0, 0};
    Seal->begin(*Store, *Flat);
    return true;
  }
  Seal->Review = std::max(Seal->Review, Now) * 2;
  // Runs and symbols: as many values as a grammar may have items.
  constexpr size_t Enough = 16384;
  if (Now < std::min(Enough, Store->mayHaveRules()))
    return false;
  // The open run is left out of what is compared.
  const IntStreamData D = Ended->data();
  if (const auto Flat = flat(D))
    Seal->compare(*Store, *Flat, entropyOf(bytesOf(D)) >> 19, D.Order.Rules.size() == 1);
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

uint64_t IntStreamData::length() const {
  if (Order.isOneTerminal()) // the frequent case
    return Order.Rules[0][0].Count * Runs[0].Count;
  uint64_t N = 0;
  auto Counts = Order.terminalCounts();
  for (size_t I = 0; I < Counts.size(); ++I)
    N += Counts[I] * Runs[I].Count;
  return N;
}

bool IntStreamData::isShort() const {
  __uint128_t Total = 0;
  auto Counts = Order.terminalCounts();
  for (size_t I = 0; I < Counts.size(); ++I)
    Total += static_cast<__uint128_t>(Counts[I]) * Runs[I].Count;
  return Total >> 62 == 0;
}

/// Each run once.
static GrammarData inOrder(size_t Runs) {
  GrammarData G;
  G.Rules[0].reserve(Runs);
  for (uint32_t I = 0; I < Runs; ++I)
    G.Rules[0].push_back({I, false, 1});
  return G;
}

/// Whether G is that.
static bool isInOrder(const GrammarData &G, size_t Runs) {
  const auto &Start = G.Rules[0];
  if (G.Rules.size() != 1 || !G.Chunks.empty() || Start.size() != Runs)
    return false;
  for (uint32_t I = 0; I < Runs; ++I)
    if (Start[I] != GrammarSymbol{I, false, 1})
      return false;
  return true;
}

/// Runs that a file may have one by one, though some are equal.
static constexpr uint64_t Few = 256;

/// The same with a run for each that is asked for, where these are few.
static std::optional<IntStreamData> oneByOne(const IntStreamData &S) {
  if (!S.Chunks.empty() || isInOrder(S.Order, S.Runs.size()))
    return std::nullopt;
  const uint64_t Length = S.Order.length();
  if (Length > Few || Length == S.Runs.size() || S.Order.terminals() > S.Runs.size())
    return std::nullopt;
  IntStreamData Out;
  Out.Runs.reserve(Length);
  Out.AreSteps = S.AreSteps;
  GrammarData::Cursor C(S.Order);
  for (uint32_t T; C.next(T);)
    Out.Runs.push_back(S.Runs[T]);
  Out.Order = inOrder(Out.Runs.size());
  return Out;
}

/// And back: equal runs are one, as streams have them that are not from a file.
static void joinEqual(IntStreamData &S) {
  auto IsNew = [&](const LinearRun &R) { return std::find<const LinearRun *>(S.Runs.data(), &R, R) == &R; };
  if (std::ranges::all_of(S.Runs, IsNew)) // the frequent case
    return;
  std::vector<LinearRun> Runs;
  Grammar Order;
  for (const LinearRun &R : S.Runs) {
    auto It = std::find(Runs.begin(), Runs.end(), R);
    Order.append(static_cast<uint32_t>(It - Runs.begin()));
    if (It == Runs.end())
      Runs.push_back(R);
  }
  S.Runs = std::move(Runs);
  S.Order = Order.data();
}

void IntStreamData::write(ByteWriter &W, unsigned Features) const {
  if (auto Longer = Features & HasFunctions ? std::nullopt : oneByOne(*this)) {
    const auto Begin = static_cast<ptrdiff_t>(W.Data.size());
    Longer->writeAsIs(W, Features);
    const auto End = static_cast<ptrdiff_t>(W.Data.size());
    writeAsIs(W, Features);
    if (End - Begin < static_cast<ptrdiff_t>(W.Data.size()) - End)
      W.Data.resize(static_cast<size_t>(End));
    else
      W.Data.erase(W.Data.begin() + Begin, W.Data.begin() + End);
    return;
  }
  writeAsIs(W, Features);
}

/// In the place of a run's length: what would be a single value that has a stride.
static constexpr uint64_t RunIsChunk = 1;

void IntStreamData::writeAsIs(ByteWriter &W, unsigned Features) const {
  Features |= (AreSteps ? IsOfSteps : NoFeature) | (Chunks.empty() ? NoFeature : HasChunks);
  // No stream begins with 0.
  if (Features) {
    W.byte(0);
    W.byte(static_cast<uint8_t>(Features));
  }
  // One bit says that there are single values only.
  bool IsSingle =
      Chunks.empty() && std::all_of(Runs.begin(), Runs.end(), [](const LinearRun &R) { return R.Count == 1; });
  W.varint(Runs.size() << 1 | uint64_t(IsSingle));
  int64_t Last = 0;
  auto NextChunk = Chunks.begin();
  for (size_t I = 0; I < Runs.size(); ++I) {
    if (NextChunk != Chunks.end() && NextChunk->first == I) {
      W.svarint(0);
      W.varint(RunIsChunk);
      (NextChunk++)->second.write(W);
      continue;
    }
    const LinearRun &R = Runs[I];
    W.svarint(wrappedDifference(R.First, Last));
    // One varint says a single value, a constant run or a strided run.
    if (!IsSingle)
      W.varint(R.Count == 1 ? 0 : (R.Count - 1) << 1 | uint64_t(R.Stride != 0));
    if (R.Count > 1 && R.Stride)
      W.svarint(R.Stride);
    Last = R.First;
  }
  if (isInOrder(Order, Runs.size()))
    W.varint(0);
  else
    Order.write(W);
}

IntStreamData IntStreamData::read(ByteReader &R, unsigned Allowed, unsigned *Features) {
  IntStreamData S;
  unsigned Own = NoFeature;
  if (R.isNext(0)) {
    R.byte();
    Own = R.byte();
    if (!Own || (Own & ~Allowed))
      R.fail("a stream has features that it may not have");
  }
  S.AreSteps = Own & IsOfSteps;
  if (Features)
    *Features = Own;
  uint64_t Head = R.varint(), N = Head >> 1;
  bool IsSingle = Head & 1;
  if (N > R.remaining() || !Head)
    R.fail("a stream has more runs than bytes are left, or says nothing");
  int64_t Last = 0;
  if (!R.ok())
    return {};
  R.spend(N * sizeof(LinearRun));
  for (size_t I = 0; I < N && R.ok(); ++I) {
    LinearRun L{wrappedSum(Last, R.svarint()), 0, 1};
    const uint64_t V = IsSingle ? 0 : R.varint();
    if (V == RunIsChunk && (Own & HasChunks)) {
      if (L.First != Last)
        R.fail("a chunk with a first value");
      Chunk C = Chunk::read(R, false);
      S.Runs.push_back({0, 0, C.length()});
      S.Chunks.emplace_back(static_cast<uint32_t>(I), std::move(C));
      continue;
    }
    if (V) {
      L.Count = (V >> 1) + 1;
      if (V & 1)
        L.Stride = R.svarint();
      if (L.Count < 2 || L.Count > MaxRun)
        R.fail("the length of a run is out of range");
    }
    Last = L.First;
    S.Runs.push_back(L);
  }
  size_t Rules = R.count();
  R.spend(Rules ? 0 : N * sizeof(GrammarSymbol));
  if (!R.ok())
    return {};
  S.Order = Rules ? GrammarData::read(R, Rules) : inOrder(N);
  if (R.ok() && S.Order.terminals() > S.Runs.size())
    R.fail("a stream refers to a run that it does not have");
  if (R.ok() && Rules == 0 && N <= Few && !(Own & (HasFunctions | HasChunks)))
    joinEqual(S);
  // The total must not overflow.
  if (R.ok() && !S.isShort())
    R.fail("a stream has 2^62 values or more");
  return R.ok() ? S : IntStreamData{};
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
