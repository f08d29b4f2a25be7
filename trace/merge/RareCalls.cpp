//===- RareCalls.cpp - calls that hardly come again ------------------------===//
#include "trace/merge/RareCalls.h"
#include "trace/base/Hash.h"
#include "trace/model/Signature.h"
#include "trace/model/StreamedKinds.h"
#include "trace/sequences/SlotStream.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

namespace pilgrim {

namespace {
/// A site of an event is rare if it has at least Fewest items or a long array, and they come less than Often times
/// each; so do their words, or else streams could take far longer than the signatures did.
constexpr size_t Fewest = 8;
constexpr uint64_t Often = 8;
/// With fewer rare items than this, a rank keeps its signatures: other ranks may share them, and the trace is small.
constexpr size_t FewestOfRank = 512;
/// Events with more items than this are left alone, which bounds the time.
constexpr uint64_t MostCalls = uint64_t(1) << 18;
/// Words of arrays that leave signatures even of few items, and of the longest that leave at all.
constexpr size_t Long = 32, TooLong = (size_t(1) << 16) + 1;

/// Tokens and words of a signature.
using Content = std::pair<std::vector<uint32_t>, std::vector<int64_t>>;
using SiteKey = std::pair<uint32_t, uint32_t>; ///< function, site + 1

uint64_t hashOf(const Content &C) {
  uint64_t H = C.first.size();
  for (const uint32_t T : C.first)
    H = mix(H, T);
  for (const int64_t W : C.second)
    H = mix(H, static_cast<uint64_t>(W));
  return H;
}

/// One function called from one place, at one event.
struct RareSite {
  std::vector<uint32_t> Items; ///< ascending
  uint64_t Calls = 0;
  uint64_t Words = 0, WordsOfCalls = 0; ///< of all items, of all calls
  std::set<uint32_t> Slots;             ///< these go to streams
  // By slot, a column each:
  std::map<uint32_t, std::vector<IntStreamData::Cursor>> Were;
  std::map<uint32_t, std::vector<SlotStream>> Streams;
};

/// A slot of an item that goes to streams. Its words are in the streams that the recorder made, or else in the item.
struct MovedSlot {
  uint32_t Slot;
  Tag T;
  size_t Words; ///< 0 if it was streamed
  bool WasStreamed;
};

/// A signature without the slots that leave it, and these.
struct Divided {
  Content Left;
  std::vector<MovedSlot> Moved;
  std::vector<int64_t> Values; ///< of moved slots that were not streamed
};

/// An event with rare sites.
class RareEvent {
public:
  RareEvent(const TraceData &T, Table &Signatures, EventData &E) : T(T), Signatures(Signatures), E(E) {}

  /// Finds the rare sites, and returns their number of items.
  size_t find();
  /// Known: signatures that were made before, by content. Items with one content share it in memory. An event whose
  /// streams are too short stays as it is: a thread was in the midst of recording it.
  void rewrite(ChunkStore &Store, std::map<Content, Entry> &Known);

private:
  const Variant &variant(uint32_t Item) const { return Signatures[E.Items[0].Items[Item].Index][0]; }
  /// Whether an item, no node, may have a long array.
  bool isLong(const Item &I) const { return Signatures[I.Index][0].Words.size() >= Long; }
  bool chooseSlots(const FunctionSchema &F, RareSite &S) const;
  Divided divide(uint32_t Item, const std::set<uint32_t> &Slots) const;
  static bool appendValues(RareSite &S, const Divided &D, ChunkStore &Store);
  void joinMeasures(const std::vector<RareSite *> &SiteOf);

