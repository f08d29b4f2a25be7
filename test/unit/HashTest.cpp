// trace/base/Hash.h: what has a hash is found, few or many things.
#include "trace/base/Hash.h"

#include <gtest/gtest.h>
#include <random>

using namespace pilgrim;

TEST(Hash, FindsTheFirstThatIsTheSameAndAllOfAHash) {
  for (unsigned Seed = 0; Seed < 100; ++Seed) {
    std::mt19937 Random(Seed);
    const size_t Things = Random() % (Seed % 10 ? 24 : 300);
    Finder Find(Random() % 2 ? Things : 0);
    std::vector<uint64_t> Hashes;
    for (size_t I = 0; I < Things; ++I) {
      Hashes.push_back(Random() % 5);
      Find.add(Hashes.back(), I);
      for (uint64_t H = 0; H < 6; ++H) {
        std::vector<size_t> Wanted;
        for (size_t J = 0; J <= I; ++J)
          if (Hashes[J] == H)
            Wanted.push_back(J);
        EXPECT_EQ(Find.all(H), Wanted);
        const size_t Least = Random() % 4;
        const auto At = std::ranges::lower_bound(Wanted, Least);
        EXPECT_EQ(Find.find(H, [&](size_t J) { return J >= Least; }), At == Wanted.end() ? Finder::None : *At);
      }
    }
    EXPECT_EQ(Find.find(7, [](size_t) { return true; }), Finder::None);
  }
}
