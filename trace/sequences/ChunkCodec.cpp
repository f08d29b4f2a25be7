//===- ChunkCodec.cpp - integers that do not repeat -----------------------===//
//
//   form, a byte: 0 items, 1 indices into a list of values, 2 numbers, 3 steps, 4 text
//   varint elements
//   items, indices: the order, a byte; varint terminals - 1
//   indices: the values, ascending: the first, then differences
//   numbers, steps: what is subtracted from each, and what each is divided by
//   text: a frame of zstd, whose bytes are the values; others: the range coder's bytes
//
//===----------------------------------------------------------------------===//
#include "trace/sequences/ChunkCodec.h"
#include "trace/base/Bytes.h"
#include "trace/base/Wrap.h"
#include "trace/sequences/ChunkModels.h"
#include "trace/sequences/RangeCoder.h"

#include <algorithm>
#include <array>
#include <numeric>
#ifndef ZSTD_STATIC_LINKING_ONLY
#define ZSTD_STATIC_LINKING_ONLY // contexts in memory that the caller has
#endif
#include <zstd.h>

namespace pilgrim {

namespace {
enum Form : uint8_t { Items, Indices, Numbers, Steps, Text };
constexpr uint8_t Orders[] = {0, 1, 2, 4};

struct Divided {
  int64_t Base;
  uint64_t Unit; ///< 1 or more
  uint64_t of(int64_t V) const { return (static_cast<uint64_t>(V) - static_cast<uint64_t>(Base)) / Unit; }
  int64_t back(uint64_t V) const { return static_cast<int64_t>(V * Unit + static_cast<uint64_t>(Base)); }
};

/// What all values have in common.
Divided dividedBy(std::span<const int64_t> Values) {
  Divided D{*std::min_element(Values.begin(), Values.end()), 0};
  for (int64_t V : Values)
    if (D.Unit = std::gcd(D.Unit, static_cast<uint64_t>(V) - static_cast<uint64_t>(D.Base)); D.Unit == 1)
      break;
  D.Unit = std::max<uint64_t>(D.Unit, 1);
  return D;
}

uint64_t costOfItems(std::span<const RepeatedTerminal> In, uint32_t Terminals, unsigned Order) {
  RangeCost Cost;
  RepeatedTerminal E;
  codeItems(Cost, Terminals, Order, In.size(), [&](uint64_t N) -> RepeatedTerminal & { return E = In[N]; });
  return Cost.bits();
}

uint64_t costOfNumbers(std::span<const uint64_t> In) {
  RangeCost Cost;
  uint64_t V;
  codeNumbers(Cost, In.size(), [&](uint64_t N) -> uint64_t & { return V = In[N]; });
  return Cost.bits();
}

uint32_t terminalsOf(std::span<const RepeatedTerminal> In) {
  uint32_t Most = 0;
  for (const RepeatedTerminal &E : In)
    Most = std::max(Most, E.Value);
  return Most + 1;
}

/// Of many, a part of the middle, by which to choose.
template <typename Element> std::span<const Element> sampleOf(std::span<const Element> In, size_t Many) {
  return In.size() <= Many ? In : In.subspan((In.size() - Many) / 2, Many);
}

/// The order that costs a sample least, and what it costs in bits.
std::pair<uint8_t, uint64_t> bestOrder(std::span<const RepeatedTerminal> Sample, uint32_t Terminals) {
  std::pair<uint8_t, uint64_t> Best{0, UINT64_MAX};
  for (uint8_t Order : Orders) {
    // What two before it do not help to foresee, four do not either.
    if (Order > 2 && Best.first < 2)
      break;
    if (const uint64_t Bits = costOfItems(Sample, Terminals, Order); Bits < Best.second)
      Best = {Order, Bits};
  }
  return Best;
}

void writeItems(ByteWriter &W, std::span<const RepeatedTerminal> In, uint32_t Terminals, unsigned Order) {
  RangeWriter Code(W.Data);
  RepeatedTerminal E;
  codeItems(Code, Terminals, Order, In.size(), [&](uint64_t N) -> RepeatedTerminal & { return E = In[N]; });
  Code.finish();
}

/// The distinct values, ascending; empty if there are too many.
std::vector<int64_t> distinct(std::span<const int64_t> Values) {
  const size_t Most = Values.size() / 4;
  std::vector<int64_t> Table(std::bit_ceil(Values.size()) * 2), Out;
  std::vector<bool> IsUsed(Table.size());
  const size_t Mask = Table.size() - 1;
  for (int64_t V : Values) {
    size_t P = (static_cast<uint64_t>(V) * 0x9e3779b97f4a7c15ull >> 20) & Mask;
    while (IsUsed[P] && Table[P] != V)
      P = (P + 1) & Mask;
    if (IsUsed[P])
      continue;
    if (Out.size() == Most)
      return {};
    IsUsed[P] = true;
    Table[P] = V;
    Out.push_back(V);
  }
  std::sort(Out.begin(), Out.end());
  return Out;
}

std::vector<RepeatedTerminal> indicesOf(std::span<const int64_t> Values, const std::vector<int64_t> &Distinct) {
  std::vector<RepeatedTerminal> Out;
  Out.reserve(Values.size());
  for (int64_t V : Values) {
    const auto I = static_cast<uint32_t>(std::lower_bound(Distinct.begin(), Distinct.end(), V) - Distinct.begin());
    if (!Out.empty() && Out.back().Value == I)
      ++Out.back().Count;
    else
      Out.push_back({I, 1});
  }
  return Out;
}

/// How a stretch of values can be written.
class ValueForms {
public:
  explicit ValueForms(std::span<const int64_t> Values) : Values(Values) {}

