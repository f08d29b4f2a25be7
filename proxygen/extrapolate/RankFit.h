//===- RankFit.h - functions of the rank at another number of ranks -*- C++ -*-===//
//
// In real programs what a rank does depends on where it stands: at a corner of the grid, on an edge, inside. How a
// trace says this (pieces, lists, grids) is chosen by length, so it may be said in another form on more ranks. Then not
// the numbers of the forms are compared, but the values: ranks are laid out on a line or in a grid, along each side the
// first few and the last few places are looked at by themselves, and within each cell so made the values are
// a + b * i + c * j. Every rank of every trace must agree, and the a, b and c are numbers that follow from how many
// ranks there are.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_RANKFIT_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_RANKFIT_H

#include "proxygen/extrapolate/NumberFit.h"
#include "trace/ranks/RankFn.h"

#include <array>
#include <map>

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
  /// InWorld: they are functions of the rank in MPI_COMM_WORLD.
  std::optional<RankFn> function(std::span<const RankFn> Functions, std::span<const RankSet> Of, const RankSet &OfThen,
                                 bool ArePlaces, bool InWorld);
  /// Functions of the rank in MPI_COMM_WORLD, and of the number of a step, at so many steps; those known are by count
  /// and step. They are for all ranks, which form a torus.
  std::optional<std::vector<RankFn>> steps(const std::vector<std::vector<RankFn>> &Functions,
                                           std::span<const RankSet> Of, const RankSet &OfThen, size_t Steps);
  /// NumberFit::learn for the numbers of such functions.
  void learn(std::span<const RankFn> Functions, std::span<const RankSet> Of);

private:
  /// What a rank has: a value, or how it follows from the rank in the communicator.
  struct Symbol {
    enum Kind : uint8_t { None = 0, Const = Candidates::Const }; ///< or another explanation of Candidates
    uint8_t K = None;
    int64_t V = 0;
    bool operator==(const Symbol &) const = default;
  };
  using Symbols = std::vector<Symbol>; ///< by rank

  static constexpr size_t MostSides = 3;
  /// The sides of a grid at each of the counts and, last, at To; ranks are counted along the last side first.
  struct Layout {
    size_t Sides = 1;
    std::vector<std::array<int64_t, MostSides>> Lengths;
  };
  /// A cell of a grid with a border of some places at each end of its sides.
  struct Cell {
    bool IsSeen = false;
    std::array<int64_t, MostSides> At{}; ///< the first place
    Symbol First;                        ///< what is there
    std::array<std::optional<int64_t>, MostSides> Slopes;
  };
  /// Cells at one number of ranks. Errors: nullopt if values follow no line.
  static std::optional<std::vector<Cell>> cells(const Layout &L, size_t Count, int64_t Border, const Symbols &Of);
  /// Cells of each trace; nullopt: of some trace there are none, or it is too small.
  static std::optional<std::vector<std::vector<Cell>>> cellsOf(const Layout &L, int64_t Border,
                                                               std::span<const Symbols> Of);
  /// Numbers of cells that all traces tell.
  static std::vector<std::vector<int64_t>> numbersOf(const std::vector<std::vector<Cell>> &Own);
  /// What is wanted of some of the ranks, or of all.
  struct Wanted {
    const RankSet *Ranks = nullptr;
    bool ArePlaces = false;
  };
  /// Fits the numbers of all cells.
  std::optional<std::vector<Cell>> cellsThen(const std::vector<std::vector<Cell>> &Own, bool ArePlaces);
  std::optional<Symbols> symbolsThen(const Layout &L, int64_t Border, std::span<const Symbols> Of, Wanted W);
  std::optional<Symbols> fit(std::span<const Symbols> Of, Wanted W);
  /// ByValue: values alone. What "four more than the rank" is of, is the rank in the world.
  std::optional<std::vector<Symbols>> symbolsOf(std::span<const RankFn> Functions, std::span<const RankSet> Of,
                                                bool ByValue) const;
  RankFn ofValues(const std::vector<int64_t> &Values, const RankSet &Ranks) const;
  /// A number that some of the traces tell; All: those that all of them tell, of the same function.
  std::optional<int64_t> number(std::span<const std::optional<int64_t>> Values,
                                const std::vector<std::vector<int64_t>> &All);

  Shape By;
  NumberFit &Numbers;
  std::vector<int64_t> Counts;                 ///< To is the last one
  std::vector<std::vector<Layout>> Layouts;    ///< of one side, two, three
  std::map<std::vector<bool>, NumberFit> Fits; ///< by which of the counts they are for, if not for all
};

} // namespace pilgrim

#endif
