// The values of a slot against the plain sequence that was appended.
#include "trace/sequences/SlotStream.h"
#include "test/unit/MemoryStore.h"
#include "test/unit/Sealed.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;

using Sequence = std::vector<int64_t>;

/// What it looks like in a file.
static std::vector<uint8_t> check(const Sequence &S) {
  SlotStream B;
  for (int64_t V : S)
    B.append(V);
  ByteWriter W;
  IntStreamData D = B.data();
  EXPECT_EQ(D.length(), S.size());
  D.write(W);
  ByteReader R(W.Data);
  IntStreamData Read = IntStreamData::read(R, IntStreamData::IsOfSteps);
  EXPECT_TRUE(R.ok() && R.atEnd());
  EXPECT_TRUE(Read == D);
  Sequence Expanded;
  IntStreamData::Cursor C(Read);
  for (int64_t V; C.next(V);)
    Expanded.push_back(V);
  EXPECT_TRUE(Expanded == S);
  if (D.AreSteps) {
    ByteReader Strict(W.Data);
    IntStreamData::read(Strict);
    EXPECT_FALSE(Strict.ok()) << "steps are not allowed everywhere";
  }
  return W.Data;
}

template <typename Fn> static Sequence sequence(int64_t Length, Fn &&Value) {
  Sequence S;
  for (int64_t I = 0; I < Length; ++I)
    S.push_back(Value(I));
  return S;
}

TEST(SlotStream, LoopsInLoopsTakeConstantSpace) {
  for (int64_t N : {500, 5000, 200000}) {
    EXPECT_LE(check(sequence(N, [](int64_t I) { return I * 8; })).size(), 8u);
    EXPECT_LE(check(sequence(N, [](int64_t I) { return I / 10 * 100000 + I % 10 * 8; })).size(), 30u);
    EXPECT_LE(check(sequence(N, [](int64_t I) { return I / 20 * 7 + I / 5 % 4 * 1000 - I % 5; })).size(), 45u);
    EXPECT_LE(check(sequence(N, [](int64_t I) { return I % 2 ? I * 4 : 1000000 + I * 4; })).size(), 30u) << "in turns";
    EXPECT_LE(check(sequence(N, [](int64_t I) { return I * I; })).size(), 20u);
  }
}

TEST(SlotStream, ValuesThatComeAgainStayValues) {
  std::mt19937 Random(3);
  IntStream Plain;
  SlotStream Both;
  for (int I = 0; I < 20000; ++I) {
    int64_t V = static_cast<int64_t>(Random() % 4) * 1000;
    Plain.append(V);
    Both.append(V);
  }
  EXPECT_TRUE(Plain.data() == Both.data());
}

/// What was a loop ends, and something else begins, at every place that matters for what is kept.
TEST(SlotStream, Mixtures) {
  for (unsigned Seed = 0; Seed < 60; ++Seed) {
    std::mt19937_64 Random(Seed);
    Sequence S;
    for (unsigned Part = 0; Part < 1 + Seed % 5; ++Part) {
      const unsigned Form = Random() % 4;
      const auto Length = static_cast<int64_t>(Random() % (Part % 2 ? 9000 : 900)),
                 Row = static_cast<int64_t>(Random() % 9) + 1;
      for (int64_t I = 0; I < Length; ++I)
        S.push_back(Form == 0   ? static_cast<int64_t>(Random())
                    : Form == 1 ? static_cast<int64_t>(Random() % 3)
                    : Form == 2 ? I / Row * 1000 + I % Row
                                : static_cast<int64_t>(static_cast<uint64_t>(I) * 0x9000000000000001u));
    }
    check(S);
  }
}

TEST(SlotStream, MemoryStaysSmallWhereStepsAreFew) {
  SlotStream S;
  for (int64_t I = 0; I < 1000000; ++I)
    S.append(I / 10 * 100000 + I % 10);
  EXPECT_LT(S.memory(), 100000u);
}

TEST(SlotStream, WithoutStepsThereAreValues) {
  SlotStream S;
  S.dropSteps();
  for (int64_t I = 0; I < 5000; ++I)
    S.append(I / 10 * 100000 + I % 10);
  EXPECT_FALSE(S.data().AreSteps);
  EXPECT_EQ(S.data().length(), 5000u);
}

/// Of few different values at random the steps are more: they are soon left out.
TEST(SlotStream, StepsInVainTakeNoTime) {
  std::mt19937_64 Random(3);
  SlotStream Both, Values;
  Values.dropSteps();
  for (unsigned I = 0; I < 600; ++I) {
    const auto V = static_cast<int64_t>(Random() % 40);
    Both.append(V);
    Values.append(V);
  }
  EXPECT_EQ(Both.memory(), Values.memory());
}

namespace {
using Kept = test::MemoryStore;
} // namespace

/// Of what is sealed only one is kept, whichever says more, and that at once.
TEST(SlotStream, SealsOnlyOne) {
  // Of Period steps that come again; 0: at random.
  for (const unsigned Period : {0u, 100u, 700u, 3000u, 20000u}) {
    std::mt19937_64 Random(Period);
    Kept Store;
    for (unsigned I = 0; I < (Period == 100 ? 200 : 1); ++I)
      Store.addLong();
    SlotStream S;
    S.sealTo(Store);
    Sequence Steps, All;
    for (unsigned I = 0; I < Period; ++I)
      Steps.push_back(static_cast<int64_t>(Random() % 1000));
    size_t Most = 0;
    for (unsigned I = 0; I < 100000; ++I) {
      const auto V = static_cast<int64_t>(Random() % 1000);
      All.push_back(Period ? (I ? All.back() : 0) + Steps[I % Period] : V);
      S.append(All.back());
      Most = std::max(Most, S.memory());
    }
    Sequence Read;
    const IntStreamData D = S.data();
    IntStreamData::Cursor C(D);
    for (int64_t V; C.next(V);)
      Read.push_back(V);
    EXPECT_TRUE(Read == All) << Period;
    EXPECT_LT(Most, 2'500'000u) << Period;
    EXPECT_LT(Store.Size, Period == 100 || Period == 700 ? 10'000u : 150'000u) << Period;
  }
}
