//===- Pace.h - the time between replayed calls ------------------*- C++ -*-===//
//
// The program computed between its calls. A replay waits as long (ScalaTrace, section 3.4: timed replay), less what it
// needs for itself. Where it needs more than that, it waits less before later calls, until it is where the program was.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_PROXYGEN_REPLAY_PACE_H
#define PILGRIM_PROXYGEN_REPLAY_PACE_H

#include "trace/read/Reader.h"

namespace pilgrim {

struct Pace {
  bool Waits = false;
  double Speed = 1; ///< 2: half as long
};

/// Of one thread.
class PaceClock {
public:
  explicit PaceClock(const Pace &P) : P(P) {}
  /// Waits until the call may begin.
  void before(const Call &C);
  void after();
  /// Seconds from the beginning of the first call to the end of the last one: as recorded, and now.
  double recorded() const { return HasAny ? RecordedEnd - RecordedBegin : 0; }
  double now() const { return HasAny ? End - Begin : 0; }

private:
  const Pace &P;
  bool HasAny = false;
  double RecordedBegin = 0, RecordedEnd = 0, Begin = 0, End = 0;
  double Late = 0; ///< what this thread itself took too long, and did not make up for yet
};

} // namespace pilgrim

#endif
