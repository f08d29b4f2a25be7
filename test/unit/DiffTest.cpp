// What pilgrim diff says of groups of ranks: the same as it says rank by rank, in few lines.
#include "driver/DiffCalls.h"
#include "driver/Input.h"
#include "test/unit/DriverFixture.h"
#include "test/unit/Samples.h"
#include "trace/read/RankClasses.h"

#include <gtest/gtest.h>

#include <regex>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {

std::optional<Trace> openedIfSound(const TraceData &T) {
  auto Bytes = writeTrace(T);
  auto Read = Trace::fromBytes(Bytes);
  if (!Read || !findInconsistency(*Read).empty())
    return std::nullopt;
  return std::move(*Read);
}

struct Answer {
  int Code;
  std::vector<std::string> Lines;
};

template <typename Fn> Answer answer(Fn &&Diff, const Trace &A, const Trace &B) {
  const DiffInput InA{"a", A}, InB{"b", B};
  testing::internal::CaptureStdout();
  Answer Out{Diff(InA, InB), {}};
  std::istringstream Text(testing::internal::GetCapturedStdout());
  for (std::string Line; std::getline(Text, Line);)
    Out.Lines.push_back(Line);
  return Out;
}

std::vector<std::string> groups(const Trace &A, const Trace &B) {
  Answer Out = answer(diffByGroup, A, B);
  EXPECT_EQ(Out.Code, Out.Lines.empty() ? 0 : 1);
  return Out.Lines;
}
std::vector<std::string> groups(const TraceData &A, const TraceData &B) { return groups(opened(A), opened(B)); }

/// By rank and thread: the number of the call ("" if the other trace has none) and what differs.
using Differences = std::map<std::pair<uint32_t, uint32_t>, std::pair<std::string, std::string>>;

Differences byRank(const Trace &A, const Trace &B) {
  static const std::regex Head(R"(rank (\d+) thread (\d+)(?: call (\d+))?: ([^(]*[^( ]).*)");
  Differences Out;
  const Answer Said = answer(diffByRank, A, B);
  for (const std::string &Line : Said.Lines)
    if (std::smatch M; std::regex_match(Line, M, Head))
      Out[{std::stoul(M[1]), std::stoul(M[2])}] = {M[3], M[4]};
  EXPECT_EQ(Said.Code, Out.empty() ? 0 : 1);
  return Out;
}

/// The lines name the ranks that differ, each once, and what differs there.
void expectAgreement(const Trace &A, const Trace &B, const std::string &Where) {
  static const std::regex Form(R"(ranks? ([0-9,-]+)(?: thread (\d+))?(?:, as on rank (\d+))?: (.*))"),
      Plain(R"(call (\d+): ([^(:]*[^(: ]) differs?[ :].*)"),
      Loop(R"(.* runs (\d+) times?, not (\d+)(?: \(call (\d+)\))?)");
  const Differences Each = byRank(A, B);
  Differences Named;
  for (const std::string &Line : groups(A, B)) {
    std::smatch M, In;
    ASSERT_TRUE(std::regex_match(Line, M, Form)) << Line;
    RankSet Ranks;
    ASSERT_TRUE(parseRanks(M[1], Ranks)) << Line;
    const uint32_t Thread = M[2].matched ? static_cast<uint32_t>(std::stoul(M[2])) : 0;
    const std::string Text = M[4];
    Ranks.forEach([&](uint32_t R) {
      const auto It = Each.find({R, Thread});
      ASSERT_NE(It, Each.end()) << Where << ": " << Line << " but nothing on rank " << R;
      EXPECT_TRUE(Named.emplace(*It).second) << Where << ": twice: " << R;
      if (std::regex_match(Text, In, Plain)) {
        EXPECT_EQ(It->second.second, In[2].str()) << Where << ": " << Line << " of rank " << R;
        EXPECT_TRUE(It->second.first == In[1] || M[3].matched) << Where << ": " << Line << " of rank " << R;
      } else if (std::regex_match(Text, In, Loop)) {
        EXPECT_NE(In[1], In[2]) << Where << ": " << Line;
      }
    });
    // The call that is shown is the first rank's.
    static const std::regex Number(R"((?:^|\()call (\d+))");
    if (std::regex_search(Text, In, Number)) {
      EXPECT_EQ(Each.at({Ranks.first(), Thread}).first, In[1].str()) << Where << ": " << Line;
    }
  }
  EXPECT_EQ(Named, Each) << Where;
}

