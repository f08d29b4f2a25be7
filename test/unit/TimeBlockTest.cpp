// Calls as blocks and back: bounds, drift, exact times, models that are kept and shared, damage, memory.
#include "test/unit/TimedCalls.h"
#include "trace/times/TimeEncoder.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

static const TimeBound TenPercent{100'000, 0};

/// What an encoder gives out, decoded and compared.
class Coded {
public:
  explicit Coded(const TimeBounds &Bounds) : Bounds(Bounds), Encoder(Bounds) {}

  TimeEncoder::Result add(const std::vector<TimedCall> &Calls) {
    Block.clear();
    std::vector<uint8_t> Model;
    const TimeEncoder::Result Result = Encoder.encode(Calls, Block, Model);
    Bytes += Block.size() + Model.size();
    EXPECT_EQ(Result.IsNewModel, !Model.empty());
    if (Result.IsNewModel) {
      ByteReader R(Model);
      Models.emplace(Result.Model, TimeModel::read(R));
      EXPECT_TRUE(R.ok() && R.atEnd());
    }
    EXPECT_TRUE(Models.count(Result.Model));
    ByteReader R(Block);
    std::vector<CallTime> Out(3);
    EXPECT_TRUE(decodeTimes(R, Models[Result.Model], Bounds, contextsOf(Calls), Out)) << R.reason();
    EXPECT_TRUE(R.atEnd());
    if (!R.ok())
      return Result;
    Out.erase(Out.begin(), Out.begin() + 3);
    check(Calls, Result.Head, Out);
    return Result;
  }
  void check(const std::vector<TimedCall> &Calls, const TimeBlockHead &Head, const std::vector<CallTime> &Out) {
    ASSERT_EQ(Out.size(), Calls.size());
    ASSERT_EQ(Head.Calls, Calls.size());
    ASSERT_EQ(Out[0].Start, Calls[0].Start);
    uint64_t Earliest = UINT64_MAX, Latest = 0;
    for (size_t I = 0; I < Calls.size(); ++I) {
      const TimedCall &C = Calls[I];
      Earliest = std::min(Earliest, Out[I].Start);
      Latest = std::max(Latest, Out[I].Start + Out[I].Duration);
      const auto Off = static_cast<int64_t>(Out[I].Start - C.Start);
      ASSERT_LE(static_cast<uint64_t>(std::abs(Off)), Head.Drift) << "start of " << I;
      Furthest = std::max(Furthest, static_cast<uint64_t>(std::abs(Off)));
      ASSERT_TRUE(isWithin(Bounds.bins(TimeKind::Duration, C.Place).bound(), C.End - C.Start, Out[I].Duration))
          << "duration of " << I << ": " << C.End - C.Start << " as " << Out[I].Duration;
      if (!I)
        continue;
      // The gap as decoded contains the correction, which is rare.
      const auto Gap = static_cast<int64_t>(C.Start - Calls[I - 1].End);
      const auto Decoded = static_cast<int64_t>(Out[I].Start - Out[I - 1].Start - Out[I - 1].Duration);
      const TimeBound &Bound = Bounds.bins(TimeKind::Gap, C.Path).bound();
      Corrected +=
          !isWithin(Bound, static_cast<uint64_t>(std::abs(Gap)), static_cast<uint64_t>(Gap < 0 ? -Decoded : Decoded));
    }
    ASSERT_EQ(Head.FirstStart, Calls[0].Start);
    ASSERT_EQ(Head.Earliest, Earliest);
    ASSERT_EQ(Head.Latest, Latest);
  }

  const TimeBounds &Bounds;
  TimeEncoder Encoder;
  std::map<uint32_t, TimeModel> Models;
  std::vector<uint8_t> Block;
  size_t Bytes = 0, Corrected = 0;
  uint64_t Furthest = 0;
};

TEST(TimeBlock, EachTimeIsWithinItsBound) {
  std::mt19937_64 Random(1);
  for (const TimeBound &Duration :
       {TenPercent, TimeBound{}, TimeBound{10'000, 0}, TimeBound{1'000, 0}, TimeBound{0, 40}})
    for (const TimeBound &Gap : {TenPercent, TimeBound{}, TimeBound{0, 7}}) {
      const TimeBounds Bounds(Duration, Gap);
      Coded C(Bounds);
      ProgramLike Program(Random());
      size_t Calls = 0;
      for (size_t Size : {1, 2, 3, 10, 1000, 5000, 20'000, 1}) {
        C.add(Program.next(Size));
        Calls += Size;
        if (HasFatalFailure())
          return;
      }
      EXPECT_LE(C.Corrected, Calls / 20);
    }
}

TEST(TimeBlock, AnyTimesAreWithinTheirBounds) {
  std::mt19937_64 Random(2);
  for (int Round = 0; Round < 300; ++Round) {
    const TimeBound Some[] = {TenPercent, {}, {500'000, 0}, {1, 0}, {0, 1000}};
    const TimeBounds Bounds(Some[Random() % 5], Some[Random() % 5]);
    Coded C(Bounds);
    for (int B = 0; B < 3; ++B) {
      std::vector<TimedCall> Calls(1 + Random() % 300);
      uint64_t Now = Random() >> 2;
      const unsigned Least = 2 + Random() % 62;
      for (TimedCall &Each : Calls) {
        auto Any = [&] { return Random() >> (Least + Random() % (64 - Least)); };
        const uint64_t Gap = Any(), Duration = Any();
        // Also far back, and durations that are longer than the time since then.
        Each = {static_cast<uint32_t>(Random() % 5), static_cast<uint32_t>(Random() % 7),
                Random() % 16 == 0 && Gap < Now ? Now - Gap : Now + Gap, 0};
        if (Each.Start >> 63)
          Each.Start >>= 2;
        Each.End = Each.Start + Duration;
        Now = Each.End;
      }
      C.add(Calls);
      if (HasFatalFailure())
        return;
    }
  }
}

TEST(TimeBlock, StartsDoNotDrift) {
  // Each duration is decoded too long, which adds up.
  const TimeBins Bins(TenPercent);
  uint64_t Long = 1000;
  while (Bins.time(Bins.symbol(Long), 0) < Long + Long / 20)
    ++Long;
  std::vector<TimedCall> Calls;
  for (uint64_t I = 0, Now = 5000; I < 60'000; ++I, Now += Long + 3)
    Calls.push_back({0, 0, Now, Now + Long});
  const TimeBounds Bounds(TenPercent, TenPercent);
  Coded C(Bounds);
  const auto Result = C.add(Calls);
  EXPECT_LE(Result.Head.Drift, 2 * Long);
  EXPECT_GT(C.Furthest, Result.Head.Drift / 2);
  EXPECT_GT(C.Corrected, 100u);
  EXPECT_LT(C.Bytes, 60'000u / 8); // less than a bit a call
}

TEST(TimeBlock, ExactTimesAreExact) {
  std::mt19937_64 Random(3);
  const TimeBounds Bounds;
  for (uint64_t Unit : {1, 26, 1000}) {
    Coded C(Bounds);
    ProgramLike Program(Unit);
    for (int B = 0; B < 4; ++B) {
      auto Calls = Program.next(3000);
      // Multiples of a unit, but for the last block.
      const uint64_t Of = B == 3 ? 1 : Unit;
      for (TimedCall &Each : Calls) {
        Each.Start = Each.Start / Of * Of + 7;
        Each.End = Each.End / Of * Of + 7;
      }
      const auto Result = C.add(Calls);
      EXPECT_EQ(Result.Head.Drift, 0u);
      EXPECT_EQ(C.Encoder.unit(), Of);
    }
    EXPECT_EQ(C.Corrected, 0u);
  }
}

TEST(TimeBlock, AUnitMakesExactTimesShorter) {
  size_t Bytes[2];
  const TimeBounds Bounds;
  for (uint64_t Unit : {1, 26}) {
    Coded C(Bounds);
    ProgramLike Program(4);
    auto Calls = Program.next(20'000);
    for (TimedCall &Each : Calls) {
      Each.Start *= Unit;
      Each.End *= Unit;
    }
    C.add(Calls);
    Bytes[Unit != 1] = C.Bytes;
  }
  EXPECT_NEAR(static_cast<double>(Bytes[1]), static_cast<double>(Bytes[0]), 50);
}

TEST(TimeBlock, BoundsDependOnTheContext) {
  TimeBounds Bounds(TenPercent, TenPercent);
  const unsigned Exact = Bounds.add({}, {}), Coarse = Bounds.add({500'000, 0}, {0, 1000});
  Bounds.assign(TimeKind::Duration, 1, Exact);
  Bounds.assign(TimeKind::Gap, 2, Coarse);
  Coded C(Bounds);
  ProgramLike Program(5);
  for (int B = 0; B < 3; ++B)
    C.add(Program.next(4000));
}

TEST(TimeBlock, BitsAreFewerThanTheEntropyOfEachContext) {
  const TimeBounds Bounds(TenPercent, TenPercent);
  Coded C(Bounds);
  ProgramLike Program(6);
  const auto Calls = Program.next(30'000);
  C.add(Calls);
  EXPECT_LT(static_cast<double>(C.Bytes) * 8, entropy(Calls, Bounds) * 1.05);
}

TEST(TimeBlock, AModelServesAsLongAsTimesStayAlike) {
  const TimeBounds Bounds(TenPercent, TenPercent);
  Coded C(Bounds);
  ProgramLike First(7), Second(8, 5);
  std::vector<uint32_t> Used;
  for (int B = 0; B < 12; ++B) {
    ProgramLike &Program = B / 4 == 1 ? Second : First;
    Used.push_back(C.add(Program.next(8000)).Model);
  }
  // The second phase needs a model of its own; the third is like the first.
  EXPECT_EQ(Used, (std::vector<uint32_t>{0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0}));
}

TEST(TimeBlock, ThreadsWithFewCallsShareAModel) {
  const TimeBounds Bounds(TenPercent, TenPercent);
  size_t Alone = 0, Shared = 0;
  std::vector<std::vector<TimedCall>> Threads;
  std::vector<TimeCount> Counts;
  for (unsigned T = 0; T < 16; ++T) {
    ProgramLike Program(9, 0, 100 + T);
    Threads.push_back(Program.next(400));
    addCounts(Counts, TimeEncoder(Bounds).count(Threads.back()));
    Coded C(Bounds);
    C.add(Threads.back());
    Alone += C.Bytes;
  }
  const TimeModel Model(Counts, Bounds, 1);
  ByteWriter W;
  Model.write(W);
  Shared += W.Data.size();
  for (const auto &Calls : Threads) {
    Coded C(Bounds);
    C.Models.emplace(7, Model);
    C.Encoder.know(Model, 7);
    C.Encoder.setMakesModels(false);
    EXPECT_EQ(C.add(Calls).Model, 7u);
    Shared += C.Bytes;
  }
  EXPECT_LT(Shared, Alone * 0.85);
}

TEST(TimeBlock, AKnownModelIsReplacedIfThatPays) {
  const TimeBounds Bounds(TenPercent, TenPercent);
  Coded C(Bounds);
  C.Models.emplace(7, TimeModel());
  C.Encoder.know(TimeModel(), 7);
  ProgramLike Program(10);
  EXPECT_EQ(C.add(Program.next(1)).Model, 7u);
  EXPECT_EQ(C.add(Program.next(5000)).Model, 8u);
}

TEST(TimeBlock, ManyContextsTakeBoundedMemory) {
  const TimeBounds Bounds(TenPercent, TenPercent);
  Coded C(Bounds);
  std::mt19937_64 Random(11);
  uint64_t Now = 0;
  for (int B = 0; B < 12; ++B) {
    std::vector<TimedCall> Calls(16 * 1024);
    for (TimedCall &Each : Calls) {
      Now += Random() >> (44 + Random() % 20);
      Each = {static_cast<uint32_t>(Random() % 100'000), static_cast<uint32_t>(Random() % 100'000), Now,
              Now + (Random() >> (44 + Random() % 20))};
      Now = Each.End;
    }
    C.add(Calls);
    EXPECT_LT(C.Encoder.memory(), size_t(1) << 20);
  }
  EXPECT_LT(C.Bytes, 12u * 16 * 1024 * 3); // little more than those of magnitudes
}

TEST(TimeBlock, DamageIsNoticedOrHarmless) {
  const TimeBounds Bounds(TenPercent, TimeBound{});
  Coded C(Bounds);
  ProgramLike Program(12);
  C.add(Program.next(300));
  const auto Calls = Program.next(300);
  const uint32_t Number = C.add(Calls).Model;
  const auto Contexts = contextsOf(Calls);
  const auto &Block = C.Block;
  size_t Accepted = 0;
  auto Try = [&](std::span<const uint8_t> B) {
    ByteReader R(B);
    std::vector<CallTime> Out(2);
    const bool Is = decodeTimes(R, C.Models[Number], Bounds, Contexts, Out);
    EXPECT_EQ(Is, R.ok());
    EXPECT_EQ(Out.size(), Is ? 302u : 2u);
    return Is;
  };
  for (size_t N = 0; N < Block.size(); ++N)
    EXPECT_FALSE(Try(std::span(Block).first(N))) << N;
  for (size_t I = 0; I < Block.size(); ++I)
    for (unsigned Bit = 0; Bit < 8; ++Bit) {
      auto Damaged = Block;
      Damaged[I] ^= static_cast<uint8_t>(1u << Bit);
      Accepted += Try(Damaged);
    }
  // Raw bits and numbers of the head can be anything.
  EXPECT_LT(Accepted, Block.size() * 8);
  // Another model, other contexts, other calls.
  std::vector<CallTime> Out;
  for (const TimeModel &Model : {TimeModel(), C.Models[Number]})
    for (size_t Size : {size_t(0), size_t(299), size_t(301), size_t(300)}) {
      std::vector<CallContext> Others(Size, {5, 5});
      ByteReader R(Block);
      decodeTimes(R, Model, Bounds, Others, Out);
    }
}
