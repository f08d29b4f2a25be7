//===- StreamCheck.cpp - whether streams hold what calls take -------------===//
//
// Each call of a signature with streamed slots takes values from the columns of these. A column must have as many as
// are taken, for each rank.
//
//===----------------------------------------------------------------------===//
#include "trace/read/RankClasses.h"
#include "trace/read/Soundness.h"

#include <algorithm>

namespace pilgrim {

namespace {
using Need = std::map<SlotStreamKey, __int128>;

/// Adds up the values of a stream of lengths without expanding it; false: one
/// of them can be no length.
bool sumOfLengths(const IntStreamData &S, __int128 &Sum, int64_t &Longest) {
  constexpr int64_t MaxLength = CallCursor::MaxWords;
  if (S.AreSteps)
    return false;
  bool Are = true;
  Sum = Longest = 0;
  S.forEachRun([&](const LinearRun &R, uint64_t Times) {
    if (!Times || !R.Count)
      return;
    const __int128 Last = R.First + static_cast<__int128>(R.Stride) * static_cast<__int128>(R.Count - 1);
    if (R.First < 0 || R.First > MaxLength || Last < 0 || Last > MaxLength) {
      Are = false;
      return;
    }
    Longest = std::max({Longest, R.First, static_cast<int64_t>(Last)});
    Sum += (R.First + Last) * static_cast<__int128>(R.Count) / 2 * static_cast<__int128>(Times);
  });
  return Are;
}

class StreamCheck {
public:
  explicit StreamCheck(const Trace &T) : T(T) {}

  /// Of one event.
  std::string event(const Group &Of, const EventData &E) {
    G = &Of;
    Data = &E;
    if (E.Streams.empty() && !needsStreams(E))
      return "";
    std::string Problem;
    forEachPart(E.Items, T.data().World, [&](const RankedItems &X) {
      if (Problem.empty())
        Problem = sequence(X);
    });
    return E.Items.empty() && !E.Streams.empty() ? "damaged: streams that no call needs" : Problem;
  }

private:
  bool needsStreams(const EventData &E) const {
    for (const RankedItems &X : E.Items)
      for (const Item &I : X.Items)
        if (!I.IsNode && std::ranges::any_of(G->table(TableId::Signatures)[I.Index], hasStream))
          return true;
    return false;
  }

  std::string sequence(const RankedItems &X) {
    auto Counts = X.Order.terminalCounts();
    Forms.clear();
    Mixed = false;
    // What all ranks need alike, and the entries that differ between ranks.
    Need Common;
    std::vector<size_t> Varying;
    RankClasses Alike(X.Ranks);
    for (size_t I = 0; I < X.Items.size(); ++I) {
      if (X.Items[I].IsNode)
        continue;
      const Entry &E = G->table(TableId::Signatures)[X.Items[I].Index];
      if (E.size() == 1 && X.Ranks.without(E[0].Ranks).empty()) {
        add(Common, E[0], Counts[I]);
      } else if (std::any_of(E.begin(), E.end(), hasStream)) {
        Varying.push_back(I);
        for (const Variant &V : E) {
          Alike.split(V.Ranks);
          Need Unused; // only the forms of its slots are wanted here
          add(Unused, V, 1);
        }
      }
    }
    const RankSet Apart = splitByStreams(Alike, X.Ranks);
    std::string Problem;
    auto Look = [&](uint32_t R) {
      if (!Problem.empty())
        return;
      Need Own = Common;
      for (size_t I : Varying)
        if (const Variant *V = G->find(TableId::Signatures, X.Items[I].Index, R))
          add(Own, *V, Counts[I]);
      Problem = rank(R, Own);
    };
    for (const RankSet &Set : Alike.sets())
      Look(Set.first());
    Apart.forEach(Look);
    return Problem;
  }

  /// Separates ranks with different streams. The result: ranks whose numbers of values are functions of the rank.
  RankSet splitByStreams(RankClasses &Alike, const RankSet &Ranks) const {
    RankSet Apart;
    for (const auto &[Key, Streams] : Data->Streams)
      for (const RankedStream &S : Streams) {
        Alike.split(S.Ranks);
        // Numbers of values, or lengths that say how many another stream has.
        auto Form = Forms.find({Key.Function, Key.Site, Key.Slot, 0});
        if (S.hasLengthsByRank() ||
            (!S.Functions.empty() && (Mixed || (Form != Forms.end() && hasLength(Form->second)))))
          Apart.unite(S.Ranks.common(Ranks));
      }
    return Apart;
  }