/// The trace of one rank as that of many.
TraceData spread(TraceData T, uint32_t World) {
  const RankSet All = RankSet::below(World);
  std::vector<int64_t> Own(World);
  for (uint32_t R = 0; R < World; ++R)
    Own[R] = R;
  T.World = World;
  T.Ranks = All;
  for (Group &G : T.Groups) {
    for (Table &Tab : G.Tables)
      for (Entry &E : Tab)
        E.own()[0].Ranks = All;
    for (Entry &E : G.table(TableId::Objects))
      if (static_cast<Kind>(E[0].Tokens[0]) != Kind::Datatype)
        E.own()[0].Words.own()[1] = RankFn::ofValues(Own, All);
    for (NodeData &N : G.Nodes) {
      N.Ranks = All;
      for (auto *L : {&N.Paths})
        for (RankedItems &X : *L)
          X.Ranks = All;
      for (RankedStream &S : N.Visits)
        S.Ranks = All;
      for (auto &[Id, E] : N.Events) {
        for (RankedItems &X : E.Items)
          X.Ranks = All;
        for (RankedStreams *L : {&E.PassesToChange, &E.UsualItems})
          for (RankedStream &S : *L)
            S.Ranks = All;
        for (auto &[Key, L] : E.Streams)
          for (RankedStream &S : L)
            S.Ranks = All;
      }
    }
  }
  return T;
}

/// V everywhere but on one rank.
RankFn butOne(uint32_t World, int64_t V, uint32_t Rank, int64_t Other) {
  std::vector<int64_t> Values(World, V);
  Values[Rank] = Other;
  return RankFn::ofValues(Values, RankSet::below(World));
}

FixtureCall send(int64_t Count, int64_t Comm = 2) {
  return {"MPI_Send", {ok(), heap(0, 0), word(Count), intType(), word(1), word(0), comm(Comm, 0, 4096)}};
}
FixtureCall named(const char *Function) { return {Function, {ok()}}; }

constexpr uint32_t Many = 4096, One = 77;

TraceData sends() {
  RankTrace R(Many, 0);
  for (int64_t I = 0; I < 20; ++I)
    R.add(send(10)).add(send(11));
  return spread(R.add(named("MPI_Finalize")).take(), Many);
}

TEST(Diff, seesTheOneRankOfManyThatDiffers) {
  const TraceData A = sends();
  EXPECT_EQ(groups(A, A), std::vector<std::string>());
  TraceData B = A;
  // The words of MPI_Send: return code, segment, offset, count...
  Variant &V = B.Groups[0].table(TableId::Signatures)[0].own()[0];
  V.Words.own()[3] = butOne(Many, 10, One, 12);
  const auto Lines = groups(A, B);
  ASSERT_EQ(Lines.size(), 1u);
  EXPECT_TRUE(Lines[0].starts_with("rank 77: call 0: count differs: MPI_Send(buf=seg0+0, count=12, ")) << Lines[0];
  EXPECT_NE(Lines[0].find(", not MPI_Send(buf=seg0+0, count=10, "), std::string::npos) << Lines[0];
  // In both traces it is no difference.
  EXPECT_EQ(groups(B, B), std::vector<std::string>());
  // Nor is another number of the block that is there, but one that is another block's there.
  B = A;
  for (Entry &E : B.Groups[0].table(TableId::Signatures))
    if (E[0].Words.size() > 1)
      E.own()[0].Words.own()[1] = butOne(Many, 0, One, 5);
  EXPECT_EQ(groups(A, B), std::vector<std::string>());
  B.Groups[0].table(TableId::Signatures)[1].own()[0].Words.own()[1] = RankFn(0);
  const auto Other = groups(A, B);
  ASSERT_EQ(Other.size(), 1u);
  EXPECT_TRUE(Other[0].starts_with("rank 77: call 1: buf differs (A's seg0 was B's seg5 before): ")) << Other[0];
}

