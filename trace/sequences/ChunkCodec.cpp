//===- ChunkCodec.cpp - writes integers that do not repeat -------------------===//
#include "trace/sequences/ChunkCodec.h"
#include "trace/base/Bytes.h"
#include "trace/base/Hash.h"
#include "trace/base/Wrap.h"
#include "trace/sequences/ChunkForms.h"
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
using namespace chunks;

namespace {
/// What all values have in common.
Divided dividedBy(std::span<const int64_t> Values) {
  Divided D{*std::min_element(Values.begin(), Values.end()), 0};
  for (int64_t V : Values)
    if (D.Unit = std::gcd(D.Unit, static_cast<uint64_t>(V) - static_cast<uint64_t>(D.Base)); D.Unit == 1)
      break;
  D.Unit = std::max<uint64_t>(D.Unit, 1);
  return D;
}

/// Between pauses: some dozen microseconds. With fewer, what is coded and what is recorded would drive each other out
/// of the caches.
constexpr size_t ToCode = 256, ToLookAt = 4096;

/// Codes all.
template <typename Code, typename Coder, typename Element>
Work codeSlowly(Code &To, Coder &How, std::span<const Element> L) {
  for (; L.size() > ToCode; L = L.subspan(ToCode)) {
    codeAll(To, How, L.first(ToCode));
    co_await Pause();
  }
  codeAll(To, How, L);
}

uint32_t terminalsOf(std::span<const RepeatedTerminal> In) {
  uint32_t Most = 0;
  for (const RepeatedTerminal &E : In)
    Most = std::max(Most, E.Value);
  return Most + 1;
}

/// Of many, a part of the middle, by which to choose. A model that depends on more takes longer to learn, so more of a
/// longer stretch is looked at.
template <typename Element> std::span<const Element> sampleOf(std::span<const Element> In, size_t Part) {
  constexpr size_t Usual = size_t(1) << 14; // elements of a stretch
  const size_t Many = std::max(Usual, In.size()) / Part;
  return In.size() <= Many ? In : In.subspan((In.size() - Many) / 2, Many);
}

/// The order that costs a sample least, and what it costs in bits.
struct BestOrder {
  uint8_t Order = 0;
  uint64_t Bits = UINT64_MAX;
};

Work findOrder(std::span<const RepeatedTerminal> Sample, uint32_t Terminals, BestOrder &Best) {
  for (uint8_t Order : Orders) {
    // What two before it do not help to foresee, four do not either.
    if (Order > 2 && Best.Order < 2)
      break;
    RangeCost Cost;
    ItemCoder How(Terminals, Order);
    co_await codeSlowly(Cost, How, Sample);
    if (Cost.bits() < Best.Bits)
      Best = {Order, Cost.bits()};
  }
}

Work writeItems(ByteWriter &W, std::span<const RepeatedTerminal> In, uint32_t Terminals, unsigned Order) {
  RangeWriter Code(W.Data);
  ItemCoder How(Terminals, Order);
  co_await codeSlowly(Code, How, In);
  Code.finish();
}

/// How a stretch of values can be written.
class ValueForms {
public:
  explicit ValueForms(std::span<const int64_t> Values) : Values(Values) {}

  /// Chooses one of them.
  Work choose(ChunkForm &Last) {
    if (Last.Wait) {
      --Last.Wait;
      if (Last.Form == Indices)
        co_await makeIndices();
      if (Last.Form != Indices || !Distinct.empty()) {
        co_await makePlain(Last.Form);
        co_return;
      }
    }
    Form Best = Numbers;
    uint8_t Order = 0;
    // All costs are those of a sample of the values.
    constexpr size_t Part = 8;
    uint64_t Least = UINT64_MAX;
    size_t Looked = 1;
    for (const Form F : {Numbers, Steps}) {
      co_await makePlain(F);
      RangeCost Cost;
      NumberCoder How;
      const auto Sample = sampleOf(std::span<const uint64_t>(Plain), Part);
      Looked = Sample.size();
      co_await codeSlowly(Cost, How, Sample);
      if (Cost.bits() >= Least)
        continue;
      Least = Cost.bits();
      Best = F;
    }
    co_await makeIndices();
    if (!Distinct.empty()) {
      const auto Sample = sampleOf(std::span<const RepeatedTerminal>(AsIndices), Part);
      BestOrder Found;
      co_await findOrder(Sample, terminals(), Found);
      ByteWriter List;
      writeDistinct(List);
      const uint64_t All = Found.Bits * AsIndices.size() / Sample.size() + List.Data.size() * 8;
      if (All < Least * Values.size() / Looked) {
        Best = Indices;
        Order = Found.Order;
      }
    }
    Last.found(Best, Order);
    co_await makePlain(Best);
  }

