// trace/model/RequestArray.h: what is written of arrays of requests, read again, against the arrays themselves.
#include "trace/model/RequestArray.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace pilgrim;

namespace {
struct Call {
  uint64_t Item;
  std::vector<int64_t> Names, Words;
  std::vector<int64_t> Completed; ///< places
};

/// A thread that waits for requests in several arrays, some of which are persistent.
std::vector<Call> calls(unsigned Seed, size_t Number) {
  std::mt19937 R(Seed);
  std::vector<std::vector<int64_t>> Arrays(1 + R() % 12);
  const bool ArePersistent = R() % 2;
  for (auto &A : Arrays)
    A.resize(R() % 3 ? 1 + R() % 8 : 1 + R() % 200, -1);
  std::vector<Call> Out;
  ArrayHistory History;
  int64_t Next = 0;
  for (uint64_t Item = 0; Out.size() < Number; Item += 1 + (R() % 50 == 0 ? R() % 9000 : R() % 4)) {
    auto &A = Arrays[R() % 4 ? 0 : R() % Arrays.size()];
    // New requests: all, one, none.
    if (const unsigned Kind = R() % 16; Kind == 0)
      for (size_t I = 0; I < A.size(); ++I)
        A[I] = R() % 2 ? static_cast<int64_t>(I) : Next++;
    else if (Kind < 4)
      A[R() % A.size()] = Next++;
    Call C{Item, A, {}, {}};
    const auto Short = History.shorten(A, Item, Item + R() % 3);
    C.Words.assign(Short.begin(), Short.end());
    if (C.Words.empty())
      C.Words = A;
    for (unsigned N = R() % 3; N--;) {
      const auto Place = static_cast<int64_t>(R() % A.size());
      if (A[static_cast<size_t>(Place)] == -1)
        continue;
      C.Completed.push_back(Place);
      if (!ArePersistent || A[static_cast<size_t>(Place)] % 3)
        A[static_cast<size_t>(Place)] = -1;
    }
    C.Completed.push_back(-32766); // MPI_UNDEFINED
    for (int64_t Place : C.Completed)
      History.complete(Place);
    Out.push_back(std::move(C));
  }
  return Out;
}
} // namespace

TEST(RequestArray, IsReadAsItWas) {
  size_t Short = 0, Unknown = 0;
  for (unsigned Seed = 0; Seed < 60; ++Seed) {
    const std::vector<Call> All = calls(Seed, 3000);
    // From the beginning, and from somewhere else.
    for (size_t Begin : {size_t(0), size_t(700), size_t(2000)}) {
      ArrayHistory Reader;
      for (size_t I = Begin; I < All.size(); ++I) {
        const Call &C = All[I];
        const auto Names = Reader.resolve(C.Words);
        Short += C.Words.size() < C.Names.size();
        if (Begin && C.Item - All[Begin].Item < ArrayHistory::MaxDistance && !Names) {
          ++Unknown;
          continue;
        }
        ASSERT_TRUE(Names.has_value()) << Seed << " " << Begin << " " << I;
        ASSERT_TRUE(std::ranges::equal(*Names, C.Names)) << Seed << " " << Begin << " " << I;
        for (int64_t Place : C.Completed)
          Reader.complete(Place);
      }
    }
  }
  EXPECT_GT(Short, 10000u);
  EXPECT_GT(Unknown, 0u);
}

TEST(RequestArray, SaysWhatHasChanged) {
  ArrayHistory H;
  std::vector<int64_t> A{5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  auto Words = [&](uint64_t Item = 0) {
    const auto W = H.shorten(A, Item, Item);
    return std::vector<int64_t>(W.begin(), W.end());
  };
  using List = std::vector<int64_t>;
  EXPECT_EQ(Words(), List());
  EXPECT_EQ(Words(), List()); // the same again
  H.complete(2);
  EXPECT_EQ(Words(), List()); // it was persistent
  H.complete(2);
  A[2] = -1;
  EXPECT_EQ(Words(), (List{-4, -26}));
  EXPECT_EQ(Words(), (List{-4, -26}));
  H.complete(0);
  EXPECT_EQ(Words(), (List{-3, -26}));
  H.complete(0);
  A[0] = -1;
  A[9] = 20;
  EXPECT_EQ(Words(), (List{-4, -26, -25, 20}));
  EXPECT_EQ(Words(ArrayHistory::MaxDistance - 1), (List{-4, -26}));
  EXPECT_EQ(Words(ArrayHistory::MaxDistance), List());
  for (int64_t &N : A)
    N += 100;
  EXPECT_EQ(Words(ArrayHistory::MaxDistance), List());
}

TEST(RequestArray, Damage) {
  std::mt19937 R(1);
  ArrayHistory H;
  for (unsigned Round = 0; Round < 200000; ++Round) {
    std::vector<int64_t> Words(R() % 7);
    for (int64_t &W : Words)
      W = R() % 20 == 0 ? static_cast<int64_t>(uint64_t(R()) << 32 | R()) : static_cast<int64_t>(R() % 30) - 24;
    if (R() % 4 == 0 && Words.size() > 1) {
      Words[0] = -3 - static_cast<int64_t>(R() % 2);
      Words[1] = -16 - static_cast<int64_t>(R() % 7);
    }
    if (const auto Names = H.resolve(Words)) {
      ASSERT_LE(Names->size(), 7u);
    }
    H.complete(static_cast<int64_t>(R() % 10) - 2);
  }
}