  /// Chooses one of them.
  void choose(ChunkForm &Last) {
    if (Last.Wait) {
      --Last.Wait;
      if (Last.Form != Indices || makeIndices())
        return make(Last.Form);
    }
    Form Best = Numbers;
    uint8_t BestOrder = 0;
    // All costs are those of a sample of the values.
    constexpr size_t Many = 2048;
    const auto CostOfPlain = [&] { return costOfNumbers(sampleOf(std::span<const uint64_t>(Plain), Many)); };
    make(Numbers);
    uint64_t Least = CostOfPlain();
    make(Steps);
    if (const uint64_t Bits = CostOfPlain(); Bits < Least) {
      Least = Bits;
      Best = Steps;
    }
    if (makeIndices()) {
      const auto Sample = sampleOf(std::span<const RepeatedTerminal>(AsIndices), Many);
      const auto [Order, Bits] = bestOrder(Sample, static_cast<uint32_t>(Distinct.size()));
      ByteWriter List;
      writeDistinct(List);
      const uint64_t All = Bits * AsIndices.size() / Sample.size() + List.Data.size() * 8;
      if (All < Least * Values.size() / std::min(Values.size(), Many)) {
        Best = Indices;
        BestOrder = Order;
      }
    }
    Last.found(Best, BestOrder);
    make(Best);
  }

