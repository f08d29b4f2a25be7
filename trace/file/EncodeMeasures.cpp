//===- EncodeMeasures.cpp - what was measured, as bytes --------------------===//
#include "trace/file/EncodeMeasures.h"

#include <set>

namespace pilgrim {

MeasureEncoder::Key MeasureEncoder::key(const Variant &V) {
  const uint32_t Site = V.Tokens[1] ? Tables.entry(TableId::Sites, V.Tokens[1] - 1) + 1 : 0;
  return {V.Tokens[0], Site, V.Tokens[2]};
}

void MeasureEncoder::item(const std::vector<const Entry *> &Entries) {
  const Entry &First = *Entries[0];
  if (First.size() == 1) {
    References.push_back(First[0].Measure);
  } else {
    std::set<Key> Known;
    for (const Variant &V : First)
      if (Known.insert(key(V)).second)
        References.push_back(V.Measure);
  }
  // Such entries have one variant each, of the same call.
  for (size_t I = 1; I < Entries.size() && First[0].Measure != NoMeasure; ++I)
    Same.unite(First[0].Measure, (*Entries[I])[0].Measure);
}

void MeasureEncoder::finish() {
  if (!Own)
    return;
  std::vector<Measure> Sums(Own->size());
  for (uint32_t I = 0; I < Own->size(); ++I)
    Sums[Same.find(I)].add((*Own)[I]);
  std::vector<uint32_t> Number(Own->size(), NoMeasure);
  uint32_t Written = 0;
  for (uint32_t To : References) {
    const uint32_t Least = To == NoMeasure ? NoMeasure : Same.find(To);
    if (Least != NoMeasure && Number[Least] != NoMeasure) {
      Sharing.varint(SinceShared);
      Sharing.varint(Written - 1 - Number[Least]);
      ++Shared;
      SinceShared = 0;
      continue;
    }
    ++SinceShared;
    const Measure X = Least == NoMeasure ? Measure() : Sums[Least];
    for (uint64_t Sum : X.Sums)
      Numbers.varint(Exact || !X.Calls ? Sum : Sum / X.Calls + (Sum % X.Calls >= X.Calls - X.Calls / 2));
    if (Least != NoMeasure)
      Number[Least] = Written;
    ++Written;
  }
  References.clear();
  Own = nullptr;
}

std::vector<uint8_t> MeasureEncoder::bytes() {
  finish();
  ByteWriter W;
  W.varint(Shared << 1 | uint64_t(Exact));
  W.bytes(Sharing.Data);
  W.bytes(Numbers.Data);
  return std::move(W.Data);
}

} // namespace pilgrim
