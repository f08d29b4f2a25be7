// trace/ranks/RankFnMerge.cpp: values of more and more ranks, in any order.
#include "test/unit/Ranks.h"
#include "trace/ranks/RankFn.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
struct Part {
  RankFn F;
  RankSet Ranks;
};
} // namespace

/// Rank R is Ranks[R] in a communicator of size Sizes[R].
static RankFn::ContextFn contexts(const std::vector<RankContext> &C) {
  return [&C](uint32_t R) { return C[R]; };
}

static Part mergeAll(const std::vector<int64_t> &Values, const std::vector<RankContext> &C, std::mt19937 &Random) {
  std::vector<Part> Parts;
  for (uint32_t R = 0; R < Values.size(); ++R) {
    Parts.push_back({RankFn(Values[R]), RankSet(R)});
    Parts.back().F.derive(&C[R]);
  }
  while (Parts.size() > 1) {
    std::swap(Parts[Random() % Parts.size()], Parts.back());
    Part B = std::move(Parts.back());
    Parts.pop_back();
    Part &A = Parts[Random() % Parts.size()];
    A.F.merge(B.F, A.Ranks, B.Ranks, contexts(C), contexts(C));
    A.Ranks.unite(B.Ranks);
  }
  return std::move(Parts[0]);
}

static void expectValues(const RankFn &F, const std::vector<int64_t> &Values, const std::vector<RankContext> &C) {
  for (uint32_t R = 0; R < Values.size(); ++R)
    ASSERT_EQ(F.eval(R, C[R]), Values[R]) << "rank " << R;
}

/// Written and read; Bytes: how many it took.
static RankFn readAgain(const Part &P, const std::vector<int64_t> &Values, const std::vector<RankContext> &C,
                        size_t &Bytes) {
  auto B = written(P.F);
  ByteReader In(B);
  RankFn Read = RankFn::read(In, P.Ranks, static_cast<uint32_t>(Values.size()));
  EXPECT_TRUE(In.ok() && In.atEnd());
  expectValues(Read, Values, C);
  EXPECT_EQ(written(Read), B);
  Bytes = B.size();
  return Read;
}

/// Merged in several orders, written, read and reduced: the values stay.
/// Returns the largest number of bytes.
static size_t check(const std::vector<int64_t> &Values, const std::vector<RankContext> &C, unsigned Orders = 5) {
  size_t Most = 0;
  for (unsigned Seed = 0; Seed < Orders; ++Seed) {
    std::mt19937 Random(Seed);
    Part P = mergeAll(Values, C, Random);
    expectValues(P.F, Values, C);
    for (bool Chosen : {false, true}) {
      if (Chosen)
        P.F.choose();
      size_t Bytes = 0;
      readAgain(P, Values, C, Bytes);
      if (Chosen)
        Most = std::max(Most, Bytes);
    }
  }
  return Most;
}

static std::vector<RankContext> world(int64_t N) {
  std::vector<RankContext> C;
  for (int64_t R = 0; R < N; ++R)
    C.push_back({R, N});
  return C;
}

template <typename Fn> static std::vector<int64_t> valuesOf(int64_t N, Fn &&F) {
  std::vector<int64_t> V;
  for (int64_t R = 0; R < N; ++R)
    V.push_back(F(R));
  return V;
}

TEST(RankFnMerge, RegularValuesTakeConstantSpace) {
  for (int64_t N : {2, 7, 64, 500}) {
    auto C = world(N);
    EXPECT_LE(check(valuesOf(N, [](int64_t) { return 7; }), C), 3u);
    EXPECT_LE(check(valuesOf(N, [](int64_t) { return INT64_MIN; }), C), 11u);
    EXPECT_LE(check(valuesOf(N, [](int64_t R) { return R + 5; }), C), 3u);
    EXPECT_LE(check(valuesOf(N, [N](int64_t R) { return (R + 1) % N; }), C), 3u);
    EXPECT_LE(check(valuesOf(N, [N](int64_t R) { return (R + N - 1) % N; }), C), 3u);
  }
}

TEST(RankFnMerge, ButterfliesTakeConstantSpace) {
  for (int64_t N : {4, 16, 64, 512})
    for (int64_t Bit = 1; Bit < N; Bit *= 2)
      EXPECT_LE(check(valuesOf(N, [Bit](int64_t R) { return R ^ Bit; }), world(N)), 4u);
}

