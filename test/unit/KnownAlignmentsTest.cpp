// trace/merge/KnownAlignments.h and KnownAlignments.cpp: sequences that are alike are aligned once, and others are not
// taken for them.
#include "trace/merge/KnownAlignments.h"
#include "test/unit/Tables.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
/// Calls of functions, one after the other.
struct Calls {
  GrammarData Order;
  std::vector<uint64_t> Keys;
  std::vector<int64_t> Places;
  std::vector<Entry> Entries;

  Calls(const RankSet &Ranks, const std::vector<std::pair<uint32_t, int64_t>> &FunctionsAndValues) {
    for (const auto &[Function, Value] : FunctionsAndValues) {
      Order.Rules[0].push_back({static_cast<uint32_t>(Keys.size()), false, 1});
      Keys.push_back(Function);
      Entries.push_back({call(Ranks, Function, {Value})});
    }
  }
  KeyedSequence keyed() const { return {Order, Keys, Places}; }
  KnownAlignments::Calls calls() const {
    KnownAlignments::Calls Out;
    for (const Entry &E : Entries)
      Out.push_back(&E);
    return Out;
  }
};

/// The alignments of one merge.
struct Merge {
  KnownAlignments Known;
  const Alignment *find(const Calls &A, const Calls &B) {
    const Alignment *Both = Known.find(A.keyed(), B.keyed(), A.calls(), B.calls());
    const auto Wanted = alignWithGaps(A.keyed(), B.keyed(), [&](uint32_t X, uint32_t Y) {
      return size_t(!A.Entries[X][0].Words[0].explains(B.Entries[Y][0].Words[0]));
    });
    EXPECT_EQ(Both->Pairs, Wanted->Pairs);
    EXPECT_EQ(Both->Order, Wanted->Order);
    return Both;
  }
};
} // namespace

static const RankSet Left(0), Right(1);

TEST(KnownAlignments, WhatIsAlikeIsAlignedOnce) {
  Merge M;
  const Calls A(Left, {{1, 5}, {2, 6}, {1, 7}, {3, 8}}), B(Right, {{1, 7}, {3, 8}});
  const std::vector<std::pair<uint32_t, uint32_t>> Pairs = M.find(A, B)->Pairs;
  auto IsNew = [&](const Calls &X, const Calls &Y) { return M.find(X, Y)->Pairs != Pairs; };
  EXPECT_FALSE(IsNew(A, B));
  EXPECT_FALSE(IsNew(Calls(Left, {{1, 4}, {2, 4}, {1, 9}, {3, 4}}), Calls(Right, {{1, 9}, {3, 4}})))
      << "the same ones differ";
  EXPECT_TRUE(IsNew(A, Calls(Right, {{1, 5}, {3, 8}}))) << "others differ";
  EXPECT_TRUE(IsNew(A, Calls(Right, {{2, 7}, {3, 8}}))) << "other functions";
  EXPECT_FALSE(IsNew(A, B));
}

TEST(KnownAlignments, TheSameEntriesNeedNotBeCompared) {
  Merge M;
  Calls A(Left, {{1, 5}, {2, 6}, {1, 7}, {3, 8}}), B(Right, {{1, 7}, {3, 8}});
  const Calls OtherA = A, OtherB = B; // which share the entries
  const Alignment First = *M.find(A, B);
  EXPECT_EQ(M.find(OtherA, OtherB)->Pairs, First.Pairs);
  B.Entries[0].own()[0].Words.own()[0] = RankFn(5);
  EXPECT_NE(M.find(A, B)->Pairs, First.Pairs) << "an entry that is its own";
  A.Places = {4, 3, 2, 1};
  B.Places = {2, 1};
  M.find(A, B);
  Calls Fewer = OtherB;
  Fewer.Order.Rules[0] = {{0, false, 2}, {1, false, 1}};
  M.find(OtherA, Fewer);
  EXPECT_EQ(M.find(OtherA, OtherB)->Pairs, First.Pairs);
}

