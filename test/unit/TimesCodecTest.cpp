// trace/file/EncodeTimes.cpp, DecodeTimes.cpp, TimesCodec.h, trace/read/TimesCursor.h: the times of all calls come
// back within their bounds, however ranks are merged.
#include "trace/file/TimesCodec.h"
#include "core/TimeLog.h"
#include "test/unit/MemoryStore.h"
#include "test/unit/Samples.h"
#include "trace/read/CallIndex.h"
#include "trace/read/RankCursor.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
using Store = MemoryStore;

struct True {
  uint64_t Start, End;
};

/// Gives each call of a rank's trace times, by going through it as a recorder would have.
std::vector<True> logTimes(TraceData &T, const TimeErrors &Errors, std::mt19937_64 &Random,
                           size_t BlockCalls = TimeCoding().blockCalls()) {
  const uint32_t Rank = T.Ranks.first();
  Group &G = T.Groups[0];
  measureCalls(G, 1024, 16);
  sumUpTimes(T, G, Rank);
  std::vector<True> Out;
  Store Chunks;
  TimeLog Log(Errors, Chunks, BlockCalls);
  uint32_t Before = TimeLog::NoPlace;
  uint64_t Clock = 1000000 + Rank;
  {
    auto Read = Trace::fromBytes(writeTrace(T, {.Level = 0}));
    EXPECT_TRUE(Read) << Read.error().What;
    auto View = Read->view(Rank, G.Thread);
    CallCursor Calls = Trace::calls(View);
    for (Call C; Calls.next(C);) {
      const ResolvedSignature &S = View->signatures()[C.Terminal];
      const auto Node = static_cast<uint32_t>(View->nodes()[S.Node].Data - View->group().Nodes.data());
      // Events are numbered by node and event here.
      const uint32_t Place = Log.place(Node << 16 | S.Event, {S.Function->Id, S.Site, S.Depth});
      const uint64_t Gap = Random() % (uint64_t(1) << Random() % 20), Took = Random() % (uint64_t(1) << Random() % 24);
      Out.push_back({Clock + Gap, Clock + Gap + Took});
      Log.add(Place, Log.path(Before, Place), Clock + Gap, Clock + Gap + Took);
      Clock += Gap + Took;
      Before = Place;
    }
    // The file numbers nodes as the group does if these stand in the order of activation.
    EXPECT_EQ(View->nodes().size(), G.Nodes.size());
  }
  auto Contexts = std::make_shared<TimeContexts>();
  CallTimes Times = Log.take(*Contexts);
  for (TimeContexts::Place &P : Contexts->Places) {
    P.Node = P.Event >> 16;
    P.Event &= 0xffff;
  }
  Times.Rank = Rank;
  Times.NanoPerTick = 0.5;
  Times.Origin = 1000000;
  Times.Contexts = std::move(Contexts);
  G.Times.push_back(std::move(Times));
  return Out;
}

void expectTimes(const Trace &T, uint32_t Rank, const std::vector<True> &Was, const TimeErrors &Errors,
                 const std::string &What) {
  auto View = T.view(Rank, 0);
  ASSERT_TRUE(View && View->times()) << What;
  EXPECT_EQ(*View->times()->Errors, Errors);
  CallCursor Calls = Trace::timedCalls(View);
  size_t I = 0;
  for (Call C; Calls.next(C); ++I) {
    ASSERT_LT(I, Was.size()) << What;
    ASSERT_EQ(C.Timed, Call::Time::Own);
    const auto Own = Errors.OfFunction.find(C.Function->Id);
    const TimeBound &Bound = Own == Errors.OfFunction.end() ? Errors.Duration : Own->second;
    const double Took = static_cast<double>(Was[I].End - Was[I].Start) * 0.5,
                 Start = static_cast<double>(Was[I].Start - 1000000) * 0.5;
    EXPECT_NEAR(C.Duration * 1e9, Took, Took * Bound.Relative / 1e6 + static_cast<double>(Bound.Absolute) * 0.5 + 0.01)
        << What << I;
    EXPECT_NEAR(C.Start * 1e9, Start, C.StartError * 1e9 + 0.01) << What << I;
    if (Errors == TimeErrors()) {
      EXPECT_LT(C.StartError, 1e-12);
    }
  }
  EXPECT_EQ(Calls.error(), "") << What;
  EXPECT_EQ(I, Was.size()) << What;
  // Readers that do not ask for times get means.
  Call C;
  CallCursor Means = Trace::calls(View);
  ASSERT_TRUE(Means.next(C));
  EXPECT_EQ(C.Timed, Call::Time::Mean);
}

