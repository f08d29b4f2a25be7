//===- SzCodec.cpp - times under SZ3 --------------------------------------===//
//
// SZ3 has no bound that is relative to each value. The logarithms are coded under an absolute bound then, as its
// predecessor did. Times that have none, and the signs of negative ones, stand in a list. Left out where the build did
// not find SZ3. SZ3 trusts its input: what protects a reader is the checksum of the frame.
//
//===----------------------------------------------------------------------===//
#include "trace/times/SeriesCodec.h"

#ifndef PILGRIM_HAS_SZ3

std::unique_ptr<pilgrim::SeriesCodec> pilgrim::makeSzCodec(const TimeBounds &) { return nullptr; }

#else

#include <SZ3/api/sz.hpp>
#include <cmath>

namespace pilgrim {

namespace {
class SzCodec final : public SeriesCodec {
public:
  explicit SzCodec(const TimeBounds &Bounds) : Bounds(Bounds) {}

  void encode(const TimeSeries &S, ByteWriter &W, std::vector<int64_t> &Decoded) override {
    const TimeBound Bound = smallestBound(Bounds, S);
    const size_t Begin = W.Data.size();
    std::vector<double> In(S.Values.begin(), S.Values.end());
    ByteWriter Odd;
    if (Bound.Relative) {
      uint64_t Number = 0, Before = 0;
      for (size_t I = 0; I < In.size(); ++I) {
        if (In[I] <= 0) {
          Odd.varint((I - Before) << 1 | (In[I] < 0));
          Before = I;
          ++Number;
        }
        In[I] = In[I] != 0 ? std::log(std::abs(In[I])) : I ? In[I - 1] : 0;
      }
      W.varint(Number);
      W.bytes(Odd.Data);
    }
    SZ3::Config About(In.size());
    About.errorBoundMode = SZ3::EB_ABS;
    About.absErrorBound = limit(Bound);
    size_t Size = 0;
    char *Out = SZ_compress(About, In.data(), Size);
    W.bytes({reinterpret_cast<const uint8_t *>(Out), Size});
    delete[] Out;
    TimeSeries Same{S.Kind, {}, S.Clusters, S.Pairs};
    ByteReader R(std::span(W.Data).subspan(Begin));
    decode(R, Same);
    Decoded = std::move(Same.Values);
    Decoded.resize(S.size());
  }

  void decode(ByteReader &R, TimeSeries &S) override {
    const bool IsRelative = smallestBound(Bounds, S).Relative;
    std::vector<std::pair<uint64_t, bool>> Odd;
    for (size_t N = IsRelative ? R.count() : 0; N-- && R.ok();) {
      const uint64_t V = R.varint();
      Odd.emplace_back((Odd.empty() ? 0 : Odd.back().first) + (V >> 1), V & 1);
    }
    const auto In = R.bytes(R.remaining());
    if (!R.ok() || In.empty())
      return R.fail("times that SZ3 does not take");
    SZ3::Config About;
    std::vector<double> Out(S.size());
    double *To = Out.data();
    try {
      SZ_decompress(About, reinterpret_cast<const char *>(In.data()), In.size(), To);
    } catch (...) {
      return R.fail("times that SZ3 does not take");
    }
    for (double V : Out)
      S.Values.push_back(std::llround(IsRelative ? std::exp(V) : V));
    for (const auto &[At, IsNegative] : Odd) {
      if (At >= S.size())
        return R.fail("times of further calls");
      S.Values[At] = IsNegative ? -S.Values[At] : 0;
    }
  }

  bool wantsOrder() const override { return true; }

private:
  static double limit(const TimeBound &B) {
    return B.Relative ? std::log1p(B.Relative * 1e-6) : static_cast<double>(std::max<uint64_t>(B.Absolute, 1));
  }
  const TimeBounds &Bounds;
};
} // namespace

std::unique_ptr<SeriesCodec> makeSzCodec(const TimeBounds &Bounds) { return std::make_unique<SzCodec>(Bounds); }

} // namespace pilgrim

#endif
