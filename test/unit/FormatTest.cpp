// trace/file/Format.h, Format.cpp: what is written is read, and sample files stay readable. The samples in test/format
// are read by a second reader too (test/test_format.py). After a change of the format:
//
//   PILGRIM_UPDATE_SAMPLES=1 build/release/bin/TraceTest --gtest_filter='Format.*'
#include "test/fuzz/ReadEverything.h"
#include "test/unit/Samples.h"
#include "trace/read/RankCursor.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

using namespace pilgrim;
using namespace pilgrim::test;

using Bytes = std::vector<uint8_t>;

TEST(Format, ArraysThatFollowFromOthersAreNotWritten) {
  SectionBytes All = encodeSections(vectors()), Shifted = encodeSections(vectors(1));
  // Five ranks' displacements, but for the head of each list, a byte each and more.
  EXPECT_GT(Shifted.Tables.size(), All.Tables.size() + 4 * 5 * 5);
  for (int64_t Shift : {0, 1}) {
    auto T = Trace::fromBytes(writeTrace(vectors(Shift)));
    ASSERT_TRUE(T);
    for (uint32_t R = 0; R < 5; ++R) {
      CallCursor C = Trace::calls(T->view(R, 0));
      Call X;
      ASSERT_TRUE(C.next(X));
      auto Array = [&](size_t I) { return X.Slots[I].Words; };
      int64_t At = 0, ReceivedAt = 100;
      for (size_t I = 0; I < 5; ++I) {
        EXPECT_EQ(Array(0)[I], (R * 7 + int64_t(I) * 5) % 11);
        EXPECT_EQ(Array(1)[I], At + (R == 2 && I == 3 ? Shift : 0));
        EXPECT_EQ(Array(2)[I], (int64_t(I) * 7 + R * 5) % 11);
        EXPECT_EQ(Array(3)[I], ReceivedAt);
        At += Array(0)[I];
        ReceivedAt -= 8 * Array(2)[I];
      }
    }
    // Written again it is the same file.
    EXPECT_EQ(writeTrace(*readTrace(writeTrace(vectors(Shift)))), writeTrace(vectors(Shift)));
  }
}

static std::filesystem::path sampleFile(const Sample &S, const char *Suffix) {
  return std::filesystem::path(__FILE__).parent_path() / "../format" / (std::string(S.Name) + Suffix);
}

static Bytes contents(const std::filesystem::path &P) {
  std::ifstream In(P, std::ios::binary);
  EXPECT_TRUE(In) << P.filename();
  return Bytes(std::istreambuf_iterator<char>(In), {});
}

/// Threads and numbers of calls that follow each other: " 0*3 1*2".
/// Which of the rank's calls, counted in the order of turns, begin a turn alone.
static std::string aloneText(const Trace &T, uint32_t Rank) {
  std::string Out;
  uint64_t At = 0;
  for (TurnCursor C(T.data(), Rank); C.next(); At += C.Length.Calls)
    if (C.Length.BeginsAlone)
      Out += (Out.empty() ? "" : ", ") + std::to_string(At);
  return "[" + Out + "]";
}

static std::string turnText(const Trace &T, uint32_t Rank, const std::vector<uint32_t> &Threads) {
  std::string S;
  RankCursor Cursor(T, Rank, Threads);
  std::map<uint32_t, uint64_t> Seq;
  uint32_t Last = 0;
  uint64_t Length = 0;
  auto End = [&] { S += Length ? " " + std::to_string(Last) + "*" + std::to_string(Length) : ""; };
  for (Call C; Cursor.next(C); ++Length) {
    EXPECT_EQ(C.Seq, Seq[C.View->thread()]++);
    if (C.View->thread() == Last)
      continue;
    End();
    Last = C.View->thread();
    Length = 0;
  }
  End();
  EXPECT_EQ(Cursor.error(), "");
  return S;
}

static std::string binsText(const TimeHistogram &H) {
  std::string S;
  for (size_t I = 0; I < H.Counts.size(); ++I)
    S += " " + std::to_string(H.First + I) + ":" + std::to_string(H.Counts[I]);
  return S;
}

