//===- OwnFrames.h - times that stay with their rank -------------*- C++ -*-===//
//
// The times of single calls are most of a trace that has them, and nothing about them changes when ranks are merged. So
// those of a rank that has many stay where they are: the others only get to know how many bytes they have. When rank 0
// has written everything else, it tells each rank where in the file its frames stand, and all ranks write theirs at the
// same time. Those of a rank that cannot write to the file, as on another machine, go by way of rank 0.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_FINISH_OWNFRAMES_H
#define PILGRIM_FINISH_OWNFRAMES_H

#include "finish/Party.h"
#include "trace/file/Format.h"

namespace pilgrim {

class OwnFrames {
public:
  /// Takes the frames of T, a trace of one rank, if they are many: then T has none that are here.
  void take(TraceData &T);
  /// The places of everybody's frames: what rank 0 sends when Temporary has the rest. Parts is T as it was written.
  static std::vector<uint8_t> places(const TraceData &T, const TraceParts &Parts, const std::string &Temporary);
  /// Whether Message, which rank 0 has sent, is what places() returned.
  static bool arePlaces(std::span<const uint8_t> Message);
  /// On all ranks: all frames are written. Message: from places(). Why gets, on rank 0, an errno if that failed. False:
  /// a rank did not answer.
  bool write(Party &All, std::vector<uint8_t> Message, int &Why) const;

private:
  struct OfThread {
    uint32_t Thread;
    std::vector<Chunk> Frames;
  };
  std::vector<OfThread> Taken;
};

} // namespace pilgrim

#endif
