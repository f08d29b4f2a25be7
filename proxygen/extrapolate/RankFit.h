//===- RankFit.h - functions of the rank at another number of ranks -*- C++ -*-===//
//
// How a trace says what differs between ranks (pieces, lists, grids) is chosen by length, so it may be said in another
// form on more ranks. Then not the numbers of the forms are compared, but the values, by where ranks stand (CellFit).
//
// Ranks may also be divided into two, three or four groups: coupled programs, MPI_Comm_split by a color.
//
// Where something is divided among the places along a side, and does not divide, values follow from the division.
//
// A program whose ranks have blocks along the diagonals of a grid (NPB's multipartition) sends its blocks on, step by
// step. What a rank does in a step follows from distances around a torus, (j - i - step) mod n and the like.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_RANKFIT_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_RANKFIT_H

#include "proxygen/extrapolate/CellFit.h"
#include "trace/ranks/RankFn.h"

namespace pilgrim {

class RankFit {
public:
  /// As of NumberFit. Numbers: for numbers that all traces tell.
  RankFit(Shape S, std::span<const int64_t> Counts, int64_t To, NumberFit &Numbers);
  /// The set at To, from those at the counts; nullopt: no layout explains them all, or several do that differ at To.
  std::optional<RankSet> set(std::span<const RankSet> Sets);
  /// The function of the ranks OfThen at To, from those of the ranks Of at the counts. ArePlaces: the values say where
  /// something is in the program, as it was built for the number of ranks: what has one place at one count has one at
  /// every other, and at To the place that it has at the largest count.
  /// InWorld: they are functions of the rank in MPI_COMM_WORLD, which may form a torus, too.
  std::optional<RankFn> function(std::span<const RankFn> Functions, std::span<const RankSet> Of, const RankSet &OfThen,
                                 bool ArePlaces, bool InWorld);
  /// Functions of the rank in MPI_COMM_WORLD, and of the number of a step, at so many steps; those known are by count
  /// and step. They are for all ranks, which form a torus.
  std::optional<std::vector<RankFn>> steps(const std::vector<std::vector<RankFn>> &Functions,
                                           std::span<const RankSet> Of, const RankSet &OfThen, size_t Steps);
  /// NumberFit::learn for the numbers of such functions.
  void learn(std::span<const RankFn> Functions, std::span<const RankSet> Of);

private:
  /// The first kind of layout that explains everything: a line, grids, groups, each with borders of no, one and two
  /// places. Several of a kind must say the same.
  bool fit(std::span<const PlaceSymbols> Of, bool ArePlaces, PlaceSymbols &Wanted);
  /// Whether all functions are that of the last trace, "so many ranks on, around all ranks", which has other forms on
  /// few ranks: three on, of four, is one back.
  bool areAround(std::span<const RankFn> Functions, std::span<const RankSet> Of) const;
  /// Fills Wanted with values that follow from the place along one side of a grid or two, as what is divided among the
  /// places does (PartFit).
  bool parts(std::span<const PlaceSymbols> Of, PlaceSymbols &Wanted) const;
  /// ByValue: values alone. What "four more than the rank" is of, is the rank in the world.
  std::optional<std::vector<PlaceSymbols>> symbolsOf(std::span<const RankFn> Functions, std::span<const RankSet> Of,
                                                     bool ByValue) const;
  RankFn ofValues(const std::vector<int64_t> &Values, const RankSet &Ranks, bool InWorld) const;

  Shape By;
  std::vector<int64_t> Counts;                   ///< To is the last one
  std::vector<std::vector<PlaceLayout>> Layouts; ///< of one side, two, three
  std::vector<std::vector<PlaceLayout>> Groups;  ///< of two groups, three, four: one after the other, and in turns
  CellFit Cells;
};

} // namespace pilgrim

#endif