static std::string spreadText(const Spread &S) {
  std::string Squares; // in decimal digits
  for (UInt128 V = S.Squares; V || Squares.empty(); V /= 10)
    Squares.insert(Squares.begin(), static_cast<char>('0' + static_cast<int>(V % 10)));
  return std::to_string(S.Count) + " " + std::to_string(S.Sum) + " " + Squares + " " + std::to_string(S.Min) + "@" +
         std::to_string(S.MinRank) + " " + std::to_string(S.Max) + "@" + std::to_string(S.MaxRank) + binsText(S.Bins);
}

/// All times, as test/format/measures.py prints them.
static std::string timesText(const Trace &T) {
  std::string S;
  for (const Group &G : T.data().Groups) {
    if (!G.Timed)
      continue;
    const std::string Thread = "thread " + std::to_string(G.Thread);
    auto EventText = [](uint32_t Node, uint32_t Id) { return std::to_string(Node) + "." + std::to_string(Id); };
    auto Head = [&](const MeasuredPlace &P) {
      std::vector<SiteInfo> Site;
      for (uint32_t At = P.Site; At; At = Site.back().Caller) {
        const Variant &V = G.table(TableId::Sites)[At - 1][0];
        Site.push_back({G.string(V.Tokens[0]), V.Words[0].single().C, V.Tokens[1]});
      }
      return callHead(T.functions().at(P.Function).Name, P.Depth, Site);
    };
    for (uint32_t Node = 0; Node < G.Nodes.size(); ++Node) {
      for (const auto &[Id, E] : G.Nodes[Node].Events) {
        const std::string Where = Thread + " event " + EventText(Node, Id) + " ";
        std::set<std::string> Lines;
        for (const Measure &M : E.Measures) {
          S += Where + Head(M.Place) + " took " + spreadText(M.Duration) + "\n";
          if (!M.GapBins.Counts.empty())
            S += Where + "gaps" + binsText(M.GapBins) + "\n";
          for (const PathGap &P : M.Gaps) {
            const std::string After = P.Path.K == GapPath::Begin    ? "begin"
                                      : P.Path.K == GapPath::Others ? "others"
                                      : P.Path.K == GapPath::Event  ? EventText(P.Path.Node, P.Path.Which)
                                                                    : "call " + std::to_string(P.Path.Which);
            Lines.insert(Where + "after " + After + " " + spreadText(P.Gap) + "\n");
          }
          for (const std::string &L : std::exchange(Lines, {}))
            S += L;
        }
        for (const auto &[Place, P] : E.Places)
          Lines.insert(Where + "ranks " + Head(Place) + " in " + spreadText(P.Durations) + " before " +
                       spreadText(P.Gaps) + "\n");
        for (const std::string &L : Lines)
          S += L;
      }
      const NodeTimes &N = G.Nodes[Node].Times;
      S += Thread + " node " + std::to_string(Node) + " in " + spreadText(N.InMpi) + " outside " +
           spreadText(N.Outside) + "\n";
    }
  }
  return S;
}

/// The calls' own times, in the order in which they were entered.
static std::string ownTimesText(const Trace &T) {
  std::string S;
  T.data().Ranks.forEach([&](uint32_t Rank) {
    for (uint32_t Thread : T.threads(Rank)) {
      auto View = T.view(Rank, Thread);
      if (!View->times())
        continue;
      auto Nano = [](double Seconds) { return std::to_string(static_cast<int64_t>(std::floor(Seconds * 1e9 + 0.5))); };
      CallCursor Calls = Trace::timedCalls(View);
      for (Call C; Calls.next(C);)
        S += "rank " + std::to_string(Rank) + " thread " + std::to_string(Thread) + " at " + Nano(C.Start) + "+" +
             Nano(C.Duration) + "\n";
      EXPECT_EQ(Calls.error(), "");
    }
  });
  return S;
}

