//===- Extrapolation.h - a trace at another number of ranks ------*- C++ -*-===//
//
// A trace is symbolic: what differs between ranks is a function of the rank, what repeats is said once. So traces of
// one program at several numbers of ranks say the same, but for some numbers. Each number is fitted by itself
// (NumberFit.h), and what comes out is a trace again.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_EXTRAPOLATE_EXTRAPOLATION_H
#define PILGRIM_PROXYGEN_EXTRAPOLATE_EXTRAPOLATION_H

#include "proxygen/extrapolate/NumberFit.h"
#include "trace/read/Reader.h"

#include <expected>

namespace pilgrim {

struct Extrapolated {
  std::vector<uint8_t> File;
  Shape By = Shape::Line;
  size_t Constant = 0, Fitted = 0;  ///< numbers of the trace
  std::vector<std::string> Guesses; ///< what does not fit, where it was guessed all the same
};

/// From: traces of complete runs, at least three, with different numbers of ranks. Force: guesses what does not fit.
/// Error: what does not fit, a line each.
std::expected<Extrapolated, std::vector<std::string>> extrapolate(std::vector<Trace> From, uint32_t Ranks, bool Force);

} // namespace pilgrim

#endif