TEST(Diff, seesEachWordOfACommunicatorOnEachRank) {
  const TraceData A = sends();
  const int64_t Usual[] = {2, 0, 4096, 0, -1};
  for (unsigned W = 1; W < 5; ++W) {
    TraceData B = A;
    for (Entry &E : B.Groups[0].table(TableId::Objects))
      if (static_cast<Kind>(E[0].Tokens[0]) == Kind::Comm) {
        std::vector<int64_t> Values;
        for (uint32_t R = 0; R < Many; ++R)
          Values.push_back((W == 1 ? R : Usual[W]) + (R == One));
        E.own()[0].Words.own()[W] = RankFn::ofValues(Values, RankSet::below(Many));
      }
    const auto Lines = groups(A, B);
    ASSERT_EQ(Lines.size(), 1u) << W;
    // What B has stands first.
    const char *const Said[] = {"size 4096, rank 78, not size 4096, rank 77",
                                "size 4097, rank 77, not size 4096, rank 77", "smallest rank 1, not 0",
                                "remote size 0, not -1"};
    EXPECT_TRUE(Lines[0].starts_with(std::string("rank 77: call 0: comm differs (") + Said[W - 1] + "): ")) << Lines[0];
  }
}

TEST(Diff, comparesPlacesOfTheStackWithinACall) {
  RankTrace R(Many, 0);
  R.add({"MPI_Allreduce", {ok(), stack(0), stack(8), word(1), intType(), word(-4), comm(2, 0, Many)}});
  const TraceData A = spread(R.take(), Many);
  TraceData B = A;
  Variant &V = B.Groups[0].table(TableId::Signatures)[0].own()[0];
  V.Words.own()[2] = butOne(Many, 8, One, 16);
  EXPECT_EQ(groups(A, B), std::vector<std::string>());
  V.Words.own()[2] = butOne(Many, 8, One, 0);
  const auto Lines = groups(A, B);
  ASSERT_EQ(Lines.size(), 1u);
  EXPECT_TRUE(Lines[0].starts_with("rank 77: call 0: recvbuf differs (stands for another place")) << Lines[0];
}

TEST(Diff, seesThatARankHasNoObject) {
  auto Waits = [](int64_t Second) {
    RankTrace R(Many, 0);
    for (int64_t Request : {int64_t(3), Second})
      R.add({"MPI_Waitall", {ok(), word(1), array({Request}), name("MPI_STATUSES_IGNORE"), absent()}, Request});
    TraceData T = spread(R.take(), Many);
    T.Groups[0].table(TableId::Signatures)[0].own()[0].Words.own()[2] = butOne(Many, 3, One, -1);
    return T;
  };
  // The rank that has none waits for one request only, which may have any name.
  TraceData A = Waits(5), B = Waits(5);
  B.Groups[0].table(TableId::Signatures)[0].own()[0].Words.own()[2] = butOne(Many, 5, One, -1);
  const auto Lines = groups(A, B);
  ASSERT_EQ(Lines.size(), 1u);
  EXPECT_TRUE(Lines[0].starts_with("ranks 0-76,78-4095: call 1: array_of_requests differs (")) << Lines[0];
}

