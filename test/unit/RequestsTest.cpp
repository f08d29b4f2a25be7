//===- RequestsTest.cpp - requests that share a handle --------------------===//
//
// Against a list of all requests that is looked through from its beginning.
//
//===----------------------------------------------------------------------===//
#include "pmpi/Requests.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <random>

using namespace pilgrim;

namespace {

struct Known {
  uint64_t Handle;
  const void *Variable;
  uint32_t Index, Thread;
  bool Taken = false;
};

class Reference {
public:
  std::vector<Known> All;
  Known *find(uint32_t Thread, uint64_t Handle, const void *Variable) {
    Known *First = nullptr, *Own = nullptr;
    for (Known &K : All) {
      if (K.Handle != Handle || K.Taken)
        continue;
      if (K.Variable == Variable)
        return &K;
      if (!First)
        First = &K;
      if (!Own && K.Thread == Thread)
        Own = &K;
    }
    return Own ? Own : First;
  }
  void retire(uint32_t Index) {
    std::erase_if(All, [&](const Known &K) { return K.Index == Index; });
  }
};

const void *variable(uint64_t I) { return reinterpret_cast<const void *>(0x1000 + 4 * I); }

/// Random requests and completion calls. Few handles and variables: long queues, and the same variable again.
void compare(unsigned Seed, unsigned Handles, unsigned Variables, size_t Most, uint32_t Threads) {
  std::mt19937 Random(Seed);
  auto upTo = [&](uint64_t N) { return std::uniform_int_distribution<uint64_t>(0, N - 1)(Random); };
  Requests R;
  Reference Slow;
  for (unsigned Round = 0; Round < 6000; ++Round) {
    bool Grows = Slow.All.size() < Most && (Round / 100 % 2 == 0 || upTo(3) == 0);
    for (uint64_t N = Grows ? upTo(30) : 0; N--;) {
      uint64_t Handle = upTo(Handles);
      const void *V = variable(upTo(Variables));
      const auto Thread = static_cast<uint32_t>(upTo(Threads));
      uint32_t Index = R.made(Thread, 1, 7, Handle, V, 0);
      for (Known &K : Slow.All)
        if (K.Handle == Handle && K.Variable == V)
          K.Variable = nullptr;
      Slow.All.push_back({Handle, V, Index, Thread});
    }
    // A call looks for several requests, completes some, and leaves the others.
    std::vector<uint32_t> Found;
    const auto Thread = static_cast<uint32_t>(upTo(Threads));
    for (uint64_t N = upTo(4) ? upTo(12) : upTo(60); N--;) {
      uint64_t Handle = upTo(Handles);
      // Mostly copies: the thread's oldest is meant.
      const void *V = variable(upTo(Variables) + (upTo(3) ? 1000 : 0));
      uint32_t Index = R.find(Thread, Handle, V);
      Known *K = Slow.find(Thread, Handle, V);
      ASSERT_EQ(Index, K ? K->Index : HandleMap::None) << "round " << Round;
      if (!K)
        continue;
      K->Taken = R[Index].Taken = true;
      Found.push_back(Index);
    }
    bool CompletesAll = upTo(4) != 0;
    for (uint32_t Index : Found) {
      if (CompletesAll || upTo(5) == 0) {
        R.retire(Index);
        Slow.retire(Index);
      } else {
        R.putBack(Index);
        for (Known &K : Slow.All)
          K.Taken &= K.Index != Index;
      }
    }
  }
}

double secondsFor(uint32_t N, bool AreMoved) {
  auto Begin = std::chrono::steady_clock::now();
  Requests R;
  for (uint32_t I = 0; I < N; ++I)
    R.made(0, 1, 7, 5, variable(AreMoved ? 0 : I), 0);
  for (uint32_t I = N; I--;) {
    uint32_t Index = R.find(0, 5, variable(AreMoved ? I + 1 : I));
    R[Index].Taken = true;
  }
  for (uint32_t I = 0; I < N; ++I)
    R.retire(I);
  EXPECT_EQ(R.find(0, 5, variable(0)), HandleMap::None);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - Begin).count();
}

} // namespace

TEST(Requests, AreFoundAsInAListOfAll) {
  for (unsigned Seed = 0; Seed < 8; ++Seed) {
    const uint32_t Threads = 1 + Seed % 3;
    compare(Seed, 1, 400, 300, Threads);
    compare(Seed, 3, 40, 200, Threads);
    compare(Seed, 2, 3, 100, Threads);
    compare(Seed, 50, 50, 60, Threads);
  }
}

// Two hundred thousand in one queue: a walk through it for each would take minutes.
TEST(Requests, AreFoundInLongQueues) {
  EXPECT_LT(secondsFor(200000, false), 5);
  EXPECT_LT(secondsFor(200000, true), 5);
}

// Two threads that make the same requests, in any order, give them the same numbers.
TEST(Requests, AreNumberedByThread) {
  std::mt19937 Random(1);
  Requests R;
  std::vector<uint32_t> Numbers[2];
  std::vector<std::pair<uint32_t, uint32_t>> Open[2]; // the round, the request
  for (unsigned Left = 4000; Left--;) {
    const uint32_t Thread = Random() % 2;
    auto &Mine = Numbers[Thread];
    if (Mine.size() == 1500)
      continue;
    const auto Round = static_cast<uint32_t>(Mine.size());
    const uint32_t I = R.made(Thread, 1, Round % 3, 5, variable(Round), 0);
    EXPECT_EQ(R[I].Name.Thread, Thread);
    Mine.push_back(R[I].Name.Number);
    Open[Thread].emplace_back(Round, I);
    if (Open[Thread].size() == 1 + Round % 7)
      while (!Open[Thread].empty()) {
        R.retire(Open[Thread].back().second);
        Open[Thread].pop_back();
      }
  }
  ASSERT_EQ(Numbers[0].size(), 1500u);
  EXPECT_EQ(Numbers[0], Numbers[1]);
  for (const RequestName N : {RequestName{0, 7}, RequestName{3, 0}, RequestName{UINT32_MAX - 1, UINT32_MAX}})
    for (uint32_t Caller : {0, 3}) {
      const RequestName Again = RequestName::of(N.in(Caller), Caller);
      EXPECT_TRUE(Again.Thread == N.Thread && Again.Number == N.Number && (N.Thread > 1 << 30 || N.in(Caller) >= 0));
    }
  EXPECT_EQ((RequestName{3, 8}.in(3)), 8);
}
