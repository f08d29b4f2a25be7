//===- RecorderEncode.cpp - from raw records to signatures ----------------===//
#include "core/Recorder.h"
#include "trace/base/Hash.h"

#include <algorithm>

namespace pilgrim {

/// Collects the encoded form of a record: whole slots, or elements of an array.
class Recorder::Builder final : public SlotSink {
public:
  explicit Builder(Recorder &R) : R(R) {}
  bool InArray = false;   // then no tags are written, only words or references
  bool SizeApart = false; // the size of a datatype that is not predefined is a word; in an array, that of each

  void put(Tag T) override { tag(T); }
  void put(Tag T, std::string_view Text) override {
    tag(T);
    R.Tokens.push_back(R.stringRef(Text));
  }
  void put(Tag T, int64_t A, int64_t B) override {
    tag(T);
    R.Words.push_back(A);
    if (wordsOf(T) == 2 && !InArray)
      R.Words.push_back(B);
  }
  void putData(std::string_view Module, int64_t Offset) override {
    tag(Tag::Data);
    R.Tokens.push_back(R.stringRef(Module));
    R.Words.push_back(Offset);
  }
  /// Its number in our table is noted with the object, behind our own.
  void putObject(Kind K, const char *Name, std::span<const int64_t> Words, uint64_t *Memo) override {
    if (SizeApart && !Name) {
      const uint32_t Head[2] = {static_cast<uint32_t>(K), 0};
      const int64_t Own[2] = {Words[0], SizeInStream};
      tag(Tag::Object);
      R.Tokens.push_back(R.Objects.intern(Head, Own));
      R.Words.push_back(Words[1]);
      return;
    }
    auto Ref = static_cast<uint32_t>(Memo ? *Memo : 0);
    if (!Memo || *Memo >> 32 != R.Id) {
      uint32_t Head[2] = {static_cast<uint32_t>(K), Name ? R.stringRef(Name) + 1 : 0};
      Ref = R.Objects.intern(Head, Words);
      if (Memo)
        *Memo = R.Id << 32 | Ref;
    }
    tag(Tag::Object);
    R.Tokens.push_back(Ref);
    if (SizeApart && InArray)
      R.Words.push_back(Words[1]);
  }
  void doNotKeep() override { R.MayKeep = false; }

private:
  void tag(Tag T) {
    if (!InArray)
      R.Tokens.push_back(static_cast<uint32_t>(T));
  }
  Recorder &R;
};

// What these mean depends on what the program has made and freed.
static bool isNamed(Kind K) { return isHandle(K) && K != Kind::Request; }
static bool isAddress(const SlotInfo &Slot) {
  return Slot.K == Kind::Buffer || Slot.K == Kind::Pointer || Slot.K == Kind::Function ||
         (Slot.K == Kind::Address && !Slot.IsArray);
}

uint32_t Recorder::stringRef(std::string_view Text) { return Strings.intern(packString(Text), {}); }

void Recorder::noteNames(const SlotInfo &Slot, int64_t Value) {
  auto Note = [&](int64_t V) {
    const std::pair<const char *, int64_t> Wanted{Slot.Names, V};
    auto &Lately =
        NamesLately[mix(reinterpret_cast<uintptr_t>(Slot.Names), static_cast<uint64_t>(V)) % std::size(NamesLately)];
    if (Lately == Wanted)
      return;
    Lately = Wanted;
    if (!NamesSeen.insert(Wanted).second)
      return;
    if (const char *Name = Enc.constantName(Slot.Names, V))
      Names[{Slot.Names, V}] = Name;
  };
  if (!Slot.IsFlags) {
    Note(Value);
    return;
  }
  for (uint64_t Bits = static_cast<uint64_t>(Value); Bits; Bits &= Bits - 1)
    Note(static_cast<int64_t>(Bits & -Bits));
}

void Recorder::encodeSlot(const SlotInfo &Slot, const uint64_t *At, bool Absent, bool IsStreamed) {
  Builder Out(*this);
  Out.SizeApart = IsStreamed && Slot.K == Kind::Datatype;
  // lookForStreams() has noted all names of a slot that is streamed.
  const bool HasNames = IsStreamed && !isHandle(Slot.K);
  int64_t V = static_cast<int64_t>(*At);
  auto Element = [&](uint64_t Raw) {
    if (isNamed(Slot.K)) {
      Enc.handle(Slot.K, Raw, Out);
    } else if (Slot.K == Kind::Error) {
      int64_t Class = Raw == 0 ? 0 : Enc.errorClass(static_cast<int64_t>(Raw));
      Out.put(Tag::Word, Class, 0);
      noteNames(Slot, Class);
      return;
    } else if (isAddress(Slot)) {
      Enc.address(Slot.K, Raw, Out);
    } else {
      Out.put(Tag::Word, static_cast<int64_t>(Raw), 0);
    }
    if (HasNames)
      return;
    if (isHandle(Slot.K) && !isTableObject(Slot.K)) {
      // Predefined handles are values below zero under their kind's names.
      if (!Words.empty() && Words.back() < 0 && Slot.Names)
        noteNames(Slot, Words.back());
      // What changes in an array of requests (trace/model/RequestArray.h) becomes null.
      if (Slot.K == Kind::Request && Slot.IsArray && !Words.empty() && Words.back() < -2 && Slot.Names)
        noteNames(Slot, -1);
    } else if (Slot.Names) {
      noteNames(Slot, static_cast<int64_t>(Raw));
    }
  };
  if (Slot.L == Layout::Word) {
    if (Absent)
      Out.put(Tag::Absent);
    else
      Element(*At);
    return;
  }
  if (V < 0) {
    if (V == AbsentState)
      Out.put(Tag::Absent);
    else if (V == NullState)
      Out.put(Tag::Null);
    else
      Out.put(Tag::Name, Enc.sentinelName(static_cast<unsigned>(SentinelState - V)));
    return;
  }
  if (Slot.L == Layout::Text) {
    Out.put(Tag::String, textOf(At));
    return;
  }
  if (Slot.K == Kind::Status) {
    static const SlotInfo Error{"", Kind::Error, Layout::Word, 1, false, true, false, false, false, "error"};
    static const SlotInfo Source{"", Kind::Rank, Layout::Word, 1, false, true, false, false, false, "rank"};
    Tokens.push_back(static_cast<uint32_t>(Slot.IsArray ? Tag::Statuses : Tag::Status));
    if (Slot.IsArray)
      Tokens.push_back(static_cast<uint32_t>(V));
    for (int64_t I = 0; I < V * StatusWords; ++I)
      Words.push_back(static_cast<int64_t>(At[1 + I]));
    for (int64_t I = 0; I < V; ++I) {
      if (At[1 + I * StatusWords + 3])
        noteNames(Error, static_cast<int64_t>(At[1 + I * StatusWords + 3]) >> 1);
      if (static_cast<int64_t>(At[1 + I * StatusWords]) < 0)
        noteNames(Source, static_cast<int64_t>(At[1 + I * StatusWords]));
    }
    return;
  }
  Tokens.push_back(static_cast<uint32_t>(isTableObject(Slot.K) ? Tag::Objects : Tag::Array));
  Tokens.push_back(static_cast<uint32_t>(V));
  Out.InArray = true;
  for (int64_t I = 0; I < V; ++I)
    Element(At[1 + I]);
}

/// Whether a record that is equal to the item's still means the same, which most do when something was made or freed.
bool Recorder::isStill(const CallSite &S, EventItem &Item, const uint64_t *Raw) {
  const InternTable::Content Was = Signatures[Item.Index];
  if (Was.Tokens[1] != S.Token)
    return false; // another module is where the call is made
  MayKeep = true;
  bool IsLasting = true;
  const uint64_t *At = Raw + RawHead;
  SlotWalker Walk(Was.Tokens);
  SlotView V;
  for (uint32_t I = 0; Walk.next(V); ++I) {
    const SlotInfo &Slot = S.Function.Slots[I];
    // What is predefined stays what it is.
    const bool IsFixed = (V.T == Tag::Object && Objects[V.Ref].Tokens[1]) ||
                         (V.T == Tag::Word && isNamed(Slot.K) && Was.Words[V.FirstWord] < 0);
    if (V.T != Tag::Stream && !IsFixed && (isNamed(Slot.K) || isAddress(Slot))) {
      Tokens.clear();
      Words.clear();
      encodeSlot(Slot, At, Raw[RawAbsent] >> I & 1);
      IsLasting &= Slot.K == Kind::Comm;
      if (!MayKeep || !std::ranges::equal(Tokens, Was.Tokens.subspan(V.FirstToken, V.Tokens)) ||
          !std::ranges::equal(Words, Was.Words.subspan(V.FirstWord, V.Words)))
        return false;
    }
    At += rawWords(Slot, At);
  }
  Item.IsLasting = IsLasting;
  return true;
}

/// Takes the slot that was just encoded out of the signature: its values go to the site's streams.
void Recorder::moveToStream(uint32_t Slot, size_t FirstToken, size_t FirstWord) {
  Tag T = static_cast<Tag>(Tokens[FirstToken]);
  if (!streamColumns(T) || (T == Tag::Object && Words.size() == FirstWord)) // what is predefined
    return;
  const auto HasOwnSize = [&](uint32_t Ref) { return Objects[Ref].Tokens[1] != 0; };
  if (T == Tag::Objects &&
      std::all_of(Tokens.begin() + static_cast<ptrdiff_t>(FirstToken) + 2, Tokens.end(), HasOwnSize))
    return Words.resize(FirstWord); // the same
  uint32_t Column = 0, PerItem = std::max(wordsOf(T), 1u);
  if (hasLength(T)) // texts are elsewhere
    Streamed.push_back({Slot, Column++, static_cast<int64_t>(Tokens[FirstToken + 1])});
  for (size_t I = FirstWord; I < Words.size(); ++I)
    Streamed.push_back({Slot, Column + static_cast<uint32_t>((I - FirstWord) % PerItem), Words[I]});
  Words.resize(FirstWord);
  if (T != Tag::Data && T != Tag::Object && T != Tag::Objects) // which have references
    Tokens.resize(FirstToken + 1);
  Tokens.insert(Tokens.begin() + static_cast<ptrdiff_t>(FirstToken), static_cast<uint32_t>(Tag::Stream));
}

/// Fills Tokens, Words and Streamed.
void Recorder::encode(CallSite &S, const uint64_t *Raw, size_t N) {
  Tokens.assign({S.Function.Id, S.Token, static_cast<uint32_t>(Raw[RawFunction] >> 32)});
  Words.clear();
  Streamed.clear();
  StreamedTexts.clear();
  MayKeep = true;
  const uint64_t *At = Raw + RawHead;
  for (uint32_t I = 0; I < S.Function.Slots.size() && At < Raw + N; ++I) {
    const SlotInfo &Slot = S.Function.Slots[I];
    size_t FirstToken = Tokens.size(), FirstWord = Words.size();
    const bool IsStreamed = S.StreamMask >> I & 1;
    if (IsStreamed && Slot.L == Layout::Text && static_cast<int64_t>(*At) >= 0) {
      Tokens.push_back(static_cast<uint32_t>(Tag::Stream));
      Tokens.push_back(static_cast<uint32_t>(Tag::String));
      StreamedTexts.push_back({I, textOf(At)});
      At += rawWords(Slot, At);
      continue;
    }
    encodeSlot(Slot, At, Raw[RawAbsent] >> I & 1, IsStreamed);
    if (IsStreamed)
      moveToStream(I, FirstToken, FirstWord);
    At += rawWords(Slot, At);
  }
}

} // namespace pilgrim