/// Of the ranks that Keep says: the partner with rows and columns exchanged, in blocks.
static size_t transposedBytes(int64_t Block, int64_t Rows, int64_t Columns, bool WithDiagonal) {
  std::vector<RankContext> C = world(Block * Rows * Columns);
  RankSet All;
  RankFn F;
  for (uint32_t R = 0; R < C.size(); ++R) {
    int64_t At = R / Block, V = (At % Columns * Rows + At / Columns) * Block + R % Block;
    if (!WithDiagonal && V == R)
      continue;
    RankFn One(V);
    One.derive(&C[R]);
    if (All.empty())
      F = One;
    else
      F.merge(One, All, RankSet(R), contexts(C), contexts(C));
    All.unite(RankSet(R));
  }
  F.choose();
  F.shorten(All, contexts(C));
  std::vector<uint8_t> Bytes = written(F);
  ByteReader Reader(Bytes);
  RankFn Back = RankFn::read(Reader, All, static_cast<uint32_t>(C.size()));
  EXPECT_TRUE(Reader.ok() && Reader.atEnd());
  All.forEach([&](uint32_t R) { EXPECT_EQ(Back.eval(R, C[R]), F.eval(R, C[R])); });
  EXPECT_EQ(written(Back), Bytes);
  return Bytes.size();
}

TEST(RankFnMerge, PartnersInATransposedGridTakeConstantSpace) {
  for (bool WithDiagonal : {false, true}) {
    for (int64_t N : {8, 16, 64})
      for (int64_t Block : {1, 2})
        EXPECT_LE(transposedBytes(Block, N, N, WithDiagonal), 9u) << N << " " << Block;
    EXPECT_LE(transposedBytes(1, 24, 10, WithDiagonal), 6u);
  }
}

/// Chosen and made short, written and read.
static RankFn finished(const std::vector<int64_t> &Values, const std::vector<RankContext> &C, size_t &Bytes) {
  std::mt19937 Random(1);
  Part P = mergeAll(Values, C, Random);
  P.F.choose();
  P.F.shorten(P.Ranks, contexts(C));
  expectValues(P.F, Values, C);
  return readAgain(P, Values, C, Bytes);
}

TEST(RankFnMerge, ValuesThatGrowByStepsTakeConstantSpace) {
  for (int64_t N : {16, 60, 1000}) {
    auto C = world(N);
    auto Bytes = [&](auto &&Value) {
      size_t B = 0;
      finished(valuesOf(N, Value), C, B);
      return B;
    };
    EXPECT_LE(Bytes([](int64_t R) { return R * 4096; }), 8u);
    EXPECT_LE(Bytes([](int64_t R) { return -R * 3 + 17; }), 8u);
    EXPECT_LE(Bytes([](int64_t R) { return R % 7; }), 10u);
    EXPECT_LE(Bytes([](int64_t R) { return R / 7; }), 14u) << "the last row is short";
    EXPECT_LE(Bytes([](int64_t R) { return R / 5 * 1000 - R % 5 * 8; }), 11u);
    EXPECT_LE(Bytes([](int64_t R) { return R / 20 * 64 + R / 4 % 5 * 8 + R % 4; }), 14u);
    EXPECT_LE(Bytes([](int64_t R) { return R % 2 * INT64_MAX + R / 2 % 2 * INT64_MIN; }), 34u);
    EXPECT_GT(Bytes([](int64_t R) { return R * R; }), 15u) << "does not grow by steps";
    EXPECT_LE(Bytes([](int64_t R) { return R & (R - 1); }), 70u) << "parent in a binomial tree";
  }
}

TEST(RankFnMerge, NeighboursInATorusTakeConstantSpace) {
  struct Grid {
    std::vector<int64_t> Extents, Steps;
  };
  for (const Grid &G : {Grid{{4, 4}, {3, 1}}, Grid{{8, 6}, {1, 5}}, Grid{{3, 4, 5}, {1, 3, 0}},
                        Grid{{3, 4, 5}, {2, 1, 4}}, Grid{{4, 4, 4, 4}, {3, 1, 2, 1}}, Grid{{16, 16}, {1, 15}}}) {
    int64_t N = 1;
    for (int64_t E : G.Extents)
      N *= E;
    auto Beside = [&](int64_t R) {
      int64_t V = 0, Stride = 1;
      for (size_t I = 0; I < G.Extents.size(); ++I) {
        V += (R / Stride % G.Extents[I] + G.Steps[I]) % G.Extents[I] * Stride;
        Stride *= G.Extents[I];
      }
      return V;
    };
    size_t Bytes;
    RankFn F = finished(valuesOf(N, Beside), world(N), Bytes);
    EXPECT_LE(Bytes, 1 + 2 * G.Extents.size());
    // The same in two communicators, of all even and all odd ranks; and merged with others afterwards.
    std::vector<RankContext> Halves;
    for (int64_t R = 0; R < 2 * N; ++R)
      Halves.push_back({R / 2, N});
    finished(valuesOf(2 * N, [&](int64_t R) { return Beside(R / 2); }), Halves, Bytes);
    EXPECT_LE(Bytes, 1 + 2 * G.Extents.size());
    RankFn Other(77);
    F.merge(Other, RankSet::below(static_cast<uint32_t>(N)), RankSet(static_cast<uint32_t>(N)), contexts(Halves),
            contexts(Halves));
    for (int64_t R = 0; R < N; ++R)
      ASSERT_EQ(F.eval(static_cast<uint32_t>(R), {}), Beside(R / 2)) << "listed in the ranks' own context";
  }
  size_t Bytes;
  finished(valuesOf(64, [](int64_t R) { return R == 63 ? 5 : (R / 8 + 1) % 8 * 8 + (R + 1) % 8; }), world(64), Bytes);
  EXPECT_GT(Bytes, 9u) << "all but one";
}

