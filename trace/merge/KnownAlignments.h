//===- KnownAlignments.h - the alignments with gaps of one merge --*- C++ -*-===//
//
// A function that is called from many places makes the same calls there. So the same two sequences are often to be
// aligned again, for another event, and what their calls hold need not even be the same: an alignment depends on how
// many integers of two calls differ, not on the integers. Each alignment is found once (internal to trace/).
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_MERGE_KNOWNALIGNMENTS_H
#define PILGRIM_TRACE_MERGE_KNOWNALIGNMENTS_H

#include "trace/base/Hash.h"
#include "trace/model/Entry.h"
#include "trace/sequences/Alignment.h"

#include <utility>

namespace pilgrim {

/// Small numbers of pairs.
class PairNumbers {
public:
  static constexpr uint8_t Unknown = UINT8_MAX;
  /// Unknown, if the pair is new; the caller then sets it. Valid until the next call.
  uint8_t &of(uint32_t A, uint32_t B);
  size_t size() const { return Used; }

private:
  struct Pair {
    uint32_t A, B;
    uint8_t Number;
    bool IsUsed;
  };
  Pair &place(uint32_t A, uint32_t B);

  std::vector<Pair> Pairs; ///< open addressing; the size is a power of two
  size_t Used = 0;
};

/// How many integers of two calls no explanation has in common; no more than MostDifferences. Of variants, those that
/// are closest.
size_t differencesOf(const Entry &A, const Entry &B);

/// Where nothing repeats, alignments take the most time and come to nothing. So large ones are tried only as long as
/// those that were of no use did not take much more time than those that were.
class Effort {
public:
  /// Work: in steps of alignWithGaps().
  bool isWorth(uint64_t Work) const { return Work <= Little || OfNoUse + Work <= OfUse + AtFirst; }
  void was(uint64_t Work, bool WasOfUse) { (WasOfUse ? OfUse : OfNoUse) += Work; }

private:
  static constexpr uint64_t Little = uint64_t(1) << 14, AtFirst = uint64_t(1) << 20;
  uint64_t OfUse = 0, OfNoUse = 0;
};

class KnownAlignments {
public:
  /// Calls of a sequence, by terminal; null: not a call.
  using Calls = std::vector<const Entry *>;
  /// The result of alignWithGaps(), valid until the next call; null: nothing, or nothing that is worth the time.
  const Alignment *find(const KeyedSequence &A, const KeyedSequence &B, const Calls &OfA, const Calls &OfB);
  /// To be called after find(): whether what it returned was of use.
  void wasOfUse(bool Is) { WithGaps.was(std::exchange(Last, 0), Is); }
  /// Answers and differences that are kept; some bytes each.
  size_t kept() const { return NumAnswers + Differences.size(); }
  /// There may be more by those of one alignment.
  static constexpr size_t MaxKept = size_t(1) << 20;
  Effort Exact; ///< for those that align() finds, which are not known
  /// Sequences that have a call in common become one, also where that is longer.
  bool AtAnyCost = false;

private:
  /// What alignWithGaps() goes by.
  struct Side {
    GrammarData Order;
    std::vector<uint64_t> Keys;
    std::vector<int64_t> Places;
    explicit Side(const KeyedSequence &S) : Order(S.Order), Keys(S.Keys), Places(S.Places) {}
    bool isSame(const KeyedSequence &S) const { return Keys == S.Keys && Places == S.Places && Order == S.Order; }
  };
  struct Answer {
    uint32_t X, Y; ///< terminals of both sides
    size_t Differences;
  };
  struct Known {
    Side A, B;
    std::vector<Answer> Answers; ///< to all that it asked
    Alignment Both;
  };
  /// A call of one side. Number: the same for all entries that share their variants; None: nobody else has them.
  struct OneCall {
    static constexpr uint32_t None = UINT32_MAX;
    const Entry *E;
    uint32_t Number;
  };
  using Numbered = std::vector<OneCall>;
  /// Calls for which a known alignment was found.
  struct Use {
    std::vector<uint32_t> Numbers;
    size_t Of;
  };
  static constexpr size_t MaxTries = 16; ///< known alignments of the same sequences that are compared
  /// Forgets all there is if that is much.
  void makeRoom();
  Numbered number(const Calls &Of);
  size_t differences(const OneCall &A, const OneCall &B);
  /// Index into All, or Finder::None. Hash: of the sequences.
  size_t findLike(const KeyedSequence &A, const KeyedSequence &B, const Numbered &OfA, const Numbered &OfB,
                  uint64_t Hash);

  std::vector<Known> All;
  std::vector<Use> Uses;
  Finder ByUse{0}, BySequences{0};
  OfShared<uint32_t> Numbers;
  uint32_t NextNumber = 0;
  PairNumbers Differences; ///< by number
  size_t NumAnswers = 0;
  Effort WithGaps;
  uint64_t Last = 0; ///< work for the alignment that was found last
};

} // namespace pilgrim

#endif
