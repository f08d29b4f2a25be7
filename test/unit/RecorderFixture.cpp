#include "test/unit/RecorderFixture.h"
#include "trace/file/Format.h"

#include <gtest/gtest.h>

namespace pilgrim::test {

std::vector<SiteInfo> sitePlaces(uint64_t Site, uint64_t Unloads) {
  const std::string Module = Unloads % 2 ? "other" : "app";
  std::vector<SiteInfo> Places;
  if (Site)
    Places.push_back({Module, int64_t(Site & 0xffff)});
  for (uint64_t Caller : {Site >> 32 & 0xffff, Site >> 48})
    if (Caller)
      Places.push_back({Module, int64_t(Caller)});
  return Places;
}

Argument number(int64_t V) { return {{uint64_t(V)}, std::to_string(V)}; }

Argument state(int64_t S) { return {{uint64_t(S)}, S == AbsentState ? "-" : S == NullState ? "null" : "@IGNORE"}; }

Argument text(const std::string &S) {
  std::vector<uint64_t> Raw(1 + (S.size() + 7) / 8);
  Raw[0] = S.size();
  std::copy(S.begin(), S.end(), reinterpret_cast<char *>(Raw.data() + 1));
  return {Raw, slotText(Tag::String, {}, S)};
}

Argument vector(Tag T, std::vector<uint64_t> Items, size_t Columns) {
  std::string Text = slotText(T, asWords(Items), "");
  Items.insert(Items.begin(), Items.size() / Columns);
  return {Items, Text};
}

int64_t FakeEncoder::segment(uint64_t Raw) const {
  auto It = Segments.find(Raw / 4096);
  return It == Segments.end() ? int64_t(Raw / 4096) : It->second;
}

int64_t FakeEncoder::id(uint64_t Raw) const {
  auto It = Ids.find(Raw);
  return It == Ids.end() ? int64_t(Raw) : It->second;
}

int64_t FakeEncoder::typeSize(uint64_t Raw) const {
  auto It = TypeSizes.find(Raw);
  return It == TypeSizes.end() ? TypeSize : It->second;
}

void FakeEncoder::handle(Kind K, uint64_t Raw, SlotSink &Sink) {
  ++Asked;
  Raw -= HandleShift;
  if (!isTableObject(K))
    return Sink.put(Tag::Word, id(Raw), 0);
  int64_t Words[5] = {id(Raw), K == Kind::Datatype ? typeSize(Raw) : 2, 5, 0, -1};
  Sink.putObject(K, Raw == 0 ? "WORLD" : nullptr, {Words, objectWords(K)}, nullptr);
}

void FakeEncoder::address(Kind, uint64_t Raw, SlotSink &Sink) {
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

const char *FakeEncoder::constantName(const char *Names, int64_t V) {
  std::string Key = Names;
  if (Key == "tag" && V == -1)
    return "ANY_TAG";
  if (Key == "mode" && V == 4)
    return "MODE_FOUR";
  return Key == "error" && V == 0 ? "SUCCESS" : nullptr;
}

void FakeEncoder::allConstants(const char *Names, void *Context, void (*Fn)(void *, int64_t, const char *)) {
  if (std::string(Names) == "tag")
    Fn(Context, -1, "ANY_TAG");
}

void FakeEncoder::site(uint64_t Address, std::vector<SitePlace> &Places) {
  for (const SiteInfo &At : sitePlaces(Address, Unloads))
    Places.push_back({At.Module, At.Offset});
}

Argument Recording::buffer(uint64_t Raw) {
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

std::string Recording::objectOf(Kind K, uint64_t Raw) {
  ObjectInfo O;
  O.K = K;
  O.Name = Raw ? "" : "WORLD";
  O.Id = Encoder.id(Raw);
  O.Rank = 2;
  O.Size = K == Kind::Datatype ? Encoder.typeSize(Raw) : 5;
  O.Leader = 0;
  return objectText(O);
}

Argument Recording::type(uint64_t Raw, int64_t Size) {
  Encoder.TypeSize = Size;
  return {{Raw + Encoder.HandleShift}, objectOf(Kind::Datatype, Raw)};
}

Argument Recording::types(const std::vector<uint64_t> &Raw) {
  Argument A{{Raw.size()}, ""};
  for (uint64_t R : Raw) {
    A.Raw.push_back(R + Encoder.HandleShift);
    A.Text += (A.Text.empty() ? "" : ";") + objectOf(Kind::Datatype, R);
  }
  A.Text = "{" + A.Text + "}";
  return A;
}

void Recording::call(uint32_t Function, uint64_t Site, std::vector<Argument> Arguments,
                     const std::function<void()> &Inside, int64_t Ret) {
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

void Recording::send(uint64_t Site, uint64_t Buffer, int64_t Tag, uint64_t Comm) {
  call(0, Site, {buffer(Buffer), number(8), number(3), number(Tag), comm(Comm)});
}

TraceData Recording::finish(double TicksToNano) {
  TraceData T;
  T.World = 5;
  T.Meta["program"] = "recorder";
  Calls.finish(T, 2, 0, TicksToNano, {}, Contexts::After::Free);
  return T;
}

size_t Recording::expectSame(const std::string &What) {
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

} // namespace pilgrim::test
