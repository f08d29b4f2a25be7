//===- Input.cpp - opening traces for a command ---------------------------===//
#include "driver/Input.h"
#include "driver/Command.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace pilgrim {

namespace {
using Need = std::map<SlotStreamKey, __int128>;

/// Adds up the values of a stream of lengths without expanding it; false: one
/// of them can be no length.
bool sumOfLengths(const IntStreamData &S, __int128 &Sum) {
  constexpr int64_t MaxLength = int64_t(1) << 23; // as the cursor
  if (S.AreSteps)
    return false;
  auto Counts = S.Order.terminalCounts();
  Sum = 0;
  for (size_t I = 0; I < S.Runs.size() && I < Counts.size(); ++I) {
    const LinearRun &R = S.Runs[I];
    if (!Counts[I] || !R.Count)
      continue;
    __int128 Last = R.First + static_cast<__int128>(R.Stride) * static_cast<__int128>(R.Count - 1);
    if (R.First < 0 || R.First > MaxLength || Last < 0 || Last > MaxLength)
      return false;
    Sum += (R.First + Last) * static_cast<__int128>(R.Count) / 2 * static_cast<__int128>(Counts[I]);
  }
  return true;
}

class StreamCheck {
public:
  explicit StreamCheck(const Trace &T) : T(T) {}

  std::string event(const Group &Of, const EventData &E) {
    G = &Of;
    Data = &E;
    std::string Problem;
    forEachPart(E.Items, T.data().World, [&](const RankedItems &X) {
      if (Problem.empty())
        Problem = sequence(X);
    });
    return E.Items.empty() && !E.Streams.empty() ? "damaged: streams that no call needs" : Problem;
  }

private:
  std::string sequence(const RankedItems &X) {
    auto Counts = X.Order.terminalCounts();
    Forms.clear();
    Mixed = false;
    // What all ranks need alike, and the entries that differ between ranks.
    Need Common;
    std::vector<size_t> Varying;
    for (size_t I = 0; I < X.Items.size(); ++I) {
      if (X.Items[I].IsNode)
        continue;
      const Entry &E = G->table(TableId::Signatures)[X.Items[I].Index];
      if (E.size() == 1 && X.Ranks.without(E[0].Ranks).empty())
        add(Common, E[0], Counts[I]);
      else if (std::any_of(E.begin(), E.end(), hasStream))
        Varying.push_back(I);
    }
    if (Varying.empty() && everyStreamIsCommon(X.Ranks))
      return rank(X.Ranks.first(), Common);
    std::string Problem;
    X.Ranks.forEach([&](uint32_t R) {
      if (!Problem.empty())
        return;
      Need Own = Common;
      for (size_t I : Varying)
        if (const Variant *V = G->find(TableId::Signatures, X.Items[I].Index, R))
          add(Own, *V, Counts[I]);
      Problem = rank(R, Own);
    });
    return Problem;
  }

  bool everyStreamIsCommon(const RankSet &Ranks) const {
    for (const auto &[Key, Streams] : Data->Streams)
      for (const RankedStream &S : Streams) {
        if (!(S.Ranks == Ranks) && Ranks.without(S.Ranks).size() != Ranks.size())
          return false;
        // Numbers of values, or lengths that say how many another stream has.
        auto Form = Forms.find({Key.Function, Key.Site, Key.Slot, 0});
        if (S.hasCountsByRank() || (!S.Functions.empty() && Form != Forms.end() && isVector(Form->second)))
          return false;
      }
    return true;
  }

  static bool hasStream(const Variant &V) {
    SlotWalker Walk(V.Tokens);
    for (SlotView S; Walk.next(S);)
      if (S.T == Tag::Stream)
        return true;
    return false;
  }

  static bool isVector(Tag T) { return T == Tag::Array || T == Tag::Statuses; }

