//===- RecorderFixture.h - a recorder and what must come out of it *- C++ -*-===//
//
// Functions with slots of all kinds, an encoder whose symbols the test knows,
// and Recording: gives calls to a recorder and keeps them as text beside it.
//
//===----------------------------------------------------------------------===//
#ifndef PILGRIM_TEST_UNIT_RECORDERFIXTURE_H
#define PILGRIM_TEST_UNIT_RECORDERFIXTURE_H

#include "core/Recorder.h"
#include "test/unit/CallText.h"

#include <gtest/gtest.h>

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
inline const uint16_t SlotNumbers[] = {0, 1, 2, 3, 4, 5};
template <size_t N> SlotList slots(const SlotInfo (&Table)[N]) { return {Table, std::span(SlotNumbers).first(N)}; }
inline const FunctionInfo Functions[] = {{0, "Send", false, slots(SendSlots)},
                                         {1, "Wait", false, slots(WaitSlots)},
                                         {2, "Open", true, slots(OpenSlots)},
                                         {3, "Type", false, slots(TypeSlots)}};

/// Addresses from 4096 on are segments of 4096 bytes, whose numbers a test may
/// change; 1 is a constant, and from DataAt on there is a module's data.
constexpr uint64_t DataAt = uint64_t(1) << 40;

/// What a site stands for: two bytes of it are the call's place, the next two each caller's. The module may be loaded
/// anew at other addresses, which differ above these; and where it was, there may be another one later.
inline std::vector<SiteInfo> sitePlaces(uint64_t Site, uint64_t Unloads) {
  const std::string Module = Unloads % 2 ? "other" : "app";
  std::vector<SiteInfo> Places;
  if (Site)
    Places.push_back({Module, int64_t(Site & 0xffff)});
  for (uint64_t Caller : {Site >> 32 & 0xffff, Site >> 48})
    if (Caller)
      Places.push_back({Module, int64_t(Caller)});
  return Places;
}

class FakeEncoder : public Encoder {
public:
  std::map<uint64_t, int64_t> Segments;       ///< page -> number; else the page
  std::map<uint64_t, int64_t> Ids;            ///< handle -> id; else the handle
  uint64_t AddressShift = 0, HandleShift = 0; ///< of what is recorded
  uint64_t Unloads = 0;
  unsigned Asked = 0;
  int64_t Fleeting = INT64_MAX; ///< from this number on, segments may be others at the next call

  int64_t segment(uint64_t Raw) const {
    auto It = Segments.find(Raw / 4096);
    return It == Segments.end() ? int64_t(Raw / 4096) : It->second;
  }
  int64_t id(uint64_t Raw) const {
    auto It = Ids.find(Raw);
    return It == Ids.end() ? int64_t(Raw) : It->second;
  }

  void handle(Kind K, uint64_t Raw, SlotSink &Sink) override {
    ++Asked;
    Raw -= HandleShift;
    if (!isTableObject(K))
      return Sink.put(Tag::Word, id(Raw), 0);
    int64_t Words[5] = {id(Raw), 2, 5, 0, -1};
    Sink.putObject(K, Raw == 0 ? "WORLD" : nullptr, {Words, objectWords(K)}, nullptr);
  }
  void address(Kind, uint64_t Raw, SlotSink &Sink) override {
    ++Asked;
    if (!Raw)
      return Sink.put(Tag::Null);
    if (Raw == 1)
      return Sink.put(Tag::Name, "IN_PLACE");
    Raw -= AddressShift;
    if (Raw >= DataAt)
      return Sink.putData("app", int64_t(Raw - DataAt));
    if (segment(Raw) >= Fleeting)
      Sink.doNotKeep();
    Sink.put(Tag::Heap, segment(Raw), int64_t(Raw % 4096));
  }
  const char *constantName(const char *Names, int64_t V) override {
    std::string Key = Names;
    if (Key == "tag" && V == -1)
      return "ANY_TAG";
    if (Key == "mode" && V == 4)
      return "MODE_FOUR";
    return Key == "error" && V == 0 ? "SUCCESS" : nullptr;
  }
  void allConstants(const char *Names, void *Context, void (*Fn)(void *, int64_t, const char *)) override {
    if (std::string(Names) == "tag")
      Fn(Context, -1, "ANY_TAG");
  }
  const char *sentinelName(unsigned) override { return "IGNORE"; }
  void site(uint64_t Address, std::vector<SitePlace> &Places) override {
    for (const SiteInfo &At : sitePlaces(Address, Unloads))
      Places.push_back({At.Module, At.Offset});
  }
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
inline Argument number(int64_t V) { return {{uint64_t(V)}, std::to_string(V)}; }
inline Argument absent() { return {{0}, "-", true}; }
inline Argument state(int64_t S) {
  return {{uint64_t(S)}, S == AbsentState ? "-" : S == NullState ? "null" : "@IGNORE"};
}
inline Argument text(const std::string &S) {
  std::vector<uint64_t> Raw(1 + (S.size() + 7) / 8);
  Raw[0] = S.size();
  std::copy(S.begin(), S.end(), reinterpret_cast<char *>(Raw.data() + 1));
  return {Raw, slotText(Tag::String, {}, S)};
}
inline Argument vector(Tag T, std::vector<uint64_t> Items, size_t Columns = 1) {
  std::string Text = slotText(T, asWords(Items), "");
  Items.insert(Items.begin(), Items.size() / Columns);
  return {Items, Text};
}

/// A recorder, and what must come out of it.
class Recording {
public:
  FakeEncoder Encoder;
  std::atomic<uint64_t> Generation{0};
  Recorder Calls{Encoder, Generation};
  std::vector<std::string> Lines;
  uint64_t Clock = 1000;

