//===- ZfpCodec.cpp - times under libzfp ----------------------------------===//
//
// libzfp is loaded when it is needed, and not before: it needs libraries that a traced program may not have. Where the
// build had no zfp.h, the codec is left out.
//
//===----------------------------------------------------------------------===//
#include "trace/times/SeriesCodec.h"

#ifndef PILGRIM_ZFP_SONAME

std::unique_ptr<pilgrim::SeriesCodec> pilgrim::makeZfpCodec(const TimeBounds &) { return nullptr; }

#else

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <zfp.h>

namespace pilgrim {

namespace {
struct ZfpLibrary {
  decltype(&zfp_stream_open) StreamOpen;
  decltype(&zfp_stream_close) StreamClose;
  decltype(&zfp_stream_set_accuracy) SetAccuracy;
  decltype(&zfp_stream_set_bit_stream) SetBits;
  decltype(&zfp_stream_rewind) Rewind;
  decltype(&zfp_stream_maximum_size) MaximumSize;
  decltype(&zfp_compress) Compress;
  decltype(&zfp_decompress) Decompress;
  decltype(&stream_open) BitsOpen;
  decltype(&stream_close) BitsClose;

  /// Null: it is not there.
  static const ZfpLibrary *get() {
    static ZfpLibrary Library;
    static const bool IsThere = Library.load();
    return IsThere ? &Library : nullptr;
  }

private:
  bool load() {
    void *Handle = dlopen(PILGRIM_ZFP_SONAME, RTLD_NOW | RTLD_LOCAL);
    auto Find = [&](auto &Function, const char *Name) {
      void *At = Handle ? dlsym(Handle, Name) : nullptr;
      Function = reinterpret_cast<std::remove_reference_t<decltype(Function)>>(At);
      return At != nullptr;
    };
    return Find(StreamOpen, "zfp_stream_open") && Find(StreamClose, "zfp_stream_close") &&
           Find(SetAccuracy, "zfp_stream_set_accuracy") && Find(SetBits, "zfp_stream_set_bit_stream") &&
           Find(Rewind, "zfp_stream_rewind") && Find(MaximumSize, "zfp_stream_maximum_size") &&
           Find(Compress, "zfp_compress") && Find(Decompress, "zfp_decompress") && Find(BitsOpen, "stream_open") &&
           Find(BitsClose, "stream_close");
  }
};

class ZfpCodec final : public SeriesCodec {
public:
  ZfpCodec(const ZfpLibrary &Zfp, const TimeBounds &Bounds)
      : Zfp(Zfp), Bounds(Bounds), Stream(Zfp.StreamOpen(nullptr)) {
    // Not later: when a process ends, the allocator that libzfp uses may not be usable.
    constexpr size_t UsualValues = size_t(1) << 14;
    prepare(UsualValues, 1);
  }
  ~ZfpCodec() override {
    if (Bits)
      Zfp.BitsClose(Bits);
    Zfp.StreamClose(Stream);
  }
  ZfpCodec(const ZfpCodec &) = delete;

  void encode(const TimeSeries &S, ByteWriter &W, std::vector<int64_t> &Decoded) override {
    zfp_field Field = prepare(S.size(), tolerance(S));
    std::copy(S.Values.begin(), S.Values.end(), Doubles.begin());
    const size_t N = Zfp.Compress(Stream, &Field);
    // A stream ends at a whole word, whose last bytes are mostly 0.
    size_t Size = N;
    while (Size && !Buffer[Size - 1])
      --Size;
    W.bytes(std::span(Buffer).first(Size));
    std::fill(Buffer.begin() + static_cast<ptrdiff_t>(N), Buffer.end(), uint8_t(0));
    expand(S.size(), Field, Decoded);
  }

  void decode(ByteReader &R, TimeSeries &S) override {
    zfp_field Field = prepare(S.size(), tolerance(S));
    const auto In = R.bytes(R.remaining());
    if (In.size() > Buffer.size())
      return R.fail("more than there are times");
    // libzfp does not look where its input ends. Of so many values it never reads more than the whole buffer.
    std::fill(std::copy(In.begin(), In.end(), Buffer.begin()), Buffer.end(), uint8_t(0));
    if (!expand(S.size(), Field, S.Values))
      R.fail("times that libzfp does not take");
  }

  bool wantsOrder() const override { return true; }

private:
  /// The tolerance is the largest power of two that is not above the bound.
  double tolerance(const TimeSeries &S) const {
    return static_cast<double>(std::max<uint64_t>(smallestBound(Bounds, S).Absolute, 1));
  }
  zfp_field prepare(size_t Values, double Tolerance) {
    Doubles.resize(Values);
    zfp_field Field{};
    Field.type = zfp_type_double;
    Field.nx = Values;
    Field.data = Doubles.data();
    Zfp.SetAccuracy(Stream, Tolerance);
    if (const size_t Most = Zfp.MaximumSize(Stream, &Field); Most > Buffer.size()) {
      if (Bits)
        Zfp.BitsClose(Bits);
      Buffer.assign(Most + sizeof(uint64_t), 0);
      Bits = Zfp.BitsOpen(Buffer.data(), Buffer.size());
      Zfp.SetBits(Stream, Bits);
    }
    Zfp.Rewind(Stream);
    return Field;
  }
  bool expand(size_t Values, zfp_field &Field, std::vector<int64_t> &Out) {
    Out.clear();
    Zfp.Rewind(Stream);
    if (!Zfp.Decompress(Stream, &Field))
      return false;
    for (size_t I = 0; I < Values; ++I) {
      const double V = Doubles[I];
      if (!(std::abs(V) < 9e18))
        return false;
      Out.push_back(std::llround(V));
    }
    return true;
  }

  const ZfpLibrary &Zfp;
  const TimeBounds &Bounds;
  zfp_stream *Stream;
  bitstream *Bits = nullptr;
  std::vector<uint8_t> Buffer; ///< of Bits
  std::vector<double> Doubles;
};
} // namespace

std::unique_ptr<SeriesCodec> makeZfpCodec(const TimeBounds &Bounds) {
  const ZfpLibrary *Zfp = ZfpLibrary::get();
  return Zfp ? std::make_unique<ZfpCodec>(*Zfp, Bounds) : nullptr;
}

} // namespace pilgrim

#endif
