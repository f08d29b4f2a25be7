//===- Sealer.cpp - a sequence cut into chunks ----------------------------===//
#include "trace/sequences/Sealer.h"
#include "trace/base/Hash.h"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

namespace pilgrim {

static std::array<uint64_t, 2> numbersOf(const RepeatedTerminal &E) { return {E.Value, E.Count}; }
static std::array<uint64_t, 1> numbersOf(int64_t V) { return {static_cast<uint64_t>(V)}; }
static std::array<uint8_t, 1> numbersOf(uint8_t V) { return {V}; }

using Bytes = std::vector<uint8_t>;
static Work encode(std::span<const RepeatedTerminal> L, ChunkForm &F, Bytes &To) { return encodeItems(L, F, To); }
static Work encode(std::span<const int64_t> L, ChunkForm &F, Bytes &To) { return encodeValues(L, F, To); }
static Work encode(std::span<const uint8_t> L, ChunkForm &, Bytes &To) {
  To = encodeText(L);
  co_return;
}

static bool canBeForeseen(std::span<const RepeatedTerminal> L) { return isRegular(L); }
static bool canBeForeseen(std::span<const int64_t> L) { return isRegular(L); }
static bool canBeForeseen(std::span<const uint8_t>) { return false; }

/// Adds what is in a chunk; returns its length and what its terminals are below.
static std::pair<uint64_t, uint32_t> count(std::span<const RepeatedTerminal> L, std::vector<uint64_t> &Counts) {
  uint64_t Length = 0;
  uint32_t Terminals = 0;
  for (const RepeatedTerminal &E : L) {
    Length += E.Count;
    Terminals = std::max(Terminals, E.Value + 1);
    if (Counts.size() < Terminals)
      Counts.resize(Terminals);
    Counts[E.Value] += E.Count;
  }
  return {Length, Terminals};
}
template <typename Value>
static std::pair<uint64_t, uint32_t> count(std::span<const Value> L, std::vector<uint64_t> &) {
  return {L.size(), 0};
}

template <typename Element> static std::pair<uint64_t, uint64_t> hashOf(std::span<const Element> L) {
  std::vector<decltype(numbersOf(L[0]))> Numbers;
  Numbers.reserve(L.size());
  for (const Element &E : L)
    Numbers.push_back(numbersOf(E));
  const XXH128_hash_t H = XXH3_128bits(Numbers.data(), Numbers.size() * sizeof(Numbers[0]));
  return {H.high64, H.low64};
}

/// Where to cut: a quarter of all elements at least are before it. The highest bit of the hash depends on the last 64.
template <typename Element> size_t Sealer<Element>::cut(std::span<const Element> L) {
  uint64_t Hash = 0, Largest = 0;
  size_t Best = L.size();
  for (size_t I = 0; I < L.size(); ++I) {
    Hash <<= 1;
    for (uint64_t V : numbersOf(L[I]))
      Hash += mix(0x2545f4914f6cdd1du, V);
    if (4 * (I + 1) < L.size() || Hash < Largest)
      continue;
    Largest = Hash;
    Best = I + 1;
  }
  return Best;
}

template <typename Element>
Work Sealer<Element>::code(std::shared_ptr<Coded> To, ChunkStore &Store, std::vector<Element> Part, uint64_t Length,
                           uint32_t Terminals) {
  Bytes Own;
  co_await encode(Part, To->Form, Own);
  To->Chunks.push_back(Store.keep(std::move(Own), Length, Terminals));
}

/// Seals Plain up to where the content says. Returns whether the end of that can be foreseen.
template <typename Element> bool Sealer<Element>::sealBegin(ChunkStore &To) {
  std::vector<Element> Part = Plain.all();
  const size_t N = cut(Part);
  Plain.clear();
  Plain.append(std::span<const Element>(Part).subspan(N));
  Part.resize(N);
  return seal(To, std::move(Part));
}

/// Returns whether the end of these can be foreseen.
template <typename Element> bool Sealer<Element>::seal(ChunkStore &To, std::vector<Element> Part) {
  const auto [Length, Terminals] = count(std::span<const Element>(Part), Counts);
  const auto [Place, IsNew] =
      Known.try_emplace(hashOf(std::span<const Element>(Part)), static_cast<uint32_t>(Known.size()));
  Order.push_back(Place->second);
  if (!IsNew)
    return false;
  const bool IsForeseen = canBeForeseen(Part);
  To.later(code(Done, To, std::move(Part), Length, Terminals));
  return IsForeseen;
}

template <typename Element> void Sealer<Element>::sealFull(ChunkStore &To) {
  if (!sealBegin(To))
    return;
  if (!Plain.empty())
    seal(To, Plain.all());
  Plain.clear();
  IsPlain = false;
  Review = 32 * ChunkStore::LongAsARule;
}

/// Pays: they take fewer bytes than Most.
template <typename Element>
Work Sealer<Element>::tryWith(std::shared_ptr<Coded> To, std::vector<Element> Middle, double Most) {
  Bytes Own;
  co_await encode(Middle, To->Form, Own);
  To->Pays = static_cast<double>(Own.size()) < Most;
  To->IsComparing = false;
}

template <typename Element>
void Sealer<Element>::compare(ChunkStore &To, std::vector<Element> Middle, double InRules, bool HasNoRules) {
  Done->IsComparing = true;
  Review = 0;
  To.later(tryWith(Done, std::move(Middle), (HasNoRules ? 1.05 : 0.95) * InRules));
}

template <typename Element> bool Sealer<Element>::paysToSeal(ChunkStore &To, size_t Next) {
  To.goOn();
  if (Done->IsComparing)
    return false;
  Review = Next;
  return Done->Pays;
}

template <typename Element> SealedPart Sealer<Element>::result(ChunkStore &To, size_t Least) const {
  To.finish();
  SealedPart Out{Done->Chunks, Order, Counts};
  if (Plain.empty() || Plain.size() < Least)
    return Out;
  const auto Last = std::make_shared<Coded>(Coded{{}, Done->Form});
  std::vector<Element> Part = Plain.all();
  const auto [Length, Terminals] = count(std::span<const Element>(Part), Out.Counts);
  if (const auto It = Known.find(hashOf(std::span<const Element>(Part))); It != Known.end()) {
    Out.Order.push_back(It->second);
    return Out;
  }
  code(Last, To, std::move(Part), Length, Terminals).finish();
  Out.Order.push_back(static_cast<uint32_t>(Out.Chunks.size()));
  Out.Chunks.push_back(std::move(Last->Chunks[0]));
  return Out;
}

template <typename Element> size_t Sealer<Element>::memory() const {
  constexpr size_t PerChunk = 200; // its body, and its place in the map
  return sizeof(*this) + Plain.memory() + Order.capacity() * 4 + Counts.capacity() * 8 + Known.size() * PerChunk;
}

template class Sealer<RepeatedTerminal>;
template class Sealer<int64_t>;
template class Sealer<uint8_t>;

} // namespace pilgrim
