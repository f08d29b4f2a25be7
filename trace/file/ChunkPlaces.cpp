//===- ChunkPlaces.cpp - where chunks stand in a file ---------------------===//
#include "trace/file/ChunkPlaces.h"
#include "trace/base/Hash.h"

#include <algorithm>

namespace pilgrim {

void forEachSequence(const TraceData &T, const std::function<void(const GrammarData &)> &Sequence,
                     const std::function<void(const IntStreamData &)> &Stream) {
  auto Streams = [&](const RankedStreams &L) {
    for (const RankedStream &S : L)
      Stream(S.Values);
  };
  auto Items = [&](const std::vector<RankedItems> &L) {
    for (const RankedItems &X : L)
      Sequence(X.Order);
  };
  for (const Group &G : T.Groups) {
    for (const NodeData &N : G.Nodes) {
      Items(N.Paths);
      Streams(N.Visits);
    }
    G.forEachEvent([&](const NodeData &, uint32_t, const EventData &E) {
      Items(E.Items);
      Streams(E.PassesToChange);
      Streams(E.UsualItems);
      for (const auto &[Key, Values] : E.Streams)
        Streams(Values);
    });
  }
  Streams(T.TurnThreads);
  Streams(T.TurnLengths);
}

/// Of sequences.
static void forEachChunk(const TraceData &T, const std::function<void(const Chunk &)> &F) {
  auto All = [&](const auto &Sequence) {
    for (const auto &[Place, C] : Sequence.Chunks)
      F(C);
  };
  forEachSequence(T, All, All);
}

static void forEachChunkOfTimes(const TraceData &T, const std::function<void(const Chunk &)> &F) {
  for (const Group &G : T.Groups)
    for (const CallTimes &X : G.Times) {
      for (const Chunk &M : X.Models)
        F(M);
      for (const TimesFrame &Frame : X.Frames)
        F(Frame.Bytes);
    }
}

uint64_t ChunkSection::add(const Chunk &C) {
  const uint64_t Begin = size();
  Chunks.push_back(C);
  Ends.push_back(Begin + C.size());
  return Begin;
}

std::vector<uint8_t> ChunkSection::read(uint64_t Offset, uint64_t Size) const {
  std::vector<uint8_t> Out;
  Out.reserve(Size);
  auto I = static_cast<size_t>(std::upper_bound(Ends.begin(), Ends.end(), Offset) - Ends.begin());
  for (; Out.size() < Size && I < Chunks.size(); ++I) {
    const uint64_t Skipped = Offset + Out.size() - (I ? Ends[I - 1] : 0);
    const auto Own = Chunks[I].bytes();
    if (Own.size() != Chunks[I].size())
      return {};
    const auto Begin = Own.begin() + static_cast<ptrdiff_t>(Skipped);
    Out.insert(Out.end(), Begin, Begin + static_cast<ptrdiff_t>(std::min(Size - Out.size(), Own.size() - Skipped)));
  }
  return Out;
}

std::shared_ptr<const ChunkBytes> placeChunks(const TraceData &T, uint64_t &OfSequences) {
  auto Section = std::make_shared<ChunkSection>();
  std::unordered_multimap<uint64_t, std::pair<Chunk, uint64_t>> Known;
  auto Place = [&](const Chunk &C) {
    if (C.isElsewhere())
      return;
    const uint64_t Hash = C.hash();
    auto [Begin, End] = Known.equal_range(Hash);
    for (auto It = Begin; It != End; ++It)
      if (It->second.first == C)
        return C.place(It->second.second);
    const uint64_t Place = Section->add(C);
    C.place(Place);
    Known.emplace(Hash, std::pair(C, Place));
  };
  forEachChunk(T, Place);
  OfSequences = Section->size();
  forEachChunkOfTimes(T, Place);
  Section->endHere();
  forEachChunkOfTimes(T, [&](const Chunk &C) {
    if (C.isElsewhere())
      C.place(Section->add(C));
  });
  return Section->size() ? std::move(Section) : nullptr;
}

} // namespace pilgrim
