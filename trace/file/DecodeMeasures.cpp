//===- DecodeMeasures.cpp - what was measured, from bytes ------------------===//
//
// After the calls: how many calls a measure is of is counted here.
//
//===----------------------------------------------------------------------===//
#include "trace/file/Decoder.h"
#include "trace/file/MeasureCode.h"

namespace pilgrim {

namespace {
class MeasureDecoder {
public:
  MeasureDecoder(ByteReader &R, TraceData &T) : R(R), T(T), Bits(R.bytes(R.remaining())), C(Bits, T.World, T.Ranks) {}

  bool run(const std::vector<EventPlace> &Events) {
    C.exact(false);
    uint32_t Error = 0;
    bool IsByPath = false;
    C.histograms(Error, IsByPath);
    checkDamage();
    size_t Next = 0;
    for (uint32_t I = 0; I < T.Groups.size(); ++I) {
      const size_t First = Next;
      while (Next < Events.size() && Events[Next].Group == I)
        ++Next;
      readGroup(T.Groups[I], std::span(Events).subspan(First, Next - First));
    }
    if (Bits.isBeforeEnd())
      R.fail("bytes are left over");
    return R.ok();
  }

private:
  void readGroup(Group &Of, std::span<const EventPlace> Events) {
    G = &Of;
    NodeSums Sums(T, Of);
    TimedParts Parts(Of.Nodes.size());
    for (uint32_t I = 0; I < Events.size() && R.ok(); ++I) {
      NodeData &N = Of.Nodes[Events[I].Node];
      E = &N.Events.at(Events[I].Event);
      readEvent(I, N.Ranks.size());
      for (Measure &M : E->Measures) {
        Sums.add(Events[I].Node, M);
        rename(M, Events);
      }
      Parts.add(Events[I].Node, E->Places);
    }
    const std::vector<NodeSums::Sum> All = Sums.take();
    for (auto N = static_cast<uint32_t>(All.size()); N-- > 0 && R.ok();) {
      NodeData &Node = Of.Nodes[N];
      C.nodeTimes(Node.Ranks.size(), All[N].InMpi, All[N].Outside, Parts.only(N), Node.Times);
      if (N)
        Parts.add(Node.Parent, Node.Times);
    }
    checkDamage();
  }

  /// Index: of the event among those of its group.
  void readEvent(uint32_t Index, uint64_t Ranks) {
    for (const RankedItems &X : E->Items) {
      const std::vector<Tally> Calls = X.calls(T.World);
      for (size_t I = 0; I < X.Items.size() && R.ok(); ++I)
        if (!X.Items[I].IsNode)
          readItem(X, Calls[I], I);
    }
    for (uint32_t I = 0; I < E->Measures.size() && R.ok(); ++I) {
      C.measure(E->Measures[I], I, Index, Ranks, false);
      R.spend(E->Measures[I].Gaps.size() * sizeof(PathGap) + bytesOfBins(E->Measures[I]));
      for (const PathGap &P : E->Measures[I].Gaps)
        if (P.Path.K == GapPath::Call && P.Path.Which >= E->Measures.size())
          R.fail("a path from a call that is not there");
      checkDamage();
    }
    if (R.ok())
      C.places(E->Measures, Ranks, E->Places);
    R.spend(E->Places.size() * (sizeof(PlaceTimes) + 64));
    checkDamage();
  }

  void readItem(const RankedItems &X, const Tally &Calls, size_t Index) {
    Entry &Variants = G->table(TableId::Signatures)[X.Items[Index].Index];
    std::map<MeasuredPlace, uint32_t> Known; // of entries with several variants
    for (size_t I = 0; I < Variants.size(); ++I) {
      const Variant &V = Variants[I];
      const MeasuredPlace Place{V.Tokens[0], V.Tokens[1], V.Tokens[2]};
      if (Variants.size() == 1) {
        Variants.setMeasure(I, readReference(Place));
      } else {
        auto [It, New] = Known.try_emplace(Place, NoMeasure);
        if (New)
          It->second = readReference(Place);
        Variants.setMeasure(I, It->second);
      }
      R.spend(V.Ranks.isShared(X.Ranks) ? 0 : V.Ranks.intervals().size()); // which bounds the time
      if (!R.ok())
        return;
      addProduct(E->Measures[Variants.measure(I)].Duration.Count, Calls.sum(V.Ranks), 1);
    }
  }

  uint32_t readReference(const MeasuredPlace &Place) {
    const auto Known = static_cast<uint32_t>(E->Measures.size());
    const uint32_t To = C.reference(Known, 0);
    checkDamage();
    if (To == Known) {
      R.spend(sizeof(Measure));
      E->Measures.push_back({Place, {}, {}, {}});
    } else if (R.ok() && E->Measures[To].Place != Place) {
      R.fail("a measure of another call");
    }
    return R.ok() ? To : 0;
  }

  /// Paths refer to the group's nodes.
  void rename(Measure &M, std::span<const EventPlace> Events) {
    std::vector<PathGap> Gaps = std::move(M.Gaps);
    M.Gaps.clear();
    for (PathGap &P : Gaps) {
      if (P.Path.K == GapPath::Event) {
        if (P.Path.Which >= Events.size())
          return R.fail("a path from an event that is not there");
        P.Path = {GapPath::Event, Events[P.Path.Which].Node, Events[P.Path.Which].Event};
      }
      M.addGap(P.Path, P.Gap);
    }
  }

  static uint64_t bytesOfBins(const Measure &M) {
    uint64_t Bins = M.Duration.Bins.Counts.size() + M.GapBins.Counts.size();
    for (const PathGap &P : M.Gaps)
      Bins += P.Gap.Bins.Counts.size();
    return Bins * sizeof(uint64_t);
  }

  void checkDamage() {
    if (C.isDamaged())
      R.fail();
  }

  ByteReader &R;
  TraceData &T;
  RangeReader Bits;
  MeasureCode<RangeReader> C;
  // Where reading is.
  Group *G = nullptr;
  EventData *E = nullptr;
};
} // namespace

bool decodeMeasures(ByteReader &R, TraceData &T, const std::vector<EventPlace> &Events) {
  return MeasureDecoder(R, T).run(Events);
}

} // namespace pilgrim