const TimeErrors Bounds[] = {
    {},
    {{100000, 0}, {100000, 0}, {}, {}},
    {{0, 50}, {10000, 0}, {}, {}},
    {{100000, 0}, {100000, 0}, {{3, {0, 0}}, {1, {300000, 0}}}, {}},
    {{100000, 0}, {100000, 0}, {{3, {0, 0}}, {1, {300000, 0}}}, {TimeCodec::Hist, TimeCluster::Signature}},
    {{0, 50}, {10000, 0}, {}, {TimeCodec::Cfg, TimeCluster::None}},
    {{}, {}, {}, {TimeCodec::Zstd, TimeCluster::None}},
};
} // namespace

namespace {
using FramesOfRank = std::vector<std::vector<uint8_t>>;

/// What stays with the rank when the rest goes to others.
FramesOfRank takeFrames(TraceData &T) {
  FramesOfRank Out;
  for (TimesFrame &F : T.Groups[0].Times[0].Frames) {
    Out.push_back(F.Bytes.bytes());
    F.Bytes = F.Bytes.elsewhere();
  }
  return Out;
}

/// As others get it.
TraceData sent(const TraceData &T) {
  const TraceParts Parts = writeTraceInParts(T, {.Level = 0});
  if (!Parts.Chunks)
    return std::move(*readTrace(Parts.Head));
  const uint64_t Here = Parts.Chunks->here();
  FileBytes File(Parts.Head,
                 std::make_shared<PartlyElsewhere>(std::make_shared<ChunkMemory>(Parts.Chunks->read(0, Here)),
                                                   Parts.Chunks->size() - Here));
  return std::move(*readTrace(File));
}

/// The file, which each rank adds its frames to.
std::vector<uint8_t> fileOf(const TraceData &T, const std::vector<FramesOfRank> &Frames) {
  const TraceParts Parts = writeTraceInParts(T);
  std::vector<uint8_t> Out = Parts.Head;
  if (!Parts.Chunks)
    return Out;
  const auto Here = Parts.Chunks->read(0, Parts.Chunks->here());
  Out.insert(Out.end(), Here.begin(), Here.end());
  Out.resize(Parts.size());
  for (const CallTimes &X : T.Groups[0].Times)
    for (size_t I = 0; I < X.Frames.size(); ++I)
      if (const Chunk &C = X.Frames[I].Bytes; C.isElsewhere())
        std::ranges::copy(Frames[X.Rank][I], Out.begin() + static_cast<ptrdiff_t>(Parts.Head.size() + C.placed()));
  return Out;
}
} // namespace

TEST(TimesCodec, TimesOfAllRanksComeBackInAnyMerge) {
  for (unsigned Seed = 0; Seed < 24 && !HasFailure(); ++Seed) {
    std::mt19937_64 Random(Seed);
    const TimeErrors &General = Bounds[Seed % std::size(Bounds)];
    const uint32_t Ranks = 2 + Seed % 5;
    std::vector<TraceData> Parts;
    std::vector<std::vector<True>> Was;
    std::vector<TimeErrors> Errors;
    for (uint32_t R = 0; R < Ranks; ++R) {
      Parts.push_back(Seed % 2 ? structuredRank(Ranks, R) : pathsOfRank(Ranks, R));
      // Ranks may have found another length of a tick.
      Errors.push_back(General);
      if (General.Duration.Absolute)
        Errors.back().Duration.Absolute += R % 3;
      Was.push_back(logTimes(Parts.back(), Errors[R], Random));
      auto Own = Trace::fromBytes(writeTrace(Parts.back(), {.Level = 0}));
      ASSERT_TRUE(Own) << Own.error().What;
      expectTimes(*Own, R, Was.back(), Errors[R], "own trace of rank " + std::to_string(R) + " call ");
    }
    std::vector<FramesOfRank> Frames(Ranks);
    for (uint32_t R = 0; R < Ranks; ++R) {
      deriveCandidates(Parts[R]);
      if (Seed % 3 == 0 && R != 1)
        Frames[R] = takeFrames(Parts[R]);
    }
    while (Parts.size() > 1) {
      std::swap(Parts[Random() % Parts.size()], Parts.back());
      TraceData From = std::move(Parts.back());
      Parts.pop_back();
      if (Random() % 2)
        From = sent(From);
      merge(Parts[Random() % Parts.size()], std::move(From));
    }
    chooseCandidates(Parts[0]);
    prune(Parts[0]);
    auto All = Trace::fromBytes(fileOf(Parts[0], Frames));
    ASSERT_TRUE(All) << All.error().What;
    for (uint32_t R = 0; R < Ranks; ++R)
      expectTimes(*All, R, Was[R], Errors[R], "seed " + std::to_string(Seed) + " rank " + std::to_string(R) + " call ");
    // Ranks that come the same ways share what says so.
    if (!(Seed % 2)) {
      const auto &Times = All->data().Groups[0].Times;
      EXPECT_EQ(Times.size(), Ranks);
    }
  }
}