  Work write(const ChunkForm &F, ByteWriter &W) const {
    W.byte(F.Form);
    if (F.Form == Indices) {
      W.varint(AsIndices.size());
      W.byte(F.Order);
      W.varint(Distinct.size() - 1);
      writeDistinct(W);
      co_await writeItems(W, AsIndices, terminals(), F.Order);
      co_return;
    }
    W.varint(Plain.size());
    W.svarint(Common.Base);
    W.varint(Common.Unit);
    RangeWriter Code(W.Data);
    NumberCoder How;
    co_await codeSlowly(Code, How, std::span<const uint64_t>(Plain));
    Code.finish();
  }

private:
  uint32_t terminals() const { return static_cast<uint32_t>(Distinct.size()); }
  void writeDistinct(ByteWriter &W) const {
    W.svarint(Distinct[0]);
    for (size_t I = 1; I < Distinct.size(); ++I)
      W.varint(static_cast<uint64_t>(Distinct[I]) - static_cast<uint64_t>(Distinct[I - 1]));
  }

  /// Nothing is distinct if too many are.
  Work makeIndices() {
    struct Known {
      int64_t Value;
      uint32_t Index;
      bool IsUsed;
    };
    std::vector<Known> Table(std::bit_ceil(Values.size()) * 2);
    const auto Find = [&](int64_t V) -> Known & {
      size_t P = (static_cast<uint64_t>(V) * 0x9e3779b97f4a7c15ull >> 20) & (Table.size() - 1);
      while (Table[P].IsUsed && Table[P].Value != V)
        P = (P + 1) & (Table.size() - 1);
      return Table[P];
    };
    Distinct.clear();
    AsIndices.clear();
    for (size_t I = 0; I < Values.size(); ++I) {
      if (I % ToLookAt == ToLookAt - 1)
        co_await Pause();
      Known &K = Find(Values[I]);
      if (K.IsUsed)
        continue;
      if (Distinct.size() == Values.size() / 4) {
        Distinct.clear();
        co_return;
      }
      K = {Values[I], 0, true};
      Distinct.push_back(Values[I]);
    }
    co_await Pause();
    std::sort(Distinct.begin(), Distinct.end());
    for (uint32_t I = 0; I < Distinct.size(); ++I)
      Find(Distinct[I]).Index = I;
    AsIndices.reserve(Values.size());
    for (size_t I = 0; I < Values.size(); ++I) {
      if (I % ToLookAt == 0)
        co_await Pause();
      if (const uint32_t Index = Find(Values[I]).Index; !AsIndices.empty() && AsIndices.back().Value == Index)
        ++AsIndices.back().Count;
      else
        AsIndices.push_back({Index, 1});
    }
  }

