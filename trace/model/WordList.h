//===- WordList.h - the integers of a signature --------------------*- C++ -*-===//
//
// One function of the rank each. Calls of many processes have arrays with an element for each. Mostly all ranks have
// the same numbers there: then these are kept, which take a seventh of the memory.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MODEL_WORDLIST_H
#define PILGRIM_TRACE_MODEL_WORDLIST_H

#include "trace/ranks/RankFn.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace pilgrim {

class WordList {
public:
  using value_type = RankFn;
  /// From so many words on they are kept as numbers if they can be.
  static constexpr size_t Many = 64;

  WordList() = default;
  WordList(std::vector<RankFn> Each) : Each(std::move(Each)) {}
  WordList(std::initializer_list<RankFn> L) : Each(L) {}
  static WordList ofNumbers(std::span<const int64_t> L) {
    WordList Out;
    Out.reserve(L.size());
    for (const int64_t N : L)
      if (L.size() >= Many)
        Out.Numbers.push_back(N);
      else
        Out.Each.emplace_back(N);
    return Out;
  }

  size_t size() const { return areNumbers() ? Numbers.size() : Each.size(); }
  bool empty() const { return size() == 0; }
  const RankFn operator[](size_t I) const { return areNumbers() ? RankFn(Numbers[I]) : Each[I]; }
  /// Whether they are kept as numbers.
  bool areNumbers() const { return !Numbers.empty(); }
  const std::vector<int64_t> &numbers() const { return Numbers; }

  /// Calls F(const RankFn &) for each, without copies of those that are kept.
  template <typename Fn> void forEach(Fn &&F) const {
    for (const RankFn &W : Each)
      F(W);
    for (const int64_t N : Numbers)
      F(RankFn(N));
  }

  /// The functions, to be changed; they are no longer kept as numbers.
  std::vector<RankFn> &own() {
    if (areNumbers()) {
      Each.reserve(Numbers.size());
      for (const int64_t N : Numbers)
        Each.emplace_back(N);
      std::vector<int64_t>().swap(Numbers);
    }
    return Each;
  }
  void push_back(RankFn F) { own().push_back(std::move(F)); }
  RankFn &emplace_back(int64_t V = 0) { return own().emplace_back(V); }
  /// The same for one of many: as long as all are numbers, these are kept.
  void pushNumber(const RankFn &F) {
    if (Each.empty() && F.isConst())
      Numbers.push_back(F.single().C);
    else
      push_back(F);
  }
  void reserve(size_t N) { N < Many ? Each.reserve(N) : Numbers.reserve(N); }
  /// Adds all explanations to the words of a single rank.
  void derive(const RankContext &Ctx) {
    for (RankFn &W : own())
      W.derive(&Ctx);
  }
  /// Keeps numbers, if there are many words, and each is one.
  void pack() {
    if (Each.size() < Many || !std::ranges::all_of(Each, &RankFn::isConst))
      return;
    Numbers.reserve(Each.size());
    for (const RankFn &W : Each)
      Numbers.push_back(W.single().C);
    std::vector<RankFn>().swap(Each);
  }
  /// Bytes of memory, but for those of the functions' own.
  size_t memory() const { return Each.size() * sizeof(RankFn) + Numbers.size() * sizeof(int64_t); }

private:
  std::vector<RankFn> Each; ///< none if Numbers has some
  std::vector<int64_t> Numbers;
};

/// The words of some ranks, and the rank and size of each in their context.
struct RankedWords {
  const WordList &Words;
  const RankSet &Ranks;
  const RankFn::ContextFn &Ctx;
};

/// Takes B's functions into A, the words of OfA, which are as many. Numbers of a single rank have no explanations yet:
/// where another rank has the same numbers, one is left of them.
inline void joinWords(WordList &A, const RankedWords &OfA, const RankedWords &B, RankSetUnions &Unions) {
  if (A.areNumbers() && B.Words.areNumbers() && A.numbers() == B.Words.numbers())
    return;
  if (A.areNumbers() && OfA.Ranks.size() == 1)
    A.derive(OfA.Ctx(OfA.Ranks.first()));
  WordList Derived;
  const bool MustDerive = B.Words.areNumbers() && B.Ranks.size() == 1;
  if (MustDerive) {
    Derived = B.Words;
    Derived.derive(B.Ctx(B.Ranks.first()));
  }
  auto To = A.own().begin();
  (MustDerive ? Derived : B.Words).forEach([&](const RankFn &Of) {
    if (!To->mergeSingle(Of))
      To->merge(Of, OfA.Ranks, B.Ranks, OfA.Ctx, B.Ctx, Unions);
    ++To;
  });
  A.pack();
}

/// Some words of a list, which must stay where it is. Each is made when it is asked for.
class WordSpan {
public:
  WordSpan() = default;
  WordSpan(const WordList &L) : Of(&L), Count(L.size()) {}
  size_t size() const { return Count; }
  bool empty() const { return Count == 0; }
  const RankFn operator[](size_t I) const { return (*Of)[First + I]; }
  RankFn front() const { return (*this)[0]; }
  WordSpan subspan(size_t From, size_t N) const {
    WordSpan Out = *this;
    Out.First += From;
    Out.Count = N;
    return Out;
  }

  class Iterator {
  public:
    using value_type = RankFn;
    using difference_type = ptrdiff_t;
    Iterator() = default;
    Iterator(const WordList &Of, size_t At) : Of(&Of), At(At) {}
    RankFn operator*() const { return (*Of)[At]; }
    Iterator &operator++() {
      ++At;
      return *this;
    }
    Iterator operator++(int) { return {*Of, At++}; }
    bool operator==(const Iterator &O) const { return At == O.At; }

  private:
    const WordList *Of = nullptr;
    size_t At = 0;
  };
  Iterator begin() const { return Of ? Iterator(*Of, First) : Iterator(); }
  Iterator end() const { return Of ? Iterator(*Of, First + Count) : Iterator(); }

private:
  const WordList *Of = nullptr;
  size_t First = 0, Count = 0;
};
inline WordSpan::Iterator begin(const WordList &L) { return WordSpan(L).begin(); }
inline WordSpan::Iterator end(const WordList &L) { return WordSpan(L).end(); }

} // namespace pilgrim

#endif