  std::vector<uint8_t> write(const ChunkForm &F) const {
    ByteWriter W;
    W.byte(F.Form);
    if (F.Form == Indices) {
      W.varint(AsIndices.size());
      W.byte(F.Order);
      W.varint(Distinct.size() - 1);
      writeDistinct(W);
      writeItems(W, AsIndices, static_cast<uint32_t>(Distinct.size()), F.Order);
      return std::move(W.Data);
    }
    W.varint(Plain.size());
    W.svarint(Common.Base);
    W.varint(Common.Unit);
    RangeWriter Code(W.Data);
    uint64_t V;
    codeNumbers(Code, Plain.size(), [&](uint64_t N) -> uint64_t & { return V = Plain[N]; });
    Code.finish();
    return std::move(W.Data);
  }

private:
  void writeDistinct(ByteWriter &W) const {
    W.svarint(Distinct[0]);
    for (size_t I = 1; I < Distinct.size(); ++I)
      W.varint(static_cast<uint64_t>(Distinct[I]) - static_cast<uint64_t>(Distinct[I - 1]));
  }
  bool makeIndices() {
    Distinct = distinct(Values);
    if (Distinct.empty())
      return false;
    AsIndices = indicesOf(Values, Distinct);
    return true;
  }
  void make(uint8_t Form) {
    if (Form == Indices)
      return;
    Plain.resize(Values.size());
    if (Form == Numbers) {
      Common = dividedBy(Values);
      for (size_t I = 0; I < Values.size(); ++I)
        Plain[I] = Common.of(Values[I]);
      return;
    }
    // The first step is from the base, all are divided by what they have in common.
    std::vector<int64_t> Differences(Values.size(), 0);
    uint64_t Unit = 0;
    for (size_t I = 1; I < Values.size(); ++I) {
      Differences[I] = wrappedDifference(Values[I], Values[I - 1]);
      Unit = std::gcd(Unit, Differences[I] < 0 ? -static_cast<uint64_t>(Differences[I])
                                               : static_cast<uint64_t>(Differences[I]));
    }
    // Only what fits: a step that is its own opposite has no sign to divide by.
    Common = {Values[0], std::max<uint64_t>(Unit >> 63 ? 1 : Unit, 1)};
    for (size_t I = 0; I < Values.size(); ++I)
      Plain[I] = zigzag(Differences[I] / static_cast<int64_t>(Common.Unit));
  }