TEST(RankFnMerge, AStencilEndsInProcNull) {
  for (int64_t N : {3, 8, 100}) {
    auto C = world(N);
    auto Up = valuesOf(N, [N](int64_t R) { return R + 1 < N ? R + 1 : -1; });
    auto Down = valuesOf(N, [](int64_t R) { return R - 1; });
    EXPECT_LE(check(Up, C), 12u);
    EXPECT_LE(check(Down, C), 12u);
  }
}

TEST(RankFnMerge, ManyPiecesBecomeAList) {
  for (int64_t N : {13, 14, 40, 200}) {
    auto C = world(N);
    check(valuesOf(N, [](int64_t R) { return R / 3 * 1000; }), C, 20);
    check(valuesOf(N, [](int64_t R) { return R * R; }), C, 20);
    check(valuesOf(N, [](int64_t R) { return R ^ 1; }), C);
  }
}

TEST(RankFnMerge, ContextsOfSubCommunicators) {
  // Rows of 5, the last one shorter; the ring of each row folds.
  int64_t N = 43;
  std::vector<RankContext> C;
  std::vector<int64_t> Right, Last;
  for (int64_t R = 0; R < N; ++R) {
    int64_t Size = R < 40 ? 5 : 3;
    C.push_back({R % 5, Size});
    Right.push_back((R % 5 + 1) % Size);
    Last.push_back(Size - 1 - R % 5);
  }
  EXPECT_LE(check(Right, C), 3u);
  check(Last, C);
  for (RankContext &X : C)
    X.Size = 0; // unknown
  check(Right, C);
}

TEST(RankFnMerge, RandomValues) {
  std::mt19937_64 Random(2);
  for (int Round = 0; Round < 300; ++Round) {
    int64_t N = 1 + static_cast<int64_t>(Random() % 60);
    std::vector<RankContext> C;
    std::vector<int64_t> V;
    unsigned Forms = 1 + Random() % 20;
    for (int64_t R = 0; R < N; ++R) {
      C.push_back(Random() % 3 ? RankContext{R, N} : RankContext{int64_t(Random() % 9) - 2, int64_t(Random() % 9) - 1});
      switch (Random() % Forms) {
      case 0:
        V.push_back(C.back().Rank + 1);
        break;
      case 1:
        V.push_back(INT64_MAX);
        break;
      case 2:
        V.push_back(INT64_MIN);
        break;
      case 3:
        V.push_back(static_cast<int64_t>(Random()));
        break;
      default:
        V.push_back(static_cast<int64_t>(Random() % 6) - 2);
      }
    }
    check(V, C);
    if (HasFatalFailure())
      return;
  }
}

TEST(RankFnMerge, ACopyIsNotChangedByAMerge) {
  auto C = world(4);
  std::vector<int64_t> V{5, 9, 100, 1000};
  std::mt19937 Random(1);
  Part P = mergeAll({5, 9, 100}, C, Random);
  RankFn Copy = P.F;
  P.F.merge(RankFn(1000), P.Ranks, RankSet(3), contexts(C), contexts(C));
  expectValues(P.F, V, C);
  expectValues(Copy, {5, 9, 100, 0}, C);
  EXPECT_NE(written(Copy), written(P.F));
}

TEST(RankFnMerge, PiecesAreListedWhereThatIsShorter) {
  auto Ctx = [](uint32_t R) { return RankContext{R, 64}; };
  unsigned Listed = 0;
  for (uint32_t Size : {4u, 64u}) {
    // All ranks but the last have the next one; every second has another value.
    for (bool Alternates : {false, true}) {
      RankFn F(0);
      RankSet Ranks;
      auto Value = [&](uint32_t R) { return Alternates && R % 2 ? int64_t(77) : R + 1 == Size ? int64_t(-1) : R + 1; };
      for (uint32_t R = 0; R < Size; ++R) {
        RankFn One(Value(R));
        RankContext C = Ctx(R);
        One.derive(&C);
        if (R)
          F.merge(One, Ranks, RankSet(R), Ctx, Ctx);
        else
          F = One;
        Ranks.unite(RankSet(R));
      }
      F.choose();
      size_t Before = written(F).size();
      F.shorten(Ranks, Ctx);
      EXPECT_LE(written(F).size(), Before);
      Listed += written(F)[0] == 9 || written(F)[0] >= 13;
      for (uint32_t R = 0; R < Size; ++R)
        EXPECT_EQ(F.eval(R, Ctx(R)), Value(R));
    }
  }
  EXPECT_GT(Listed, 0u);
  EXPECT_LT(Listed, 4u);
}
