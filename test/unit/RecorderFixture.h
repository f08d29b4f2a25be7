//===- RecorderFixture.h - a recorder and what must come out of it *- C++ -*-===//
//
// Functions with slots of all kinds, an encoder whose symbols the test knows,
// and Recording: gives calls to a recorder and keeps them as text beside it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TEST_UNIT_RECORDERFIXTURE_H
#define PILGRIM_TEST_UNIT_RECORDERFIXTURE_H

#include "core/Recorder.h"
#include "platform/Generation.h"
#include "test/unit/CallText.h"

#include <functional>
#include <map>

namespace pilgrim::test {

inline SlotInfo slot(const char *Name, Kind K, Layout L = Layout::Word, bool IsArray = false,
                     const char *Names = nullptr) {
  uint8_t Columns = K == Kind::Status ? StatusWords : 1;
  return {Name, K, L, Columns, IsArray, false, false, false, false, Names, {}};
}

inline const SlotInfo Returned = slot("return", Kind::Error, Layout::Word, false, "error");
inline const SlotInfo SendSlots[] = {Returned,
                                     slot("buf", Kind::Buffer),
                                     slot("count", Kind::Count),
                                     slot("dest", Kind::Rank, Layout::Word, false, "rank"),
                                     slot("tag", Kind::Tag, Layout::Word, false, "tag"),
                                     slot("comm", Kind::Comm)};
inline const SlotInfo WaitSlots[] = {Returned, slot("count", Kind::Int),
                                     slot("requests", Kind::Request, Layout::Vector, true),
                                     slot("statuses", Kind::Status, Layout::Vector, true)};
inline const SlotInfo OpenSlots[] = {Returned,
                                     slot("name", Kind::String, Layout::Text),
                                     {"mode", Kind::Int, Layout::Word, 1, false, false, false, false, true, "mode", {}},
                                     slot("offset", Kind::Offset),
                                     slot("status", Kind::Status, Layout::Vector)};
inline const SlotInfo TypeSlots[] = {Returned, slot("types", Kind::Datatype, Layout::Vector, true),
                                     slot("places", Kind::Displacement, Layout::Vector, true), slot("op", Kind::Op),
                                     slot("extra", Kind::Pointer)};
inline const SlotInfo CommitSlots[] = {Returned, slot("datatype", Kind::Datatype)};
inline const uint16_t SlotNumbers[] = {0, 1, 2, 3, 4, 5};
template <size_t N> SlotList slots(const SlotInfo (&Table)[N]) { return {Table, std::span(SlotNumbers).first(N)}; }
inline const SlotInfo RankSlots[] = {Returned, SendSlots[5]};
inline const FunctionInfo Functions[] = {
    {0, "Send", false, slots(SendSlots)}, {1, "Wait", false, slots(WaitSlots)},
    {2, "Open", true, slots(OpenSlots)},  {3, "Type", false, slots(TypeSlots)},
    {4, "Rank", false, slots(RankSlots)}, {5, "Commit", false, slots(CommitSlots)}};

/// Addresses from 4096 on are segments of 4096 bytes, whose numbers a test may
/// change; 1 is a constant, and from DataAt on there is a module's data.
constexpr uint64_t DataAt = uint64_t(1) << 40;

/// What a site stands for: two bytes of it are the call's place, the next two each caller's. The module may be loaded
/// anew at other addresses, which differ above these; and where it was, there may be another one later.
std::vector<SiteInfo> sitePlaces(uint64_t Site, uint64_t Unloads);

class FakeEncoder : public Encoder {
public:
  std::map<uint64_t, int64_t> Segments;       ///< page -> number; else the page
  std::map<uint64_t, int64_t> Ids;            ///< handle -> id; else the handle
  int64_t TypeSize = 2;                       ///< of all datatypes
  std::map<uint64_t, int64_t> TypeSizes;      ///< but for these handles
  uint64_t AddressShift = 0, HandleShift = 0; ///< of what is recorded
  uint64_t Unloads = 0;
  unsigned Asked = 0;
  int64_t Fleeting = INT64_MAX; ///< from this number on, segments may be others at the next call

  int64_t segment(uint64_t Raw) const;
  int64_t id(uint64_t Raw) const;
  int64_t typeSize(uint64_t Raw) const;

  void handle(Kind K, uint64_t Raw, SlotSink &Sink) override;
  void address(Kind, uint64_t Raw, SlotSink &Sink) override;
  const char *constantName(const char *Names, int64_t V) override;
  void allConstants(const char *Names, void *Context, void (*Fn)(void *, int64_t, const char *)) override;
  const char *sentinelName(unsigned) override { return "IGNORE"; }
  void site(uint64_t Address, std::vector<SitePlace> &Places) override;
  uint64_t unloads() override { return Unloads; }
  int64_t errorClass(int64_t Code) override { return Code & 0xff; }
  uint32_t functionNamed(std::string_view) override { return NoFunction; }
  bool isRegion(const PilgrimRegion *) override { return true; }
  FunctionInfo function(uint32_t Id) override { return Functions[Id]; }
};

/// One call as the test means it: a text and the raw words of each slot.
struct Argument {
  std::vector<uint64_t> Raw;
  std::string Text;
  bool IsAbsent = false;
};

inline std::vector<int64_t> asWords(const std::vector<uint64_t> &V) { return {V.begin(), V.end()}; }
Argument number(int64_t V);
inline Argument absent() { return {{0}, "-", true}; }
Argument state(int64_t S);
Argument text(const std::string &S);
Argument vector(Tag T, std::vector<uint64_t> Items, size_t Columns = 1);

/// A recorder, and what must come out of it.
class Recording {
public:
  FakeEncoder Encoder;
  std::atomic<uint64_t> Generation{0};
  Recorder Calls{Encoder, Generation};
  std::vector<std::string> Lines;
  uint64_t Clock = 1000;

  void renew(Renewal What) { Generation += static_cast<uint64_t>(What); }
  Argument buffer(uint64_t Raw);
  std::string objectOf(Kind K, uint64_t Raw);
  Argument type(uint64_t Raw, int64_t Size);
  Argument comm(uint64_t Raw) { return {{Raw + Encoder.HandleShift}, objectOf(Kind::Comm, Raw)}; }
  Argument types(const std::vector<uint64_t> &Raw);
  Argument op(uint64_t Raw) { return {{Raw + Encoder.HandleShift}, std::to_string(Encoder.id(Raw))}; }

  void call(uint32_t Function, uint64_t Site, std::vector<Argument> Arguments, const std::function<void()> &Inside = {},
            int64_t Ret = 0);
  void send(uint64_t Site, uint64_t Buffer, int64_t Tag, uint64_t Comm = 0);

  TraceData finish(double TicksToNano = 0);
  /// Finishes, and expects what was recorded; gives the size of the file.
  size_t expectSame(const std::string &What = "");

private:
  uint64_t Depth = 0;
};

} // namespace pilgrim::test

#endif