  const TraceData &T;
  Table &Signatures;
  EventData &E;
  std::map<SiteKey, RareSite> Sites;
};

size_t RareEvent::find() {
  if (E.Items.size() != 1 || E.Items[0].Order.length() > MostCalls)
    return 0;
  const RankedItems &R = E.Items[0];
  if (R.Items.size() < Fewest && std::ranges::none_of(R.Items, [&](const Item &I) { return !I.IsNode && isLong(I); }))
    return 0;
  const std::vector<uint64_t> Calls = R.Order.terminalCounts();
  for (uint32_t I = 0; I < R.Items.size(); ++I) {
    if (R.Items[I].IsNode)
      continue;
    const Variant &V = variant(I);
    RareSite &S = Sites[{V.Tokens[0], V.Tokens[1]}];
    S.Items.push_back(I);
    S.Calls += Calls[I];
    S.Words += V.Words.size();
    S.WordsOfCalls += Calls[I] * V.Words.size();
  }
  size_t N = 0;
  for (auto At = Sites.begin(); At != Sites.end();) {
    RareSite &S = At->second;
    const auto F = T.Functions.find(At->first.first);
    const bool IsRare = S.Calls < Often * S.Items.size() && S.WordsOfCalls <= Often * S.Words &&
                        F != T.Functions.end() && isCall(F->second) && chooseSlots(F->second, S);
    N += IsRare ? S.Items.size() : 0;
    At = IsRare ? std::next(At) : Sites.erase(At);
  }
  return N;
}

/// Whether a slot may leave signatures. Texts stay, as signatures only refer to them. Very long arrays stay, too:
/// readers refuse calls that take too many values from streams.
bool mayMove(const FunctionSchema &F, uint32_t Slot, const SlotView &V) {
  return V.T != Tag::Stream && !V.hasObjects() && V.T != Tag::String && streamColumns(V.T) && V.Words < TooLong &&
         Slot < F.Slots.size() && mayBeStreamed(F.Slots[Slot].K);
}

/// Chooses the slots that have several values, and long arrays. False: these are few, and the rest of the slots makes
/// more than half as many signatures.
bool RareEvent::chooseSlots(const FunctionSchema &F, RareSite &S) const {
  struct Seen {
    uint64_t First = 0; ///< hash of the first value
    bool IsThere = false, AreSeveral = false, StaysWhole = false, IsLong = false;
    void add(uint64_t Hash) {
      AreSeveral |= IsThere && Hash != First;
      if (!std::exchange(IsThere, true))
        First = Hash;
    }
  };
  if (S.Items.size() < Fewest && std::ranges::none_of(S.Items, [&](uint32_t I) { return isLong(E.Items[0].Items[I]); }))
    return false;
  std::vector<Seen> BySlot;
  auto ForEachSlot = [&](uint32_t Item, auto &&Do) {
    const Variant &V = variant(Item);
    SlotWalker Walk(V.Tokens);
    SlotView At;
    for (uint32_t Slot = 0; Walk.next(At); ++Slot) {
      uint64_t H = mix(Slot, V.Tokens[At.FirstToken]);
      for (size_t I = 1; I < At.Tokens; ++I)
        H = mix(H, V.Tokens[At.FirstToken + I]);
      for (size_t I = 0; I < At.Words; ++I)
        H = mix(H, static_cast<uint64_t>(V.Words[At.FirstWord + I].single().C));
      Do(Slot, At, H);
    }
  };
  for (const uint32_t I : S.Items)
    ForEachSlot(I, [&](uint32_t Slot, const SlotView &V, uint64_t Hash) {
      if (Slot >= BySlot.size())
        BySlot.resize(Slot + 1);
      if (mayMove(F, Slot, V)) {
        BySlot[Slot].add(Hash);
        BySlot[Slot].IsLong |= V.Words >= Long;
      } else if (V.T == Tag::Stream && (V.Inner == Tag::String || V.hasObjects()))
        BySlot[Slot].StaysWhole = true;
    });
  const bool AreFew = S.Items.size() < Fewest;
  bool IsLong = false;
  for (uint32_t Slot = 0; Slot < BySlot.size(); ++Slot)
    if (const Seen &X = BySlot[Slot]; (X.AreSeveral || X.IsLong) && !X.StaysWhole) {
      S.Slots.insert(Slot);
      IsLong |= X.IsLong;
    }
  if (IsLong || AreFew)
    return IsLong;
  std::set<uint64_t> Left;
  for (const uint32_t I : S.Items) {
    uint64_t Sum = 0;
    ForEachSlot(I, [&](uint32_t Slot, const SlotView &V, uint64_t Hash) {
      Sum = mix(Sum, S.Slots.contains(Slot) && (V.T == Tag::Stream || mayMove(F, Slot, V)) ? Slot : Hash);
    });
    Left.insert(Sum);
  }
  return Left.size() * 2 <= S.Items.size();
}

Divided RareEvent::divide(uint32_t Item, const std::set<uint32_t> &Slots) const {
  const Variant &V = variant(Item);
  const FunctionSchema &F = T.Functions.at(V.Tokens[0]);
  Divided D;
  auto &[To, Words] = D.Left;
  To.reserve(V.Tokens.size() + Slots.size());
  To.assign(V.Tokens.begin(), V.Tokens.begin() + SignatureHead);
  SlotWalker Walk(V.Tokens);
  SlotView At;
  for (uint32_t Slot = 0; Walk.next(At); ++Slot) {
    const bool WasStreamed = At.T == Tag::Stream;
    const bool Moves = Slots.contains(Slot) && (WasStreamed || mayMove(F, Slot, At));
    size_t Tokens = At.Tokens;
    if (Moves && !WasStreamed) {
      To.push_back(static_cast<uint32_t>(Tag::Stream));
      Tokens -= hasLength(At.T); // which goes to the stream
    }
    To.insert(To.end(), V.Tokens.begin() + static_cast<ptrdiff_t>(At.FirstToken),
              V.Tokens.begin() + static_cast<ptrdiff_t>(At.FirstToken + Tokens));
    if (Moves)
      D.Moved.push_back({Slot, WasStreamed ? At.Inner : At.T, At.Words, WasStreamed});
    for (size_t I = 0; I < At.Words; ++I)
      (Moves ? D.Values : Words).push_back(V.Words[At.FirstWord + I].single().C);
  }
  return D;
}

/// Appends the values of one call. False: the streams that were there have too few.
bool RareEvent::appendValues(RareSite &S, const Divided &D, ChunkStore &Store) {
  auto Next = D.Values.begin();
  for (const MovedSlot &M : D.Moved) {
    std::vector<SlotStream> &To = S.Streams[M.Slot];
    const unsigned Columns = streamColumns(M.T), First = hasLength(M.T); // of an element
    while (To.size() < Columns)
      To.emplace_back().sealTo(Store);
    auto Append = [&](unsigned C, int64_t &Value) {
      if (auto *Were = M.WasStreamed ? &S.Were[M.Slot] : nullptr;
          Were && (C >= Were->size() || !(*Were)[C].next(Value)))
        return false;
      To[C].append(Value);
      return true;
    };
    int64_t Elements = First ? static_cast<int64_t>(M.Words / (Columns - 1)) : 1;
    if (First && !Append(0, Elements))
      return false;
    for (int64_t I = 0; I < Elements; ++I)
      for (unsigned C = First; C < Columns; ++C)
        if (int64_t Value = M.WasStreamed ? 0 : *Next++; !Append(C, Value))
          return false;
  }
  return true;
}

/// Gives items of one function, site and depth one measure. Before, each has its own, or all have one.
void RareEvent::joinMeasures(const std::vector<RareSite *> &SiteOf) {
  RankedItems &R = E.Items[0];
  std::vector<uint32_t> Of(E.Measures.size());
  for (uint32_t I = 0; I < Of.size(); ++I)
    Of[I] = I;
  std::map<MeasuredPlace, uint32_t> First;
  for (uint32_t I = 0; I < R.Items.size(); ++I)
    if (SiteOf[I]) {
      const Entry &X = Signatures[R.Items[I].Index];
      const uint32_t Own = X.measure(0);
      Of[Own] = First.try_emplace({X[0].Tokens[0], X[0].Tokens[1], X[0].Tokens[2]}, Own).first->second;
    }
  std::vector<Measure> Joined;
  std::vector<uint32_t> Place(Of.size());
  for (uint32_t I = 0; I < Of.size(); ++I)
    if (Of[I] == I) {
      Place[I] = static_cast<uint32_t>(Joined.size());
      Joined.emplace_back().Place = E.Measures[I].Place;
    }
  for (uint32_t &M : Of)
    M = Place[M];
  for (uint32_t I = 0; I < Of.size(); ++I)
    Joined[Of[I]].add(E.Measures[I], [&](GapPath P) {
      if (P.K == GapPath::Call)
        P.Which = Of[P.Which];
      return P;
    });
  E.Measures = std::move(Joined);
  for (const Item &I : R.Items)
    if (!I.IsNode)
      Signatures[I.Index].changeMeasures([&](uint32_t M) { return M == NoMeasure ? M : Of[M]; });
}

void RareEvent::rewrite(ChunkStore &Store, std::map<Content, Entry> &Known) {
  RankedItems &R = E.Items[0];
  std::vector<RareSite *> SiteOf(R.Items.size());
  for (auto &[Key, S] : Sites) {
    for (const uint32_t Slot : S.Slots)
      for (uint32_t C = 0;; ++C) {
        const auto Was = E.Streams.find({Key.first, Key.second, Slot, C});
        if (Was == E.Streams.end())
          break;
        S.Were[Slot].emplace_back(Was->second[0].Values);
      }
    for (const uint32_t I : S.Items)
      SiteOf[I] = &S;
  }
  std::vector<Divided> Parts(R.Items.size());
  std::vector<uint32_t> NewItem(R.Items.size());
  std::vector<std::pair<uint32_t, Content>> Items; // by new item: the first one that becomes it, and what is left of it
  Finder ItemOf(0);
  for (uint32_t I = 0; I < R.Items.size(); ++I) {
    NewItem[I] = static_cast<uint32_t>(Items.size());
    if (SiteOf[I]) {
      Parts[I] = divide(I, SiteOf[I]->Slots);
      const uint64_t Hash = hashOf(Parts[I].Left);
      const size_t Same = ItemOf.find(Hash, [&](size_t J) { return Items[J].second == Parts[I].Left; });
      if (Same != Finder::None)
        NewItem[I] = static_cast<uint32_t>(Same);
      else
        ItemOf.add(Hash, Items.size());
    }
    if (NewItem[I] == Items.size())
      Items.emplace_back(I, std::move(Parts[I].Left));
  }
  Grammar Order;
  Order.sealTo(Store);
  GrammarData::Cursor At(R.Order);
  for (uint32_t I; At.next(I);) {
    Order.append(NewItem[I]);
    if (SiteOf[I] && !appendValues(*SiteOf[I], Parts[I], Store))
      return;
  }
  if (!E.Measures.empty())
    joinMeasures(SiteOf);
  std::vector<Item> New;
  for (auto &[First, Left] : Items) {
    if (!SiteOf[First]) {
      New.push_back(R.Items[First]);
      continue;
    }
    Entry &Same = Known[Left];
    if (Same.empty()) {
      Variant V{variant(First).Ranks, Left.first, {}};
      for (const int64_t W : Left.second)
        V.Words.push_back(RankFn(W));
      Same = {std::move(V)};
    }
    Entry Own = Same;
    Own.setMeasure(0, Signatures[R.Items[First].Index].measure(0));
    New.push_back({false, static_cast<uint32_t>(Signatures.size())});
    Signatures.push_back(std::move(Own));
  }
  for (auto &[Key, S] : Sites)
    for (auto &[Slot, Columns] : S.Streams)
      for (uint32_t C = 0; C < Columns.size(); ++C)
        E.Streams[{Key.first, Key.second, Slot, C}] = {{R.Ranks, Columns[C].data()}};
  R.Order = Order.data();
  R.Items = std::move(New);
}

/// Leaves out signatures that no item has.
void dropUnused(Group &G) {
  Table &T = G.table(TableId::Signatures);
  std::vector<uint32_t> New(T.size(), UINT32_MAX);
  Table Used;
  for (NodeData &N : G.Nodes)
    for (auto &[Id, E] : N.Events)
      for (RankedItems &R : E.Items)
        for (Item &I : R.Items) {
          if (I.IsNode)
            continue;
          uint32_t &To = New[I.Index];
          if (To == UINT32_MAX) {
            To = static_cast<uint32_t>(Used.size());
            Used.push_back(std::move(T[I.Index]));
          }
          I.Index = To;
        }
  T = std::move(Used);
}
} // namespace

void streamRareCalls(const TraceData &T, Group &G, ChunkStore &Store) {
  size_t Rare = 0;
  std::deque<RareEvent> Events;
  for (NodeData &N : G.Nodes)
    for (auto &[Id, E] : N.Events) {
      RareEvent Of(T, G.table(TableId::Signatures), E);
      if (const size_t Own = Of.find()) {
        Rare += Own;
        Events.push_back(std::move(Of));
      }
    }
  if (Rare < FewestOfRank)
    return;
  std::map<Content, Entry> Known;
  for (RareEvent &E : Events)
    E.rewrite(Store, Known);
  dropUnused(G);
}

} // namespace pilgrim
