// trace/model/Entry.h, Entry.cpp: entries share their variants until one of them is changed; measures are their own.
#include "trace/model/Entry.h"
#include "test/unit/Tables.h"

#include <gtest/gtest.h>

using namespace pilgrim;
using namespace pilgrim::test;

static Variant of(uint32_t Rank, int64_t Value = 7) { return call(RankSet(Rank), 1, {Value}); }
static int64_t value(const Entry &E, size_t I = 0) { return E[I].Words[0].single().C; }

TEST(Entry, CopiesShareVariantsUntilOneIsChanged) {
  Entry A{of(0)};
  EXPECT_FALSE(A.isShared());
  Entry B = A, C = A;
  EXPECT_TRUE(A.isShared());
  EXPECT_EQ(A.address(), B.address());
  B.own()[0].Words.own()[0] = RankFn(9);
  C.push_back(of(1));
  EXPECT_EQ(value(A), 7);
  EXPECT_EQ(value(B), 9);
  EXPECT_EQ(A.size(), 1u);
  EXPECT_EQ(C.size(), 2u);
  EXPECT_FALSE(A.isShared());
  const void *Before = A.address();
  A.own()[0].Words.own()[0] = RankFn(8);
  EXPECT_EQ(A.address(), Before) << "nobody else has it";
  Entry Empty;
  EXPECT_TRUE(Empty.empty() && Empty.own().empty() && Empty.begin() == Empty.end());
  EXPECT_FALSE(Empty.isShared());
}

TEST(Entry, MeasuresAreItsOwn) {
  Entry A{of(0)};
  EXPECT_EQ(A.measure(0), NoMeasure);
  A.setMeasure(0, 3);
  Entry B = A;
  B.setMeasure(0, 4);
  EXPECT_EQ(A.address(), B.address());
  EXPECT_EQ(A.measure(0), 3u);
  EXPECT_EQ(B.measure(0), 4u);
  B.push_back(of(1));
  EXPECT_EQ(B.measure(0), 4u);
  EXPECT_EQ(B.measure(1), NoMeasure) << "a new one has none";
  B.setMeasure(1, 4);
  B.push_back(of(2));
  B.setMeasure(2, 5);
  EXPECT_EQ(B.measure(B[1]), 4u);
  B.changeMeasures([](uint32_t M) { return M + 10; });
  EXPECT_EQ(B.measure(0), 14u);
  EXPECT_EQ(B.measure(2), 15u);
  A.share(B);
  EXPECT_EQ(A.address(), B.address());
  EXPECT_EQ(A.measure(0), 3u);
  EXPECT_EQ(A.measure(1), NoMeasure);
  EXPECT_EQ(A.measure(2), NoMeasure);
  B.clear();
  B.push_back(of(0));
  EXPECT_EQ(B.measure(0), NoMeasure);
}

TEST(Entry, WhatIsSharedIsMadeOnce) {
  OfShared<int> Made;
  unsigned Times = 0;
  auto Make = [&] { return static_cast<int>(++Times); };
  const Entry A{of(0)}, B{of(0)}, Same = A;
  EXPECT_EQ(Made.get(A, Make), 1);
  EXPECT_EQ(Made.get(Same, Make), 1);
  EXPECT_EQ(Made.get(B, Make), 2) << "equal, but not shared";
  EXPECT_EQ(Made.get(A, B, Make), 3);
  EXPECT_EQ(Made.get(B, A, Make), 4);
  EXPECT_EQ(Made.get(Same, B, Make), 3);
  const void *Gone = nullptr;
  {
    const Entry C{of(0)};
    Gone = C.address();
    Made.get(C, Make);
  }
  for (unsigned I = 0; I < 100; ++I)
    EXPECT_NE(Entry{of(0)}.address(), Gone) << "an address stays taken";
}

TEST(Entry, VariantsOfATableAreChangedOnceAndStayShared) {
  Table T{{of(0)}, {of(1), of(2)}};
  T[0].setMeasure(0, 5);
  T.push_back(T[0]);
  T.push_back(T[0]);
  T[2].setMeasure(0, 6);
  const Entry Outside = T[1];
  unsigned Times = 0;
  changeVariants(T, [&](Variant &V) {
    ++Times;
    V.Words.own()[0] = RankFn(V.Words[0].single().C + 1);
  });
  EXPECT_EQ(Times, 3u);
  for (const Entry &E : T)
    EXPECT_EQ(value(E), 8);
  EXPECT_EQ(value(T[1], 1), 8);
  EXPECT_EQ(value(Outside), 7);
  EXPECT_EQ(T[0].address(), T[2].address());
  EXPECT_EQ(T[0].address(), T[3].address());
  EXPECT_EQ(T[0].measure(0), 5u);
  EXPECT_EQ(T[2].measure(0), 6u);
}
