//===- ZstdCodec.cpp - times under zstd, lossless -------------------------===//
#include "trace/times/SeriesCodec.h"

#ifndef ZSTD_STATIC_LINKING_ONLY
#define ZSTD_STATIC_LINKING_ONLY // contexts in memory that the caller has
#endif
#include <zstd.h>

namespace pilgrim {

namespace {
class ZstdCodec final : public SeriesCodec {
public:
  void encode(const TimeSeries &S, ByteWriter &W, std::vector<int64_t> &Decoded) override {
    Decoded = S.Values;
    ByteWriter In;
    for (int64_t V : S.Values)
      In.u64(static_cast<uint64_t>(V));
    constexpr int Level = 5;
    const ZSTD_compressionParameters P = ZSTD_getCParams(Level, In.Data.size(), 0);
    // The allocator of the C library may not be usable when a process ends.
    const size_t Need = ZSTD_estimateCCtxSize_usingCParams(P);
    const auto Memory = std::make_unique_for_overwrite<uint64_t[]>(Need / sizeof(uint64_t) + 1);
    ZSTD_CCtx *Context = ZSTD_initStaticCCtx(Memory.get(), Need);
    ZSTD_CCtx_setParameter(Context, ZSTD_c_compressionLevel, Level);
    ZSTD_CCtx_setParameter(Context, ZSTD_c_windowLog, static_cast<int>(P.windowLog));
    const size_t Head = W.Data.size();
    W.Data.resize(Head + ZSTD_compressBound(In.Data.size()));
    const size_t N =
        ZSTD_compress2(Context, W.Data.data() + Head, W.Data.size() - Head, In.Data.data(), In.Data.size());
    W.Data.resize(Head + (ZSTD_isError(N) ? 0 : N));
  }
  void decode(ByteReader &R, TimeSeries &S) override {
    const auto Frame = R.bytes(R.remaining());
    std::vector<uint8_t> Out(S.size() * 8);
    if (ZSTD_decompress(Out.data(), Out.size(), Frame.data(), Frame.size()) != Out.size())
      return R.fail("times that zstd does not take");
    ByteReader In(Out);
    for (size_t I = 0; I < S.size(); ++I)
      S.Values.push_back(static_cast<int64_t>(In.u64()));
  }
  bool wantsOrder() const override { return true; }
};
} // namespace

std::unique_ptr<SeriesCodec> makeZstdCodec() { return std::make_unique<ZstdCodec>(); }

} // namespace pilgrim