TEST(Diff, comparesNamesInStreamsWithThoseInCalls) {
  auto Run = [](int64_t Request, int64_t OtherWaited) {
    RankTrace R(Many, 0);
    R.add({"MPI_Isend",
           {ok(), heap(0, 0), word(1), intType(), word(1), word(0), comm(2, 0, Many), word(Request).stream()}});
    R.add({"MPI_Waitall", {ok(), word(1), array({Request}), name("MPI_STATUSES_IGNORE"), absent()}});
    TraceData T = spread(R.take(), Many);
    T.Groups[0].table(TableId::Signatures)[1].own()[0].Words.own()[2] = butOne(Many, Request, One, OtherWaited);
    return T;
  };
  EXPECT_EQ(groups(Run(3, 3), Run(5, 5)), std::vector<std::string>());
  EXPECT_EQ(groups(Run(3, 9), Run(5, 9)), std::vector<std::string>());
  const auto Lines = groups(Run(3, 9), Run(5, 5));
  ASSERT_EQ(Lines.size(), 1u);
  EXPECT_TRUE(Lines[0].starts_with("rank 77: call 1: array_of_requests differs (")) << Lines[0];
}

TEST(Diff, saysThatValuesAreThoseOfOneRank) {
  const TraceData A = sends();
  TraceData B = A;
  std::vector<int64_t> Values;
  for (uint32_t R = 0; R < Many; ++R)
    Values.push_back(R < 8 ? 10 : R);
  B.Groups[0].table(TableId::Signatures)[0].own()[0].Words.own()[3] = RankFn::ofValues(Values, RankSet::below(Many));
  const auto Lines = groups(A, B);
  ASSERT_EQ(Lines.size(), 1u);
  // Rank 10's value is the old one.
  EXPECT_TRUE(Lines[0].starts_with("ranks 8-9,11-4095, as on rank 8: call 0: count differs: ")) << Lines[0];
}

TraceData loop(int64_t Times, int64_t Inner, bool Ends = true) {
  RankTrace R(Many, 0);
  R.add(named("MPI_Init"));
  for (int64_t I = 0; I < Times; ++I) {
    for (int64_t J = 0; J < Inner; ++J)
      R.add(send(1));
    R.add({"MPI_Allreduce", {ok(), stack(0), stack(8), word(1), intType(), word(-4), comm(2, 0, Many)}, 0x20});
  }
  if (Ends)
    R.add(named("MPI_Finalize"));
  return spread(R.take(), Many);
}

TEST(Diff, countsLoopsOfASequence) {
  using L = std::vector<std::string>;
  const TraceData A = loop(42, 3);
  EXPECT_EQ(groups(A, loop(40, 3)),
            L{"ranks 0-4095: the loop of 4 calls from MPI_Send runs 40 times, not 42 (call 161)"});
  EXPECT_EQ(groups(loop(40, 3), A),
            L{"ranks 0-4095: the loop of 4 calls from MPI_Send runs 42 times, not 40 (call 161)"});
  // The inner loop, and where the program ends behind it.
  EXPECT_EQ(groups(A, loop(42, 5)), L{"ranks 0-4095: the loop of 1 call from MPI_Send runs 5 times, not 3 (call 4)"});
  EXPECT_EQ(groups(loop(3, 2, false), loop(4, 2, false)),
            L{"ranks 0-4095: the loop of 3 calls from MPI_Send runs 4 times, not 3 (call 10)"});
  // No loop goes on where the calls are others.
  auto Lines = groups(loop(3, 2), loop(3, 2, false));
  ASSERT_EQ(Lines.size(), 1u);
  EXPECT_TRUE(Lines[0].starts_with("ranks 0-4095: call 10: only in a: MPI_Finalize(")) << Lines[0];
  // Once is no loop.
  Lines = groups(A, loop(1, 3));
  ASSERT_EQ(Lines.size(), 1u);
  EXPECT_TRUE(Lines[0].starts_with("ranks 0-4095: call 5: function differs: MPI_Finalize(")) << Lines[0];
}