  Argument buffer(uint64_t Raw) {
    if (Raw < 2)
      return {{Raw}, Raw ? "@IN_PLACE" : "null"};
    std::vector<int64_t> At{Encoder.segment(Raw), int64_t(Raw % 4096)};
    std::string Text = slotText(Tag::Heap, At, "");
    if (Raw >= DataAt) {
      At = {int64_t(Raw - DataAt)};
      Text = slotText(Tag::Data, At, "app");
    }
    return {{Raw + Encoder.AddressShift}, Text};
  }
  std::string objectOf(Kind K, uint64_t Raw) {
    ObjectInfo O;
    O.K = K;
    O.Name = Raw ? "" : "WORLD";
    O.Id = Encoder.id(Raw);
    O.Rank = 2;
    O.Size = K == Kind::Datatype ? 2 : 5;
    O.Leader = 0;
    return objectText(O);
  }
  Argument comm(uint64_t Raw) { return {{Raw + Encoder.HandleShift}, objectOf(Kind::Comm, Raw)}; }
  Argument types(const std::vector<uint64_t> &Raw) {
    Argument A{{Raw.size()}, ""};
    for (uint64_t R : Raw) {
      A.Raw.push_back(R + Encoder.HandleShift);
      A.Text += (A.Text.empty() ? "" : ";") + objectOf(Kind::Datatype, R);
    }
    A.Text = "{" + A.Text + "}";
    return A;
  }
  Argument op(uint64_t Raw) { return {{Raw + Encoder.HandleShift}, std::to_string(Encoder.id(Raw))}; }

  void call(uint32_t Function, uint64_t Site, std::vector<Argument> Arguments, const std::function<void()> &Inside = {},
            int64_t Ret = 0) {
    size_t Line = Lines.size();
    Lines.emplace_back();
    uint64_t Start = Clock += 10;
    uint64_t MyDepth = Depth++;
    if (Inside)
      Inside();
    --Depth;
    Clock += 5;
    std::vector<uint64_t> Raw{Function | MyDepth << 32, Site, 0, uint64_t(Ret)};
    std::string Text = callHead(Functions[Function].Name, uint32_t(MyDepth), sitePlaces(Site, Encoder.Unloads)) + " " +
                       std::to_string(Ret & 0xff);
    for (size_t I = 0; I < Arguments.size(); ++I) {
      Argument &A = Arguments[I];
      if (A.IsAbsent)
        Raw[RawAbsent] |= uint64_t(1) << (I + 1);
      Raw.insert(Raw.end(), A.Raw.begin(), A.Raw.end());
      Text += " " + A.Text;
    }
    Lines[Line] = Text;
    // The inner calls' times are not the matter here: they overlap.
    Calls.record(Raw.data(), Raw.size(), Inside ? Clock : Start, Clock);
  }
  void send(uint64_t Site, uint64_t Buffer, int64_t Tag, uint64_t Comm = 0) {
    call(0, Site, {buffer(Buffer), number(8), number(3), number(Tag), comm(Comm)});
  }

  TraceData finish(double TicksToNano = 0) {
    TraceData T;
    T.World = 5;
    T.Meta["program"] = "recorder";
    Calls.finish(T, 2, 0, TicksToNano, {});
    return T;
  }
  /// Finishes, and expects what was recorded; gives the size of the file.
  size_t expectSame(const std::string &What = "") {
    auto Bytes = writeTrace(finish());
    auto Read = Trace::fromBytes(Bytes);
    EXPECT_TRUE(Read) << What << ": " << Read.error().What;
    if (!Read)
      return 0;
    auto Got = callLines(*Read, 2, 0);
    EXPECT_EQ(Got.size(), Lines.size()) << What;
    for (size_t I = 0; I < Got.size() && I < Lines.size(); ++I)
      if (Got[I] != Lines[I]) {
        ADD_FAILURE() << What << ": call " << I << " is\n  " << Got[I] << "\nand not\n  " << Lines[I];
        break;
      }
    return Bytes.size();
  }

private:
  uint64_t Depth = 0;
};

} // namespace pilgrim::test

#endif
