//===- Entry.h - an entry of a table, shared in memory ----------*- C++ -*-===//
//
// A function that is called from many places makes the same calls there: each place has an entry of its own, and the
// contents of most are equal. Copies of an entry share their variants in memory until one of them is changed. So what
// was found for the variants of one entry holds for all that share them. Which times were measured is each entry's own.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_ENTRY_H
#define PILGRIM_TRACE_MODEL_ENTRY_H

#include "trace/base/Hash.h"
#include "trace/model/Measure.h"
#include "trace/model/WordList.h"
#include "trace/ranks/RankFn.h"
#include "trace/ranks/RankSet.h"

#include <initializer_list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace pilgrim {

/// One content of a table entry, for the ranks that have it.
struct Variant {
  RankSet Ranks;
  std::vector<uint32_t> Tokens;
  WordList Words;
};

/// A list of variants.
class Entry {
public:
  using value_type = Variant;

  Entry() = default;
  explicit Entry(size_t N) : Shared(std::make_shared<std::vector<Variant>>(N)) {}
  Entry(std::initializer_list<Variant> L) : Entry(std::vector<Variant>(L)) {}
  Entry(std::vector<Variant> L) : Shared(std::make_shared<std::vector<Variant>>(std::move(L))) {}

  size_t size() const { return Shared ? Shared->size() : 0; }
  bool empty() const { return size() == 0; }
  const Variant *begin() const { return Shared ? Shared->data() : nullptr; }
  const Variant *end() const { return begin() + size(); }
  const Variant &operator[](size_t I) const { return (*Shared)[I]; }
  const Variant &front() const { return Shared->front(); }

  /// The variants, to be changed: shared with no other entry until this one is copied.
  std::span<Variant> own();
  void push_back(Variant V) { emplace_back() = std::move(V); }
  /// The new variant has no measure.
  Variant &emplace_back();
  void clear() { *this = {}; }

  /// Whether other entries may share the variants.
  bool isShared() const { return Shared.use_count() > 1; }
  /// The variants' address: equal for entries that share them. It may become another entry's once no entry has it.
  const void *address() const { return Shared.get(); }
  /// Shares the variants of Other, and keeps the measures. Variants behind those that were there have none.
  void share(const Entry &Other);

  /// Of a signature, in a group with times: index into the event's measures, of the variant at a place. Variants with
  /// the same function, site and depth have the same measure.
  uint32_t measure(size_t I) const { return Measures.empty() ? Measure : Measures[I]; }
  uint32_t measure(const Variant &V) const { return measure(static_cast<size_t>(&V - begin())); }
  void setMeasure(size_t I, uint32_t M);
  /// Makes New(measure(I)) the measure of each variant I.
  template <typename Fn> void changeMeasures(Fn &&New) {
    for (size_t I = 0; I < size(); ++I)
      setMeasure(I, New(measure(I)));
  }

private:
  void addMeasures(size_t Before);

  std::shared_ptr<std::vector<Variant>> Shared;
  uint32_t Measure = NoMeasure;   ///< of all variants, if Measures is empty
  std::vector<uint32_t> Measures; ///< by variant
};
using Table = std::vector<Entry>;

/// What was made of entries, or of pairs of entries, by the variants that they share.
template <typename Result> class OfShared {
public:
  /// Of entries that share their variants, Make() is called for the first one. The result is valid as long as this.
  template <typename Fn> const Result &get(const Entry &A, Fn &&Make) { return get(A, {}, Make); }
  template <typename Fn> const Result &get(const Entry &A, const Entry &B, Fn &&Make) {
    auto [It, New] = Known.try_emplace({A.address(), B.address()});
    if (New)
      It->second = {A, B, Make()};
    return It->second.Made;
  }

private:
  struct Hash {
    size_t operator()(const std::pair<const void *, const void *> &P) const {
      return mix(mix(0, reinterpret_cast<uintptr_t>(P.first)), reinterpret_cast<uintptr_t>(P.second));
    }
  };
  struct One {
    Entry A, B; ///< kept, so that their addresses are not another's
    Result Made;
  };
  std::unordered_map<std::pair<const void *, const void *>, One, Hash> Known;
};

/// Calls F(variant) for the variants of a table, once where entries share them, which they do afterwards as before.
/// What F makes of a variant must depend on nothing else.
template <typename Fn> void changeVariants(Table &T, Fn &&F) {
  OfShared<Entry> Changed;
  auto Change = [&](Entry E) {
    for (Variant &V : E.own())
      F(V);
    return E;
  };
  for (Entry &E : T)
    if (E.isShared())
      E.share(Changed.get(E, [&] { return Change(E); }));
    else
      E = Change(std::move(E));
}

} // namespace pilgrim

#endif
