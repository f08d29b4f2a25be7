//===- ValueText.cpp - values of a call as text ---------------------------===//
#include "driver/ValueText.h"
#include "trace/model/RequestName.h"
#include "trace/model/SegmentName.h"

#include <algorithm>
#include <charconv>

namespace pilgrim {

static void appendHex(std::string &Out, uint64_t V) {
  char Buffer[24];
  auto R = std::to_chars(Buffer, Buffer + sizeof Buffer, V, 16);
  Out += "0x";
  Out.append(Buffer, R.ptr);
}

void appendNumber(std::string &Out, int64_t V) {
  char Buffer[24];
  auto R = std::to_chars(Buffer, Buffer + sizeof Buffer, V);
  Out.append(Buffer, R.ptr);
}

std::string symbolText(Kind K, int64_t V) {
  std::string Out = isHandle(K) ? symbolPrefix(K) : "";
  const RequestName R = RequestName::of(V, UINT32_MAX);
  if (K != Kind::Request || V < 0 || R.Thread == UINT32_MAX) {
    appendNumber(Out, V);
    return Out;
  }
  appendNumber(Out, R.Number);
  Out += '@';
  appendNumber(Out, R.Thread);
  return Out;
}

/// Length of the UTF-8 sequence at the beginning of Text, 0: it is none.
static size_t utf8Length(std::string_view Text) {
  auto Byte = [&](size_t I) { return static_cast<unsigned char>(Text[I]); };
  unsigned First = Byte(0);
  size_t N = First < 0x80 ? 1 : First < 0xc2 ? 0 : First < 0xe0 ? 2 : First < 0xf0 ? 3 : First <= 0xf4 ? 4 : 0;
  if (N > Text.size())
    return 0;
  for (size_t I = 1; I < N; ++I)
    if ((Byte(I) & 0xc0) != 0x80)
      return 0;
  // Overlong forms, surrogates, and what lies behind the last character.
  if ((First == 0xe0 && Byte(1) < 0xa0) || (First == 0xed && Byte(1) > 0x9f) || (First == 0xf0 && Byte(1) < 0x90) ||
      (First == 0xf4 && Byte(1) > 0x8f))
    return 0;
  return N;
}

static void appendEscaped(std::string &Out, std::string_view Text, bool Json) {
  static const char Hex[] = "0123456789abcdef";
  Out += '"';
  for (size_t I = 0; I < Text.size();) {
    unsigned char C = static_cast<unsigned char>(Text[I]);
    if (C == '"' || C == '\\') {
      Out += '\\';
      Out += static_cast<char>(C);
      ++I;
    } else if (C == '\n' || C == '\t') {
      Out += C == '\n' ? "\\n" : "\\t";
      ++I;
    } else if (C < 0x20 || C == 0x7f) {
      Out += Json ? "\\u00" : "\\x";
      Out += Hex[C >> 4];
      Out += Hex[C & 15];
      ++I;
    } else if (size_t N = utf8Length(Text.substr(I))) {
      Out.append(Text.substr(I, N));
      I += N;
    } else {
      Out += Json ? "\\ufffd" : "\\x";
      if (!Json) {
        Out += Hex[C >> 4];
        Out += Hex[C & 15];
      }
      ++I;
    }
  }
  Out += '"';
}

void appendJson(std::string &Out, std::string_view Text) { appendEscaped(Out, Text, true); }
void appendQuoted(std::string &Out, std::string_view Text) { appendEscaped(Out, Text, false); }

/// A name: quoted in JSON only. What comes from a trace may hold anything, and
/// must not look like the text around it.
void ValueText::bare(std::string &Out, std::string_view Text) {
  if (F == Form::Json)
    return appendJson(Out, Text);
  bool Plain = !Text.empty();
  for (char C : Text)
    Plain &= C > 0x20 && C < 0x7f && C != '"';
  if (Plain)
    Out += Text;
  else
    appendQuoted(Out, Text);
}

const ValueText::NameList &ValueText::namesOf(const std::string &Key) {
  auto [It, New] = Names.try_emplace(Key);
  if (New) {
    const NameTable &All = T.names();
    for (auto I = All.lower_bound({Key, INT64_MIN}); I != All.end() && I->first.first == Key; ++I)
      It->second.push_back({I->first.second, &I->second});
  }
  return It->second;
}

const std::string *ValueText::nameOf(const ParamSchema &P, int64_t V) {
  if (P.Names.empty() && !isHandle(P.K))
    return nullptr;
  const NameList &L = namesOf(P.Names.empty() ? handleNames(P.K) : P.Names);
  auto It =
      std::lower_bound(L.begin(), L.end(), V, [](const auto &Item, int64_t Wanted) { return Item.first < Wanted; });
  return It != L.end() && It->first == V ? It->second : nullptr;
}

/// A sum of flags: A|B, with what has no name as a number.
void ValueText::flags(std::string &Out, const ParamSchema &P, int64_t V) {
  std::string Text;
  uint64_t Rest = static_cast<uint64_t>(V);
  for (auto &[Bit, Name] : namesOf(P.Names)) {
    uint64_t B = static_cast<uint64_t>(Bit);
    if (!B || (Rest & B) != B)
      continue;
    Text += (Text.empty() ? "" : "|") + *Name;
    Rest &= ~B;
  }
  if (Text.empty())
    return appendNumber(Out, V);
  if (Rest) {
    Text += '|';
    appendHex(Text, Rest);
  }
  bare(Out, Text);
}

void ValueText::appendWord(std::string &Out, const ParamSchema &P, int64_t V) {
  const char *Prefix = symbolPrefix(P.K);
  if (!Prefix || V < 0)
    if (const std::string *Name = nameOf(P, V))
      return bare(Out, *Name);
  if (Prefix)
    return bare(Out, symbolText(P.K, V));
  if (P.IsFlags)
    return flags(Out, P, V);
  if (P.K == Kind::Flag) {
    Out += V ? "true" : "false";
    return;
  }
  appendNumber(Out, V);
}

void ValueText::appendObject(std::string &Out, const ObjectInfo &O) {
  if (!O.Name.empty())
    return bare(Out, O.Name);
  if (!isHandle(O.K))
    return appendNumber(Out, O.Id); // of a kind that is not known
  bare(Out, symbolText(O.K, O.Id));
}

void ValueText::field(std::string &Out, const char *Name, const std::string &Key, int64_t V) {
  if (F == Form::Json) {
    Out += Out.back() == '{' ? "\"" : ",\"";
    Out += Name;
    Out += "\":";
  } else {
    Out += Out.back() == '{' ? "" : ", ";
    Out += Name;
    Out += '=';
  }
  ParamSchema P;
  P.Names = Key;
  appendWord(Out, P, V);
}

void ValueText::appendStatus(std::string &Out, std::span<const int64_t> Words, bool Whole) {
  const bool IsCancelled = Words.size() >= StatusWords && Words[3] & 1; // then nothing else is known
  if (Words.size() < StatusWords || Words[0] == NoStatus || (IsCancelled && !Whole)) {
    Out += F == Form::Json ? "null" : "-";
    return;
  }
  Out += '{';
  if (!IsCancelled && Words[0] != SizeAlone) {
    field(Out, "source", "rank", Words[0]);
    field(Out, "tag", "tag", Words[1]);
  }
  if (!IsCancelled) {
    field(Out, "bytes", "count", Words[2]);
  }
  if (Whole && Words[3] >> 1)
    field(Out, "error", "error", Words[3] >> 1);
  if (IsCancelled) {
    Out += Out.back() == '{' ? "" : F == Form::Json ? "," : ", ";
    Out += F == Form::Json ? "\"cancelled\":true" : "cancelled";
  }
  Out += '}';
}

/// What stands before a segment that is no block of the heap, or null.
static const char *memoryPrefix(MemoryKind K) {
  switch (K) {
  case MemoryKind::Heap:
    return nullptr;
  case MemoryKind::Device:
    return "gpu";
  case MemoryKind::Managed:
    return "managed";
  case MemoryKind::Pinned:
    return "pinned";
  }
  return nullptr;
}

void ValueText::appendAddress(std::string &Out, const Value &V, const RankView &View) {
  std::string Text;
  auto Offset = [&](int64_t N) {
    if (N >= 0)
      Text += '+';
    appendNumber(Text, N);
  };
  switch (V.T) {
  case Tag::Heap: {
    SegmentName Segment = SegmentName::of(V.Words[0]);
    if (const char *Kind = memoryPrefix(Segment.Kind)) {
      Text = Kind;
      appendNumber(Text, Segment.Device);
      Text += '.';
    }
    Text += "seg";
    appendNumber(Text, Segment.Number);
    Offset(V.Words[1]);
    break;
  }
  case Tag::Map:
    Text = V.Words[0] == MainStackRegion ? "main-stack" : "map";
    if (V.Words[0] != MainStackRegion)
      appendNumber(Text, V.Words[0]);
    Offset(V.Words[1]);
    break;
  case Tag::Stack:
    Text = "stack";
    Offset(V.Words[0]);
    break;
  case Tag::Data:
    Text = "data:" + View.string(V.Ref);
    Offset(V.Words[0]);
    break;
  default:
    appendHex(Text, static_cast<uint64_t>(V.Words[0]));
    break;
  }
  bare(Out, Text);
}

template <typename Items, typename Fn> void ValueText::list(std::string &Out, const Items &I, size_t Step, Fn &&One) {
  Out += '[';
  for (size_t At = 0; At < I.size(); At += Step) {
    if (At)
      Out += F == Form::Json ? "," : ", ";
    One(I.subspan(At, Step));
  }
  Out += ']';
}

void ValueText::strings(std::string &Out, const std::string &Text) {
  Out += '[';
  for (size_t At = 0; At < Text.size();) {
    size_t End = std::min(Text.find('\0', At), Text.size());
    if (At)
      Out += F == Form::Json ? "," : ", ";
    appendEscaped(Out, std::string_view(Text).substr(At, End - At), F == Form::Json);
    At = End + 1;
  }
  Out += ']';
}

void ValueText::append(std::string &Out, const ParamSchema &P, const Value &V, const RankView &View) {
  bool Json = F == Form::Json;
  switch (V.T) {
  case Tag::Absent:
    Out += Json ? "null" : "-";
    return;
  case Tag::Null:
    Out += Json ? "null" : "NULL";
    return;
  case Tag::Name:
    return bare(Out, View.string(V.Ref));
  case Tag::Word:
    return appendWord(Out, P, V.Words[0]);
  case Tag::Array:
    return list(Out, V.Words, 1, [&](auto W) { appendWord(Out, P, W[0]); });
  case Tag::String:
    if (P.K == Kind::Strings)
      return strings(Out, View.text(V));
    if (P.K == Kind::Function)
      return bare(Out, View.string(V.Ref));
    return appendEscaped(Out, View.text(V), Json);
  case Tag::Object:
    return appendObject(Out, View.object(V));
  case Tag::Objects:
    return list(Out, V.Refs, 1, [&, I = size_t(0)](auto) mutable { appendObject(Out, View.object(V, I++)); });
  case Tag::Heap:
  case Tag::Stack:
  case Tag::Data:
  case Tag::Map:
  case Tag::Raw:
    return appendAddress(Out, V, View);
  case Tag::Status:
    return appendStatus(Out, V.Words, true);
  case Tag::Statuses:
    return list(Out, V.Words, StatusWords, [&](auto W) { appendStatus(Out, W, true); });
  case Tag::Stream:
    break; // values are taken from their streams already
  }
  Out += "null";
}

const Value *matchedSlot(ValueText &Values, const Call &C) {
  auto Recorded = [](const Value &V) {
    if (V.T != Tag::Status && V.T != Tag::Statuses)
      return false;
    for (size_t I = 0; I + StatusWords <= V.Words.size(); I += StatusWords)
      if (V.Words[I] != NoStatus)
        return true;
    return false;
  };
  const Value *Given = nullptr;
  bool Wildcard = false;
  const std::vector<ParamSchema> &Schema = C.Function->Slots;
  for (size_t I = 0; I < C.Slots.size() && I < Schema.size(); ++I) {
    const Value &V = C.Slots[I];
    const ParamSchema &P = Schema[I];
    if (P.IsHidden) {
      if (P.K == Kind::Status && Recorded(V))
        return &V;
      continue;
    }
    if (P.K == Kind::Status && Recorded(V))
      Given = &V;
    if ((P.K == Kind::Rank || P.K == Kind::Tag) && V.T == Tag::Word && V.Words[0] < 0)
      if (const std::string *Name = Values.nameOf(P, V.Words[0]))
        Wildcard |= *Name == "MPI_ANY_SOURCE" || *Name == "MPI_ANY_TAG";
  }
  return Wildcard ? Given : nullptr;
}

} // namespace pilgrim
