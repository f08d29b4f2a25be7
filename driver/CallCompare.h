//===- CallCompare.h - equality of calls up to a renaming -------*- C++ -*-===//
//
// Compares the calls of one thread in two traces, one after the other. Numbers,
// constants and strings must be equal. Symbolic names (communicators, types,
// requests...) and buffers must map one to one:
//
//   objects   A name is bound to the other side's at its first use. Both may be
//             bound anew only by a call that makes an object: names are used
//             again after the object is gone. A request of another thread (the
//             same one on both sides) also after a call that may have completed
//             it, since what its maker did meanwhile is not seen. A group that
//             was freed also by a call that may give one that there is.
//   heap      Segments map one to one until they are freed, offsets are equal.
//             Devices map one to one; the kind of memory is the same.
//   data      Places map one to one; where they lie is the linker's business.
//   functions Of the program, as places where only one side exports them, and so
//             has their names.
//   stack     Places map one to one within a call. From call to call a compiler
//             lets variables share places as it likes.
//   raw       An address that nothing is known of equals any other; so do
//             displacements that can only be addresses (2^40 and more).
//
// Where calls were not traced, as many on both sides, any object may have gone
// and another one have its name: names from before may be bound anew at their
// next use.
//
// Segments that another thread freed, and places, are never bound anew. Not
// compared are call sites, times, values of machine origin, and when memory of
// an accelerator is freed: whether that is seen depends on how the program is
// linked.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_CALLCOMPARE_H
#define PILGRIM_DRIVER_CALLCOMPARE_H

#include "driver/ValueText.h"
#include "trace/model/SegmentName.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace pilgrim {

/// A one-to-one mapping that grows.
template <typename Name> class Bijection {
public:
  /// Whether A and B may stand for each other; binds them if neither is bound, or not since doubt().
  bool matches(const Name &A, const Name &B) {
    auto Left = Forth.find(A);
    auto Right = Back.find(B);
    if (Left != Forth.end() && Right != Back.end() && Left->second.To == B) {
      Left->second.Age = Age;
      return true;
    }
    if ((Left != Forth.end() && Left->second.Age == Age) ||
        (Right != Back.end() && Forth.find(Right->second)->second.Age == Age))
      return false;
    release(A, B);
    Forth.emplace(A, Bound{B, Age});
    Back.emplace(B, A);
    return true;
  }
  /// What A stands for, or null.
  const Name *partner(const Name &A) const {
    auto It = Forth.find(A);
    return It == Forth.end() ? nullptr : &It->second.To;
  }
  /// What stands for B, or null.
  const Name *origin(const Name &B) const {
    auto It = Back.find(B);
    return It == Back.end() ? nullptr : &It->second;
  }
  /// Forgets whatever A and B stood for.
  void release(const Name &A, const Name &B) {
    if (auto It = Forth.find(A); It != Forth.end()) {
      Back.erase(It->second.To);
      Forth.erase(It);
    }
    if (auto It = Back.find(B); It != Back.end()) {
      Forth.erase(It->second);
      Back.erase(It);
    }
  }
  /// What is bound may stand for something else by now.
  void doubt() { ++Age; }

private:
  struct Bound {
    Name To;
    uint64_t Age; ///< when it was last confirmed
  };
  std::map<Name, Bound> Forth;
  std::map<Name, Name> Back;
  uint64_t Age = 0;
};

class CallCompare {
public:
  CallCompare(const Trace &A, const Trace &B) : NamesA(A, ValueText::Form::Text), NamesB(B, ValueText::Form::Text) {}

  /// Starts with another thread's calls: names are a thread's own there.
  void restart();
  /// Whether it is in every trace of the program's runs.
  static bool isCompared(const Call &C);
  /// What differs in two calls ("dest"); empty: nothing.
  std::string compare(const Call &A, const Call &B);
  /// Of a difference: the same without names that are symbolic.
  const std::string &what() const { return What; }
  /// Of a difference: slots whose values were compared, which ends with the one that differs.
  uint32_t comparedSlots() const { return Compared; }

  /// Whether it is a function of the program, by its name or by the place where it lies.
  static bool isOwnFunction(const ParamSchema &P, const Value &V);

  // What compare() asks about values that are not symbolic.
  /// Whether words are names that map one to one.
  static bool areSymbols(Kind K, int64_t A, int64_t B) { return isHandle(K) && A >= 0 && B >= 0; }
  /// Words of a slot that are not.
  bool sameNumber(const ParamSchema &PA, const ParamSchema &PB, int64_t A, int64_t B);
  /// StatusWords words each.
  bool sameStatus(std::span<const int64_t> A, std::span<const int64_t> B);

private:
  struct Side {
    const Value &V;
    const ParamSchema &P;
    const RankView &View;
  };
  bool sameSlot(const Side &A, const Side &B, Relation Use);
  bool sameWord(const Side &A, const Side &B, int64_t WordA, int64_t WordB, Relation Use);
  bool sameNamed(const ParamSchema &PA, const ParamSchema &PB, int64_t A, int64_t B);
  bool sameObject(const ObjectInfo &A, const ObjectInfo &B, Relation Use);
  bool samePlace(const Value &A, const Value &B);
  bool sameSymbol(Kind K, int64_t A, int64_t B, Relation Use);
  bool mayBeGone(Kind K, int64_t A, int64_t B);
  bool noteGone(const Call &C);
  bool sameName(Bijection<int64_t> &Map, const char *Prefix, int64_t A, int64_t B);
  bool sameOnStack(Bijection<int64_t> &Known, int64_t A, int64_t B);
  bool sameSegment(SegmentName A, SegmentName B);
  void explain(const Bijection<int64_t> &Map, int64_t A, int64_t B, const std::function<std::string(int64_t)> &Symbol);
  Relation use(const FunctionSchema &F, uint32_t Slot);

  std::string find(const Call &A, const Call &B, bool IsConstant);

  ValueText NamesA, NamesB;
  std::string What;
  uint32_t Compared = 0;
  std::map<Kind, Bijection<int64_t>> Symbols;
  std::string Detail; // of the difference, where the values do not show it
  Bijection<int64_t> Segments, Devices, Mappings;
  /// Tag, module as a number of this side, offset.
  using Place = std::tuple<Tag, uint32_t, int64_t>;
  Bijection<Place> Places;
  Bijection<int64_t> StackPlaces, MainStackPlaces; // of the call being compared
  // By A's terminal: B's terminal + 1 that it was found equal to last. Names
  // bound anew end that.
  std::vector<uint32_t> Equal;
  std::map<uint32_t, std::vector<Relation>> Uses; ///< by function of A's trace and slot
  /// A's names of other threads' requests that were passed to a call that completes them, and of groups that were
  /// freed.
  std::set<std::pair<Kind, int64_t>> Gone;
};

} // namespace pilgrim

#endif
