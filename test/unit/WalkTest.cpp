// A trace for all ranks at once against its calls one by one.
#include "test/unit/RecorderFixture.h"
#include "test/unit/Samples.h"
#include "trace/read/CaseCounts.h"
#include "trace/read/Strands.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {

Trace opened(const TraceData &T) {
  auto Bytes = writeTrace(T);
  auto Read = Trace::fromBytes(Bytes);
  EXPECT_TRUE(Read) << (Read ? "" : Read.error().What);
  return std::move(*Read);
}

/// Function, site, depth, tags and the words of slots that are not streamed.
using CallKey = std::vector<int64_t>;
/// The same, and the values of streamed slots of one word.
struct CallCounts {
  std::map<CallKey, uint64_t> Plain, Cases;
  std::vector<std::pair<uint32_t, CallKey>> Order; ///< by function; of depth 0
};

bool isOneWord(const ResolvedSignature::StreamSlot &S) { return streamColumns(S.T) == 1; }

CallCounts countCalls(const Trace &T, uint32_t Rank, uint32_t Thread) {
  CallCounts Out;
  CallCursor Cursor = Trace::calls(T.view(Rank, Thread));
  for (Call C; Cursor.next(C);) {
    const ResolvedSignature &S = C.View->signatures()[C.Terminal];
    std::set<uint32_t> Streamed;
    for (const auto &X : S.Streams)
      Streamed.insert(X.Slot);
    CallKey K{C.Function->Id, C.Site, C.Depth};
    for (uint32_t I = 0; I < C.Slots.size(); ++I) {
      K.push_back(static_cast<int64_t>(C.Slots[I].T));
      if (!Streamed.contains(I))
        K.insert(K.end(), C.Slots[I].Words.begin(), C.Slots[I].Words.end());
    }
    ++Out.Plain[K];
    if (C.Depth == 0)
      Out.Order.emplace_back(C.Function->Id, K);
    bool IsCase = !S.Streams.empty();
    CallKey Case = K;
    for (const auto &X : S.Streams) {
      IsCase &= isOneWord(X);
      Case.insert(Case.end(), C.Slots[X.Slot].Words.begin(), C.Slots[X.Slot].Words.end());
    }
    if (IsCase)
      ++Out.Cases[Case];
  }
  EXPECT_EQ(Cursor.error(), "");
  return Out;
}

CallKey keyOf(const Walk &W, const CallShape &C, uint32_t Rank) {
  CallKey K{C.Function->Id, C.Site, C.Depth};
  for (unsigned I = 0; I < C.Slots.size(); ++I) {
    K.push_back(static_cast<int64_t>(C.Slots[I].T));
    for (unsigned N = 0; N < C.Slots[I].Words.size(); ++N)
      K.push_back(W.word(C, I, N, Rank));
  }
  return K;
}

