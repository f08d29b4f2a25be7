//===- KeptTimes.h - how the times of single calls are kept -------*- C++ -*-===//
//
// What --timing and --error ask for, as the recorder takes it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_KEPTTIMES_H
#define PILGRIM_KEPTTIMES_H

#include "pmpi/State.h"

namespace pilgrim {

/// How times of single calls are coded. False: they are not kept.
bool findTimeCoding(const Options &O, TimeCoding &Coding);
/// The bounds of a codec. NanoPerTick is called only if there are absolute ones, since it takes a while.
TimeErrors errorsInTicks(const Process &P, TimeCodec Codec, double (*NanoPerTick)(const Process &));

} // namespace pilgrim

#endif
