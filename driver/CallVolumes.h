//===- CallVolumes.h - bytes that calls of all ranks move --------*- C++ -*-===//
//
// What VolumeRule says of one call on one rank, for a call of all ranks at once: they are told apart only as far as
// something that the number of bytes depends on differs. Rank by rank is the last resort, where nearly each has values
// of its own.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_DRIVER_CALLVOLUMES_H
#define PILGRIM_DRIVER_CALLVOLUMES_H

#include "driver/Volume.h"
#include "trace/read/Walk.h"

namespace pilgrim {

class CallVolumes {
public:
  CallVolumes(const Walk &W, const CallShape &C, const VolumeRule &Rule) : W(W), C(C), Rule(Rule) {}

  /// F(ranks, bytes of one call, how many such calls each of them makes).
  using VolumeFn = std::function<void(const RankSet &, const Volume &, uint64_t)>;
  /// False, and nothing is called: values differ so much from call to call that they have to be gone through.
  bool forEach(const VolumeFn &F);

private:
  /// Values of streamed slots, in the order of Streamed.
  using Fixed = std::span<const int64_t>;

  void tell(const RankSet &Ranks, Fixed Values, uint64_t Times, const VolumeFn &F);
  Volume volume(uint32_t Rank, Fixed Values) const;
  const int64_t *fixed(uint32_t Slot, Fixed Values) const;

  // Cells: sets of ranks that nothing tells apart so far.
  void findCells(const RankSet &Ranks, Fixed Values);
  void splitByBuffer(const BufferRelations &B, Fixed Values);
  void splitByRoot(Fixed Values);
  void splitByNobody(uint32_t Slot, Fixed Values);
  void splitByWords(uint32_t Slot, Fixed Values);
  void splitBySize(uint32_t Ref);
  void splitBy(const RankFn &F, const RankFn::ContextFn &Ctx);
  void splitOff(const RankSet &Part);
  void splitAll();

  const Walk &W;
  const CallShape &C;
  const VolumeRule &Rule;
  std::vector<unsigned> Streamed;
  RankSet All;
  std::vector<RankSet> Cells;
  bool IsRankByRank = false;
};

} // namespace pilgrim

#endif
