//===- StreamIndex.cpp - looking into a stream anywhere -------------------===//
#include "trace/sequences/StreamIndex.h"

namespace pilgrim {

static uint64_t valueOf(const LinearRun &R, uint64_t Place) {
  return static_cast<uint64_t>(R.First) + Place * static_cast<uint64_t>(R.Stride);
}

/// Of the first N values of a run.
static uint64_t sumOf(const LinearRun &R, uint64_t N) {
  const uint64_t Pairs = N % 2 ? (N - 1) / 2 * N : N / 2 * (N - 1); // for N = 0 either factor is 0
  return N * static_cast<uint64_t>(R.First) + Pairs * static_cast<uint64_t>(R.Stride);
}

static void nothing(const GrammarSymbol &, uint64_t, uint64_t) {}

int64_t StreamIndex::at(const IntStreamData &S, uint64_t Place) const {
  const uint32_t Run = Index.find(S.Order, Place, nothing);
  return static_cast<int64_t>(valueOf(S.Runs[Run], Place));
}

/// What the runs say before a place: values, or steps.
uint64_t StreamIndex::sumOfRuns(const IntStreamData &S, uint64_t Place) const {
  uint64_t Sum = 0;
  const std::vector<uint64_t> Counts = Index.countsBefore(S.Order, Place);
  for (size_t I = 0; I < Counts.size(); ++I)
    if (Counts[I])
      Sum += Counts[I] * sumOf(S.Runs[I], S.Runs[I].Count);
  if (Place < length()) {
    const uint32_t Run = Index.find(S.Order, Place, nothing);
    Sum += sumOf(S.Runs[Run], Place);
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
  }
  return C;
}

} // namespace pilgrim