/// All calls of a trace, and their times.
static std::string listing(const Trace &T) {
  std::string S;
  T.data().Ranks.forEach([&](uint32_t Rank) {
    for (uint32_t Thread : T.threads(Rank)) {
      S += "rank " + std::to_string(Rank) + " thread " + std::to_string(Thread) + "\n";
      for (const std::string &Line : callLines(T, Rank, Thread))
        S += Line + "\n";
    }
    if (T.threads(Rank).size() > 1)
      S += "rank " + std::to_string(Rank) + " turns" + turnText(T, Rank, T.threads(Rank)) + " alone " +
           aloneText(T, Rank) + "\n";
  });
  return S + timesText(T) + ownTimesText(T);
}

/// These were written by TimesCodecTest, and are written by nothing here.
TEST(Format, SamplesOfTimesReadAsTheyAlwaysDid) {
  for (const char *Name : {"times", "times-exact", "times-cfg", "times-hist", "times-clocks"}) {
    const Sample S{Name, nullptr, 0};
    auto T = Trace::open(sampleFile(S, ".pilgrim").string());
    ASSERT_TRUE(T) << T.error().What;
    if (std::getenv("PILGRIM_UPDATE_SAMPLES"))
      std::ofstream(sampleFile(S, ".calls")) << listing(*T);
    Bytes Text = contents(sampleFile(S, ".calls"));
    EXPECT_EQ(listing(*T), std::string(Text.begin(), Text.end()));
  }
}

TEST(Format, SamplesReadAsTheyAlwaysDid) {
  for (const Sample &S : Samples) {
    SCOPED_TRACE(S.Name);
    if (std::getenv("PILGRIM_UPDATE_SAMPLES")) {
      Bytes New = writeTrace(S.Make(), {.Level = S.Level});
      std::ofstream(sampleFile(S, ".pilgrim"), std::ios::binary)
          .write(reinterpret_cast<const char *>(New.data()), static_cast<std::streamsize>(New.size()));
      auto T = Trace::fromBytes(New);
      ASSERT_TRUE(T) << T.error().What;
      std::ofstream(sampleFile(S, ".calls")) << listing(*T);
    }
    auto T = Trace::open(sampleFile(S, ".pilgrim").string());
    ASSERT_TRUE(T) << T.error().What;
    Bytes Text = contents(sampleFile(S, ".calls"));
    EXPECT_EQ(listing(*T), std::string(Text.begin(), Text.end()));
  }
}

TEST(Format, ThreadsTakeTurns) {
  Trace T = *Trace::fromBytes(writeTrace(turns()));
  // Ranks whose turns are the same share them.
  EXPECT_EQ(T.data().TurnThreads.size(), 2u);
  EXPECT_EQ(turnText(T, 0, {{0, 1, 2}}), " 0*1 1*2 2*3 0*1 1*2 2*3 0*1 1*2 2*3 0*9 1*6 2*9");
  EXPECT_EQ(turnText(T, 1, {{0, 1, 2}}), " 0*1 1*2 2*3 0*1 1*2 2*3 0*1 1*2 2*3 1*5 0*9 1*1 2*9");
  EXPECT_EQ(turnText(T, 1, {{0, 2}}), " 0*1 2*3 0*1 2*3 0*1 2*3 0*9 2*9");
  EXPECT_EQ(turnText(T, 1, {{2}}), " 2*18");
  EXPECT_EQ(turnText(T, 4, {{0}}), " 0*12");
  EXPECT_EQ(turnText(T, 5, {{0, 1}}), " 0*12 1*12");
}

