//===- ChunkCheck.cpp - whether chunks say what is said of them -----------===//
//
// A reader takes the length of a chunk, and how often terminals occur in chunks, from what stands beside them. This
// decodes all chunks and compares.
//
//===----------------------------------------------------------------------===//
#include "trace/file/ChunkPlaces.h"
#include "trace/read/Soundness.h"

namespace pilgrim {

static bool isSoundSequence(const GrammarData &G) {
  std::vector<uint64_t> Counts(G.InChunks.size(), 0);
  const std::vector<uint64_t> Uses = G.uses();
  for (const auto &[Rule, C] : G.Chunks) {
    const auto Items = decodeItems(C.bytes(), C.terminals());
    if (!Items)
      return false;
    uint64_t Left = C.length();
    for (const RepeatedTerminal &E : *Items) {
      if (E.Count > Left)
        return false;
      Left -= E.Count;
      Counts[E.Value] += Uses[Rule] * E.Count;
    }
    if (Left)
      return false;
  }
  return Counts == G.InChunks;
}

static bool isSoundStream(const IntStreamData &S) {
  for (const auto &[Run, C] : S.Chunks)
    if (const auto Values = decodeValues(C.bytes()); !Values || Values->size() != C.length())
      return false;
  return true;
}

std::string findBadTimes(const Trace &T) {
  for (const Group &G : T.data().Groups)
    for (const CallTimes &X : G.Times) {
      const std::string Whose = "damaged: times of rank " + std::to_string(X.Rank) + ", ";
      for (size_t I = 0; I < X.Models.size(); ++I)
        if (!withoutChecksum(X.Models[I]))
          return Whose + "model " + std::to_string(I) + ": the checksum does not match";
      for (size_t I = 0; I < X.Frames.size(); ++I)
        if (!withoutChecksum(X.Frames[I].Bytes))
          return Whose + "frame " + std::to_string(I) + ": the checksum does not match";
    }
  return "";
}

std::string findBadChunk(const Trace &T) {
  bool IsSound = true;
  forEachSequence(
      T.data(), [&](const GrammarData &G) { IsSound = IsSound && isSoundSequence(G); },
      [&](const IntStreamData &S) { IsSound = IsSound && isSoundStream(S); });
  if (!IsSound)
    return "damaged: a chunk that does not say what is said of it";
  return findBadTimes(T);
}

} // namespace pilgrim
