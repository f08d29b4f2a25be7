//===- CfgCodec.cpp - times as a grammar of bins --------------------------===//
//
// Pilgrim's first algorithm: times become bins, and the sequence of bins becomes a grammar, as sequences of calls do.
// The numbers of bins stand in front; the grammar's terminals are their places there.
//
//===----------------------------------------------------------------------===//
#include "trace/sequences/Grammar.h"
#include "trace/times/PublishedBins.h"
#include "trace/times/SeriesCodec.h"

namespace pilgrim {

namespace {
class CfgCodec final : public SeriesCodec {
public:
  explicit CfgCodec(const TimeBounds &Bounds) : Bins(PublishedBins::of(Bounds)) {}

  void encode(const TimeSeries &S, ByteWriter &W, std::vector<int64_t> &Decoded) override {
    std::vector<int64_t> Symbols;
    Decoded.clear();
    for (size_t I = 0; I < S.size(); ++I) {
      Symbols.push_back(bins(S, I).symbol(S.Values[I]));
      Decoded.push_back(bins(S, I).time(Symbols.back()));
    }
    std::vector<int64_t> Distinct = Symbols;
    std::sort(Distinct.begin(), Distinct.end());
    Distinct.erase(std::unique(Distinct.begin(), Distinct.end()), Distinct.end());
    W.varint(Distinct.size());
    W.svarint(Distinct[0]);
    for (size_t I = 1; I < Distinct.size(); ++I)
      W.varint(static_cast<uint64_t>(Distinct[I]) - static_cast<uint64_t>(Distinct[I - 1]));
    Grammar G;
    for (int64_t V : Symbols)
      G.append(static_cast<uint32_t>(std::lower_bound(Distinct.begin(), Distinct.end(), V) - Distinct.begin()));
    G.data().write(W);
  }

  void decode(ByteReader &R, TimeSeries &S) override {
    std::vector<int64_t> Distinct;
    for (size_t N = R.count(); N-- && R.ok();)
      Distinct.push_back(Distinct.empty() ? R.svarint()
                                          : static_cast<int64_t>(static_cast<uint64_t>(Distinct.back()) + R.varint()));
    const GrammarData G = GrammarData::read(R);
    if (!R.ok() || G.length() != S.size() || G.terminals() > Distinct.size())
      return R.fail("a grammar of other times");
    GrammarData::Cursor Next(G);
    for (uint32_t T; Next.next(T);) {
      const PublishedBins &B = bins(S, S.Values.size());
      if (!B.isSymbol(Distinct[T]))
        return R.fail("a time in no bin");
      S.Values.push_back(B.time(Distinct[T]));
    }
  }

private:
  const PublishedBins &bins(const TimeSeries &S, size_t I) const {
    return Bins[size_t(2) * S.Pairs[I] + static_cast<unsigned>(S.Kind)];
  }
  std::vector<PublishedBins> Bins;
};
} // namespace

std::unique_ptr<SeriesCodec> makeCfgCodec(const TimeBounds &Bounds) { return std::make_unique<CfgCodec>(Bounds); }

} // namespace pilgrim
