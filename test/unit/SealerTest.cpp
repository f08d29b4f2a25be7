// trace/sequences/Sealer.h: what rules take is bounded.
#include "test/unit/MemoryStore.h"
#include "trace/sequences/IntStream.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;
using namespace pilgrim::test;

/// Rules may say less than chunks for ever, as where two of three elements follow from those before, and still take
/// ever more memory. With many long sequences each may take less.
TEST(Sealer, RulesDoNotGrowForEver) {
  std::mt19937_64 R(5);
  MemoryStore To;
  for (unsigned I = 0; I < 63; ++I)
    To.addLong();
  Grammar Items;
  IntStream Values;
  Items.sealTo(To);
  Values.sealTo(To);
  size_t MostOfItems = 0, MostOfValues = 0;
  std::vector<uint32_t> All;
  const auto Append = [&](unsigned V) {
    All.push_back(V);
    Items.append(V);
    Values.append(V);
  };
  for (size_t N = 0; N < 150000; ++N) {
    const unsigned A = R() % 10, B = R() % 10;
    for (const unsigned V : {A, 10 + A, 20 + B, 30 + B, 100 + A * 10 + B, 40 + A, 50 + B})
      Append(V);
    MostOfItems = std::max(MostOfItems, Items.memory());
    MostOfValues = std::max(MostOfValues, Values.memory());
  }
  EXPECT_LT(MostOfItems, 2'500'000u);
  EXPECT_LT(MostOfValues, 2'500'000u);
  const GrammarData Order = Items.data();
  GrammarData::Cursor C(Order);
  IntStreamData Stream = Values.data();
  IntStreamData::Cursor V(Stream);
  for (size_t I = 0; I < All.size(); ++I) {
    uint32_t Item = 0;
    int64_t Value = 0;
    ASSERT_TRUE(C.next(Item) && V.next(Value) && Item == All[I] && Value == All[I]) << I;
  }
}

/// Random values among many other long sequences: no symbol more is spent on rules than these may have.
TEST(Sealer, LooksAtRulesAsSoonAsTheyMayBeSealed) {
  MemoryStore To;
  for (unsigned I = 0; I < 54; ++I)
    To.addLong();
  Grammar Items;
  IntStream Values;
  Items.sealTo(To);
  Values.sealTo(To);
  std::mt19937_64 R(7);
  size_t MostOfItems = 0, MostOfValues = 0;
  for (size_t N = 0; N < 10000; ++N) {
    const auto V = static_cast<uint32_t>(R() % 300);
    Items.append(V);
    Values.append(V);
    MostOfItems = std::max(MostOfItems, Items.symbols());
    MostOfValues = std::max(MostOfValues, Values.size());
  }
  EXPECT_TRUE(Values.isSealed());
  const size_t May = (size_t(1) << 17) / 56; // what is said of 56 long sequences
  EXPECT_LT(MostOfItems, May + 300);
  EXPECT_LT(MostOfValues, May + 300);
}