/// Calls of one rank: a letter is a function, a digit behind it another site.
TraceData sequence(const std::string &Letters) {
  RankTrace R(1, 0);
  for (size_t I = 0; I < Letters.size(); ++I) {
    const char L = Letters[I];
    const int64_t Site = I + 1 < Letters.size() && Letters[I + 1] <= '9' ? Letters[++I] : L;
    if (L == 'S')
      R.add({"MPI_Send", {ok(), heap(0, 0), word(1), intType(), word(1), word(0), world(0, 1)}, Site});
    else if (L == 'R')
      R.add({"MPI_Allreduce", {ok(), stack(0), stack(8), word(1), intType(), word(-4), world(0, 1)}, Site});
    else
      R.add({L == 'F' ? "MPI_Finalize" : "MPI_Init", {ok()}, Site});
  }
  return R.take();
}

TEST(Diff, saysThatACallIsInsteadOfAnotherOrInOneTraceOnly) {
  auto Begin = [](const std::string &A, const std::string &B) {
    const auto Lines = groups(sequence(A), sequence(B));
    const std::string Line = Lines.size() == 1 ? Lines[0] : "several";
    return Line.substr(0, Line.find('('));
  };
  // A branch that is taken otherwise once makes no loop, neither where calls stand side by side then ...
  EXPECT_EQ(Begin("SRSRSRSRF", "SRSRRRSRF"), "rank 0: call 4: function differs: MPI_Allreduce");
  EXPECT_EQ(Begin("SRSRSRSRF", "RRSRSRSRF"), "rank 0: call 0: function differs: MPI_Allreduce");
  // ... nor where they do already, nor where what stands around it is there twice.
  EXPECT_EQ(Begin("SSRSSRSSRF", "SSRSSSSSRF"), "rank 0: call 5: function differs: MPI_Send");
  EXPECT_EQ(Begin("IISIIRIISIIRF", "IISIIRIISIISF"), "rank 0: call 11: function differs: MPI_Send");
  // One more call of a loop that is unrolled in one of the traces.
  EXPECT_EQ(Begin("S1S2S3S4S1S2S3S4RF", "SSSSSSSSSRF"), "rank 0: call 8: only in b: MPI_Send");
  EXPECT_EQ(Begin("SSSSSSSSSRF", "S1S2S3S4S1S2S3S4RF"), "rank 0: call 8: only in a: MPI_Send");
  // One more call, in the middle and in each iteration.
  EXPECT_EQ(Begin("ISIRF", "ISRIRF"), "rank 0: call 2: only in b: MPI_Allreduce");
  EXPECT_EQ(Begin("ISRISRISRF", "ISISISF"), "rank 0: call 2: only in a: MPI_Allreduce");
  EXPECT_EQ(Begin("SRF", "SRRF"), "rank 0: call 2: only in b: MPI_Allreduce");
  // A loop in a loop, with two calls in each iteration and seven.
  EXPECT_EQ(Begin("SSRSSRSSRF", "SSRSSSSSSSRSSRF"),
            "rank 0: the loop of 1 call from MPI_Send at app+0x53 runs 7 times, not 2 ");
  EXPECT_EQ(Begin("ISSRISSRISSRF", "ISSSRISSSRISSSRF"),
            "rank 0: the loop of 1 call from MPI_Send at app+0x53 runs 3 times, not 2 ");
}

TEST(Diff, doesNotCountIterationsThatDoMore) {
  // Every fifth iteration, and the last one.
  auto Solver = [](int64_t Times) {
    RankTrace R(1, 0);
    for (int64_t I = 1; I <= Times; ++I) {
      for (int64_t J = 0; J < 3; ++J)
        R.add({"MPI_Send", {ok(), heap(0, 0), word(J), intType(), word(1), word(0), world(0, 1)}, 0x10 + J});
      if (I % 5 == 0 || I == Times)
        R.add({"MPI_Bcast", {ok(), heap(0, 0), word(1), intType(), word(0), world(0, 1)}, 0x20});
    }
    return R.add(named("MPI_Finalize")).take();
  };
  EXPECT_EQ(groups(Solver(20), Solver(21)),
            std::vector<std::string>{
                "rank 0: the loop of about 4 calls from MPI_Send at app+0x10 runs 1 time more (call 64)"});
}