  std::span<const int64_t> Values;
  std::vector<int64_t> Distinct;
  std::vector<RepeatedTerminal> AsIndices;
  Divided Common{0, 1};
  std::vector<uint64_t> Plain; ///< numbers or steps
};

/// The number of elements.
size_t readElements(ByteReader &R) { return R.varintMax(MaxChunkElements); }

std::vector<RepeatedTerminal> readItems(ByteReader &R, size_t Elements, uint32_t Terminals, unsigned Order) {
  RangeReader Code(R.bytes(R.remaining()));
  std::vector<RepeatedTerminal> Out(Elements, {0, 1});
  codeItems(Code, Terminals, Order, Elements, [&](uint64_t N) -> RepeatedTerminal & { return Out[N]; });
  return Out;
}

bool isOrder(unsigned Order) { return std::find(std::begin(Orders), std::end(Orders), Order) != std::end(Orders); }
} // namespace

std::vector<uint8_t> encodeItems(std::span<const RepeatedTerminal> In, ChunkForm &Last) {
  const uint32_t Terminals = terminalsOf(In);
  if (Last.Wait)
    --Last.Wait;
  else
    Last.found(Items, bestOrder(sampleOf(In, 4096), Terminals).first);
  ByteWriter W;
  W.byte(Items);
  W.varint(In.size());
  W.byte(Last.Order);
  W.varint(Terminals - 1);
  writeItems(W, In, Terminals, Last.Order);
  return std::move(W.Data);
}

/// How many are not what came after the same two before. Two pairs that meet in the table cost a few.
static size_t surprises(std::span<const RepeatedTerminal> In) {
  constexpr unsigned LogSize = 11;
  std::array<uint32_t, 1 << LogSize> After{}; // + 1
  size_t N = 0;
  for (size_t I = 2; I < In.size(); ++I) {
    uint32_t &Known = After[(In[I - 1].Value * 0x9e3779b1u + In[I - 2].Value) * 0x85ebca6bu >> (32 - LogSize)];
    N += Known != In[I].Value + 1;
    Known = In[I].Value + 1;
  }
  return N;
}

bool isRegular(std::span<const RepeatedTerminal> Items) {
  constexpr size_t Some = 1024;
  const auto Last = Items.last(std::min(Items.size(), Some));
  // The exact answer takes long. A surprise costs some bits.
  return surprises(Last) * 4 < Last.size() && costOfItems(Last, terminalsOf(Last), 2) * 2 < Last.size();
}

std::vector<uint8_t> encodeValues(std::span<const int64_t> Values, ChunkForm &Last) {
  ValueForms F(Values);
  F.choose(Last);
  return F.write(Last);
}

std::vector<uint8_t> encodeText(std::span<const uint8_t> In) {
  constexpr int Level = 3;
  // The allocator of the C library may not be usable when a process ends (runtime/finish/EndSignals.h).
  const size_t Need = ZSTD_estimateCCtxSize(Level);
  const auto Memory = std::make_unique_for_overwrite<uint64_t[]>(Need / sizeof(uint64_t) + 1);
  ZSTD_CCtx *Context = ZSTD_initStaticCCtx(Memory.get(), Need);
  ZSTD_CCtx_setParameter(Context, ZSTD_c_compressionLevel, Level);
  ByteWriter W;
  W.byte(Text);
  W.varint(In.size());
  const size_t Head = W.Data.size();
  W.Data.resize(Head + ZSTD_compressBound(In.size()));
  W.Data.resize(Head + ZSTD_compress2(Context, W.Data.data() + Head, W.Data.size() - Head, In.data(), In.size()));
  return std::move(W.Data);
}

std::optional<std::vector<RepeatedTerminal>> decodeItems(std::span<const uint8_t> Bytes, uint32_t Terminals) {
  ByteReader R(Bytes);
  const unsigned F = R.byte();
  const size_t Elements = readElements(R);
  const unsigned Order = R.byte();
  const uint64_t Own = R.varint() + 1;
  if (!R.ok() || F != Items || !isOrder(Order) || Own > Terminals || Own > uint64_t(1) << 31)
    return std::nullopt;
  return readItems(R, Elements, static_cast<uint32_t>(Own), Order);
}

std::optional<std::vector<int64_t>> decodeValues(std::span<const uint8_t> Bytes) {
  ByteReader R(Bytes);
  const unsigned F = R.byte();
  const size_t Elements = readElements(R);
  std::vector<int64_t> Out;
  if (F == Indices) {
    const unsigned Order = R.byte();
    const uint64_t NumDistinct = R.varintMax(R.remaining()) + 1;
    std::vector<int64_t> Distinct{R.svarint()};
    for (uint64_t I = 1; I < NumDistinct && R.ok(); ++I)
      Distinct.push_back(static_cast<int64_t>(static_cast<uint64_t>(Distinct.back()) + R.varint()));
    if (!R.ok() || !isOrder(Order))
      return std::nullopt;
    for (const RepeatedTerminal &E : readItems(R, Elements, static_cast<uint32_t>(NumDistinct), Order)) {
      if (E.Count > MaxChunkElements - Out.size())
        return std::nullopt;
      Out.insert(Out.end(), E.Count, Distinct[E.Value]);
    }
    return Out;
  }
  if (F == Text) {
    const auto Frame = R.bytes(R.remaining());
    std::vector<uint8_t> Bytes(Elements);
    if (!R.ok() || ZSTD_decompress(Bytes.data(), Elements, Frame.data(), Frame.size()) != Elements)
      return std::nullopt;
    Out.assign(Bytes.begin(), Bytes.end());
    return Out;
  }
  const Divided Common{R.svarint(), R.varint()};
  if (!R.ok() || (F != Numbers && F != Steps) || Common.Unit == 0)
    return std::nullopt;
  RangeReader Code(R.bytes(R.remaining()));
  uint64_t V = 0;
  Out.resize(Elements);
  uint64_t Place = 0;
  int64_t Last = Common.Base;
  auto Take = [&] {
    if (F == Numbers)
      return Common.back(V);
    return Last = static_cast<int64_t>(static_cast<uint64_t>(Last) + static_cast<uint64_t>(unzigzag(V)) * Common.Unit);
  };
  codeNumbers(Code, Elements, [&](uint64_t N) -> uint64_t & {
    if (N)
      Out[Place++] = Take();
    return V;
  });
  if (Elements)
    Out[Place] = Take();
  return Out;
}

} // namespace pilgrim
