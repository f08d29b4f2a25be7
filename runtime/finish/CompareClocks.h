//===- CompareClocks.h - clocks of several machines ---------------*- C++ -*-===//
//
// The first rank of each machine asks that of another for the time, and measures how long question and answer take:
// after F. Cristian, "Probabilistic clock synchronization" (1989). Who asks whom is a binomial tree of machines, so
// that it takes as many rounds as their number has digits.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_FINISH_COMPARECLOCKS_H
#define PILGRIM_FINISH_COMPARECLOCKS_H

#include "trace/model/Clocks.h"

namespace pilgrim {

class Party;
struct Process;

/// The clock of this rank's times; 0 if it keeps none, or does not compare it.
uint64_t comparedClock(const Process &P);
/// All ranks of All call this. Clock: comparedClock() of this rank. Compared is what this rank measured before,
/// or nothing; it gets one more point if this rank is the first one with its clock, and not the first of all. False:
/// not all ranks answered, or there is no memory.
bool compareClocks(Party &All, uint64_t Clock, ComparedClock &Compared);

} // namespace pilgrim

#endif