  /// Numbers or steps.
  Work makePlain(uint8_t Form) {
    if (Form == Indices)
      co_return;
    co_await Pause();
    Plain.resize(Values.size());
    // The first step is from the base, all are divided by what they have in common.
    const auto Step = [&](size_t I) { return I ? wrappedDifference(Values[I], Values[I - 1]) : 0; };
    uint64_t Unit = 0;
    if (Form == Numbers)
      Common = dividedBy(Values);
    for (size_t I = 1; Form == Steps && Unit != 1 && I < Values.size(); ++I)
      Unit = std::gcd(Unit, Step(I) < 0 ? -static_cast<uint64_t>(Step(I)) : static_cast<uint64_t>(Step(I)));
    // Only what fits: a step that is its own opposite has no sign to divide by.
    if (Form == Steps)
      Common = {Values[0], std::max<uint64_t>(Unit >> 63 ? 1 : Unit, 1)};
    for (size_t I = 0; I < Values.size(); ++I) {
      if (I % ToLookAt == 0)
        co_await Pause();
      Plain[I] = Form == Numbers ? Common.of(Values[I]) : zigzag(Step(I) / static_cast<int64_t>(Common.Unit));
    }
  }

  std::span<const int64_t> Values;
  std::vector<int64_t> Distinct;
  std::vector<RepeatedTerminal> AsIndices;
  Divided Common{0, 1};
  std::vector<uint64_t> Plain; ///< numbers or steps
};
} // namespace

Work encodeItems(std::span<const RepeatedTerminal> In, ChunkForm &Last, std::vector<uint8_t> &Out) {
  const uint32_t Terminals = terminalsOf(In);
  if (Last.Wait) {
    --Last.Wait;
  } else {
    BestOrder Best;
    co_await findOrder(sampleOf(In, 4), Terminals, Best);
    Last.found(Items, Best.Order);
  }
  ByteWriter W;
  W.byte(Items);
  W.varint(In.size());
  W.byte(Last.Order);
  W.varint(Terminals - 1);
  co_await writeItems(W, In, Terminals, Last.Order);
  Out = std::move(W.Data);
}

/// How many are not what came after the same two before. Two pairs that meet in the table cost a few.
static size_t surprises(std::span<const uint32_t> In) {
  constexpr unsigned LogSize = 11;
  std::array<uint32_t, 1 << LogSize> After{}; // + 1
  size_t N = 0;
  for (size_t I = 2; I < In.size(); ++I) {
    uint32_t &Known = After[(In[I - 1] * 0x9e3779b1u + In[I - 2]) * 0x85ebca6bu >> (32 - LogSize)];
    N += Known != In[I] + 1;
    Known = In[I] + 1;
  }
  return N;
}

/// Elements by whose end one goes.
static constexpr size_t TheEnd = 1024;

bool isRegular(std::span<const RepeatedTerminal> Items) {
  const auto Last = Items.last(std::min(Items.size(), TheEnd));
  std::vector<uint32_t> Terminals;
  for (const RepeatedTerminal &E : Last)
    Terminals.push_back(E.Value);
  // The exact answer takes long. A surprise costs some bits.
  if (surprises(Terminals) * 4 >= Last.size())
    return false;
  RangeCost Cost;
  ItemCoder How(terminalsOf(Last), 2);
  codeAll(Cost, How, Last);
  return Cost.bits() * 2 < Last.size();
}

bool isRegular(std::span<const int64_t> Values) {
  const auto Last = Values.last(std::min(Values.size(), TheEnd));
  std::vector<uint32_t> Steps;
  for (size_t I = 1; I < Last.size(); ++I)
    Steps.push_back(static_cast<uint32_t>(mix(0, static_cast<uint64_t>(wrappedDifference(Last[I], Last[I - 1])))));
  return surprises(Steps) * 32 < Steps.size();
}

Work encodeValues(std::span<const int64_t> Values, ChunkForm &Last, std::vector<uint8_t> &Out) {
  ValueForms F(Values);
  co_await F.choose(Last);
  ByteWriter W;
  co_await F.write(Last, W);
  Out = std::move(W.Data);
}

std::vector<uint8_t> encodeItems(std::span<const RepeatedTerminal> In, ChunkForm &Last) {
  std::vector<uint8_t> Out;
  encodeItems(In, Last, Out).finish();
  return Out;
}

std::vector<uint8_t> encodeValues(std::span<const int64_t> Values, ChunkForm &Last) {
  std::vector<uint8_t> Out;
  encodeValues(Values, Last, Out).finish();
  return Out;
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

} // namespace pilgrim
