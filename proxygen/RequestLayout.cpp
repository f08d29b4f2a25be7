//===- RequestLayout.cpp - where requests lie in a replay or proxy --------===//
#include "proxygen/RequestLayout.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace pilgrim {

constexpr uint32_t None = std::numeric_limits<uint32_t>::max();
constexpr int64_t Null = -1; ///< for a null request

/// Calls F(place in the array, number) for what is not null, until F says false. Returns whether it never did.
template <typename Fn> static bool forAll(std::span<const int64_t> Array, Fn &&F) {
  for (size_t I = 0; I < Array.size(); ++I)
    if (Array[I] >= 0 && !F(I, static_cast<size_t>(Array[I])))
      return false;
  return true;
}

/// The smallest number, less its place in the array, if all numbers say the same.
static std::optional<size_t> beginOfRow(std::span<const int64_t> Array) {
  std::optional<size_t> Begin;
  const bool IsRow = forAll(Array, [&](size_t I, size_t Number) {
    if (!Begin && Number >= I)
      Begin = Number - I;
    return Begin && *Begin + I == Number;
  });
  return IsRow ? Begin : std::nullopt;
}

/// At its smallest number if there is room, else in the first place where there is.
bool RequestLayout::placeArray(std::span<const int64_t> Array) {
  std::set<size_t> Numbers;
  if (!forAll(Array, [&](size_t, size_t N) { return Places[N] == None && Numbers.insert(N).second; }))
    return false;
  const auto Fits = [&](size_t First) {
    return forAll(Array, [&](size_t I, size_t) { return First + I >= IsTaken.size() || !IsTaken[First + I]; });
  };
  size_t First = *Numbers.begin();
  if (!Fits(First))
    for (First = 0; !Fits(First);)
      ++First;
  IsTaken.resize(std::max(IsTaken.size(), First + Array.size()));
  forAll(Array, [&](size_t I, size_t N) {
    Places[N] = static_cast<uint32_t>(First + I);
    return IsTaken[First + I] = true;
  });
  return true;
}

RequestLayout::RequestLayout(std::span<const std::vector<int64_t>> Arrays) {
  std::vector<std::span<const int64_t>> Others;
  size_t Numbers = 0;
  for (const std::vector<int64_t> &A : Arrays)
    if (std::ranges::all_of(A, [](int64_t N) { return N >= Null && N < MostNumbers; }) &&
        A.size() - static_cast<size_t>(std::ranges::count(A, Null)) > 1) {
      Others.push_back(A);
      Numbers = std::max(Numbers, static_cast<size_t>(std::ranges::max(A)) + 1);
    }
  Places.assign(Numbers, None);
  IsTaken.assign(Numbers, false);
  std::erase_if(Others, [&](std::span<const int64_t> A) {
    return beginOfRow(A) && forAll(A, [&](size_t, size_t N) {
             Places[N] = static_cast<uint32_t>(N);
             return IsTaken[N] = true;
           });
  });
  std::ranges::stable_sort(Others, std::greater<>(), &std::span<const int64_t>::size);
  bool Any = false;
  for (std::span<const int64_t> A : Others)
    Any |= placeArray(A);
  if (!Any) {
    *this = {};
    return;
  }
  Added = static_cast<uint32_t>(IsTaken.size() - Numbers);
  size_t Free = 0;
  for (uint32_t &P : Places)
    if (P == None) {
      while (IsTaken[Free])
        ++Free;
      P = static_cast<uint32_t>(Free++);
    }
  IsTaken.clear();
}

namespace {
/// The arrays of requests of a trace, each once.
class RequestArrays {
public:
  void add(std::vector<int64_t> A) {
    if (All.size() < RequestLayout::MostArrays && Known.insert(A).second)
      All.push_back(std::move(A));
  }
  RequestLayout layout() const { return RequestLayout(All); }

private:
  std::set<std::vector<int64_t>> Known;
  std::vector<std::vector<int64_t>> All;
};

bool hasRequests(const FunctionSchema &F) {
  return std::ranges::any_of(F.Slots, [](const ParamSchema &P) { return P.K == Kind::Request; });
}

/// Calls F(call, slot) for the requests of each call.
template <typename Fn> void forEachSlot(const Walk &W, Fn &&F) {
  W.forEachCall(
      [&](const CallShape &C) {
        for (size_t I = 1; I < C.Slots.size(); ++I)
          if (C.Function->Slots[I].K == Kind::Request)
            F(C, C.Slots[I]);
      },
      hasRequests);
}

std::vector<int64_t> numbersOn(uint32_t Rank, const Walk &W, const CallShape &C, const SlotShape &X) {
  const RankContext Own = W.context(C, Rank);
  std::vector<int64_t> Out;
  for (const RankFn &N : X.Words)
    Out.push_back(N.eval(Rank, Own));
  return Out;
}
} // namespace

