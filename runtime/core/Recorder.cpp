//===- Recorder.cpp - the calls of one thread: slow path ------------------===//
#include "core/Recorder.h"

#include <algorithm>

namespace pilgrim {

/// Collects the encoded form of a record: whole slots, or elements of an array.
class Recorder::Builder final : public SlotSink {
public:
  explicit Builder(Recorder &R) : R(R) {}
  bool InArray = false; // then no tags are written, only words or references

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
  void putObject(Kind K, const char *Name, std::span<const int64_t> Words) override {
    uint32_t Head[2] = {static_cast<uint32_t>(K), Name ? R.stringRef(Name) + 1 : 0};
    uint32_t Ref = R.Objects.intern(Head, Words);
    tag(Tag::Object);
    R.Tokens.push_back(Ref);
  }

private:
  void tag(Tag T) {
    if (!InArray)
      R.Tokens.push_back(static_cast<uint32_t>(T));
  }
  Recorder &R;
};

Recorder::Recorder(Encoder &Enc, const std::atomic<uint64_t> &Generation)
    : Tree(Enc), Enc(Enc), Generation(Generation) {}
Recorder::~Recorder() = default;

uint32_t Recorder::stringRef(std::string_view Text) { return Strings.intern(packString(Text), {}); }

static uint64_t hashRecord(std::span<const uint64_t> Key) {
  uint64_t H = Key.size() * 0x9e3779b97f4a7c15ull;
  for (uint64_t W : Key) {
    H = (H ^ W) * 0x9ddfea08eb382d69ull;
    H ^= H >> 32;
  }
  return H;
}

/// Number of words of a slot at At.
static size_t rawWords(const SlotInfo &S, const uint64_t *At) {
  int64_t N = static_cast<int64_t>(At[0]);
  switch (S.L) {
  case Layout::Word:
    return 1;
  case Layout::Vector:
    return 1 + (N > 0 ? static_cast<size_t>(N) * S.Columns : 0);
  case Layout::Text:
    return 1 + (N > 0 ? (static_cast<size_t>(N) + 7) / 8 : 0);
  }
  return 1;
}

/// Whether a slot's raw words are the values that its stream takes.
static bool isRawNumber(Kind K) {
  switch (K) {
  case Kind::Int:
  case Kind::Count:
  case Kind::Displacement:
  case Kind::Bytes:
  case Kind::Offset:
  case Kind::Rank:
  case Kind::Tag:
  case Kind::Flag:
  case Kind::Keyval:
  case Kind::Request: // the PMPI layer gives requests their ids
  case Kind::Status:
    return true;
  default:
    return false;
  }
}
static bool mayBeStreamed(Kind K) { return isRawNumber(K) || K == Kind::Buffer; }

CallSite *Recorder::siteOf(const EventState &E, const uint64_t *Raw) {
  uint32_t Function[2] = {static_cast<uint32_t>(Raw[RawFunction]), E.Number};
  int64_t Address[1] = {static_cast<int64_t>(Raw[RawSite])};
  bool New;
  uint32_t I = AddressIndex.intern(Function, Address, &New);
  if (!New)
    return SiteByAddress[I];
  std::string Module;
  int64_t Offset = 0;
  uint32_t Token = 0;
  if (Enc.site(Raw[RawSite], Module, Offset)) {
    uint32_t Name[1] = {stringRef(Module)};
    int64_t At[1] = {Offset};
    Token = SiteTable.intern(Name, At) + 1;
  }
  // Different addresses may be the same place: unknown ones, and a module that was loaded again.
  uint32_t Key[3] = {Function[0], Token, E.Number};
  uint32_t J = SiteIndex.intern(Key, {}, &New);
  if (New) {
    auto S = std::make_unique<CallSite>();
    S->Function = &Enc.function(Function[0]);
    S->Event = E.Number;
    S->Token = Token;
    S->NextLook = FirstLook;
    Sites.push_back(std::move(S));
  }
  SiteByAddress.push_back(Sites[J].get());
  return SiteByAddress[I];
}

void Recorder::noteNames(const SlotInfo &Slot, int64_t Value) {
  auto Note = [&](int64_t V) {
    if (!NamesSeen.insert({Slot.Names, V}).second)
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

void Recorder::encodeSlot(const SlotInfo &Slot, const uint64_t *At, bool Absent) {
  Builder Out(*this);
  int64_t V = static_cast<int64_t>(*At);
  auto Element = [&](uint64_t Raw) {
    if (Slot.K >= Kind::Comm && Slot.K <= Kind::Session && Slot.K != Kind::Request) {
      Enc.handle(Slot.K, Raw, Out);
    } else if (Slot.K == Kind::Tool) {
      Enc.handle(Slot.K, Raw, Out);
    } else if (Slot.K == Kind::Error) {
      int64_t Class = Raw == 0 ? 0 : Enc.errorClass(static_cast<int64_t>(Raw));
      Out.put(Tag::Word, Class, 0);
      noteNames(Slot, Class);
      return;
    } else if (Slot.K == Kind::Buffer || Slot.K == Kind::Pointer || Slot.K == Kind::Function ||
               (Slot.K == Kind::Address && !Slot.IsArray)) {
      Enc.address(Slot.K, Raw, Out);
    } else {
      Out.put(Tag::Word, static_cast<int64_t>(Raw), 0);
    }
    if (Slot.K >= Kind::Comm && Slot.K <= Kind::Session && !isTableObject(Slot.K)) {
      // Predefined handles are values below zero under their kind's names.
      if (!Words.empty() && Words.back() < 0 && Slot.Names)
        noteNames(Slot, Words.back());
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
    Out.put(Tag::String, std::string_view(reinterpret_cast<const char *>(At + 1), static_cast<size_t>(V)));
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

/// Takes the slot that was just encoded out of the signature: its values go to the site's streams.
void Recorder::moveToStream(uint32_t Slot, size_t FirstToken, size_t FirstWord) {
  Tag T = static_cast<Tag>(Tokens[FirstToken]);
  if (!streamColumns(T))
    return;
  uint32_t Column = 0, PerItem = wordsOf(T);
  if (T == Tag::Array || T == Tag::Statuses)
    Streamed.push_back({Slot, Column++, static_cast<int64_t>(Tokens[FirstToken + 1])});
  for (size_t I = FirstWord; I < Words.size(); ++I)
    Streamed.push_back({Slot, Column + static_cast<uint32_t>((I - FirstWord) % PerItem), Words[I]});
  uint32_t Ref = T == Tag::Data ? Tokens[FirstToken + 1] : 0;
  Tokens.resize(FirstToken);
  Words.resize(FirstWord);
  Tokens.push_back(static_cast<uint32_t>(Tag::Stream));
  Tokens.push_back(static_cast<uint32_t>(T));
  if (T == Tag::Data)
    Tokens.push_back(Ref);
}

/// Fills Tokens, Words and Streamed.
void Recorder::encode(CallSite &S, const uint64_t *Raw, size_t N) {
  Tokens.assign({S.Function->Id, S.Token, static_cast<uint32_t>(Raw[RawFunction] >> 32)});
  Words.clear();
  Streamed.clear();
  const uint64_t *At = Raw + RawHead;
  for (uint32_t I = 0; I < S.Function->Slots.size() && At < Raw + N; ++I) {
    const SlotInfo &Slot = S.Function->Slots[I];
    size_t FirstToken = Tokens.size(), FirstWord = Words.size();
    encodeSlot(Slot, At, Raw[RawAbsent] >> I & 1);
    if (S.StreamMask >> I & 1)
      moveToStream(I, FirstToken, FirstWord);
    At += rawWords(Slot, At);
  }
}

/// Writes the record without its streamed slots to Canonical, and these to Streamed; false if that takes an encoder.
bool Recorder::canonical(CallSite &S, const uint64_t *Raw, size_t N) {
  Canonical.assign(Raw, Raw + RawHead);
  Canonical[RawAbsent] |= uint64_t(1) << 63; // equal to no whole record
  Canonical.push_back(S.StreamMask);         // nor to one that other slots were taken out of
  Streamed.clear();
  const uint64_t *At = Raw + RawHead;
  for (uint32_t I = 0; I < S.Function->Slots.size() && At < Raw + N; ++I) {
    const SlotInfo &Slot = S.Function->Slots[I];
    size_t Size = rawWords(Slot, At);
    int64_t V = static_cast<int64_t>(*At);
    if (!(S.StreamMask >> I & 1)) {
      Canonical.insert(Canonical.end(), At, At + Size);
    } else if (!isRawNumber(Slot.K)) {
      return false;
    } else if (Slot.L == Layout::Word) {
      Canonical.push_back(0);
      if (!(Raw[RawAbsent] >> I & 1))
        Streamed.push_back({I, 0, V});
    } else if (V < 0) {
      Canonical.push_back(*At);
    } else {
      Canonical.push_back(0);
      uint32_t Column = 0;
      if (Slot.IsArray)
        Streamed.push_back({I, Column++, V});
      for (size_t J = 1; J < Size; ++J)
        Streamed.push_back({I, Column + static_cast<uint32_t>((J - 1) % Slot.Columns), static_cast<int64_t>(At[J])});
      if (Slot.K == Kind::Status)
        for (int64_t J = 0; J < V; ++J)
          if (At[1 + J * StatusWords + 3])
            return false; // an error class may need its name
    }
    At += Size;
  }
  return true;
}

void Recorder::pushStreams(CallSite &S) {
  for (const StreamValue &V : Streamed) {
    auto &Columns = S.Streams[V.Slot];
    // An array's columns are there even if it never has an element.
    const SlotInfo &Slot = S.Function->Slots[V.Slot];
    size_t Least = Slot.IsArray ? 1 + Slot.Columns : V.Column + 1;
    if (Columns.size() < Least)
      Columns.resize(Least);
    Columns[V.Column].append(V.Value);
  }
}

/// Looks for slots whose values keep changing from signature to signature.
void Recorder::lookForStreams(CallSite &S) {
  if (S.Signatures.size() < S.NextLook)
    return;
  S.NextLook = S.Signatures.size() * 2;
  size_t NumSlots = S.Function->Slots.size();
  std::vector<std::vector<uint64_t>> Seen(NumSlots);
  for (uint32_t Index : S.Signatures) {
    auto Content = Signatures[Index];
    SlotWalker Walk(Content.Tokens);
    uint32_t I = 0;
    for (SlotView V; Walk.next(V); ++I) {
      if (V.T == Tag::Stream || !streamColumns(V.T) || !mayBeStreamed(S.Function->Slots[I].K))
        continue;
      uint64_t H = 1469598103934665603ull;
      for (size_t J = 0; J < V.Tokens; ++J)
        H = (H ^ Content.Tokens[V.FirstToken + J]) * 0x9ddfea08eb382d69ull;
      for (size_t J = 0; J < V.Words; ++J)
        H = (H ^ static_cast<uint64_t>(Content.Words[V.FirstWord + J])) * 0x9ddfea08eb382d69ull + (H >> 32);
      Seen[I].push_back(H);
    }
  }
  for (uint32_t I = 0; I < NumSlots; ++I) {
    std::sort(Seen[I].begin(), Seen[I].end());
    size_t Distinct = std::unique(Seen[I].begin(), Seen[I].end()) - Seen[I].begin();
    if (Distinct < DistinctToStream)
      continue;
    S.StreamMask |= uint64_t(1) << I;
    // From now on values are not looked at one by one: all their names may be needed.
    if (const char *Key = S.Function->Slots[I].Names) {
      struct Context {
        Recorder *R;
        const char *Key;
      } C{this, Key};
      Enc.allConstants(Key, &C, [](void *P, int64_t V, const char *Name) {
        auto *X = static_cast<Context *>(P);
        X->R->Names[{X->Key, V}] = Name;
      });
    }
  }
}

/// Makes Key the record last seen for an item and enters it in the cache.
void Recorder::remember(EventState &E, uint32_t Item, std::span<const uint64_t> Key, uint64_t Hash) {
  EventItem &T = E.Items[Item];
  if (T.RawCapacity < Key.size()) {
    T.Raw = std::make_unique_for_overwrite<uint64_t[]>(Key.size());
    T.RawCapacity = static_cast<uint32_t>(Key.size());
  }
  std::copy(Key.begin(), Key.end(), T.Raw.get());
  T.RawSize = static_cast<uint32_t>(Key.size());
  T.Whole = T.Home ? NoFunction : static_cast<uint32_t>(Key[RawFunction]);
  // What was in a smaller cache is entered again when it is met.
  if (RawCache.size() < size_t(ItemIndex.size()) * 2)
    RawCache.assign(std::max<size_t>(64, RawCache.size() * 2), {});
  RawCache[Hash & (RawCache.size() - 1)] = {&E, Item};
}

void Recorder::recordOther(EventState &E, const uint64_t *Raw, size_t N, uint64_t Start, uint64_t End) {
  note(findItem(E, Raw, N), Start, End);
}

/// Which item of the event a record is; appends it.
EventItem &Recorder::findItem(EventState &E, const uint64_t *Raw, size_t N) {
  CallSite &S = *siteOf(E, Raw);
  std::span<const uint64_t> Key{Raw, N};
  bool Cacheable = true;
  uint64_t Now = generation();
  if (S.StreamMask) {
    Cacheable = canonical(S, Raw, N);
    Key = Canonical;
  }
  uint64_t Hash = Cacheable ? hashRecord(Key) ^ E.Number * 0x9e3779b97f4a7c15ull : 0;
  if (Cacheable && !RawCache.empty()) {
    CachedItem C = RawCache[Hash & (RawCache.size() - 1)];
    if (C.Event == &E) {
      EventItem &T = E.Items[C.Item];
      if (T.RawSize == Key.size() && T.Generation == Now && std::equal(Key.begin(), Key.end(), T.Raw.get())) {
        if (T.Home)
          pushStreams(S);
        E.append(C.Item);
        return T;
      }
    }
  }
  encode(S, Raw, N);
  bool New;
  uint32_t ItemKey[2] = {E.Number, Signatures.intern(Tokens, Words)};
  uint32_t Place = ItemIndex.intern(ItemKey, {}, &New);
  if (New) {
    ItemPlace.push_back(static_cast<uint32_t>(E.Items.size()));
    EventItem &T = E.newItem();
    T.Index = ItemKey[1];
    S.Signatures.push_back(ItemKey[1]);
    if (!Streamed.empty())
      T.Home = &S;
  }
  pushStreams(S);
  uint32_t Index = ItemPlace[Place];
  if (Cacheable) {
    // The encoder may have registered a buffer, which changes nothing that was known before.
    E.Items[Index].Generation = Now;
    remember(E, Index, Key, Hash);
  }
  E.append(Index);
  if (New)
    lookForStreams(S);
  return E.Items[Index];
}

} // namespace pilgrim
