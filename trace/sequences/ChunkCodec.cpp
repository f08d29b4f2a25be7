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
#include "trace/sequences/RangeCoder.h"

#include <algorithm>
#include <numeric>
#ifndef ZSTD_STATIC_LINKING_ONLY
#define ZSTD_STATIC_LINKING_ONLY // contexts in memory that the caller has
#endif
#include <zstd.h>

namespace pilgrim {

namespace {
enum Form : uint8_t { Items, Indices, Numbers, Steps, Text };
constexpr uint8_t Orders[] = {0, 1, 2, 4};

/// Models, found by a hash of what they depend on. Two that meet share one, which costs bits and no more.
class Models {
public:
  Models() : Table(Size) {}
  BitModel &operator()(uint32_t Context, uint32_t Node) {
    return Table[(Context + Node * 0x9e3779b1u) * 0x85ebca6bu >> (32 - LogSize)];
  }

private:
  static constexpr unsigned LogSize = 16;
  static constexpr size_t Size = size_t(1) << LogSize;
  std::vector<BitModel> Table;
};

/// A number of 1 or more: its magnitude in unary, then its highest bits, modelled; then the others.
template <typename Code> uint64_t codeCount(Code &C, Models &M, uint32_t Context, uint64_t V) {
  unsigned Width = static_cast<unsigned>(std::bit_width(V)), Magnitude = 1;
  while (Magnitude < 63 && C.bit(M(Context, Magnitude), Magnitude != Width))
    ++Magnitude;
  unsigned Left = Magnitude - 1;
  uint64_t Out = 1;
  for (unsigned Modelled = 0; Left && Modelled < 3; ++Modelled) {
    --Left;
    Out = Out << 1 | C.bit(M(Context, static_cast<uint32_t>(Magnitude << 8 | 1u << 16 | Out)), V >> Left & 1);
  }
  return Out << Left | C.raw(Left, V & ((uint64_t(1) << Left) - 1));
}

/// Any number: its magnitude as the leaf of a tree, which depends on the magnitude before it.
template <typename Code> uint64_t codeNumber(Code &C, Models &M, unsigned &Magnitude, uint64_t V) {
  const unsigned Width = static_cast<unsigned>(std::bit_width(V));
  const uint32_t Context = (Magnitude + 1) * 0x27d4eb2fu;
  uint32_t Node = 1;
  for (int I = 6; I >= 0; --I)
    Node = Node << 1 | C.bit(M(Context, Node), Width >> I & 1);
  Magnitude = std::min(Node & 127, 64u);
  if (Magnitude < 2)
    return Magnitude;
  unsigned Left = Magnitude - 1;
  uint64_t Out = 1;
  for (unsigned Modelled = 0; Left && Modelled < 4; ++Modelled) {
    --Left;
    Out = Out << 1 | C.bit(M(Magnitude * 0x165667b1u, static_cast<uint32_t>(Out)), V >> Left & 1);
  }
  return Out << Left | C.raw(Left, Left ? V & (~uint64_t(0) >> (64 - Left)) : 0);
}

/// Terminals below 2^Bits with their counts. At: gives an element by number, or takes it, for a reader.
template <typename Code, typename Element>
void codeItems(Code &C, uint32_t Terminals, unsigned Order, uint64_t Elements, Element &&At) {
  Models M;
  const unsigned Bits = static_cast<unsigned>(std::bit_width(Terminals - 1));
  uint32_t Before[4] = {};
  for (uint64_t N = 0; N < Elements; ++N) {
    RepeatedTerminal &E = At(N);
    uint32_t Context = 0;
    for (unsigned I = 0; I < Order; ++I)
      Context = std::rotl((Context ^ (Before[I] + 1)) * 0xcc9e2d51u, 15) * 0x1b873593u;
    uint32_t Node = 1;
    for (unsigned I = Bits; I-- > 0;)
      Node = Node << 1 | C.bit(M(Context, Node), E.Value >> I & 1);
    E.Value = std::min(Node - (1u << Bits), Terminals - 1);
    E.Count = codeCount(C, M, (Context ^ (E.Value + 1)) * 0xc2b2ae35u, E.Count);
    std::copy_backward(Before, Before + 3, Before + 4);
    Before[0] = E.Value;
  }
}

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

template <typename Code, typename Element> void codeNumbers(Code &C, uint64_t Elements, Element &&At) {
  Models M;
  unsigned Magnitude = 0;
  for (uint64_t N = 0; N < Elements; ++N) {
    uint64_t &V = At(N);
    V = codeNumber(C, M, Magnitude, V);
  }
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

/// The order that costs least, and what it costs in bits.
std::pair<uint8_t, uint64_t> bestOrder(std::span<const RepeatedTerminal> In, uint32_t Terminals) {
  // Half of many are enough to choose by, though long contexts have to be met often to be of use.
  constexpr size_t Many = 8192;
  const size_t Parts = In.size() >= Many ? 2 : 1;
  std::pair<uint8_t, uint64_t> Best{0, UINT64_MAX};
  for (uint8_t Order : Orders)
    if (const uint64_t Bits = costOfItems(In.first(In.size() / Parts), Terminals, Order); Bits < Best.second)
      Best = {Order, Bits};
  Best.second *= Parts;
  return Best;
}

void writeItems(ByteWriter &W, std::span<const RepeatedTerminal> In, uint32_t Terminals, unsigned Order) {
  RangeWriter Code(W.Data);
  RepeatedTerminal E;
  codeItems(Code, Terminals, Order, In.size(), [&](uint64_t N) -> RepeatedTerminal & { return E = In[N]; });
  Code.finish();
}

constexpr uint8_t LooksEvery = 4;

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

  void choose(ChunkForm &Last) {
    if (Last.Looks) {
      --Last.Looks;
      if (Last.Form != Indices || makeIndices())
        return make(Last.Form);
    }
    Last = {Numbers, 0, LooksEvery};
    make(Numbers);
    uint64_t Least = costOfNumbers(Plain);
    make(Steps);
    if (const uint64_t Bits = costOfNumbers(Plain); Bits < Least) {
      Least = Bits;
      Last.Form = Steps;
    }
    if (makeIndices()) {
      const auto [Order, Bits] = bestOrder(AsIndices, static_cast<uint32_t>(Distinct.size()));
      ByteWriter List;
      writeDistinct(List);
      if (Bits + List.Data.size() * 8 < Least) {
        Last.Form = Indices;
        Last.Order = Order;
      }
    }
    make(Last.Form);
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
      Differences[I] = static_cast<int64_t>(static_cast<uint64_t>(Values[I]) - static_cast<uint64_t>(Values[I - 1]));
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
  if (Last.Looks)
    --Last.Looks;
  else
    Last = {Items, bestOrder(In, Terminals).first, LooksEvery};
  ByteWriter W;
  W.byte(Items);
  W.varint(In.size());
  W.byte(Last.Order);
  W.varint(Terminals - 1);
  writeItems(W, In, Terminals, Last.Order);
  return std::move(W.Data);
}

bool isRegular(std::span<const RepeatedTerminal> Items) {
  constexpr size_t Some = 1024;
  const auto Last = Items.last(std::min(Items.size(), Some));
  return costOfItems(Last, terminalsOf(Last), 2) * 2 < Last.size();
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
