#include "test/unit/CallText.h"
#include "trace/read/Untraced.h"

#include <cmath>
#include <cstdio>

namespace pilgrim::test {

std::string escaped(const std::string &S) {
  std::string Out;
  for (unsigned char C : S)
    if (C > 32 && C < 127 && C != '\'' && C != '\\') {
      Out += static_cast<char>(C);
    } else {
      char Hex[8];
      std::snprintf(Hex, sizeof Hex, "\\x%02x", C);
      Out += Hex;
    }
  return Out;
}

std::string numbers(std::span<const int64_t> Words) {
  std::string S;
  for (size_t I = 0; I < Words.size(); ++I)
    S += (I ? "," : "") + std::to_string(Words[I]);
  return S;
}

std::string objectText(const ObjectInfo &O) {
  std::string Id = std::to_string(O.Id), Size = std::to_string(O.Size), Rank = std::to_string(O.Rank);
  std::string Name = "'" + escaped(O.Name) + "'";
  switch (O.K) {
  case Kind::Comm:
    return "comm(" + Name + "," + Id + "," + Rank + "," + Size + "," + std::to_string(O.Leader) + "," +
           std::to_string(O.RemoteSize) + ")";
  case Kind::Datatype:
    return "datatype(" + Name + "," + Id + "," + Size + ")";
  default:
    return (O.K == Kind::Win ? "win(" : "file(") + Name + "," + Id + "," + Rank + "," + Size + ")";
  }
}

std::string slotText(Tag T, std::span<const int64_t> Words, const std::string &Text) {
  switch (T) {
  case Tag::Absent:
    return "-";
  case Tag::Null:
    return "null";
  case Tag::Name:
    return "@" + escaped(Text);
  case Tag::Word:
    return numbers(Words);
  case Tag::Array:
    return "[" + numbers(Words) + "]";
  case Tag::String:
    return "'" + escaped(Text) + "'";
  case Tag::Object:
    return Text;
  case Tag::Objects:
    return "{" + Text + "}";
  case Tag::Heap:
    return "heap(" + numbers(Words) + ")";
  case Tag::Stack:
    return "stack(" + numbers(Words) + ")";
  case Tag::Data:
    return escaped(Text) + ":data(" + numbers(Words) + ")";
  case Tag::Map:
    return "map(" + numbers(Words) + ")";
  case Tag::Raw:
    return "raw(" + numbers(Words) + ")";
  case Tag::Status:
    return "status(" + numbers(Words) + ")";
  case Tag::Statuses:
    return "statuses(" + numbers(Words) + ")";
  case Tag::Stream:
    break;
  }
  return "?";
}

std::string callHead(const std::string &Function, uint32_t Depth, const std::vector<SiteInfo> &Site) {
  std::string Text;
  for (const SiteInfo &S : Site)
    Text += (Text.empty() ? "" : "<") + escaped(S.Module) + "+" + std::to_string(S.Offset);
  return Function + " depth=" + std::to_string(Depth) + " site=" + (Text.empty() ? "?" : Text);
}

std::string callText(const Call &C) {
  std::vector<SiteInfo> Site;
  for (uint32_t At = C.Site; At; At = Site.back().Caller)
    Site.push_back(C.View->site(At - 1));
  std::string S = callHead(C.Function->Name, C.Depth, Site);
  std::span<const Value> Slots = C.Slots;
  if (isUntraced(*C.Function)) {
    S = std::to_string(untracedCalls(C)) + " calls not traced depth=" + std::to_string(C.Depth);
    Slots = {};
  }
  for (const Value &V : Slots) {
    std::string Text;
    if (V.T == Tag::Name || V.T == Tag::String || V.T == Tag::Data)
      Text = C.View->text(V);
    if (V.T == Tag::Object)
      Text = objectText(C.View->object(V));
    if (V.T == Tag::Objects)
      for (size_t I = 0; I < V.Refs.size(); ++I)
        Text += (Text.empty() ? "" : ";") + objectText(C.View->object(V, I));
    S += " " + slotText(V.T, V.Words, Text);
  }
  if (C.Timed != Call::Time::None)
    S += " @" + std::to_string(std::llround(C.Start * 1e9)) + "+" + std::to_string(std::llround(C.Duration * 1e9));
  return S;
}

std::vector<std::string> callLines(const Trace &T, uint32_t Rank, uint32_t Thread) {
  std::vector<std::string> Lines;
  auto View = T.view(Rank, Thread);
  if (!View)
    return {"no such rank and thread"};
  CallCursor Calls = Trace::calls(View);
  uint64_t Seq = 0;
  for (Call C; Calls.next(C);) {
    if (C.Seq != Seq)
      Lines.push_back("calls are not counted in order");
    Seq += isCall(*C.Function) ? 1 : untracedCalls(C) * isUntraced(*C.Function);
    Lines.push_back(callText(C));
  }
  if (!Calls.error().empty())
    Lines.push_back(Calls.error());
  return Lines;
}

} // namespace pilgrim::test