TEST(Format, TurnsThatCannotBeAreDamage) {
  auto ErrorOf = [](void (*Change)(TraceData &)) {
    TraceData D = turns();
    Change(D);
    Trace T = *Trace::fromBytes(writeTrace(D));
    RankCursor Cursor(T, 0, T.threads(0));
    for (Call C; Cursor.next(C);)
      ;
    return Cursor.error();
  };
  auto One = [](int64_t V, uint64_t N) {
    IntStreamData S;
    S.Runs = {{V, 0, N}};
    S.Order.Rules = {{{0, false, 1}}};
    return RankedStreams{{RankSet(0), S}};
  };
  static auto Stream = One;
  EXPECT_EQ(ErrorOf([](TraceData &) {}), "");
  EXPECT_NE(ErrorOf([](TraceData &D) { D.TurnLengths.clear(); }), "");
  EXPECT_NE(ErrorOf([](TraceData &D) { D.TurnThreads = Stream(3, 9); }), "");
  EXPECT_NE(ErrorOf([](TraceData &D) { D.TurnThreads = Stream(0, 8); }), "");
  EXPECT_NE(ErrorOf([](TraceData &D) { D.TurnLengths = Stream(1, 9); }), "");
  EXPECT_NE(ErrorOf([](TraceData &D) { D.TurnLengths = Stream(-1, 9); }), "");
  EXPECT_NE(ErrorOf([](TraceData &D) { D.TurnLengths = Stream(10, 9); }), "");
}

/// Each rank as it was written by itself, which keeps what only another may need, and as part of All: the same calls,
/// and each time the same bytes. Calls F(const Trace &) for each.
template <typename MakeFn, typename Fn> static void expectRanks(const Trace &All, uint32_t Ranks, MakeFn Make, Fn &&F) {
  for (uint32_t R = 0; R < Ranks; ++R) {
    SCOPED_TRACE(R);
    TraceData One = Make(Ranks, R);
    deriveCandidates(One);
    chooseCandidates(One);
    auto T = Trace::fromBytes(writeTrace(One));
    ASSERT_TRUE(T) << T.error().What;
    const auto Lines = callLines(*T, R, 0), OfAll = callLines(All, R, 0);
    EXPECT_EQ(Lines.size(), OfAll.size());
    const auto [Own, Other] = std::ranges::mismatch(Lines, OfAll);
    EXPECT_EQ(Own == Lines.end() ? "" : *Own, Other == OfAll.end() ? "" : *Other);
    EXPECT_EQ(writeTrace(T->data()), writeTrace(One));
    F(*T);
  }
}

TEST(Format, StructureChangesNoCall) {
  Trace All = *Trace::fromBytes(writeTrace(nodes()));
  auto OfRank = [](uint32_t Ranks, uint32_t R) { return structuredRank(Ranks, R); };
  expectRanks(All, 7, OfRank, [](const Trace &T) {
    EXPECT_EQ(T.data().Regions[0].Function, 0x123456789abcdef0u);
    EXPECT_EQ(T.data().Regions[0].Events[2].Name, "nothing");
  });
  EXPECT_EQ(All.data().Regions[0].Events[2].K, Region::Unknown);
  // Iterations that differ share what does not, but in memory.
  EXPECT_EQ(writeTrace(All.data()), writeTrace(nodes()));
}

static void nothing(const Trace &) {}

TEST(Format, VisitsOfAllRanksTogether) {
  Trace All = *Trace::fromBytes(writeTrace(neighbours()));
  expectRanks(All, 12, [](uint32_t Ranks, uint32_t R) { return neighboursOfRank(Ranks, R); }, nothing);
  // Once each: not the visits of each rank.
  const SectionBytes Sections = encodeSections(neighbours());
  TraceData Apart = neighbours();
  Apart.Groups[0].Nodes[3].Events[1].UsualItems =
      Apart.Groups[0].Nodes[3].Events[1].PassesToChange = {{RankSet(0), {}}};
  EXPECT_LT(Sections.Calls.size() + 40, encodeSections(Apart).Calls.size());
}

TEST(Format, EqualStretchesAreOneNumber) {
  Trace All = *Trace::fromBytes(writeTrace(rounds()));
  expectRanks(All, 8, [](uint32_t Ranks, uint32_t R) { return neighboursOfRank(Ranks, R, true); }, nothing);
  EXPECT_EQ(writeTrace(All.data()), writeTrace(rounds()));
  // Twenty times five calls: how often is said once, and that they are five.
  EXPECT_LT(encodeSections(rounds()).Calls.size(), 40u);
}