RequestLayout RequestLayout::of(const Walk &W, uint32_t Rank) {
  RequestArrays Out;
  forEachSlot(W, [&](const CallShape &C, const SlotShape &X) {
    if (!X.IsStreamed && X.T == Tag::Array && C.Ranks.contains(Rank))
      Out.add(numbersOn(Rank, W, C, X));
  });
  return Out.layout();
}

/// Divides sets of ranks until a number is the same on all ranks of each. False: that is not known, or it is of another
/// thread, or of no request.
static bool divide(std::vector<RankSet> &Sets, const RankFn &Number, const RankSet &Ranks) {
  constexpr uint64_t MostRanks = 1 << 16;
  const bool IsList = std::ranges::all_of(Number.pieces(), [](const RankFn::Piece &P) { return !P.hasContext(); });
  if (!(Number.isSingle() ? Number.isConst() : IsList && Ranks.size() <= MostRanks))
    return false;
  const auto Levels = Number.levels(Ranks, nullptr, RequestLayouts::MostSets);
  for (const RankFn::Level &L : Levels ? *Levels : std::vector<RankFn::Level>()) {
    if (L.Value > std::numeric_limits<int32_t>::max())
      return false;
    splitSets(Sets, L.Ranks);
  }
  return Levels.has_value();
}

RequestLayouts RequestLayouts::of(const Walk &W) {
  std::vector<RankSet> Sets{W.ranks()};
  bool MayBePlaced = true;
  forEachSlot(W, [&](const CallShape &C, const SlotShape &X) {
    if (!MayBePlaced)
      return;
    splitSets(Sets, C.Ranks);
    MayBePlaced = !X.IsStreamed &&
                  std::ranges::all_of(X.Words, [&](const RankFn &N) { return divide(Sets, N, C.Ranks); }) &&
                  Sets.size() <= MostSets;
  });
  RequestLayouts Out;
  if (!MayBePlaced)
    return Out;
  std::vector<RequestArrays> Arrays(Sets.size());
  forEachSlot(W, [&](const CallShape &C, const SlotShape &X) {
    for (size_t I = 0; I < Sets.size() && X.T == Tag::Array; ++I)
      if (C.Ranks.contains(Sets[I].first()))
        Arrays[I].add(numbersOn(Sets[I].first(), W, C, X));
  });
  for (size_t I = 0; I < Sets.size(); ++I) {
    const RequestLayout Own = Arrays[I].layout();
    const auto Same = std::ranges::find(Out.All, Own, &OfRanks::Layout);
    if (Same == Out.All.end())
      Out.All.push_back({Sets[I], Own});
    else
      Same->Ranks.unite(Sets[I]);
  }
  if (Out.All.size() == 1 && Out.All[0].Layout.isByNumber())
    Out.All.clear();
  return Out;
}

std::vector<RankFn::Level> RequestLayouts::places(const RankFn &F, const RankSet &Ranks) const {
  std::vector<RankFn::Level> Out;
  const auto Add = [&](int64_t Place, const RankSet &Of) {
    const auto Known = std::ranges::find(Out, Place, &RankFn::Level::Value);
    if (Known == Out.end())
      Out.push_back({Place, Of});
    else
      Known->Ranks.unite(Of);
  };
  for (const OfRanks &X : All)
    if (const RankSet Both = X.Ranks.common(Ranks); !Both.empty()) {
      const auto Levels = F.levels(Both, nullptr, SIZE_MAX); // no context: see divide()
      for (const RankFn::Level &L : *Levels)
        Add(L.Value < 0 ? L.Value : X.Layout.place(static_cast<uint32_t>(L.Value)), L.Ranks);
    }
  std::ranges::sort(Out, {}, [](const RankFn::Level &L) { return L.Ranks.first(); });
  return Out;
}

} // namespace pilgrim