void expectSame(const TraceData &Data) {
  const Trace T = opened(Data);
  const Walk W(T);
  std::map<std::pair<uint32_t, uint32_t>, CallCounts> Found; // by thread, rank
  std::vector<std::vector<CallShape>> Shapes(W.threads().size());
  W.forEachCall([&](const CallShape &C) {
    Shapes[C.Thread].push_back(C);
    RankSet Seen;
    for (const RankedCount &X : C.Calls) {
      EXPECT_TRUE(Seen.common(X.Ranks).empty());
      Seen.unite(X.Ranks);
      X.Ranks.forEach([&](uint32_t Rank) { Found[{C.Thread, Rank}].Plain[keyOf(W, C, Rank)] += X.N; });
    }
    EXPECT_EQ(Seen, C.Ranks);
    std::vector<unsigned> Streamed;
    for (unsigned I = 0; I < C.Slots.size(); ++I)
      if (C.Slots[I].IsStreamed)
        Streamed.push_back(I);
    bool IsCase = !Streamed.empty();
    for (unsigned I : Streamed)
      IsCase &= streamColumns(C.Slots[I].T) == 1;
    if (!Streamed.empty()) {
      EXPECT_EQ(W.forEachCase(C, Streamed,
                              [&](const RankSet &Ranks, std::span<const int64_t> V, uint64_t N) {
                                Ranks.forEach([&](uint32_t Rank) {
                                  CallKey K = keyOf(W, C, Rank);
                                  K.insert(K.end(), V.begin(), V.end());
                                  Found[{C.Thread, Rank}].Cases[K] += N;
                                });
                              }),
                IsCase);
    }
  });
  for (uint32_t Thread = 0; Thread < W.threads().size(); ++Thread) {
    std::map<uint32_t, std::map<uint32_t, std::vector<CallKey>>> Orders; // by rank, function
    std::set<uint32_t> Functions;
    for (const CallShape &C : Shapes[Thread])
      Functions.insert(C.Function->Id);
    for (uint32_t F : Functions) {
      std::vector<CallShape> Chosen;
      for (const CallShape &C : Shapes[Thread])
        if (C.Function->Id == F && C.Depth == 0)
          Chosen.push_back(C);
      uint64_t Budget = 1 << 24;
      const auto Strands = strandsOf(W, Thread, Chosen, Budget);
      ASSERT_TRUE(Strands);
      for (const Strand &S : *Strands)
        S.Ranks.forEach([&](uint32_t Rank) {
          for (uint32_t I : S.Calls)
            Orders[Rank][F].push_back(keyOf(W, Chosen[I], Rank));
        });
    }
    W.threads()[Thread].Ranks.forEach([&](uint32_t Rank) {
      const CallCounts Expected = countCalls(T, Rank, W.threads()[Thread].Number);
      EXPECT_EQ((Found[{Thread, Rank}].Plain), Expected.Plain) << "rank " << Rank;
      EXPECT_EQ((Found[{Thread, Rank}].Cases), Expected.Cases) << "rank " << Rank;
      std::map<uint32_t, std::vector<CallKey>> Order;
      for (const auto &[F, K] : Expected.Order)
        Order[F].push_back(K);
      for (uint32_t F : Functions)
        EXPECT_EQ(Orders[Rank][F], Order[F]) << "rank " << Rank;
    });
  }
}

TEST(Walk, CallsOfSamplesAreCounted) {
  for (const Sample &S : Samples) {
    SCOPED_TRACE(S.Name);
    expectSame(S.Make());
  }
}

TEST(Walk, CallsOfRandomProgramsAreCounted) {
  for (uint64_t Seed = 1; Seed <= 20; ++Seed) {
    SCOPED_TRACE(Seed);
    expectSame(join(rankTraces(randomRun(Seed, 2 + Seed % 7))));
  }
}

/// Many different calls take their values from the same streams in no order: they are counted together.
TEST(Walk, CallsOfIrregularProgramsAreCounted) {
  std::mt19937 Random(1);
  Recording R;
  for (unsigned N = 0; N < 4000; ++N) {
    const uint64_t Site = 16 * (1 + Random() % 2);
    R.call(0, Site,
           {R.buffer(8192), number(Random() % 40), number(N < 400 ? 0 : Random() % 50), number(Random() % 3 * 1000),
            R.comm(Random() % 8)},
           [&] {
             if (Random() % 4 == 0) // of the same function, at the same site
               R.call(0, Site, {R.buffer(8192), number(Random() % 40), number(0), number(0), R.comm(0)});
           });
  }
  expectSame(R.finish());
}

TEST(Walk, CasesAreCountedIfStreamsBelongToTheCalls) {
  Grammar Order;
  IntStream First, Second;
  for (unsigned N = 0; N < 300; ++N) {
    Order.append(N % 3);
    if (N % 3)
      First.append(N % 2);
    if (N % 3 == 2)
      Second.append(N % 5);
  }
  const GrammarData Items = Order.data();
  const std::vector<IntStreamData> Columns{First.data(), Second.data()};
  const std::vector<uint64_t> Users{0, 1, 3};
  const CaseCounts Found = countCases(Items, Users, Columns, 10);
  ASSERT_TRUE(Found.IsFound);
  EXPECT_TRUE(Found.Of[0].empty() && Found.Of[1].empty()) << "they do not have both";
  ASSERT_EQ(Found.Of[2].size(), 10u);
  for (const CaseCounts::Case &X : Found.Of[2]) {
    EXPECT_EQ(X.Values.size(), 2u);
    EXPECT_EQ(X.Number, 10u);
  }
  EXPECT_FALSE(countCases(Items, Users, Columns, 9).IsFound) << "too many";
  EXPECT_FALSE(countCases(Items, std::vector<uint64_t>{1, 1, 3}, Columns, 10).IsFound) << "too few values";
  EXPECT_FALSE(countCases(Items, std::vector<uint64_t>{0, 0, 3}, Columns, 10).IsFound) << "too many values";
}