namespace {
struct Line {
  uint64_t Seq;
  double Start, Duration, StartError;
  uint32_t Depth;
  bool operator==(const Line &) const = default;
};
} // namespace

static std::vector<Line> linesOf(CallCursor Calls) {
  std::vector<Line> Out;
  for (Call C; Calls.next(C);) {
    EXPECT_EQ(C.Timed, Call::Time::Own);
    Out.push_back({C.Seq, C.Start, C.Duration, C.StartError, C.Depth});
  }
  EXPECT_EQ(Calls.error(), "");
  return Out;
}

TEST(TimesCodec, CallsInTheMiddleHaveTheirTimes) {
  std::mt19937_64 Random(5);
  for (unsigned Round = 1; Round < 18 && !HasFailure(); ++Round) {
    const bool IsOurs = Round < 12;
    const unsigned Block = IsOurs ? Round : Round - 11;
    const TimeErrors &Errors = Bounds[IsOurs ? Block % 4 : 4 + Block % 3];
    ASSERT_EQ(Errors.Coding == TimeCoding(), IsOurs);
    TraceData D = Block % 2 ? structuredRank(3, 1) : pathsOfRank(3, 1);
    logTimes(D, Errors, Random, Block);
    auto T = Trace::fromBytes(writeTrace(D));
    ASSERT_TRUE(T) << T.error().What;
    auto View = T->view(1, 0);
    const std::vector<Line> All = linesOf(Trace::timedCalls(View));
    ASSERT_GT(All.size(), 8u);
    const CallIndex Index(View, true);
    for (size_t I = 0; I < All.size(); ++I) {
      std::vector<Line> Found = linesOf(Index.fromCall(All[I].Seq));
      ASSERT_TRUE(std::ranges::equal(std::span(All).subspan(I), Found)) << "from call " << I << ", block " << Block;
      Found = linesOf(Index.fromTime(All[I].Start - All[I].StartError));
      ASSERT_GE(Found.size(), All.size() - I);
      if (IsOurs) { // others may be off by more than a block
        ASSERT_LE(Found.size(), All.size() - I + Block + 8) << "from time of call " << I; // a block, calls of callbacks
      }
      ASSERT_TRUE(std::ranges::equal(std::span(All).last(Found.size()), Found)) << "from time of call " << I;
      const uint64_t Over = Index.over(All[I].Start);
      for (size_t J = 0; J < All.size(); ++J) {
        const double End = All[J].Start + All[J].Duration;
        ASSERT_TRUE(J >= All.size() - Found.size() || End < All[I].Start - All[I].StartError) << I << " misses " << J;
        ASSERT_TRUE(All[J].Seq < Over || All[J].Depth || All[J].Start >= All[I].Start) << I << " is over at " << J;
      }
    }
  }
}

/// For the second reader. Several ranks, blocks, frames, bounds; calls of callbacks and other items.
static TraceData sample(const TimeErrors &Errors) {
  std::mt19937_64 Random(11);
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 4; ++R) {
    Parts.push_back(R % 2 ? structuredRank(4, R) : pathsOfRank(4, R));
    logTimes(Parts.back(), Errors, Random, 5 + R);
    Parts.back().Groups[0].Times[0].Clock = R > 1; // 0: not known
    Parts.back().Groups[0].Times[0].Origin -= 100 * R;
  }
  for (TraceData &T : Parts)
    deriveCandidates(T);
  while (Parts.size() > 1) {
    merge(Parts[Parts.size() - 2], std::move(Parts.back()));
    Parts.pop_back();
  }
  chooseCandidates(Parts[0]);
  return std::move(Parts[0]);
}

