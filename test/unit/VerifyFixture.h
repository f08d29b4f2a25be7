//===- VerifyFixture.h - calls of every kind, and their copies ---*- C++ -*-===//
//
// A sample is a function with one parameter: what the recorder gets of it, and what a plain copy has of it. There are
// samples of every kind of parameter, in every form.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TEST_UNIT_VERIFYFIXTURE_H
#define PILGRIM_TEST_UNIT_VERIFYFIXTURE_H

#include "test/unit/RecorderFixture.h"
#include "trace/file/Format.h"
#include "verify/CompareCall.h"
#include "verify/Verify.h"

#include <string_view>

namespace pilgrim::test {

constexpr uint64_t InPlace = 1, Bottom = 2, World = 0, NullOp = 0x30;
constexpr uint64_t StackTop = uint64_t(1) << 41, Mappings = uint64_t(1) << 42, NoMemory = uint64_t(1) << 43;
constexpr uint64_t Symbol = uint64_t(1) << 44;
constexpr uint64_t UnknownFrom = 0x900; ///< handles from here on are not known

inline int64_t errorClass(int64_t Code) { return Code & 0xff; }

inline MpiValues mpi() {
  watchReleases();
  MpiValues V;
  V.Handles[{Kind::Comm, World}] = {World, "WORLD"};
  V.Handles[{Kind::Op, NullOp}] = {-1, "OP_NULL"};
  V.InPlace = InPlace;
  V.Bottom = Bottom;
  V.ErrorClass = errorClass;
  V.Program = "app";
  return V;
}

/// An item of a copy, without the parameter's number.
struct CopiedItem {
  RawType T;
  std::vector<int64_t> Words;
};

struct Sample {
  SlotInfo Slot;
  std::vector<uint64_t> Raw;
  CopiedItem Item;
  bool IsAbsent = false;
};

inline std::vector<int64_t> characters(std::string_view S) { return {S.begin(), S.end()}; }
inline std::vector<int64_t> handleWords(uint64_t Raw, int64_t Serial, int64_t Rank = NotMeasured,
                                        int64_t Size = NotMeasured, int64_t Leader = NotMeasured,
                                        int64_t Remote = NotMeasured) {
  return {int64_t(Raw), Serial, Rank, Size, Leader, Remote};
}
/// As FakeEncoder measures objects.
inline std::vector<int64_t> measuredWords(Kind K, uint64_t Raw, int64_t Serial) {
  if (K == Kind::Datatype)
    return handleWords(Raw, Serial, NotMeasured, 2);
  return K == Kind::Comm ? handleWords(Raw, Serial, 2, 5, 0, -1) : handleWords(Raw, Serial, 2, 5);
}
inline std::vector<int64_t> addressWords(uint64_t A, Origin From, int64_t Offset = 0, std::string_view Name = "") {
  std::vector<int64_t> Words{int64_t(A), int64_t(countReleases()), int64_t(From), Offset};
  for (char C : Name)
    Words.push_back(C);
  return Words;
}
inline std::vector<uint64_t> textWords(const std::string &S) { return test::text(S).Raw; }

/// Encodes as FakeEncoder does, and knows all kinds of memory and handles that nobody has made.
class SampleEncoder : public FakeEncoder {
public:
  explicit SampleEncoder(const std::vector<Sample> &Samples) {
    for (const Sample &S : Samples)
      Slots.push_back({Returned, S.Slot});
  }
  void handle(Kind K, uint64_t Raw, SlotSink &Sink) override {
    if (K == Kind::Op && Raw == NullOp)
      return Sink.put(Tag::Word, -1, 0);
    if (Raw < UnknownFrom)
      return FakeEncoder::handle(K, Raw, Sink);
    int64_t Words[5] = {int64_t(Raw), 0, 0, 0, -1};
    if (isTableObject(K))
      return Sink.putObject(K, "invalid", {Words, objectWords(K)}, nullptr);
    Sink.put(Tag::Raw, int64_t(Raw), 0);
  }
  void address(Kind K, uint64_t Raw, SlotSink &Sink) override {
    if (K == Kind::Buffer && (Raw == InPlace || Raw == Bottom))
      return Sink.put(Tag::Name, Raw == InPlace ? "MPI_IN_PLACE" : "MPI_BOTTOM");
    if (Raw == Symbol)
      return Sink.put(Tag::String, "callback");
    if (Raw >= NoMemory)
      return Sink.put(Tag::Raw, int64_t(Raw), 0);
    if (Raw >= Mappings)
      return Sink.put(Tag::Map, 3, int64_t(Raw - Mappings));
    if (Raw > DataAt + 4096)
      return Sink.put(Tag::Stack, int64_t(Raw - StackTop), 0);
    FakeEncoder::address(K, Raw, Sink);
  }
  const char *constantName(const char *Names, int64_t V) override {
    if (std::string_view(Names) == "op" && V == -1)
      return "OP_NULL";
    return FakeEncoder::constantName(Names, V);
  }
  FunctionInfo function(uint32_t Id) override {
    static const uint16_t Numbers[] = {0, 1};
    return {Id, "Sample", false, {Slots[Id].data(), Numbers}};
  }

private:
  std::vector<std::array<SlotInfo, 2>> Slots;
};

/// Calls that go to a recorder and, as plain copies, to a log.
struct SampleRun {
  std::vector<Sample> Samples;
  SampleEncoder Encoder{Samples};
  std::atomic<uint64_t> Generation{0};
  Recorder Calls{Encoder, Generation};
  CallLog Log;
  uint64_t Clock = 0;

  explicit SampleRun(std::vector<Sample> S) : Samples(std::move(S)) { watchReleases(); }

  CallCopy &call(uint32_t Function, int64_t Ret = 0) {
    const Sample &S = Samples[Function];
    std::vector<uint64_t> Raw{Function, 0x10 + Function, S.IsAbsent ? 2u : 0u, uint64_t(Ret)};
    Raw.insert(Raw.end(), S.Raw.begin(), S.Raw.end());
    Calls.record(Raw.data(), Raw.size(), Clock, Clock + 1);
    Clock += 2;
    CallCopy &C = *Log.note<CallCopy>(Function);
    C.Ret = int(Ret);
    put(C, S.Item);
    return C;
  }
  static void put(CallCopy &C, const CopiedItem &I) {
    C.put(1, I.T);
    C.Items.back() |= int64_t(I.Words.size()) << 16;
    C.Items.insert(C.Items.end(), I.Words.begin(), I.Words.end());
  }
  std::vector<uint8_t> file() {
    TraceData T;
    T.World = 5;
    T.Meta["program"] = "verify";
    Calls.finish(T, 2, 0, 0, {});
    return writeTrace(T);
  }
};

inline Comparison compareLog(const std::vector<uint8_t> &File, const CallLog &Log) {
  auto T = Trace::fromBytes(File);
  if (!T)
    return {"(the trace does not read)", 0};
  const MpiValues Mpi = mpi();
  // All objects are there all the time, so no two may have one name.
  const ObjectLives Lives(1000, ObjectLife{Kind::Comm, 1});
  Names Named(Lives, Lives);
  Comparison C = compareCalls(*T, T->view(2, 0), Log, Mpi, Named);
  if (C.Difference.empty())
    C.Difference = Named.clash();
  return C;
}

} // namespace pilgrim::test

#endif
