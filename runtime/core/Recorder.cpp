//===- Recorder.cpp - the calls of one thread: slow path ------------------===//
#include "core/Recorder.h"
#include "trace/base/Hash.h"
#include "trace/model/StreamedKinds.h"

#include <algorithm>
#include <functional>

namespace pilgrim {

static std::atomic<uint32_t> NumRecorders;

Recorder::Recorder(Encoder &Enc, const std::atomic<uint64_t> &Generation)
    : Enc(Enc), Generation(Generation), Id(++NumRecorders), Tree(Enc, Chunks) {}
Recorder::~Recorder() = default;

static uint64_t hashRecord(std::span<const uint64_t> Key) {
  uint64_t H = Key.size() * 0x9e3779b97f4a7c15ull;
  for (uint64_t W : Key) {
    H = (H ^ W) * 0x9ddfea08eb382d69ull;
    H ^= H >> 32;
  }
  return H;
}

CallSite *Recorder::siteOf(const EventState &E, const uint64_t *Raw) {
  const KnownSite Wanted{Raw[RawFunction] & 0xffffffff, Raw[RawSite], Enc.unloads(), E.Number, nullptr};
  KnownSite &Known = KnownSites[(Raw[RawSite] ^ Raw[RawSite] >> 7 ^ E.Number * 31) % std::size(KnownSites)];
  if (!Known.Site || !Known.isSame(Wanted)) {
    Known = Wanted;
    Known.Site = findSite(E, Raw);
  }
  return Known.Site;
}

CallSite *Recorder::findSite(const EventState &E, const uint64_t *Raw) {
  uint32_t Function[2] = {static_cast<uint32_t>(Raw[RawFunction]), E.Number};
  int64_t Address[2] = {static_cast<int64_t>(Raw[RawSite]), static_cast<int64_t>(Enc.unloads())};
  bool New;
  uint32_t I = AddressIndex.intern(Function, Address, &New);
  if (!New)
    return SiteByAddress[I];
  std::vector<SitePlace> Places;
  Enc.site(Raw[RawSite], Places);
  uint32_t Token = 0;
  for (size_t P = Places.size(); P-- > 0;) {
    uint32_t At[2] = {stringRef(Places[P].Module), Token}; // the caller's
    Token = SiteTable.intern(At, {&Places[P].Offset, 1}) + 1;
  }
  // Different addresses may be the same place: unknown ones, and a module that was loaded again.
  uint32_t Key[3] = {Function[0], Token, E.Number};
  uint32_t J = SiteIndex.intern(Key, {}, &New);
  if (New) {
    Sites.push_back(std::make_unique<CallSite>(Enc.function(Function[0]), E.Number, Token));
  }
  SiteByAddress.push_back(Sites[J].get());
  return SiteByAddress[I];
}

namespace {
/// Takes a datatype. What is predefined, or none, has no number.
class TypeNumber final : public SlotSink {
public:
  bool IsNumbered = false;
  int64_t Number = 0, Size = 0;

