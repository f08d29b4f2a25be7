// trace/times/SeriesBlock.h, SeriesCodec.h, PublishedBins.h: every coding gives times back within their bounds and says
// how far starts are off; damage is noticed.
#include "trace/times/SeriesBlock.h"
#include "test/unit/TimedCalls.h"
#include "trace/times/PublishedBins.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
constexpr TimeBound TenPercent{100'000, 0};
using enum TimeCodec;

/// Bounds that a codec takes.
std::vector<TimeBounds> boundsFor(TimeCodec Codec) {
  switch (Codec) {
  case Zstd:
    return {TimeBounds()};
  case Zfp:
    return {TimeBounds({0, 1}, {0, 1}), TimeBounds({0, 500}, {0, 100'000})};
  case Sz:
    return {TimeBounds(TenPercent, TenPercent), TimeBounds({0, 50}, {0, 1000})};
  default:
    return {TimeBounds(TenPercent, {10'000, 0}), TimeBounds({0, 40}, {}), TimeBounds({1000, 0}, {500'000, 0})};
  }
}

std::vector<TimeCoding> codings() {
  std::vector<TimeCoding> Out;
  for (TimeCodec Codec : {Zstd, Cfg, Hist, Zfp, Sz})
    for (TimeCluster By : {TimeCluster::None, TimeCluster::Signature, TimeCluster::Path})
      if (makeSeriesCodec(Codec, TimeBounds()))
        Out.push_back({Codec, By});
  return Out;
}

/// What an encoder gives out, decoded and compared.
class CodedSeries {
public:
  CodedSeries(TimeCoding Coding, const TimeBounds &Own)
      : Bounds(Own), Clusters(Coding.Cluster), Encoder(makeSeriesCodec(Coding.Codec, Bounds), Bounds, Clusters),
        Decoder(Coding.Codec, Bounds, Clusters) {
    for (uint32_t Place = 0; Place < 16; ++Place)
      Clusters.assign(Place, Place / 2);
  }

  void add(const std::vector<TimedCall> &Calls) {
    Block.clear();
    std::vector<uint8_t> Model;
    const TimeEncoder::Result R = Encoder.encode(Calls, Block, Model);
    Number = R.Model;
    if (R.IsNewModel) {
      ByteReader In(Model);
      Decoder.readModel(R.Model, In);
      ASSERT_TRUE(In.ok() && In.atEnd());
    }
    ASSERT_EQ(Decoder.hasModels(), Decoder.knows(R.Model));
    Bytes += Block.size() + Model.size();
    std::vector<CallTime> Out;
    ByteReader In(Block);
    ASSERT_TRUE(Decoder.decode(In, R.Model, contextsOf(Calls), Out)) << In.reason();
    ASSERT_TRUE(In.atEnd());
    ASSERT_EQ(Out.size(), Calls.size());
    uint64_t Furthest = 0, Total = 0;
    for (size_t I = 0; I < Calls.size(); ++I) {
      const TimedCall &C = Calls[I];
      Total += C.End - C.Start;
      const auto Off = static_cast<int64_t>(Out[I].Start - C.Start);
      Furthest = std::max(Furthest, static_cast<uint64_t>(std::abs(Off)));
      ASSERT_TRUE(isWithin(Bounds.bins(TimeKind::Duration, C.Place).bound(), C.End - C.Start, Out[I].Duration))
          << "duration of " << I << ": " << C.End - C.Start << " as " << Out[I].Duration;
      if (!I)
        continue;
      const auto Gap = static_cast<int64_t>(C.Start - Calls[I - 1].End);
      const auto Decoded = static_cast<int64_t>(Out[I].Start - Out[I - 1].Start - Out[I - 1].Duration);
      const TimeBound &Bound = Bounds.bins(TimeKind::Gap, C.Path).bound();
      const auto Wrong = static_cast<uint64_t>(std::abs(Gap - Decoded));
      ASSERT_TRUE(Bound.Relative ? isWithin(Bound, static_cast<uint64_t>(std::abs(Gap)),
                                            static_cast<uint64_t>(std::abs(Gap)) + Wrong)
                                 : Wrong <= Bound.Absolute)
          << "gap of " << I << ": " << Gap << " as " << Decoded;
    }
    ASSERT_EQ(R.Head.Drift, Furthest);
    ASSERT_EQ(R.TotalDuration, Total);
    ASSERT_EQ(R.Head.FirstStart, Calls[0].Start);
  }
  /// Whether the block, or bytes like it, can be read as the last one was.
  bool isRead(std::span<const uint8_t> Like, const std::vector<TimedCall> &Calls) {
    std::vector<CallTime> Out;
    ByteReader In(Like);
    const bool IsRead = Decoder.decode(In, Number, contextsOf(Calls), Out) && In.atEnd();
    EXPECT_TRUE(In.ok() || *In.reason());
    return IsRead;
  }

  TimeBounds Bounds;
  TimeClusters Clusters;
  SeriesEncoder Encoder;
  SeriesDecoder Decoder;
  std::vector<uint8_t> Block;
  uint64_t Number = 0;
  size_t Bytes = 0;
};
} // namespace

TEST(SeriesBlock, EachTimeOfEachCodingIsWithinItsBound) {
  EXPECT_GE(codings().size(), 9u);
  for (TimeCoding Coding : codings())
    for (const TimeBounds &Bounds : boundsFor(Coding.Codec)) {
      CodedSeries C(Coding, Bounds);
      ProgramLike Program(5);
      for (size_t Size : {1, 2, 3, 10, 1000, 20'000, 1}) {
        C.add(Program.next(Size));
        if (HasFatalFailure())
          FAIL() << "coding " << int(Coding.number()) << ", calls " << Size;
      }
    }
}

TEST(SeriesBlock, AnyTimesAreWithinTheirBounds) {
  std::mt19937_64 Random(2);
  const std::vector<TimeCoding> All = codings();
  for (int Round = 0; Round < 400; ++Round) {
    const TimeCoding Coding = All[Random() % All.size()];
    const std::vector<TimeBounds> Some = boundsFor(Coding.Codec);
    CodedSeries C(Coding, Some[Random() % Some.size()]);
    for (int B = 0; B < 2; ++B) {
      std::vector<TimedCall> Calls(1 + Random() % 300);
      uint64_t Now = Random() >> 4;
      const unsigned Least = 14 + Random() % 48;
      for (TimedCall &Each : Calls) {
        const uint64_t Gap = Random() >> (Least + Random() % (64 - Least)),
                       Duration = Random() >> (Least + Random() % (64 - Least));
        Each = {static_cast<uint32_t>(Random() % 5), static_cast<uint32_t>(Random() % 7),
                Random() % 16 == 0 && Gap < Now ? Now - Gap : Now + Gap, 0};
        Each.End = Each.Start + Duration;
        Now = Each.End;
      }
      C.add(Calls);
      if (HasFatalFailure())
        FAIL() << "coding " << int(Coding.number()) << ", round " << Round;
    }
  }
}

TEST(SeriesBlock, FunctionsMayHaveBoundsOfTheirOwn) {
  for (TimeCodec Codec : {Cfg, Hist}) {
    TimeBounds Bounds(TenPercent, TenPercent);
    const unsigned Exact = Bounds.add({}, {});
    for (uint32_t Context : {1, 3})
      for (TimeKind Kind : {TimeKind::Duration, TimeKind::Gap})
        Bounds.assign(Kind, Context, Exact);
    CodedSeries C({Codec, TimeCluster::Path}, Bounds);
    ProgramLike Program(7);
    C.add(Program.next(3000));
  }
}

TEST(SeriesBlock, ByPathIsNowhereLongerThanInTurn) {
  for (TimeCodec Codec : {Zfp, Sz}) {
    if (!makeSeriesCodec(Codec, TimeBounds()))
      continue;
    for (const TimeBounds &Bounds : boundsFor(Codec))
      for (uint64_t Shape = 1; Shape < 6; ++Shape) {
        CodedSeries InTurn({Codec, TimeCluster::None}, Bounds), ByPath({Codec, TimeCluster::Path}, Bounds);
        ProgramLike Program(Shape), Same(Shape);
        for (int Block = 0; Block < 3; ++Block) {
          InTurn.add(Program.next(4000));
          ByPath.add(Same.next(4000));
          EXPECT_LE(ByPath.Bytes, InTurn.Bytes) << int(Codec) << " " << Shape;
        }
      }
  }
}

TEST(SeriesBlock, BlocksAreReadAlone) {
  for (TimeCoding Coding : codings()) {
    CodedSeries C(Coding, boundsFor(Coding.Codec)[0]);
    ProgramLike Program(3), Other(4, 8);
    const std::vector<TimedCall> First = Program.next(500);
    C.add(First);
    const std::vector<uint8_t> Block = C.Block;
    const uint64_t Number = C.Number;
    C.add(Other.next(500)); // contexts that are new
    C.add(Program.next(500));
    C.Number = Number;
    EXPECT_TRUE(C.isRead(Block, First)) << int(Coding.number());
  }
}

TEST(SeriesBlock, DamageIsReadOrRefused) {
  std::mt19937_64 Random(3);
  for (TimeCoding Coding : codings()) {
    if (Coding.Codec == Sz)
      continue; // trusts its input
    CodedSeries C(Coding, boundsFor(Coding.Codec)[0]);
    ProgramLike Program(9);
    const std::vector<TimedCall> Calls = Program.next(300);
    C.add(Calls);
    for (size_t N = 0; N < C.Block.size(); ++N) {
      std::vector<uint8_t> Cut(C.Block.begin(), C.Block.begin() + static_cast<ptrdiff_t>(N));
      EXPECT_FALSE(C.isRead(Cut, Calls)) << int(Coding.number()) << " cut at " << N;
      std::vector<uint8_t> Changed = C.Block;
      Changed[N] ^= static_cast<uint8_t>(1 + Random() % 255);
      C.isRead(Changed, Calls);
    }
    EXPECT_FALSE(C.isRead(C.Block, Program.next(299)));
  }
}

TEST(PublishedBins, TimesBecomeTheEndOfTheirBin) {
  for (TimeBound Bound : {TenPercent, TimeBound{1000, 0}, TimeBound{500'000, 0}, TimeBound{0, 7}, TimeBound{}}) {
    const PublishedBins Bins(Bound);
    std::mt19937_64 Random(4);
    for (int Round = 0; Round < 20'000; ++Round) {
      const auto Time = static_cast<int64_t>(Random() >> (1 + Random() % 63));
      const int64_t Is = Bins.time(Bins.symbol(Time));
      ASSERT_TRUE(Bins.isSymbol(Bins.symbol(Time)));
      ASSERT_TRUE(isWithin(Bound, static_cast<uint64_t>(Time), static_cast<uint64_t>(Is))) << Time << " as " << Is;
      if (Bound.Relative) {
        ASSERT_GE(Is, Time); // as published
      }
      ASSERT_EQ(Bins.time(Bins.symbol(-Time)), -Is);
    }
    EXPECT_FALSE(Bound.Relative && Bins.isSymbol(1 << 20));
  }
}

TEST(SeriesCodec, NumbersOfCodingsAreThoseOfTheFile) {
  for (uint64_t N = 0; N < 64; ++N)
    if (TimeCoding C; TimeCoding::of(N, C)) {
      EXPECT_EQ(C.number(), N);
    }
  TimeCoding C;
  EXPECT_FALSE(TimeCoding::of(3, C));
  EXPECT_FALSE(TimeCoding::of(24, C));
  EXPECT_TRUE(TimeCoding::of(22, C) && C.Codec == Sz && C.Cluster == TimeCluster::Path);
}
