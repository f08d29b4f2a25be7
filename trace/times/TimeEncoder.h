//===- TimeEncoder.h - the times of a thread's calls, encoded -----*- C++ -*-===//
//
// Takes the calls of one thread in blocks, and gives out the bytes of each block, the number of its model, and new
// models. It keeps the last few models. A block gets a new one if that saves more than the model takes. Memory is
// bounded: less than 1 MiB beside 4 bytes for each call of the largest block and the bytes of one block.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TRACE_TIMES_TIMEENCODER_H
#define PILGRIM_TRACE_TIMES_TIMEENCODER_H

#include "trace/times/TimeBlock.h"
#include "trace/times/TimeCoder.h"
#include "trace/times/TimeModel.h"
#include "trace/times/TimeScale.h"
#include "trace/times/TimeSlots.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace pilgrim {

struct TimedCall {
  uint32_t Place = 0, Path = 0; ///< see CallContext
  uint64_t Start = 0, End = 0;  ///< in ticks; End is not before Start
};

struct SignedTime;

class TimeEncoder {
public:
  /// Bounds has to outlive the encoder. Contexts may be assigned other bounds until a call of theirs is encoded.
  explicit TimeEncoder(const TimeBounds &Bounds) : Bounds(Bounds) {}

  struct Result {
    uint32_t Model = 0;      ///< the number of the model that the block refers to
    bool IsNewModel = false; ///< it was made for this block, and its bytes were appended
    TimeBlockHead Head;
    uint64_t TotalDuration = 0; ///< the sum of the true ones
  };
  /// Appends a block of one or more consecutive calls. A call that was made inside of another one comes before that.
  Result encode(std::span<const TimedCall> Calls, std::vector<uint8_t> &Block, std::vector<uint8_t> &NewModel);

  /// The counts of a block, to be added to those of others, for a model that they share.
  std::vector<TimeCount> count(std::span<const TimedCall> Calls);
  /// Makes the encoder know a model. Its number must not be among those that the encoder gave out; numbers that it
  /// gives out from now on are larger.
  void know(TimeModel Model, uint32_t Number);
  /// Whether new models may be made where a known one can be used. Default: yes.
  void setMakesModels(bool Makes) { MakesModels = Makes; }

  /// The unit of exact times; see TimeModel.
  uint64_t unit() const { return Unit ? Unit : 1; }
  size_t memory() const;

private:
  struct Known {
    uint32_t Number;
    std::unique_ptr<TimeModel> Model;
  };
  struct Correction {
    uint32_t Call;
    int64_t Steps;
  };
  bool quantise(std::span<const TimedCall> Calls);
  template <bool HasUnit, bool AreSame> bool quantise(std::span<const TimedCall> Calls);
  template <bool HasUnit> bool quantise(std::span<const TimedCall> Calls) {
    return Scales.areSame() ? quantise<HasUnit, true>(Calls) : quantise<HasUnit, false>(Calls);
  }
  void findUnit(std::span<const TimedCall> Calls);
  uint64_t driftLimit(std::span<const TimedCall> Calls) const;
  std::vector<TimeCount> blockCounts();
  void prepareSlots();
  bool choose(std::vector<uint8_t> &NewModel);
  double costOf(const TimeModel &Model);
  void use(size_t Which);
  void insert(Known New);
  void writeCorrections(ByteWriter &W);
  void writeCalls(std::span<const TimedCall> Calls, ByteWriter &W);
  template <TimeKind Kind, bool HasUnit>
  ScaledTime take(const TimeScale &Scale, TimeSlots::Slot *First, uint32_t Context, unsigned Class, SignedTime Time,
                  uint16_t &Slot);
  template <TimeKind Kind>
  void writeRare(TimeCodeWriter::Run &Run, uint32_t Context, unsigned Class, SignedTime Time) const;
  unsigned pairOf(TimeKey K) const {
    return K.context() > TimeModel::MaxContext ? UINT32_MAX - K.context() : Bounds.pair(K.kind(), K.context());
  }

  const TimeBounds &Bounds;
  std::vector<Known> Models;           ///< the current one first
  const TimeModel *Prepared = nullptr; ///< the one that the slots' shares are of
  uint32_t NextNumber = 0;
  bool MakesModels = true;
  uint64_t Unit = 0;            ///< 0: not known yet
  unsigned Wait = 0, Waits = 0; ///< blocks until a new model is tried again, as none was better
  // Of the current block.
  TimeBlockHead Head;
  uint64_t TotalDuration = 0;
  bool IsOff = false; ///< a time is no multiple of the unit
  TimeScales Scales;
  TimeSlots Slots;
  std::vector<uint8_t> Classes; ///< of each call, of the one before it
  std::vector<uint16_t> SlotOf; ///< of each call the gap's and the duration's
  std::vector<Correction> Corrections;
  BitWriter Raw;
  TimeCodeWriter Code;
};

} // namespace pilgrim

#endif
