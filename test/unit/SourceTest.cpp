// proxygen/proxy/Source.h and Source.cpp: names are given once, however many ask for the same one.
#include "proxygen/proxy/Source.h"

#include <gtest/gtest.h>

#include <set>

using namespace pilgrim;

TEST(Source, NamesAreGivenOnce) {
  Source S;
  EXPECT_EQ(S.name("exchange_halo"), "exchange_halo");
  EXPECT_EQ(S.name("exchange_halo"), "exchange_halo_2");
  EXPECT_EQ(S.name("exchange_halo_3"), "exchange_halo_3") << "somebody else's, which the next one cannot have";
  EXPECT_EQ(S.name("exchange_halo"), "exchange_halo_4");
  EXPECT_EQ(S.name("exchange_halo_3"), "exchange_halo_3_2");
  EXPECT_EQ(S.name("main"), "main_2") << "of C";
}

TEST(Source, ManyNamesTakeNoLongerEach) {
  // If all earlier ones were looked at for each, these would take minutes.
  constexpr unsigned Number = 100000;
  Source S;
  std::set<std::string> Names;
  for (unsigned I = 0; I < Number; ++I)
    Names.insert(S.name("call"));
  EXPECT_EQ(Names.size(), Number);
  EXPECT_TRUE(Names.contains("call_" + std::to_string(Number)));
}