TEST(Format, PathsOfAllRanksTogether) {
  Trace All = *Trace::fromBytes(writeTrace(paths()));
  expectRanks(All, 5, [](uint32_t Ranks, uint32_t R) { return pathsOfRank(Ranks, R); }, nothing);
  // One sequence, in which paths are by rank. Of a part of the ranks they stay apart, since more can come.
  auto Sequences = [](const Trace &T) { return T.data().Groups[0].Nodes[2].Paths.size(); };
  EXPECT_EQ(Sequences(All), 1u);
  EXPECT_EQ(writeTrace(All.data()), writeTrace(paths()));
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 4; ++R)
    Parts.push_back(pathsOfRank(5, R));
  EXPECT_EQ(Sequences(*Trace::fromBytes(writeTrace(join(std::move(Parts))))), 4u);
}

TEST(Format, RandomPathsOfRandomRanks) {
  for (uint32_t Round = 0; Round < 150; ++Round) {
    SCOPED_TRACE(Round);
    std::mt19937 Random(Round);
    const uint32_t Ranks = 1 + Random() % 20, Sorts = 1 + Random() % 4, Rare = 1 + Random() % 6;
    // Ranks of a sort do the same; each sort goes through the loop as often, or not.
    std::vector<uint32_t> Sort(Ranks), Steps(Sorts);
    for (uint32_t &S : Sort)
      S = Random() % Sorts;
    for (uint32_t &S : Steps)
      S = Round % 2 && &S != &Steps[0] ? Steps[0] : 1 + Random() % 30;
    auto OfRank = [&](uint32_t All, uint32_t R) {
      return pathsOfRank(All, R, Steps[Sort[R]], [&](uint32_t Step) {
        std::mt19937 Own(Round * 1000 + Step), Others(Sort[R]);
        const bool Differs = (Own() + Others()) % (2 * Rare) == 0;
        std::vector<uint32_t> Path;
        for (uint32_t Event = 1; Event <= 6; ++Event)
          if (Own() % 3 || Event == 1 + Others() % 6 * Differs)
            Path.push_back(Event);
        // A visit has a call inside it.
        if (Path.empty() || Path == std::vector<uint32_t>{4})
          Path = {1};
        return Path;
      });
    };
    TraceData Joined = joinRanks(Ranks, OfRank);
    auto All = Trace::fromBytes(writeTrace(Joined));
    ASSERT_TRUE(All) << All.error().What;
    expectRanks(*All, Ranks, OfRank, nothing);
  }
}

TEST(Format, SamplesAreWrittenAsTheyAlwaysWere) {
  // zstd's own output may change with its version, so only what is stored.
  for (const Sample &S : Samples)
    if (S.Level == 0) {
      EXPECT_EQ(writeTrace(S.Make(), {.Level = 0}), contents(sampleFile(S, ".pilgrim"))) << S.Name;
    }
}

TEST(Format, TheSampleInTheDocumentationIsTheTinyOne) {
  std::ifstream In(std::filesystem::path(__FILE__).parent_path() / "../../docs/format.md");
  ASSERT_TRUE(In);
  // Lines of the example: offset, two blanks, bytes, two blanks, what they are.
  Bytes Shown;
  for (std::string Line; std::getline(In, Line);) {
    if (Line.size() < 12 || Line.find_first_not_of(' ') != 4 || Line.find_first_not_of("0123456789abcdef", 4) != 8 ||
        Line.compare(8, 2, "  ") != 0)
      continue;
    EXPECT_EQ(std::stoul(Line.substr(4, 4), nullptr, 16), Shown.size()) << Line;
    std::istringstream Words(Line.substr(10, Line.find("  ", 10) - 10));
    for (std::string Word; Words >> Word;)
      Shown.push_back(static_cast<uint8_t>(std::stoul(Word, nullptr, 16)));
  }
  EXPECT_EQ(Shown, writeTrace(tiny(), {.Level = 0}));
}
