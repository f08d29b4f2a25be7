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

static std::vector<uint8_t> encode(std::span<const RepeatedTerminal> L, ChunkForm &F) { return encodeItems(L, F); }
static std::vector<uint8_t> encode(std::span<const int64_t> L, ChunkForm &F) { return encodeValues(L, F); }
static std::vector<uint8_t> encode(std::span<const uint8_t> L, ChunkForm &) { return encodeText(L); }

static bool canBeForeseen(std::span<const RepeatedTerminal> L, size_t) { return isRegular(L); }
static bool canBeForeseen(std::span<const int64_t> L, size_t Bytes) { return Bytes * 16 < L.size(); }
static bool canBeForeseen(std::span<const uint8_t>, size_t) { return false; }

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

/// Returns whether the end of these can be foreseen.
template <typename Element> bool Sealer<Element>::sealFirst(ChunkStore &To, size_t N) {
  const auto Part = std::span<const Element>(Plain).first(N);
  const auto [Length, Terminals] = count(Part, Done.Counts);
  const auto [Place, IsNew] = Known.try_emplace(hashOf(Part), static_cast<uint32_t>(Done.Chunks.size()));
  Done.Order.push_back(Place->second);
  bool IsForeseen = false;
  if (IsNew) {
    std::vector<uint8_t> Bytes = encode(Part, Form);
    IsForeseen = canBeForeseen(Part, Bytes.size());
    Done.Chunks.push_back(To.keep(std::move(Bytes), Length, Terminals));
  }
  if (N == Plain.size())
    Plain = {};
  else
    Plain.erase(Plain.begin(), Plain.begin() + static_cast<ptrdiff_t>(N));
  return IsForeseen;
}

template <typename Element> void Sealer<Element>::sealFull(ChunkStore &To) {
  if (!sealFirst(To, cut(Plain)))
    return;
  if (!Plain.empty())
    sealFirst(To, Plain.size());
  IsPlain = false;
  Review = 32 * FirstReview;
}

template <typename Element> void Sealer<Element>::begin(ChunkStore &To, std::span<const Element> First) {
  IsPlain = true;
  for (const Element &E : First) {
    if (Plain.size() >= most(To))
      sealFirst(To, cut(Plain));
    Plain.push_back(E);
  }
}

template <typename Element> SealedPart Sealer<Element>::result(ChunkStore &To, size_t Least) const {
  SealedPart Out = Done;
  if (Plain.empty() || Plain.size() < Least)
    return Out;
  ChunkForm Last = Form;
  const auto [Length, Terminals] = count(std::span<const Element>(Plain), Out.Counts);
  if (const auto It = Known.find(hashOf(std::span<const Element>(Plain))); It != Known.end()) {
    Out.Order.push_back(It->second);
    return Out;
  }
  Out.Order.push_back(static_cast<uint32_t>(Out.Chunks.size()));
  Out.Chunks.push_back(To.keep(encode(Plain, Last), Length, Terminals));
  return Out;
}

template <typename Element> size_t Sealer<Element>::memory() const {
  constexpr size_t PerChunk = 200; // its body, and its place in the map
  return sizeof(*this) + Plain.capacity() * sizeof(Element) + Done.Order.capacity() * 4 + Done.Counts.capacity() * 8 +
         Done.Chunks.size() * PerChunk;
}

template class Sealer<RepeatedTerminal>;
template class Sealer<int64_t>;
template class Sealer<uint8_t>;

} // namespace pilgrim