  void put(Tag) override {}
  void put(Tag, std::string_view) override {}
  void put(Tag, int64_t, int64_t) override {}
  void putData(std::string_view, int64_t) override {}
  void putObject(Kind, const char *Name, std::span<const int64_t> Words, uint64_t *) override {
    IsNumbered = !Name;
    Number = Words[0];
    Size = Words[1];
  }
  void doNotKeep() override {}
};
} // namespace

/// Writes the numbers of a slot's datatypes to Canonical, and their sizes to Streamed.
void Recorder::canonicalTypes(uint32_t Slot, bool IsArray, std::span<const uint64_t> Handles) {
  const size_t Before = Streamed.size();
  if (IsArray)
    Streamed.push_back({Slot, 0, static_cast<int64_t>(Handles.size())});
  bool HasNumbers = false;
  for (const uint64_t H : Handles) {
    TypeNumber Type;
    Enc.handle(Kind::Datatype, H, Type);
    Canonical.push_back(Type.IsNumbered);
    Canonical.push_back(Type.IsNumbered ? static_cast<uint64_t>(Type.Number) : H);
    if (IsArray || Type.IsNumbered)
      Streamed.push_back({Slot, IsArray, Type.Size});
    HasNumbers |= Type.IsNumbered;
  }
  if (!HasNumbers)
    Streamed.resize(Before);
}

/// Writes the record without its streamed slots to Canonical, and these to Streamed; false if that takes an encoder.
bool Recorder::canonical(CallSite &S, const uint64_t *Raw, size_t N) {
  Canonical.assign(Raw, Raw + RawHead);
  Canonical[RawAbsent] |= uint64_t(1) << 63; // equal to no whole record
  Canonical.push_back(S.StreamMask);         // nor to one that other slots were taken out of
  Streamed.clear();
  StreamedTexts.clear();
  const uint64_t *At = Raw + RawHead;
  for (uint32_t I = 0; I < S.Function.Slots.size() && At < Raw + N; ++I) {
    const SlotInfo &Slot = S.Function.Slots[I];
    size_t Size = rawWords(Slot, At);
    int64_t V = static_cast<int64_t>(*At);
    if (!(S.StreamMask >> I & 1)) {
      Canonical.insert(Canonical.end(), At, At + Size);
    } else if (Slot.L == Layout::Text) {
      Canonical.push_back(V < 0 ? *At : 0);
      if (V >= 0)
        StreamedTexts.push_back({I, textOf(At)});
    } else if (Slot.K == Kind::Datatype) {
      if (Slot.IsArray) {
        Canonical.push_back(*At);
        if (V >= 0)
          canonicalTypes(I, true, {At + 1, static_cast<size_t>(V)});
      } else if (!(Raw[RawAbsent] >> I & 1)) {
        canonicalTypes(I, false, {At, 1});
      }
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
    const SlotInfo &Slot = S.Function.Slots[V.Slot];
    size_t Least = Slot.IsArray ? 1 + Slot.Columns : V.Column + 1;
    if (Columns.size() < Least) {
      const size_t Had = Columns.size();
      Columns.resize(Least);
      std::for_each(Columns.begin() + static_cast<ptrdiff_t>(Had), Columns.end(),
                    [&](SlotStream &C) { C.sealTo(Chunks); });
      if (Slot.IsArray || S.Function.Id == UntracedId)
        Columns[0].dropSteps(); // readers add up lengths, and numbers of calls
    }
    Columns[V.Column].append(V.Value);
  }
  for (const StreamText &T : StreamedTexts) {
    auto &Columns = S.Streams[T.Slot];
    if (Columns.empty()) {
      Columns.resize(1);
      Columns[0].sealTo(Chunks);
      Columns[0].dropSteps();
    }
    Columns[0].append(static_cast<int64_t>(T.Text.size()));
    S.Texts.try_emplace(T.Slot, Chunks).first->second.append(T.Text);
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
  T.Whole = T.Home ? NoFunction : Key[RawFunction];
  // What was in a smaller cache is entered again when it is met.
  if (RawCache.size() < size_t(ItemIndex.size()) * 2)
    RawCache.assign(std::max<size_t>(64, RawCache.size() * 2), {});
  // Records that meet have two places: what was in the first moves to the second.
  CachedItem *At = &RawCache[Hash & (RawCache.size() - 2)];
  if (At[0].Event)
    At[1] = At[0];
  At[0] = {&E, Item};
}

void Recorder::record(EventState &E, const uint64_t *Raw, size_t N, uint64_t Start, uint64_t End, bool IsWithin) {
  EventItem *I = E.expected();
  if (I && I->Whole == Raw[RawFunction] && I->isOf(generation()) && I->RawSize == N &&
      std::equal(Raw, Raw + N, I->Raw.get()))
    E.advance();
  else
    I = &findItem(E, Raw, N);
  ++NumCalls;
  if (End)
    note(*I, Start, End);
  Tree.learn(E, IsWithin);
}

void Recorder::count(EventItem &I, const TickGap &P, uint64_t Gap, uint64_t Duration) {
  HistogramLog &H = *Histograms;
  auto Count = [&](TimeHistogram &To, uint64_t Ticks) {
    const uint32_t Bin = H.Bins.symbol(static_cast<uint64_t>(static_cast<double>(Ticks) * H.NanoPerTick));
    if (const size_t More = To.growth(Bin)) [[unlikely]] {
      if (More > H.Room)
        return; // so the histogram has fewer times than there were, which readers see
      H.Room -= More;
      To.Error = H.Bins.bound().Relative;
    }
    To.count(Bin);
  };
  if (I.TimePlace == TimeLog::NoPlace) {
    I.TimePlace = static_cast<uint32_t>(H.Items.size());
    H.Items.emplace_back();
  }
  ItemBins &Bins = H.Items[I.TimePlace];
  Count(Bins.Durations, Duration);
  if (!H.IsByPath)
    return Count(Bins.Gaps, Gap);
  const auto Path = static_cast<size_t>(&P - &I.Paths[0]);
  if (Path >= Bins.OfPaths.size())
    Bins.OfPaths.resize(I.Paths.size());
  Count(Bins.OfPaths[Path], Gap);
}

TickGap &TickGaps::add(uint32_t Key) {
  if (Size == Capacity) {
    Capacity = Capacity < 8 ? std::max(1u, Capacity * 2) : Most;
    auto More = std::make_unique<TickGap[]>(Capacity);
    std::copy_n(List.get(), Size, More.get());
    List = std::move(More);
  }
  if (Size == 1) {
    Line = std::make_unique<KeyLine>();
    std::ranges::fill(Line->Keys, TickGap::Others);
    Line->Keys[0] = List[0].Key;
  }
  if (Line && Size < Most - 1)
    Line->Keys[Size] = Key;
  List[Size].Key = Key;
  return List[Size++];
}

/// The gaps behind the last item. What happened at another event is one thing, whatever item it was.
TickGap &Recorder::findPath(EventItem &I) {
  const bool IsSameEvent = (LastItem ^ I.Key) >> 32 == 0;
  TickGap &P = I.Paths.get(IsSameEvent ? TickGap::SameEvent | static_cast<uint32_t>(LastItem) : LastItem >> 32);
  P.Lately = LastItem;
  if (Times) {
    if (I.TimePlace == TimeLog::NoPlace) {
      const auto Tokens = Signatures[I.Index].Tokens;
      I.TimePlace = Times->place(static_cast<uint32_t>((I.Key >> 32) - 1), {Tokens[0], Tokens[1], Tokens[2]});
    }
    P.Context = Times->path(LastPlace, I.TimePlace);
  }
  I.Path = &P;
  return P;
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
    for (const CachedItem &C : std::span(&RawCache[Hash & (RawCache.size() - 2)], 2)) {
      if (C.Event != &E)
        continue;
      EventItem &T = E.Items[C.Item];
      if (T.RawSize == Key.size() && std::equal(Key.begin(), Key.end(), T.Raw.get()) &&
          (T.isOf(Now) || isStill(S, T, Raw))) {
        T.Generation = Now;
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
    if (!Streamed.empty() || !StreamedTexts.empty())
      T.Home = &S;
  }
  pushStreams(S);
  uint32_t Index = ItemPlace[Place];
  if (Cacheable && MayKeep) {
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
