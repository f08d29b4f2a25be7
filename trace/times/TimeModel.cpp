//===- TimeModel.cpp - the histograms that times are coded by -------------===//
//
// Which contexts share a histogram is decided by cost. From the most frequent context on, each gets one of its own, or
// joins the one where it costs least, if the bits that its times cost more there are fewer than its histogram would
// take.
//
//===----------------------------------------------------------------------===//
#include "trace/times/TimeModel.h"
#include "trace/times/TimeNumbers.h"

#include <algorithm>
#include <numeric>

namespace pilgrim {

namespace {
/// About the bits that a histogram and each of its symbols take in a model.
constexpr double RowBits = 12, SymbolBits = 4.5;
constexpr size_t MaxRows = 1024, MaxTried = 16;
/// A context with so few times is not named in a model.
constexpr uint64_t MostRare = 2;

uint64_t contextOf(TimeKey K) { return K.group() >> TimeKey::ClassBits; }
unsigned pairOf(TimeKey K, const TimeBounds &Bounds) {
  return K.context() > TimeModel::MaxContext ? UINT32_MAX - K.context() : Bounds.pair(K.kind(), K.context());
}

double bitsOf(uint64_t Count) { return Count ? static_cast<double>(Count) * log2Of(Count) : 0; }
} // namespace

/// A histogram that grows.
struct TimeModel::Cluster {
  uint8_t Kind, Pair;
  std::vector<TimeCount> Counts; ///< keys without a context
  uint64_t Total = 0;
  double Sum = 0; ///< of bitsOf(Count)

