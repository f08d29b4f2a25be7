//===- Entry.cpp - an entry of a table, shared in memory ------------------===//
#include "trace/model/Entry.h"

namespace pilgrim {

std::span<Variant> Entry::own() {
  if (isShared())
    Shared = std::make_shared<std::vector<Variant>>(*Shared);
  return Shared ? std::span<Variant>(*Shared) : std::span<Variant>();
}

Variant &Entry::emplace_back() {
  const size_t Before = size();
  if (!Shared)
    Shared = std::make_shared<std::vector<Variant>>();
  own();
  Variant &New = Shared->emplace_back();
  addMeasures(Before);
  return New;
}

void Entry::share(const Entry &Other) {
  const size_t Before = size();
  Shared = Other.Shared;
  addMeasures(Before);
}

void Entry::setMeasure(size_t I, uint32_t M) {
  if (size() == 1) {
    Measure = M;
  } else if (!Measures.empty() || M != Measure) {
    Measures.resize(size(), Measure);
    Measures[I] = M;
  }
}

/// Before: the number of variants that have one.
void Entry::addMeasures(size_t Before) {
  if (Measures.empty() && Before && Measure != NoMeasure && size() > Before)
    Measures.assign(Before, Measure);
  if (!Measures.empty())
    Measures.resize(size(), NoMeasure);
}

} // namespace pilgrim
