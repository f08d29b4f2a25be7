//===- HistCodec.cpp - frequent times in a few bits -----------------------===//
//
// Pilgrim's HIST: of each cluster, the bins of its first values say which 2^K bins are the most frequent. A value in
// one of these takes K + 1 bits; another one takes a bit, and stands there unchanged. K is that of 3 to 7 with which
// the first values take the fewest bits: published is 3, which is too few where times are spread. Which bins these are
// is the model: each has those of all clusters so far.
//
//===----------------------------------------------------------------------===//
#include "trace/times/PublishedBins.h"
#include "trace/times/SeriesCodec.h"
#include "trace/times/TimeCoder.h"

#include <map>

namespace pilgrim {

namespace {
class HistCodec final : public SeriesCodec {
public:
  explicit HistCodec(const TimeBounds &Bounds) : Bins(PublishedBins::of(Bounds)) {}

  void encode(const TimeSeries &S, ByteWriter &W, std::vector<int64_t> &Decoded) override {
    BitWriter Bits;
    Decoded.clear();
    for (size_t I = 0; I < S.size(); ++I) {
      const auto &Top = Frequent[kind(S)][S.Clusters[I]];
      const int64_t Symbol = bins(S, I).symbol(S.Values[I]);
      const auto At = std::find(Top.begin(), Top.end(), Symbol);
      const bool IsFrequent = At != Top.end();
      Bits.put(IsFrequent, 1);
      if (IsFrequent) {
        Bits.put(static_cast<uint64_t>(At - Top.begin()), bitsOf(Top));
      } else {
        Bits.put(static_cast<uint64_t>(S.Values[I]), 64);
      }
      Decoded.push_back(IsFrequent ? bins(S, I).time(Symbol) : S.Values[I]);
    }
    W.bytes(Bits.finish());
  }

  void decode(ByteReader &R, TimeSeries &S) override {
    BitReader Bits(R.bytes(R.remaining()));
    for (size_t I = 0; I < S.size(); ++I) {
      if (!Bits.get(1)) {
        S.Values.push_back(static_cast<int64_t>(Bits.get(64)));
        continue;
      }
      const auto Top = Frequent[kind(S)].find(S.Clusters[I]);
      if (Top == Frequent[kind(S)].end())
        return R.fail("a time of no cluster");
      const uint64_t At = Bits.get(bitsOf(Top->second));
      if (At >= Top->second.size() || !bins(S, I).isSymbol(Top->second[At]))
        return R.fail("a time in no bin");
      S.Values.push_back(bins(S, I).time(Top->second[At]));
    }
    if (!Bits.isAtEnd())
      R.fail("times of further calls");
  }

  bool hasModels() const override { return true; }

  bool needsModel(std::span<const TimeSeries> All, ByteWriter &W) override {
    bool IsNew = !HasModel;
    HasModel = true;
    for (const TimeSeries &S : All)
      IsNew |= learn(S);
    if (!IsNew)
      return false;
    for (const auto &Of : Frequent) {
      W.varint(Of.size());
      uint32_t Last = 0;
      for (const auto &[Cluster, Top] : Of) {
        W.varint(Cluster - Last);
        Last = Cluster;
        W.varint(Top.size());
        for (int64_t Symbol : Top)
          W.svarint(Symbol);
      }
    }
    return true;
  }

  void readModel(ByteReader &R) override {
    for (auto &Of : Frequent) {
      uint64_t Cluster = 0;
      for (size_t N = R.count(2); N-- && R.ok();) {
        Cluster += R.varintMax(UINT32_MAX - Cluster);
        std::vector<int64_t> &Top = Of[static_cast<uint32_t>(Cluster)];
        for (uint64_t M = R.varintMax(uint64_t(1) << MostBits); M-- && R.ok();)
          Top.push_back(R.svarint());
      }
    }
  }

private:
  static constexpr unsigned LeastBits = 3, MostBits = 7, Samples = 100;
  /// K of a list of bins.
  static unsigned bitsOf(const std::vector<int64_t> &Top) {
    return Top.empty() ? LeastBits : std::max(LeastBits, static_cast<unsigned>(std::bit_width(Top.size() - 1)));
  }
  static constexpr size_t MostClusters = 4096; ///< that are remembered beside those of a block
  static unsigned kind(const TimeSeries &S) { return static_cast<unsigned>(S.Kind); }
  const PublishedBins &bins(const TimeSeries &S, size_t I) const {
    return Bins[size_t(2) * S.Pairs[I] + static_cast<unsigned>(S.Kind)];
  }

  /// Whether there was a new cluster.
  bool learn(const TimeSeries &S) {
    auto &Of = Frequent[kind(S)];
    if (Of.size() > MostClusters)
      Of.clear();
    struct Seen {
      unsigned Values = 0;
      std::map<int64_t, unsigned> Symbols;
    };
    std::map<uint32_t, Seen> New;
    for (size_t I = 0; I < S.size(); ++I) {
      if (Of.contains(S.Clusters[I]))
        continue;
      Seen &C = New[S.Clusters[I]];
      if (C.Values < Samples) {
        ++C.Values;
        ++C.Symbols[bins(S, I).symbol(S.Values[I])];
      }
    }
    for (const auto &[Cluster, C] : New) {
      std::vector<std::pair<int64_t, unsigned>> Order(C.Symbols.begin(), C.Symbols.end());
      std::stable_sort(Order.begin(), Order.end(), [](const auto &A, const auto &B) { return A.second > B.second; });
      uint64_t Best = UINT64_MAX;
      size_t Number = 0;
      for (unsigned K = LeastBits; K <= MostBits; ++K) {
        uint64_t Bits = 0;
        for (size_t I = 0; I < Order.size(); ++I)
          Bits += Order[I].second * uint64_t(I < size_t(1) << K ? K + 1 : 65);
        if (Bits < Best) {
          Best = Bits;
          Number = std::min(Order.size(), size_t(1) << K);
        }
      }
      for (size_t I = 0; I < Number; ++I)
        Of[Cluster].push_back(Order[I].first);
    }
    return !New.empty();
  }

  std::vector<PublishedBins> Bins;
  std::map<uint32_t, std::vector<int64_t>> Frequent[2]; ///< by kind and cluster: symbols
  bool HasModel = false;
};
} // namespace

std::unique_ptr<SeriesCodec> makeHistCodec(const TimeBounds &Bounds) { return std::make_unique<HistCodec>(Bounds); }

} // namespace pilgrim