TEST(KnownAlignments, OfVariantsTheClosestOnesAreCompared) {
  KnownAlignments Known;
  const Calls A(Left, {{1, 5}, {1, 6}});
  Calls B(Right, {{1, 9}});
  B.Entries[0].push_back(call(RankSet(2), 1, {6}));
  const Alignment *Both = Known.find(A.keyed(), B.keyed(), A.calls(), B.calls());
  EXPECT_EQ(Both->Pairs, (std::vector<std::pair<uint32_t, uint32_t>>{{0, Alignment::None}, {1, 0}}));
}

/// Calls of one function, all with values of their own.
static Calls irregular(const RankSet &Ranks, int64_t First, size_t Number, uint32_t Function = 1) {
  std::vector<std::pair<uint32_t, int64_t>> Out;
  for (size_t I = 0; I < Number; ++I)
    Out.emplace_back(Function, First + static_cast<int64_t>(I));
  return Calls(Ranks, Out);
}

namespace {
/// One after the other, each of another function.
struct Tries {
  KnownAlignments Known;
  uint32_t Next = 0;

  bool isFound(size_t Number, bool IsOfUse) {
    const Calls A = irregular(Left, 0, Number, ++Next), B = irregular(Right, 1000, Number, Next);
    const bool Is = Known.find(A.keyed(), B.keyed(), A.calls(), B.calls()) != nullptr;
    Known.wasOfUse(IsOfUse);
    return Is;
  }
};
} // namespace

TEST(KnownAlignments, MuchThatIsOfNoUseIsNotTried) {
  Tries T;
  auto TriesOfNoUse = [&](size_t Most) {
    size_t N = 0;
    while (N < Most && T.isFound(512, false))
      ++N;
    return N;
  };
  EXPECT_EQ(TriesOfNoUse(100), 4u) << "work of 2^18 each";
  EXPECT_TRUE(T.isFound(128, true)) << "a small one";
  EXPECT_FALSE(T.isFound(512, true));
  for (unsigned I = 0; I < 100; ++I)
    EXPECT_TRUE(T.isFound(128, true));
  EXPECT_EQ(TriesOfNoUse(100), 6u) << "as much more as the small ones took";
}

TEST(KnownAlignments, WhatIsTooLargeTakesNoTime) {
  Tries T;
  for (unsigned I = 0; I < 12; ++I)
    EXPECT_TRUE(T.isFound(512, true));
  EXPECT_FALSE(T.isFound(1500, false)) << "which would take as much as eight";
  for (unsigned I = 0; I < 12 + 4; ++I)
    EXPECT_TRUE(T.isFound(512, false));
  EXPECT_FALSE(T.isFound(512, false));
}

TEST(KnownAlignments, WhatIsKnownTakesNoTime) {
  KnownAlignments Known;
  const Calls A = irregular(Left, 0, 512), B = irregular(Right, 1000, 512);
  for (unsigned I = 0; I < 10; ++I) {
    EXPECT_NE(Known.find(A.keyed(), B.keyed(), A.calls(), B.calls()), nullptr);
    Known.wasOfUse(false);
  }
}

TEST(KnownAlignments, OnlySoMuchIsKept) {
  Merge M;
  const Calls A(Left, {{1, 5}, {2, 6}, {1, 7}, {3, 8}}), B(Right, {{1, 7}, {3, 8}});
  const std::vector<std::pair<uint32_t, uint32_t>> Pairs = M.find(A, B)->Pairs;
  for (uint32_t I = 1; I < 8; ++I) { // each of which asks for 2^18 answers
    const Calls X = irregular(Left, 0, 512, 8 + I), Y = irregular(Right, 1000, 512, 8 + I);
    M.find(X, Y);
    M.Known.wasOfUse(true);
    EXPECT_LE(M.Known.kept(), KnownAlignments::MaxKept + 512 * 512);
    EXPECT_EQ(M.find(A, B)->Pairs, Pairs);
  }
}