  void add(Need &N, const Variant &V, uint64_t Calls) {
    SlotWalker Walk(V.Tokens);
    SlotStreamKey Key{V.Tokens[0], V.Tokens[1], 0, 0};
    for (SlotView S; Walk.next(S); ++Key.Slot) {
      if (S.T != Tag::Stream)
        continue;
      // Of a vector only the lengths are counted here.
      uint32_t Columns = isVector(S.Inner) ? 1 : streamColumns(S.Inner);
      for (Key.Column = 0; Key.Column < Columns; ++Key.Column)
        N[Key] += Calls;
      Key.Column = 0;
      auto [It, New] = Forms.try_emplace(Key, S.Inner);
      if (!New && It->second != S.Inner && (isVector(S.Inner) || isVector(It->second)))
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
      for (const RankedStream &V : It->second)
        if (V.Ranks.contains(Rank))
          return V.of(Rank, T.data().World);
      return {};
    };
    auto Bad = [&](const SlotStreamKey &Key, const char *What) {
      auto F = T.data().Functions.find(Key.Function);
      return "damaged: a stream of " + (F == T.data().Functions.end() ? "a function" : F->second.Name) + "'s slot " +
             std::to_string(Key.Slot) + " of rank " + std::to_string(Rank) + " " + What;
    };
    Need All = Calls;
    for (const auto &[Key, N] : Calls) {
      auto Form = Forms.find({Key.Function, Key.Site, Key.Slot, 0});
      if (!isVector(Form->second))
        continue;
      auto Lengths = Find(Key);
      __int128 Sum;
      if (!Lengths || !sumOfLengths(*Lengths, Sum))
        return Bad(Key, "holds no lengths");
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

std::string findInconsistency(const Trace &T) {
  const TraceData &D = T.data();
  StreamCheck Check(T);
  std::string Problem;
  for (const Group &G : D.Groups)
    G.forEachEvent([&](const NodeData &, uint32_t, const EventData &E) {
      RankSet Seen;
      uint64_t Members = 0;
      for (const RankedItems &X : E.Items) {
        Seen.unite(X.Ranks);
        Members += X.Ranks.size();
      }
      if (Problem.empty() && (Seen.size() != Members || !Seen.without(G.ranks()).empty()))
        Problem = "damaged: a rank has two sequences of calls at one place";
      if (Problem.empty())
        Problem = Check.event(G, E);
    });
  if (!Problem.empty())
    return Problem;
  for (const auto &[Id, F] : D.Functions)
    if (F.Slots.empty())
      return "damaged: a function without a return code";
  return "";
}

std::expected<Trace, TraceError> readSound(const std::string &File) {
  auto T = Trace::open(File);
  if (!T)
    return T;
  if (std::string Problem = findInconsistency(*T); !Problem.empty())
    return std::unexpected(TraceError{Problem});
  return T;
}

std::optional<Trace> openTrace(const std::string &File) {
  auto T = readSound(File);
  if (!T) {
    fail(File, T.error().What);
    return std::nullopt;
  }
  return std::move(*T);
}

static bool parseNumber(const char *&P, const char *End, uint32_t &N) {
  auto [Rest, Error] = std::from_chars(P, End, N);
  if (Error != std::errc() || N >= 1u << 24)
    return false;
  P = Rest;
  return true;
}

bool parseRanks(const std::string &Text, RankSet &Ranks) {
  const char *P = Text.data(), *End = P + Text.size();
  for (;;) {
    uint32_t First, Last;
    if (!parseNumber(P, End, First))
      return false;
    Last = First;
    if (P < End && *P == '-' && !parseNumber(++P, End, Last))
      return false;
    if (Last < First)
      return false;
    Ranks.unite(RankSet::below(Last + 1).without(RankSet::below(First)));
    if (P == End)
      return true;
    if (*P++ != ',')
      return false;
  }
}

bool chooseRanks(const std::string &File, const Trace &T, const std::string &Text, RankSet &Ranks) {
  const RankSet &Known = T.data().Ranks;
  if (Text.empty()) {
    Ranks = Known;
    return true;
  }
  if (!parseRanks(Text, Ranks)) {
    fail("--rank " + Text + ": expected ranks, such as 3 or 0-3,8");
    return false;
  }
  RankSet Missing = Ranks.without(Known);
  if (!Missing.empty())
    fail(File, "no rank " + rankText(Missing) + "; the trace has " + rankText(Known));
  return Missing.empty();
}

std::string rankText(const RankSet &Ranks) {
  std::string Out;
  size_t N = 0;
  for (const RankSet::Interval &I : Ranks.intervals()) {
    if (++N > 20)
      return Out + ",...";
    if (!Out.empty())
      Out += ',';
    Out += std::to_string(I.First);
    if (I.Last != I.First)
      Out += '-' + std::to_string(I.Last);
  }
  return Out;
}

bool parseTime(const std::string &Text, double &Seconds) {
  char *End = nullptr;
  Seconds = std::strtod(Text.c_str(), &End);
  if (End == Text.c_str() || !(Seconds >= 0))
    return false;
  static constexpr std::pair<const char *, double> Units[] = {{"", 1},      {"s", 1},     {"ms", 1e-3},
                                                              {"us", 1e-6}, {"ns", 1e-9}, {"m", 60}};
  for (auto [Unit, Factor] : Units)
    if (std::string_view(End) == Unit) {
      Seconds *= Factor;
      return true;
    }
  return false;
}

} // namespace pilgrim
