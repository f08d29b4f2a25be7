//===- DecodeMeasures.cpp - what was measured, from bytes ------------------===//
//
// After the calls: how many calls a measure is of is counted here, so that means become sums again.
//
//===----------------------------------------------------------------------===//
#include "trace/file/Decoder.h"

namespace pilgrim {

namespace {
class MeasureDecoder {
public:
  MeasureDecoder(ByteReader &R, TraceData &T) : R(R), T(T) {}

  bool run(const std::vector<EventPlace> &Events) {
    const uint64_t Head = R.varintMax(R.remaining());
    Exact = Head & 1;
    R.spend((Head >> 1) * sizeof(Share));
    Sharing.resize(R.ok() ? Head >> 1 : 0);
    for (auto &[Skipped, Back] : Sharing) {
      Skipped = R.varint();
      Back = R.varint();
    }
    for (const EventPlace &P : Events) {
      if (!R.ok())
        return false;
      G = &T.Groups[P.Group];
      E = &G->Nodes[P.Node].Events.at(P.Event);
      readEvent();
    }
    return R.ok() && R.atEnd() && NextShared == Sharing.size();
  }

private:
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>; ///< function, site, depth

  void readEvent() {
    for (const RankedItems &X : E->Items) {
      const std::vector<Tally> Calls = X.calls(T.World);
      for (size_t I = 0; I < X.Items.size() && R.ok(); ++I)
        if (!X.Items[I].IsNode)
          readItem(X, Calls[I], I);
    }
    if (Exact)
      return;
    for (Measure &M : E->Measures)
      for (uint64_t &Sum : M.Sums) {
        const uint64_t Mean = std::exchange(Sum, 0);
        addProduct(Sum, Mean, M.Calls);
      }
  }

  void readItem(const RankedItems &X, const Tally &Calls, size_t Index) {
    Entry &Variants = G->table(TableId::Signatures)[X.Items[Index].Index];
    std::map<Key, uint32_t> Known;
    for (Variant &V : Variants) {
      if (Variants.size() == 1) {
        V.Measure = readReference();
      } else {
        auto [It, New] = Known.try_emplace({V.Tokens[0], V.Tokens[1], V.Tokens[2]}, NoMeasure);
        if (New)
          It->second = readReference();
        V.Measure = It->second;
      }
      R.spend(V.Ranks.isShared(X.Ranks) ? 0 : V.Ranks.intervals().size()); // which bounds the time
      if (!R.ok())
        return;
      addProduct(E->Measures[V.Measure].Calls, Calls.sum(V.Ranks.common(X.Ranks)), 1);
    }
  }

  /// The measure that comes next: a new one, or one that an earlier item of the event has.
  uint32_t readReference() {
    const auto Size = static_cast<uint32_t>(E->Measures.size());
    if (NextShared < Sharing.size() && Sharing[NextShared].Skipped == SinceShared) {
      const uint64_t Back = Sharing[NextShared].Back;
      ++NextShared;
      SinceShared = 0;
      if (Back >= Size)
        R.fail("a measure that is not there");
      return R.ok() ? Size - 1 - static_cast<uint32_t>(Back) : 0;
    }
    ++SinceShared;
    R.spend(sizeof(Measure));
    if (R.ok())
      for (uint64_t &Sum : E->Measures.emplace_back().Sums)
        Sum = R.varint();
    return Size;
  }

  ByteReader &R;
  TraceData &T;
  bool Exact = false; ///< sums, not means
  struct Share {
    uint64_t Skipped, Back; ///< references to new measures before this one; measures of the event behind the one meant
  };
  std::vector<Share> Sharing;
  size_t NextShared = 0;
  uint64_t SinceShared = 0;
  // Where reading is.
  Group *G = nullptr;
  EventData *E = nullptr;
};
} // namespace

bool decodeMeasures(ByteReader &R, TraceData &T, const std::vector<EventPlace> &Events) {
  return MeasureDecoder(R, T).run(Events);
}

} // namespace pilgrim
