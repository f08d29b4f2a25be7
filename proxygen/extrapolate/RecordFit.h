//===- RecordFit.h - a record of several traces at another number of ranks -*- C++ -*-===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_RECORDFIT_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_RECORDFIT_H

#include "proxygen/extrapolate/PlainTrace.h"
#include "proxygen/extrapolate/RankFit.h"

namespace pilgrim {

/// The values before a part of a record, behind the part before it; before the end, if there is no such part.
std::span<const PlainValue> valuesBefore(const PlainRecord &R, size_t Part);
std::span<const PlainValue> valuesOf(const PlainRecord &R, const PlainPart &P);
/// Whether values are of the same kinds, and the fixed ones the same.
bool areSameForm(std::span<const PlainValue> A, std::span<const PlainValue> B);

class RecordFit {
public:
  /// As of NumberFit.
  RecordFit(const RecordFit &) = delete;
  RecordFit(Shape S, std::span<const int64_t> Counts, int64_t To)
      : Numbers(S, Counts, To), Ranks(S, Counts, To, Numbers), Counts(Counts.begin(), Counts.end()),
        World(static_cast<uint32_t>(To)) {}

  /// Whether two records have the same form: the same kinds of values, and the same fixed ones.
  static bool isSame(const PlainRecord &A, const PlainRecord &B);
  /// The same, but that sets of ranks and functions of the rank may have different forms.
  static bool isAlike(const PlainRecord &A, const PlainRecord &B);

  struct Misfit {
    std::vector<int64_t> Values; ///< by trace; none: a set of ranks, or a function of the rank, of different forms
    NumberFit::Guess Then{};     ///< of a number
    bool IsAmbiguous = false;    ///< several models fit
    bool IsSet = false;
    bool IsValue = false; ///< the number is what all ranks have; else it is one of those that say what ranks have
    uint32_t Slot = 0;    ///< as of PlainPart
  };
  struct Result {
    PlainRecord
        Record; ///< where something does not fit, with what the last trace has; a parameter of a call: with the guess
    size_t Constant = 0, Fitted = 0; ///< numbers that do not depend on the number of ranks, and that follow from it
    std::vector<Misfit> Misfits;
  };
  /// Records: of each trace, alike.
  Result fit(std::span<const PlainRecord *const> Records);
  /// The values of a part that is a function of the rank, and of the number of a step, at each of so many steps. Of: by
  /// trace and step; with their parts of the same ranks at all steps.
  std::optional<std::vector<std::vector<PlainValue>>> steps(const std::vector<std::vector<const PlainRecord *>> &Of,
                                                            size_t Part, size_t Steps);
  /// NumberFit::learn for each number of records that may be of any form.
  void learn(std::span<const PlainRecord *const> Records);
  const NumberFit &numbers() const { return Numbers; }

private:
  using Parts = std::vector<std::span<const PlainValue>>; ///< by trace
  /// Adds numbers of values that have the same form.
  void addNumbers(const Parts &Own, Result &To) const;
  /// A number that does not fit; what stands in its place.
  int64_t addMisfit(const std::vector<int64_t> &Values, const PlainValue &Last, Result &To) const;
  void addPart(std::span<const PlainRecord *const> Records, size_t Part, Result &To);
  /// The values of a part that follows from the values of all ranks.
  std::optional<std::vector<PlainValue>> byRank(std::span<const PlainRecord *const> Records, size_t Part);
  /// The set at the number of ranks that is wanted; Values: what follows from the numbers that say it, if it does.
  const std::optional<RankSet> &setThen(std::span<const RankSet> Sets, std::span<const PlainValue> Values = {});

  NumberFit Numbers;
  RankFit Ranks;
  std::vector<int64_t> Counts;
  uint32_t World;
  std::map<std::vector<int64_t>, std::optional<RankSet>> Sets; ///< by what all traces say
};

} // namespace pilgrim

#endif
