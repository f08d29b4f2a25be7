// trace/read/PassIndex.h, PassIndex.cpp: against counting pass by pass.
#include "trace/read/PassIndex.h"
#include "test/unit/Sequences.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;

TEST(PassIndex, CountsAsOneWhoGoesThrough) {
  std::mt19937 Random(3);
  for (unsigned Changes : {0u, 1u, 2u, 50u, 4094u, 4095u, 4096u, 20000u}) {
    test::Numbers Steps, Counts;
    std::vector<uint64_t> Before{0}; // items before each pass
    uint64_t Usual = 1;
    auto Pass = [&](uint64_t N) {
      for (; N; --N)
        Before.push_back(Before.back() + Usual);
    };
    for (unsigned I = 0; I < Changes; ++I) {
      Steps.push_back(I ? 1 + Random() % 3 : Random() % 2);
      Counts.push_back(Random() % 5);
      Pass(static_cast<uint64_t>(Steps.back()));
      Usual = static_cast<uint64_t>(Counts.back());
    }
    Pass(10);
    const IntStreamData S = test::streamOf(Steps), C = test::streamOf(Counts);
    const PassIndex Index(Changes ? &S : nullptr, Changes ? &C : nullptr, 1);
    for (size_t P = 0; P < Before.size(); P += 1 + Random() % (1 + Before.size() / 500))
      ASSERT_EQ(Index.itemsBefore(P), Before[P]) << Changes << " changes, pass " << P;
    // What follows.
    for (size_t P = 0; P < Before.size(); P += 1 + Before.size() / 50) {
      PassIndex::State At = Index.behind(P);
      for (size_t I = P; I + 1 < Before.size() && I < P + 100; ++I) {
        if (At.UntilChange == 0) {
          int64_t V;
          ASSERT_TRUE(At.UsualItems->next(V));
          At.Usual = static_cast<uint64_t>(V);
          At.UntilChange = At.PassesToChange->next(V) ? static_cast<uint64_t>(V) : PassIndex::Never;
        }
        ASSERT_EQ(At.Usual, Before[I + 1] - Before[I]) << Changes << " changes, pass " << I << " from " << P;
        if (At.UntilChange != PassIndex::Never)
          --At.UntilChange;
      }
    }
  }
}
