#include "test/unit/VerifyFixture.h"
#include "trace/file/Format.h"

namespace pilgrim::test {

MpiValues mpi() {
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

std::vector<int64_t> handleWords(uint64_t Raw, int64_t Serial, int64_t Rank, int64_t Size, int64_t Leader,
                                 int64_t Remote) {
  return {int64_t(Raw), Serial, Rank, Size, Leader, Remote};
}

std::vector<int64_t> measuredWords(Kind K, uint64_t Raw, int64_t Serial) {
  if (K == Kind::Datatype)
    return handleWords(Raw, Serial, NotMeasured, 2);
  return K == Kind::Comm ? handleWords(Raw, Serial, 2, 5, 0, -1) : handleWords(Raw, Serial, 2, 5);
}

std::vector<int64_t> addressWords(uint64_t A, Origin From, int64_t Offset, std::string_view Name) {
  std::vector<int64_t> Words{int64_t(A), int64_t(countReleases()), int64_t(From), Offset};
  for (char C : Name)
    Words.push_back(C);
  return Words;
}

Comparison compareLog(const std::vector<uint8_t> &File, const CallLog &Log) {
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

SampleEncoder::SampleEncoder(const std::vector<SampleSlot> &Samples) {
  for (const SampleSlot &S : Samples)
    Slots.push_back({Returned, S.Slot});
}

void SampleEncoder::handle(Kind K, uint64_t Raw, SlotSink &Sink) {
  if (K == Kind::Op && Raw == NullOp)
    return Sink.put(Tag::Word, -1, 0);
  if (Raw < UnknownFrom)
    return FakeEncoder::handle(K, Raw, Sink);
  int64_t Words[5] = {int64_t(Raw), 0, 0, 0, -1};
  if (isTableObject(K))
    return Sink.putObject(K, "invalid", {Words, objectWords(K)}, nullptr);
  Sink.put(Tag::Raw, int64_t(Raw), 0);
}

void SampleEncoder::address(Kind K, uint64_t Raw, SlotSink &Sink) {
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

const char *SampleEncoder::constantName(const char *Names, int64_t V) {
  if (std::string_view(Names) == "op" && V == -1)
    return "OP_NULL";
  return FakeEncoder::constantName(Names, V);
}

FunctionInfo SampleEncoder::function(uint32_t Id) {
  static const uint16_t Numbers[] = {0, 1};
  return {Id, "Sample", false, {Slots[Id].data(), Numbers}};
}

CallCopy &SampleRun::call(uint32_t Function, int64_t Ret) {
  const SampleSlot &S = Samples[Function];
  std::vector<uint64_t> Raw{Function, 0x10 + Function, S.IsAbsent ? 2u : 0u, uint64_t(Ret)};
  Raw.insert(Raw.end(), S.Raw.begin(), S.Raw.end());
  Calls.record(Raw.data(), Raw.size(), Clock, Clock + 1);
  Clock += 2;
  CallCopy &C = *Log.note<CallCopy>(Function);
  C.Ret = int(Ret);
  put(C, S.Item);
  return C;
}

void SampleRun::put(CallCopy &C, const CopiedItem &I) {
  C.put(1, I.T);
  C.Items.back() |= int64_t(I.Words.size()) << 16;
  C.Items.insert(C.Items.end(), I.Words.begin(), I.Words.end());
}

std::vector<uint8_t> SampleRun::file(const std::function<void(TraceData &)> &Change) {
  TraceData T;
  T.World = 5;
  T.Meta["program"] = "verify";
  Calls.finish(T, 2, 0, 0, {}, Contexts::After::Free);
  if (Change)
    Change(T);
  return writeTrace(T);
}

} // namespace pilgrim::test
