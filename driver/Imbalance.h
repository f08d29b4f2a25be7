//===- Imbalance.h - where times differ between ranks ------------*- C++ -*-===//
//
// A trace has of each place of the program how the ranks' own sums of times are distributed there, and who had the
// least and the largest. This lists the places where the largest is furthest from the mean: that time is lost, if the
// others wait for this rank.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_IMBALANCE_H
#define PILGRIM_DRIVER_IMBALANCE_H

#include "driver/Choice.h"
#include "trace/read/Reader.h"

namespace pilgrim {

struct ImbalanceQuery {
  FunctionChoice Functions; ///< of calls; with some chosen, functions and loops of the program are left out
  RowChoice Rows;
  bool Json;
};

/// Prints the report; gives the exit code.
int imbalance(const std::string &File, const Trace &T, const ImbalanceQuery &Q);

} // namespace pilgrim

#endif