TEST(TimesCodec, SamplesAreAsTheyAlwaysWere) {
  const TimeErrors Some{{100000, 0}, {50000, 0}, {{3, {0, 50}}, {1, {2000, 0}}}, {}};
  auto As = [&](TimeCoding Coding) {
    TimeErrors Out = Some;
    Out.Coding = Coding;
    return Out;
  };
  const std::pair<const char *, TimeErrors> All[] = {{"times", Some},
                                                     {"times-exact", {}},
                                                     {"times-cfg", As({TimeCodec::Cfg, TimeCluster::None})},
                                                     {"times-hist", As({TimeCodec::Hist, TimeCluster::Path})}};
  auto Check = [](const char *Name, const TraceData &T) {
    const auto File = std::filesystem::path(__FILE__).parent_path() / "../format" / (std::string(Name) + ".pilgrim");
    const std::vector<uint8_t> New = writeTrace(T, {.Level = 0});
    if (std::getenv("PILGRIM_UPDATE_SAMPLES"))
      std::ofstream(File, std::ios::binary)
          .write(reinterpret_cast<const char *>(New.data()), static_cast<std::streamsize>(New.size()));
    std::ifstream In(File, std::ios::binary);
    EXPECT_EQ(std::vector<uint8_t>(std::istreambuf_iterator<char>(In), {}), New) << File;
    auto Read = Trace::fromBytes(New);
    ASSERT_TRUE(Read) << Read.error().What;
    EXPECT_EQ(Read->data().Clocks, T.Clocks);
  };
  for (const auto &[Name, Errors] : All)
    Check(Name, sample(Errors));
  // Two clocks, the second of which was compared with the first one, and was late and slow then. Of a third one, which
  // was compared with the second, there is no rank.
  TraceData T = sample(Some);
  for (CallTimes &X : T.Groups[0].Times)
    X.Clock = 10 + X.Rank / 2;
  T.Clocks[11] = {10, {{999000, 1002000, 20}, {1999000, 2002500, 10}}};
  T.Clocks[12] = {11, {{5, 6, 7}}};
  Check("times-clocks", T);
}

TEST(TimesCodec, DamageIsNoticedOrGivesOtherTimes) {
  std::mt19937_64 Random(1);
  TraceData T = structuredRank(3, 1);
  logTimes(T, Bounds[1], Random);
  const SectionBytes Good = encodeSections(T);
  ASSERT_FALSE(Good.Times.empty());
  unsigned Refused = 0, Late = 0;
  for (size_t I = 0; I < Good.Times.size(); ++I)
    for (unsigned Change : {1u, 0x80u, 0xffu}) {
      SectionBytes S = Good;
      S.Times[I] ^= static_cast<uint8_t>(Change);
      auto Read = decodeSections(S);
      if (!Read) {
        ++Refused;
        EXPECT_NE(Read.error().What.find("section times"), std::string::npos) << Read.error().What;
        continue;
      }
      auto All = Trace::fromBytes(writeTrace(*Read, {.Level = 0}));
      if (!All)
        continue;
      for (uint32_t R : {0u, 1u, 2u})
        if (auto View = All->view(R, 0); View && View->times()) {
          CallCursor Calls = Trace::timedCalls(View);
          for (Call C; Calls.next(C);)
            ;
          Late += !Calls.error().empty();
          // What does not need times does not mind.
          CallCursor Others = Trace::calls(View);
          for (Call C; Others.next(C);)
            ;
          EXPECT_EQ(Others.error(), "");
        }
    }
  EXPECT_GT(Refused, 0u);
  EXPECT_GT(Late, 0u);
  for (size_t Size = 0; Size < Good.Times.size(); ++Size) {
    SectionBytes S = Good;
    S.Times.resize(Size);
    EXPECT_EQ(decodeSections(S).has_value(), Size == 0) << Size; // without bytes there is no section
  }
}
