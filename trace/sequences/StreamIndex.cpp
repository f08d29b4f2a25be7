//===- StreamIndex.cpp - looking into a stream anywhere -------------------===//
#include "trace/sequences/StreamIndex.h"

#include <algorithm>

namespace pilgrim {

static uint64_t valueOf(const LinearRun &R, uint64_t Place) {
  return static_cast<uint64_t>(R.First) + Place * static_cast<uint64_t>(R.Stride);
}

/// Of the first N values of a run.
static uint64_t sumOf(const LinearRun &R, uint64_t N) {
  const uint64_t Pairs = N % 2 ? (N - 1) / 2 * N : N / 2 * (N - 1); // for N = 0 either factor is 0
  return N * static_cast<uint64_t>(R.First) + Pairs * static_cast<uint64_t>(R.Stride);
}

/// Of the first N values of a chunk.
static uint64_t sumOf(const Chunk &C, uint64_t N) {
  const auto Values = C.values();
  uint64_t Sum = 0;
  for (uint64_t I = 0; I < N; ++I)
    Sum += static_cast<uint64_t>((*Values)[I]);
  return Sum;
}

static void nothing(const GrammarSymbol &, uint64_t, uint64_t) {}

int64_t StreamIndex::at(const IntStreamData &S, uint64_t Place) const {
  const uint32_t Run = Index.find(S.Order, Place, nothing);
  if (const Chunk *C = S.chunk(Run))
    return (*C->values())[Place];
  return static_cast<int64_t>(valueOf(S.Runs[Run], Place));
}

uint64_t StreamIndex::sumOfChunk(const IntStreamData &S, uint32_t Run) const {
  ChunkSums.resize(S.Chunks.size());
  const Chunk *C = S.chunk(Run);
  const auto I = std::find_if(S.Chunks.begin(), S.Chunks.end(), [&](const auto &X) { return &X.second == C; });
  auto &[IsKnown, Sum] = ChunkSums[static_cast<size_t>(I - S.Chunks.begin())];
  if (!IsKnown) {
    IsKnown = true;
    Sum = sumOf(*C, C->length());
  }
  return Sum;
}

/// What the runs say before a place: values, or steps.
uint64_t StreamIndex::sumOfRuns(const IntStreamData &S, uint64_t Place) const {
  uint64_t Sum = 0;
  const std::vector<uint64_t> Counts = Index.countsBefore(S.Order, Place);
  for (size_t I = 0; I < Counts.size(); ++I)
    if (Counts[I])
      Sum += Counts[I] * (S.chunk(static_cast<uint32_t>(I)) ? sumOfChunk(S, static_cast<uint32_t>(I))
                                                            : sumOf(S.Runs[I], S.Runs[I].Count));
  if (Place < length()) {
    const uint32_t Run = Index.find(S.Order, Place, nothing);
    const Chunk *C = S.chunk(Run);
    Sum += C ? sumOf(*C, Place) : sumOf(S.Runs[Run], Place);
  }
  return Sum;
}

uint64_t StreamIndex::sumBefore(const IntStreamData &S, uint64_t Place) const {
  if (!S.AreSteps)
    return sumOfRuns(S, Place);
  uint64_t Sum = 0;
  IntStreamData::Cursor C(S);
  for (int64_t V; Place && C.next(V); --Place)
    Sum += static_cast<uint64_t>(V);
  return Sum;
}

IntStreamData::Cursor StreamIndex::cursorAt(const IntStreamData &S, uint64_t Place) const {
  IntStreamData::Cursor C(S);
  C.Runs = Index.cursorAt(S.Order, Place);
  if (S.AreSteps)
    C.Sum = static_cast<int64_t>(sumOfRuns(S, Place));
  uint32_t Run;
  if (Place < length() && C.Runs.next(Run)) {
    Index.find(S.Order, Place, nothing);
    const LinearRun &R = S.Runs[Run];
    C.Current = {static_cast<int64_t>(valueOf(R, Place)), R.Stride, R.Count - Place};
    if (const Chunk *Own = S.chunk(Run))
      C.Values = Own->values();
  }
  return C;
}

} // namespace pilgrim