TEST(Diff, countsLoopsOfTheStructure) {
  auto Run = [](uint32_t World, int64_t Times, uint32_t Other, int64_t OtherTimes) {
    std::vector<TraceData> Parts;
    for (uint32_t R = 0; R < World; ++R)
      Parts.push_back(structuredRank(World, R, R == Other ? OtherTimes : Times));
    return join(std::move(Parts));
  };
  using L = std::vector<std::string>;
  const TraceData A = Run(9, 42, 4, 42);
  EXPECT_EQ(groups(A, A), L());
  EXPECT_EQ(groups(A, Run(9, 40, 4, 40)), L{"ranks 0-8: the loop at main.c:13 runs 40 times, not 42"});
  EXPECT_EQ(groups(Run(9, 40, 4, 40), A), L{"ranks 0-8: the loop at main.c:13 runs 42 times, not 40"});
  EXPECT_EQ(groups(A, Run(9, 42, 4, 43)), L{"rank 4: the loop at main.c:13 runs 43 times, not 42"});
  EXPECT_EQ(groups(A, Run(9, 42, 8, 2)), L{"rank 8: the loop at main.c:13 runs 2 times, not 42"});
  EXPECT_EQ(groups(Run(9, 40, 4, 41), A), (L{"ranks 0-3,5-8: the loop at main.c:13 runs 42 times, not 40",
                                             "rank 4: the loop at main.c:13 runs 42 times, not 41"}));
}

TEST(Diff, namesRanksAndThreadsThatOneTraceHas) {
  auto Run = [](uint32_t Ranks, uint32_t Threads) {
    std::vector<TraceData> Parts;
    for (uint32_t R = 0; R < Ranks; ++R)
      for (uint32_t T = 0; T < Threads; ++T) {
        RankTrace X(4, R, 2 * T);
        TraceData D = X.add(named("MPI_Finalize")).take();
        if (T)
          Parts.back().Groups.push_back(D.Groups[0]);
        else
          Parts.push_back(std::move(D));
      }
    return join(std::move(Parts));
  };
  EXPECT_EQ(groups(Run(4, 1), Run(2, 1)), std::vector<std::string>{"ranks 2-3: only in a"});
  EXPECT_EQ(groups(Run(4, 1), Run(4, 2)), std::vector<std::string>{"ranks 0-3 thread 2: only in b"});
}

/// A rank's trace with something else in it. Which: 0 to 6.
void change(TraceData &T, unsigned Which, uint64_t Random, int64_t By) {
  Group &G = T.Groups[Random % T.Groups.size()];
  auto Pick = [&](auto &L) -> auto & { return L[Random / 7 % L.size()]; };
  auto Add = [&](RankFn &F) {
    F = RankFn(static_cast<int64_t>(static_cast<uint64_t>(F.single().C) + static_cast<uint64_t>(By)));
  };
  EventData &E = G.Nodes[0].Events[0];
  Table &Signatures = G.table(TableId::Signatures), &Objects = G.table(TableId::Objects);
  switch (Which) {
  case 0: // a word
    if (Variant &V = Pick(Signatures).own()[0]; !V.Words.empty())
      Add(Pick(V.Words.own()));
    return;
  case 1:
    if (!Objects.empty())
      Add(Pick(Pick(Objects).own()[0].Words.own()));
    return;
  case 2: // all names
    for (Entry &Entry : Signatures) {
      SlotWalker Walk(Entry[0].Tokens);
      const FunctionSchema &F = T.Functions.at(Entry[0].Tokens[0]);
      uint32_t I = 0;
      for (SlotView S; Walk.next(S); ++I) {
        const bool IsHandle = isHandle(F.Slots[I].K) && (S.T == Tag::Word || S.T == Tag::Array);
        const bool IsName = S.T == Tag::Heap || S.T == Tag::Map || S.T == Tag::Stack || S.T == Tag::Data;
        for (size_t W = 0; W < (IsHandle ? S.Words : IsName ? 1 : 0); ++W)
          if (RankFn &X = Entry.own()[0].Words.own()[S.FirstWord + W]; IsName || X.single().C >= 0)
            Add(X);
      }
    }
    for (Entry &Entry : Objects)
      Add(Entry.own()[0].Words.own()[0]);
    return;
  case 3: { // a call's place
    auto &Items = E.Items[0].Items;
    std::swap(Pick(Items), Items[0]);
    return;
  }
  case 4: // how often something is repeated
    ++Pick(Pick(E.Items[0].Order.Rules)).Count;
    return;
  case 5: // a stream
    if (!E.Streams.empty()) {
      auto &[Key, L] = *std::next(E.Streams.begin(), static_cast<ptrdiff_t>(Random / 7 % E.Streams.size()));
      if (!L[0].Values.Runs.empty())
        Pick(L[0].Values.Runs).First += By;
    }
    return;
  case 6: // the depth of a call
    Pick(Signatures).own()[0].Tokens[2] ^= 1;
    return;
  }
}

