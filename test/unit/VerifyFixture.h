//===- VerifyFixture.h - calls of every kind, and their copies ---*- C++ -*-===//
//
// A sample is a function with one parameter: what the recorder gets of it, and what a plain copy has of it. There are
// samples of every kind of parameter, in every form.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TEST_UNIT_VERIFYFIXTURE_H
#define PILGRIM_TEST_UNIT_VERIFYFIXTURE_H

#include "test/unit/RecorderFixture.h"
#include "verify/CompareCall.h"
#include "verify/Verify.h"

#include <string_view>

namespace pilgrim::test {

constexpr uint64_t InPlace = 1, Bottom = 2, World = 0, NullOp = 0x30;
constexpr uint64_t StackTop = uint64_t(1) << 41, Mappings = uint64_t(1) << 42, NoMemory = uint64_t(1) << 43;
constexpr uint64_t Symbol = uint64_t(1) << 44;
constexpr uint64_t UnknownFrom = 0x900; ///< handles from here on are not known

inline int64_t errorClass(int64_t Code) { return Code & 0xff; }

MpiValues mpi();

/// An item of a copy, without the parameter's number.
struct CopiedItem {
  RawType T;
  std::vector<int64_t> Words;
};

struct SampleSlot {
  SlotInfo Slot;
  std::vector<uint64_t> Raw;
  CopiedItem Item;
  bool IsAbsent = false;
};

inline std::vector<int64_t> characters(std::string_view S) { return {S.begin(), S.end()}; }
std::vector<int64_t> handleWords(uint64_t Raw, int64_t Serial, int64_t Rank = NotMeasured, int64_t Size = NotMeasured,
                                 int64_t Leader = NotMeasured, int64_t Remote = NotMeasured);
/// As FakeEncoder measures objects.
std::vector<int64_t> measuredWords(Kind K, uint64_t Raw, int64_t Serial);
std::vector<int64_t> addressWords(uint64_t A, Origin From, int64_t Offset = 0, std::string_view Name = "");
inline std::vector<uint64_t> textWords(const std::string &S) { return test::text(S).Raw; }

/// Encodes as FakeEncoder does, and knows all kinds of memory and handles that nobody has made.
class SampleEncoder : public FakeEncoder {
public:
  explicit SampleEncoder(const std::vector<SampleSlot> &Samples);
  void handle(Kind K, uint64_t Raw, SlotSink &Sink) override;
  void address(Kind K, uint64_t Raw, SlotSink &Sink) override;
  const char *constantName(const char *Names, int64_t V) override;
  FunctionInfo function(uint32_t Id) override;

private:
  std::vector<std::array<SlotInfo, 2>> Slots;
};

/// Calls that go to a recorder and, as plain copies, to a log.
struct SampleRun {
  std::vector<SampleSlot> Samples;
  SampleEncoder Encoder{Samples};
  std::atomic<uint64_t> Generation{0};
  Recorder Calls{Encoder, Generation};
  CallLog Log;
  uint64_t Clock = 0;

  explicit SampleRun(std::vector<SampleSlot> S) : Samples(std::move(S)) { watchReleases(); }

  CallCopy &call(uint32_t Function, int64_t Ret = 0);
  static void put(CallCopy &C, const CopiedItem &I);
  std::vector<uint8_t> file(const std::function<void(TraceData &)> &Change = {});
};

Comparison compareLog(const std::vector<uint8_t> &File, const CallLog &Log);

} // namespace pilgrim::test

#endif
