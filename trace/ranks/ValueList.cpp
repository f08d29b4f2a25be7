//===- ValueList.cpp - a value for each rank of a set ---------------------===//
#include "trace/ranks/ValueList.h"
#include "trace/base/Wrap.h"
#include "trace/sequences/SequenceHash.h"

#include <algorithm>
#include <numeric>

namespace pilgrim {

static uint64_t distance(int64_t A, int64_t B) {
  const auto Way = wrappedDifference(A, B);
  return Way < 0 ? -static_cast<uint64_t>(Way) : static_cast<uint64_t>(Way);
}

uint64_t ValueList::hash() const {
  uint64_t H = isPlain() ? Plain.size() : hashOf(Stream);
  for (int64_t V : Plain)
    H = mix(H, static_cast<uint64_t>(V));
  return H;
}

ValueList ValueList::compressed(const RankSet &Ranks) const {
  if (Index)
    return *this;
  std::optional<IntStreamData> Best;
  size_t Least = 0;
  bool IsBestRelative = false;
  for (bool Relative : {false, true}) {
    IntStream S;
    auto V = Plain.begin();
    Ranks.forEach(
        [&](uint32_t Rank) { S.append(static_cast<int64_t>(static_cast<uint64_t>(*V++) - (Relative ? Rank : 0))); });
    IntStreamData D = std::move(S).data();
    const size_t Bytes = bytesOf(D).size();
    if (Best && Bytes >= Least)
      continue;
    Best = std::move(D);
    Least = Bytes;
    IsBestRelative = Relative;
  }
  return ValueList(std::move(*Best), IsBestRelative);
}

uint64_t ValueList::unit() const {
  const auto Range = range();
  if (!Index || !Range || static_cast<__int128>(Range->second) - Range->first > INT64_MAX)
    return 0;
  uint64_t Unit = 0;
  const int64_t First = Index->at(Stream, 0);
  for (const LinearRun &R : Stream.Runs) {
    Unit = std::gcd(Unit, distance(R.First, First));
    if (R.Count > 1)
      Unit = std::gcd(Unit, distance(R.Stride, 0));
  }
  return Unit;
}

ValueList ValueList::rescaled(int64_t From, uint64_t Unit, int64_t To, uint64_t NewUnit) const {
  auto Scaled = [&](int64_t Way) {
    const auto Times = static_cast<int64_t>(static_cast<__int128>(Way) / static_cast<__int128>(Unit));
    return static_cast<uint64_t>(Times) * NewUnit;
  };
  IntStreamData New = Stream;
  for (LinearRun &R : New.Runs) {
    const auto Way = wrappedDifference(R.First, From);
    R.First = static_cast<int64_t>(static_cast<uint64_t>(To) + Scaled(Way));
    R.Stride = static_cast<int64_t>(Scaled(R.Stride));
  }
  return ValueList(std::move(New), IsRelative);
}

std::optional<std::pair<int64_t, int64_t>> ValueList::range() const {
  if (IsRelative || (Index ? !Index->length() : Plain.empty()))
    return std::nullopt;
  if (!Index) {
    auto [Least, Most] = std::minmax_element(Plain.begin(), Plain.end());
    return std::pair{*Least, *Most};
  }
  const std::vector<uint64_t> Times = Stream.Order.terminalCounts();
  __int128 Least = INT64_MAX, Most = INT64_MIN;
  for (size_t I = 0; I < Times.size(); ++I) {
    const LinearRun &R = Stream.Runs[I];
    if (!Times[I])
      continue;
    const __int128 Last = R.First + static_cast<__int128>(R.Stride) * (R.Count - 1);
    Least = std::min<__int128>({Least, R.First, Last});
    Most = std::max<__int128>({Most, R.First, Last});
  }
  if (Least < INT64_MIN || Most > INT64_MAX)
    return std::nullopt; // it wraps round
  return std::pair{static_cast<int64_t>(Least), static_cast<int64_t>(Most)};
}

uint64_t ValueList::memory() const {
  return sizeof *this + Plain.size() * sizeof(int64_t) + Stream.Runs.size() * sizeof(LinearRun) +
         Stream.Order.symbols() * (sizeof(GrammarSymbol) + (Index ? sizeof(uint64_t) : 0));
}

void ValueList::write(ByteWriter &W, const RankSet &Ranks) const {
  if (!Index)
    return compressed(Ranks).write(W, Ranks);
  W.byte(IsRelative ? RelativeHead : ListHead);
  Stream.write(W);
}

ValueList ValueList::read(ByteReader &R, uint8_t Head, uint64_t Ranks) {
  IntStreamData D = IntStreamData::read(R);
  if (R.ok() && D.length() != Ranks)
    R.fail("a list of another number of values than ranks");
  R.spend(D.Runs.size() * sizeof(uint64_t) * 2);
  return R.ok() ? ValueList(std::move(D), Head == RelativeHead) : ValueList(std::vector<int64_t>());
}

} // namespace pilgrim