TEST(Walk, LevelsAndPiecesAreTheValues) {
  const uint32_t World = 100;
  auto Ctx = [](uint32_t Rank) { return RankContext{Rank, World}; };
  RankSet Some = RankSet::below(90).without(RankSet::below(3)).without(RankSet(50));
  std::vector<RankFn> Functions{RankFn(7)};
  for (int64_t Way : {-3, 1, 40}) {
    RankFn F(static_cast<int64_t>(3 + Way + World) % World);
    RankContext Own{3, World};
    F.derive(&Own);
    RankSet Ranks(3);
    Some.without(Ranks).forEach([&](uint32_t Rank) {
      RankFn Next(static_cast<int64_t>(Rank + Way + World) % World);
      RankContext At = Ctx(Rank);
      Next.derive(&At);
      F.merge(Next, Ranks, RankSet(Rank), Ctx, Ctx);
      Ranks.unite(RankSet(Rank));
    });
    F.choose();
    Functions.push_back(F);
  }
  std::vector<int64_t> Listed;
  Some.forEach([&](uint32_t Rank) { Listed.push_back(Rank * Rank % 13); });
  Functions.push_back(RankFn::ofValues(Listed, Some));
  for (const RankFn &F : Functions) {
    std::map<uint32_t, int64_t> Expected, ByLevel, ByPiece;
    Some.forEach([&](uint32_t Rank) { Expected[Rank] = F.eval(Rank, Ctx(Rank)); });
    const auto L = F.levels(Some, Ctx, 100);
    ASSERT_TRUE(L);
    for (const RankFn::Level &X : *L)
      X.Ranks.forEach([&](uint32_t Rank) { EXPECT_TRUE(ByLevel.emplace(Rank, X.Value).second); });
    EXPECT_EQ(ByLevel, Expected);
    RankSet Rest;
    std::vector<Piece> P = pieces(F, Some, Ctx, true, Rest);
    std::vector<uint32_t> Values;
    Rest.forEach([&](uint32_t Rank) { Values.push_back(static_cast<uint32_t>(F.eval(Rank, Ctx(Rank)))); });
    const auto Others = pieces(Values, Rest);
    ASSERT_TRUE(Others);
    P.insert(P.end(), Others->begin(), Others->end());
    for (const Piece &X : P)
      X.Ranks.forEach([&](uint32_t Rank) { EXPECT_TRUE(ByPiece.emplace(Rank, X.of(Rank)).second); });
    EXPECT_EQ(ByPiece, Expected);
    EXPECT_LE(P.size(), 13u);
  }
}

TEST(Walk, ValuesWithoutOrderAreNoPieces) {
  // A transposition of 100 x 100: each rank has its own value and its own distance, but for a few.
  std::vector<uint32_t> Values;
  for (uint32_t Rank = 0; Rank < 10000; ++Rank)
    Values.push_back(Rank % 100 * 100 + Rank / 100);
  EXPECT_FALSE(pieces(Values, RankSet::below(10000)));
  const auto Row = pieces(std::span(Values).first(100), RankSet::below(100));
  EXPECT_FALSE(Row);
  // Neighbours to the right in a row of a square that is not whole.
  for (uint32_t Rank = 0; Rank < 10000; ++Rank)
    Values[Rank] = Rank % 100 == 99 ? Rank - 99 : Rank + 1;
  const auto Two = pieces(Values, RankSet::below(10000));
  ASSERT_TRUE(Two);
  EXPECT_EQ(Two->size(), 2u);
}

} // namespace
