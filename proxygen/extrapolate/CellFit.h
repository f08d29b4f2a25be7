//===- CellFit.h - values by place in a grid or a torus ----------*- C++ -*-===//
//
// In real programs what a rank does depends on where it stands: at a corner of the grid, on an edge, inside. Ranks are
// laid out on a line or in a grid, along each side the first few and the last few places are looked at by themselves,
// and within each cell so made the values are a + b * i + c * j. Every rank of every trace must agree, and the a, b and
// c are numbers that follow from how many ranks there are.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_CELLFIT_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_CELLFIT_H

#include "proxygen/extrapolate/NumberFit.h"

#include <array>
#include <map>

namespace pilgrim {

/// What there is at a place: a value, or how it follows from something else.
struct PlaceSymbol {
  static constexpr uint8_t None = 0; ///< nothing is known, or wanted
  uint8_t Kind = None;               ///< places of one cell have the same
  int64_t V = 0;
  bool operator==(const PlaceSymbol &) const = default;
};
using PlaceSymbols = std::vector<PlaceSymbol>;

/// A distance around a torus of N * N ranks: (I * i + J * j + Step * step + Shift) mod N.
struct TorusDistance {
  int I, J, Step, Shift;
};

/// Where symbols are, one after the other, at each of the counts and, last, where they are wanted.
struct PlaceLayout {
  static constexpr size_t MostSides = 3;
  using Place = std::array<int64_t, MostSides>;
  size_t Sides = 1;
  /// Of a grid: symbols are counted along the last side first. Of a torus: the first two, which are equal.
  std::vector<Place> Lengths;
  /// Of a torus: symbols are those of all ranks in the first step, in the second one... A place is how far it is by
  /// each of these.
  std::vector<TorusDistance> Around{};
  Place at(size_t Count, size_t Symbol) const;
};

class CellFit {
public:
  /// As of NumberFit. Numbers: for numbers that are known at all counts.
  CellFit(Shape S, std::span<const int64_t> Counts, int64_t To, NumberFit &Numbers)
      : By(S), Counts(Counts.begin(), Counts.end()), To(To), Numbers(Numbers) {}

  /// The symbols at To. Of: by count. There, Wanted has those that are not None; their values are replaced. ArePlaces:
  /// values have no rule, but what is equal at one count is equal at all: they are those of the largest count. Layouts:
  /// with as many sides. False: no layout explains all, or several do that differ at To.
  bool fit(std::span<const PlaceLayout> Layouts, int64_t Border, std::span<const PlaceSymbols> Of, bool ArePlaces,
           PlaceSymbols &Wanted, bool &IsAmbiguous);
  /// NumberFit::learn for numbers of cells; false: this layout explains nothing.
  bool learn(const PlaceLayout &L, int64_t Border, std::span<const PlaceSymbols> Of);

private:
  static constexpr size_t MostSides = PlaceLayout::MostSides;
  struct Cell {
    bool IsSeen = false;
    PlaceLayout::Place At{}; ///< the first place
    PlaceSymbol First;       ///< what is there
    std::array<std::optional<int64_t>, MostSides> Slopes;
    /// What is at a place; nullopt: it is not known.
    std::optional<int64_t> valueAt(const PlaceLayout::Place &P) const;
  };
  using Cells = std::vector<Cell>;
  /// Those of one count; nullopt: values follow no line, or a side is too short.
  static std::optional<Cells> cells(const PlaceLayout &L, size_t Count, int64_t Border, const PlaceSymbols &Of);
  /// Those of each count.
  static std::optional<std::vector<Cells>> cellsOf(const PlaceLayout &L, int64_t Border,
                                                   std::span<const PlaceSymbols> Of);
  /// Numbers of cells that are known at all counts.
  static std::vector<std::vector<int64_t>> numbersOf(const std::vector<Cells> &Own);
  std::optional<Cells> cellsThen(const std::vector<Cells> &Own, const PlaceLayout &L, int64_t Border, bool ArePlaces);
  /// A number that is known at some of the counts; All: those that are known at all, of the same symbols.
  std::optional<int64_t> number(std::span<const std::optional<int64_t>> Values,
                                const std::vector<std::vector<int64_t>> &All);

  Shape By;
  std::vector<int64_t> Counts;
  int64_t To;
  NumberFit &Numbers;
  std::map<std::vector<bool>, NumberFit> Fits; ///< by which of the counts they are for, if not for all
};

} // namespace pilgrim

#endif