TEST(Diff, saysOfGroupsWhatItSaysOfRanks) {
  std::mt19937_64 Random(5);
  unsigned Compared = 0, Different = 0;
  for (uint64_t Seed = 0; Seed < 75; ++Seed) {
    const uint32_t World = 6 + Seed % 9;
    const std::vector<TraceData> Parts = rankTraces(randomRun(Seed, World));
    const Trace A = opened(join(Parts));
    for (unsigned Which = 0; Which < 7; ++Which) {
      std::vector<TraceData> Changed = Parts;
      // One rank, some, or all; alike or by rank.
      const uint64_t Draw = Random(), Form = Random() % 4;
      for (uint32_t R = 0; R < World; ++R)
        if (Form == 0 ? R == Draw % World : Form == 1 ? R % 3 != Draw % 3 : true)
          change(Changed[R], Which, Draw, Form == 3 ? R % 4 : 1);
      const auto B = openedIfSound(join(std::move(Changed)));
      if (!B)
        continue;
      ++Compared;
      const std::string Where = "seed " + std::to_string(Seed) + ", change " + std::to_string(Which);
      expectAgreement(A, *B, Where);
      expectAgreement(*B, A, Where + ", the other way round");
      Different += !byRank(A, *B).empty();
    }
    expectAgreement(A, opened(join(rankTraces(randomRun(Seed ^ 1, World)))), "two programs");
  }
  EXPECT_GT(Compared, 250u);
  EXPECT_GT(Different, 200u);
}

TEST(Diff, saysOfGroupsWhatItSaysOfRanksOfSamples) {
  std::vector<TraceData> Data;
  for (const Sample &S : Samples)
    for (unsigned Seed = 0; Seed < 2; ++Seed)
      Data.push_back(Seed ? sealed(S.Make(), Seed) : S.Make());
  for (size_t I = 0; I < Data.size(); ++I)
    for (size_t J = 0; J < Data.size(); ++J)
      // Sealed ones only with the same that are not.
      if (Data[I].Ranks.size() < 100 && Data[J].Ranks.size() < 100 && (I / 2 == J / 2 || (I % 2 == 0 && J % 2 == 0)))
        expectAgreement(opened(Data[I]), opened(Data[J]), std::to_string(I) + " " + std::to_string(J));
}

TEST(RankClasses, areAsFineAsWhatTheyWereSplitBy) {
  RankClasses C(RankSet::below(10));
  EXPECT_EQ(C.sets().size(), 1u);
  C.split(RankSet::between(2, 8));
  C.split(RankSet::between(2, 8));
  C.split(RankSet::between(20, 30));
  auto Sets = C.sets();
  ASSERT_EQ(Sets.size(), 2u);
  EXPECT_EQ(rankText(Sets[0]), "0-1,9");
  EXPECT_EQ(rankText(Sets[1]), "2-8");
  C.split(RankSet::between(1, 9), [](uint32_t R) { return R / 5; });
  Sets = C.sets();
  ASSERT_EQ(Sets.size(), 5u);
  EXPECT_EQ(rankText(Sets[3]), "5-8");
}

} // namespace
