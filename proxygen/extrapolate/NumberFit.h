//===- NumberFit.h - a number as a function of how many ranks there are -*- C++ -*-===//
//
// Numbers in traces of one program at several rank counts are mostly constants, or simple exact functions of the count:
// of the count p itself, of its logarithm, of the sides of a square or cubic grid of p ranks. (Extra-P's performance
// model normal form has p^i * log2(p)^j; here nothing is measured, so a model has to be exact.)
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_NUMBERFIT_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_NUMBERFIT_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pilgrim {

/// How ranks are arranged. A later one has the terms of the first one, and its own.
enum class Shape : uint8_t { Line, Square, Cube };
const char *nameOf(Shape S);

/// The sides of the most even grid of Ranks ranks, in descending order (MPI_Dims_create's rule).
std::vector<int64_t> gridSides(int64_t Ranks, unsigned Dimensions);

class NumberFit {
public:
  /// Counts: of the traces, ascending, at least two; To: where numbers are wanted.
  NumberFit(Shape S, std::span<const int64_t> Counts, int64_t To);
  /// The number at To, from those at the counts; nullopt: no model gives them exactly, or several do that differ at To.
  std::optional<int64_t> at(std::span<const int64_t> Values) const;
  /// Where nothing gives these numbers exactly.
  struct Guess {
    int64_t Value;
    double Error; ///< the largest one at the counts, as a part of the number there
  };
  /// Of what the last of the numbers is, and (unless it IsLast) lines over one term, the one that is closest to all of
  /// them.
  Guess guess(std::span<const int64_t> Values, bool IsLast = false) const;
  /// Whether several models gave these numbers, with different ones at To.
  bool isAmbiguous(std::span<const int64_t> Values) const;
  /// If these numbers follow from one side of the grid by a polynomial, numbers that follow from another side by the
  /// same one are explained from now on: faces of blocks, whose edges are N / X and N / Y.
  void learn(std::span<const int64_t> Values);

private:
  /// A function of the count, at each of Counts and at To, as a fraction.
  struct Term {
    std::vector<int64_t> Numerators, Denominators;
    int64_t Numerator = 0, Denominator = 1;
  };
  struct Point {
    int64_t Count;
    std::vector<int64_t> Sides;
  };
  void addTerms(Shape S, std::span<const Point> Points);
  /// A function that gives all of the numbers.
  struct Model {
    double Bits;                  ///< what it takes to say which one it is
    std::optional<int64_t> Value; ///< at To; nullopt: none that is whole
  };
  struct Answer {
    std::optional<int64_t> Value;
    bool Several = false; ///< another model that is about as simple says otherwise
  };
  /// The simplest model, if it takes no more bits than the numbers themselves: else they may follow it by chance (the
  /// principle of minimum description length).
  const Answer &find(std::span<const int64_t> Values) const;
  static double sizeInBits(std::span<const int64_t> Values);
  static void addOneTerm(std::span<const Term> Of, std::span<const int64_t> Values, std::vector<Model> &Out);
  void addTwoTerms(std::span<const int64_t> Values, std::vector<Model> &Out) const;
  void addLimits(std::span<const int64_t> Values, std::vector<Model> &Out) const;
  void addPolynomials(std::span<const int64_t> Values, std::vector<Model> &Out) const;
  // What is no answer, but may say otherwise.
  void addRounded(std::span<const int64_t> Values, std::vector<Model> &Out) const;
  void addGroups(std::span<const int64_t> Values, std::vector<Model> &Out) const;
  void addProportionalToWeak(std::span<const int64_t> Values, std::vector<Model> &Out) const;

  /// (A + B * s + C * s^2) / s^Power of a side s, or of the count.
  struct Polynomial {
    int64_t A, B, C;
    int Power;
    bool IsConfirmed; ///< it explains more numbers than it needs
    std::optional<int64_t> at(int64_t Side) const;
    bool operator==(const Polynomial &) const = default;
  };
  static double sizeInBits(const Polynomial &P);
  /// Those that are confirmed; if there are none, all others.
  static std::vector<Polynomial> polynomials(const std::vector<int64_t> &Sides, std::span<const int64_t> Values);

  std::vector<Term> Terms;
  std::vector<Term> OfOthers; ///< of another shape
  std::vector<Term> Weak; ///< of any shape: with two different values only, or rounded; what is proportional to them
  /// Sides of the grid, and counts: at each of the counts and, last, at To.
  std::vector<std::vector<int64_t>> Sides;
  std::vector<Polynomial> Learnt;
  mutable std::map<std::vector<int64_t>, Answer> Known; ///< the same numbers stand in many places
};

} // namespace pilgrim

#endif