  /// The bits of all times, and of the histogram.
  double cost() const { return bitsOf(Total) - Sum + SymbolBits * static_cast<double>(Counts.size()) + RowBits; }
  /// How much more it would be with these.
  double costOf(const Cluster &More) const {
    double NewSum = Sum;
    size_t New = 0;
    auto It = Counts.begin();
    for (const TimeCount &C : More.Counts) {
      It = std::lower_bound(It, Counts.end(), C.Key, [](const TimeCount &A, TimeKey K) { return A.Key < K; });
      if (It != Counts.end() && It->Key == C.Key) {
        NewSum += bitsOf(It->Count + C.Count) - bitsOf(It->Count);
      } else {
        NewSum += bitsOf(C.Count);
        ++New;
      }
    }
    return bitsOf(Total + More.Total) - NewSum + SymbolBits * static_cast<double>(Counts.size() + New) + RowBits -
           cost();
  }
  void add(TimeCount More) {
    Counts.push_back(More);
    Total += More.Count;
    Sum += bitsOf(More.Count);
  }
  void add(const Cluster &More) {
    addCounts(Counts, More.Counts);
    recount();
  }
  void recount() {
    Total = 0;
    Sum = 0;
    for (const TimeCount &C : Counts) {
      Total += C.Count;
      Sum += bitsOf(C.Count);
    }
  }
};

/// The times of one context.
struct TimeModel::Group {
  Cluster Times;
  uint64_t Context; ///< TimeKey::group()
};

/// Classes that are too rare to be named belong to the next lower one. Contexts that are too rare are together, those
/// of a pair of bounds.
std::vector<TimeModel::Group> TimeModel::groupsOf(std::span<const TimeCount> In, uint64_t Least,
                                                  const TimeBounds &Bounds) {
  std::vector<Group> Groups;
  std::vector<TimeCount> Rare;
  for (size_t Begin = 0; Begin < In.size();) {
    // The classes of one context.
    const TimeKey First = In[Begin].Key;
    const unsigned Pair = pairOf(First, Bounds);
    const size_t FirstGroup = Groups.size();
    while (Begin < In.size() && contextOf(In[Begin].Key) == contextOf(First)) {
      Group G{{static_cast<uint8_t>(First.kind()), static_cast<uint8_t>(Pair), {}}, In[Begin].Key.group()};
      for (; Begin < In.size() && In[Begin].Key.group() == G.Context; ++Begin)
        if (In[Begin].Count >= Least)
          G.Times.add({TimeKey(First.kind(), 0, 0, In[Begin].Key.symbol()), In[Begin].Count});
      const bool IsFirst = Groups.size() == FirstGroup;
      if (!IsFirst && (G.Times.Total <= MostRare || Groups.back().Times.Total <= MostRare))
        Groups.back().Times.add(G.Times);
      else
        Groups.push_back(std::move(G));
    }
    if (Groups.back().Times.Total > MostRare || First.context() > MaxContext)
      continue;
    for (const TimeCount &C : Groups.back().Times.Counts)
      Rare.push_back({TimeKey(First.kind(), UINT32_MAX - Pair, 0, C.Key.symbol()), C.Count});
    Groups.pop_back();
  }
  if (Rare.empty())
    return Groups;
  std::sort(Rare.begin(), Rare.end(), [](const TimeCount &A, const TimeCount &B) { return A.Key < B.Key; });
  for (const TimeCount &C : Rare) {
    auto G = std::lower_bound(Groups.begin(), Groups.end(), C.Key.group(),
                              [](const Group &A, uint64_t Context) { return A.Context < Context; });
    if (G == Groups.end() || G->Context != C.Key.group())
      G = Groups.insert(G,
                        {{static_cast<uint8_t>(C.Key.kind()), static_cast<uint8_t>(UINT32_MAX - C.Key.context()), {}},
                         C.Key.group()});
    addCounts(G->Times.Counts, std::array{TimeCount{TimeKey(C.Key.kind(), 0, 0, C.Key.symbol()), C.Count}});
    G->Times.recount();
  }
  return Groups;
}

TimeModel::TimeModel(std::span<const TimeCount> In, const TimeBounds &Bounds, uint64_t Unit) : Unit(Unit) {
  // The least count that is kept.
  uint64_t Least = 1;
  for (size_t Left = In.size(); Left > MaxModelEntries; Least *= 2)
    Left = static_cast<size_t>(std::count_if(In.begin(), In.end(), [&](auto &C) { return C.Count >= 2 * Least; }));
  std::vector<Group> Groups = groupsOf(In, Least, Bounds);
  std::vector<uint32_t> Order(Groups.size());
  std::iota(Order.begin(), Order.end(), 0);
  std::stable_sort(Order.begin(), Order.end(),
                   [&](uint32_t A, uint32_t B) { return Groups[A].Times.Total > Groups[B].Times.Total; });
  std::vector<Cluster> Clusters;
  std::vector<uint32_t> ClusterOf(Groups.size());
  for (uint32_t G : Order) {
    Cluster &Group = Groups[G].Times;
    size_t Best = Clusters.size(), Tried = 0;
    double Least = Clusters.size() < MaxRows ? Group.cost() : 1e300;
    for (size_t C = 0; C < Clusters.size() && Tried < MaxTried; ++C)
      if (Clusters[C].Kind == Group.Kind && Clusters[C].Pair == Group.Pair) {
        ++Tried;
        if (const double Cost = Clusters[C].costOf(Group); Cost < Least) {
          Least = Cost;
          Best = C;
        }
      }
    if (Best < Clusters.size())
      Clusters[Best].add(Group);
    else
      Clusters.push_back(std::move(Group));
    ClusterOf[G] = static_cast<uint32_t>(Best);
  }

  // The more times there are for each count, the more exact counts pay.
  uint64_t Total = 0, Entries = 1;
  for (const Cluster &C : Clusters) {
    Total += C.Total;
    Entries += C.Counts.size();
  }
  for (uint64_t Each = Total / Entries; Each > 128 && Precision < 4; Each /= 4)
    ++Precision;
  // Rows are numbered by their first context.
  std::vector<uint32_t> RowOf(Clusters.size(), UINT32_MAX);
  for (size_t G = 0; G < Groups.size(); ++G) {
    uint32_t &Row = RowOf[ClusterOf[G]];
    if (Row == UINT32_MAX) {
      Row = static_cast<uint32_t>(Rows.size());
      const Cluster &C = Clusters[ClusterOf[G]];
      Rows.push_back({C.Kind, C.Pair, static_cast<uint32_t>(Symbols.size()), static_cast<uint32_t>(C.Counts.size())});
      for (const TimeCount &Each : C.Counts) {
        Symbols.push_back(static_cast<uint16_t>(Each.Key.symbol()));
        Counts.push_back(countOf(levelOf(Each.Count, Precision), Precision));
      }
    }
    // What is the same as in the next lower class is not said.
    if (Members.empty() || Members.back().Group >> TimeKey::ClassBits != Groups[G].Context >> TimeKey::ClassBits ||
        Members.back().Row != Row)
      Members.push_back({Groups[G].Context, Row});
  }
  finish();
}

void TimeModel::finish() {
  NumOwn = Rows.size();
  Starts.resize(Symbols.size());
  for (Row &R : Rows)
    finishRow(R);
  // All rows of a kind and a pair, added up.
  for (uint8_t Kind = 0; Kind < 2; ++Kind) {
    std::vector<uint8_t> Pairs;
    for (size_t R = 0; R < NumOwn; ++R)
      if (Rows[R].Kind == Kind)
        Pairs.push_back(Rows[R].Pair);
    std::sort(Pairs.begin(), Pairs.end());
    Pairs.erase(std::unique(Pairs.begin(), Pairs.end()), Pairs.end());
    for (uint8_t Pair : Pairs)
      addFallback(Kind, Pair);
  }
  Rows.push_back({}); // nothing is known
  finishRow(Rows.back());
}

void TimeModel::addFallback(uint8_t Kind, uint8_t Pair) {
  std::array<uint32_t, 1u << TimeKey::SymbolBits> Sums{};
  for (size_t R = 0; R < NumOwn; ++R)
    if (Rows[R].Kind == Kind && Rows[R].Pair == Pair)
      for (uint32_t I = Rows[R].First; I < Rows[R].First + Rows[R].Size; ++I)
        Sums[Symbols[I]] = std::min(Sums[Symbols[I]] + Counts[I], MaxCount);
  Row F{Kind, Pair, static_cast<uint32_t>(Symbols.size()), 0};
  for (uint32_t S = 0; S < Sums.size(); ++S)
    if (Sums[S]) {
      Symbols.push_back(static_cast<uint16_t>(S));
      Counts.push_back(Sums[S]);
      ++F.Size;
    }
  Starts.resize(Symbols.size());
  finishRow(F);
  Rows.push_back(F);
}

void TimeModel::finishRow(Row &R) {
  // As many more are expected to be new as were seen once, about; half of that, since most rows serve few times more.
  uint64_t Sum = 0, Once = 0;
  uint32_t Largest = R.First;
  for (uint32_t I = R.First; I < R.First + R.Size; ++I) {
    Sum += Counts[I];
    Once += Counts[I] == 1;
    if (Counts[I] > Counts[Largest])
      Largest = I;
  }
  const uint64_t Escapes = (Once + 1) / 2;
  Sum += Escapes;
  std::vector<uint32_t> Sizes(R.Size);
  int64_t Left = TimeShares::All - std::max<uint64_t>(Escapes * TimeShares::All / std::max<uint64_t>(Sum, 1), 1);
  for (uint32_t I = 0; I < R.Size; ++I) {
    Sizes[I] = std::max<uint32_t>(static_cast<uint32_t>(uint64_t(Counts[R.First + I]) * TimeShares::All / Sum), 1);
    Left -= Sizes[I];
  }
  // Rounding has left some, or taken too many.
  if (R.Size && Left > 0)
    Sizes[Largest - R.First] += static_cast<uint32_t>(Left);
  while (R.Size && Left < 0) {
    uint32_t &Most = *std::max_element(Sizes.begin(), Sizes.end());
    const auto Taken = static_cast<uint32_t>(std::min<int64_t>(-Left, (Most + 1) / 2));
    Most -= Taken;
    Left += Taken;
  }
  uint32_t Start = 0;
  for (uint32_t I = 0; I < R.Size; ++I) {
    Starts[R.First + I] = static_cast<uint16_t>(Start);
    Start += Sizes[I];
  }
  R.Escape = static_cast<uint16_t>(Start);
  uint32_t Entry = 0;
  for (size_t J = 0; J < R.Jump.size(); ++J) {
    while (Entry + 1 < R.Size && Starts[R.First + Entry + 1] <= J << (TimeShares::Log - 5))
      ++Entry;
    R.Jump[J] = static_cast<uint16_t>(Entry);
  }
}

const TimeModel::Row *TimeModel::row(TimeKind Kind, uint32_t Context, unsigned Class) const {
  const uint64_t Group = TimeKey(Kind, Context, Class, 0).group();
  auto It =
      std::upper_bound(Members.begin(), Members.end(), Group, [](uint64_t G, const Member &M) { return G < M.Group; });
  auto IsOfContext = [&](const Member &M) { return M.Group >> TimeKey::ClassBits == Group >> TimeKey::ClassBits; };
  if (It != Members.begin() && IsOfContext(It[-1]))
    return &Rows[It[-1].Row];
  return It != Members.end() && IsOfContext(*It) ? &Rows[It->Row] : nullptr;
}

const TimeModel::Row &TimeModel::fallback(TimeKind Kind, unsigned Pair) const {
  for (size_t R = NumOwn; R + 1 < Rows.size(); ++R)
    if (Rows[R].Kind == static_cast<uint8_t>(Kind) && Rows[R].Pair == Pair)
      return Rows[R];
  return Rows.back();
}

std::optional<TimeShares> TimeModel::shares(const Row &R, uint32_t Symbol) const {
  const auto Begin = Symbols.begin() + R.First, End = Begin + R.Size;
  const auto It = std::lower_bound(Begin, End, Symbol);
  if (It == End || *It != Symbol)
    return std::nullopt;
  const auto I = static_cast<size_t>(It - Symbols.begin());
  return TimeShares{Starts[I], static_cast<uint16_t>((It + 1 == End ? R.Escape : Starts[I + 1]) - Starts[I])};
}

float TimeModel::Path::bits() const {
  float Sum = 0;
  for (unsigned I = 0; I < Size; ++I)
    Sum += static_cast<float>(TimeShares::Log) - log2Of(Steps[I].Size);
  return Sum;
}

TimeModel::Path TimeModel::path(TimeKey Key, unsigned Pair) const {
  Path P;
  auto Is = [&](const Row &R) {
    const auto S = shares(R, Key.symbol());
    P.Steps[P.Size++] = S ? *S : escape(R);
    return S.has_value();
  };
  const Row *Own = row(Key.kind(), Key.context(), Key.group() % (1u << TimeKey::ClassBits));
  if (!(Own && Is(*Own)) && !Is(fallback(Key.kind(), Pair)))
    P.Steps[P.Size++] = unknown(Key.symbol());
  return P;
}

std::vector<TimeCount> TimeModel::counts() const {
  std::vector<uint32_t> Sharing(NumOwn), Given(NumOwn);
  for (const Member &M : Members)
    ++Sharing[M.Row];
  std::vector<TimeCount> Out;
  for (const Member &M : Members) {
    const Row &R = Rows[M.Row];
    const uint32_t Number = Given[M.Row]++, All = Sharing[M.Row];
    for (uint32_t I = R.First; I < R.First + R.Size; ++I)
      if (const uint32_t Part = Counts[I] / All + (Number < Counts[I] % All))
        Out.push_back({TimeKey(M.Group, Symbols[I]), Part});
  }
  return Out;
}

size_t TimeModel::memory() const {
  return sizeof(*this) + Members.capacity() * sizeof(Member) + Rows.capacity() * sizeof(Row) +
         (Symbols.capacity() + Starts.capacity()) * sizeof(uint16_t) + Counts.capacity() * sizeof(uint32_t);
}

} // namespace pilgrim