  static bool hasStream(const Variant &V) {
    SlotWalker Walk(V.Tokens);
    for (SlotView S; Walk.next(S);)
      if (S.T == Tag::Stream)
        return true;
    return false;
  }

  void add(Need &N, const Variant &V, uint64_t Calls) {
    SlotWalker Walk(V.Tokens);
    SlotStreamKey Key{V.Tokens[0], V.Tokens[1], 0, 0};
    for (SlotView S; Walk.next(S); ++Key.Slot) {
      if (S.T != Tag::Stream)
        continue;
      // Of a vector only the lengths are counted here.
      uint32_t Columns = hasLength(S.Inner) ? 1 : streamColumns(S.Inner);
      for (Key.Column = 0; Key.Column < Columns; ++Key.Column)
        N[Key] += Calls;
      Key.Column = 0;
      auto [It, New] = Forms.try_emplace(Key, S.Inner);
      if (!New && It->second != S.Inner && (hasLength(S.Inner) || hasLength(It->second)))
        Mixed = true;
    }
  }

  std::string rank(uint32_t Rank, const Need &Calls) {
    if (Mixed)
      return expand(Rank, G->Thread);
    auto Find = [&](const SlotStreamKey &Key) -> std::optional<IntStreamData> {
      auto It = Data->Streams.find(Key);
      if (It == Data->Streams.end())
        return {};
      const RankedStream *V = ofRank(It->second, Rank);
      return V ? std::optional(V->of(Rank, T.data().World)) : std::nullopt;
    };
    auto Bad = [&](const SlotStreamKey &Key, const char *What) {
      auto F = T.data().Functions.find(Key.Function);
      return "damaged: a stream of " + (F == T.data().Functions.end() ? "a function" : F->second.Name) + "'s slot " +
             std::to_string(Key.Slot) + " of rank " + std::to_string(Rank) + " " + What;
    };
    Need All = Calls;
    SlotStreamKey Last;
    uint64_t Words = 0; // of a call, if all its slots are as long as they ever are
    for (const auto &[Key, N] : Calls) {
      if (Key.Function != Last.Function || Key.Site != Last.Site)
        Words = 0;
      Last = Key;
      auto Form = Forms.find({Key.Function, Key.Site, Key.Slot, 0});
      if (!hasLength(Form->second)) {
        ++Words;
        continue;
      }
      auto Lengths = Find(Key);
      __int128 Sum;
      int64_t Longest;
      if (!Lengths || !sumOfLengths(*Lengths, Sum, Longest))
        return Bad(Key, "holds no lengths");
      Words += static_cast<uint64_t>(Longest) * (streamColumns(Form->second) - 1);
      if (Words > CallCursor::MaxWords)
        return "too large for this reader: a call of rank " + std::to_string(Rank) + ", limit " +
               std::to_string(CallCursor::MaxWords) + " values from streams";
      SlotStreamKey Column = Key;
      for (Column.Column = 1; Column.Column < streamColumns(Form->second); ++Column.Column)
        All[Column] = Sum;
    }
    for (const auto &[Key, N] : All) {
      auto S = Find(Key);
      if (!S)
        return Bad(Key, "is missing");
      __int128 Length = static_cast<__int128>(S->length());
      if (Length < N)
        return Bad(Key, "ends before the calls do");
      if (Length > N)
        return Bad(Key, "goes on behind the calls");
    }
    for (const auto &[Key, Streams] : Data->Streams)
      if (!All.contains(Key) && Find(Key) && Find(Key)->length())
        return Bad(Key, "goes on behind the calls");
    return "";
  }

  /// The slow way, where a stream holds lengths and other values.
  std::string expand(uint32_t Rank, uint32_t Thread) {
    CallCursor C = Trace::calls(T.view(Rank, Thread));
    for (Call X; C.next(X);)
      ;
    return C.error();
  }

  const Trace &T;
  const Group *G = nullptr;
  const EventData *Data = nullptr;
  std::map<SlotStreamKey, Tag> Forms;
  bool Mixed = false;
};
} // namespace

std::string findBadStreams(const Trace &T) {
  StreamCheck Check(T);
  std::string Problem;
  for (const Group &G : T.data().Groups)
    G.forEachEvent([&](const NodeData &, uint32_t, const EventData &E) {
      if (Problem.empty())
        Problem = Check.event(G, E);
    });
  return Problem;
}

} // namespace pilgrim
