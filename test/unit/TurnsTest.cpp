// The order between threads, against what each thread saw itself.
#include "core/Turns.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <random>
#include <thread>

using namespace pilgrim;

namespace {
/// A thread and its calls: they are numbered, and nothing else.
struct Caller {
  explicit Caller(uint32_t Thread) : Thread(Thread) {}
  uint32_t Thread;
  TurnNotes Notes;
  std::vector<uint64_t> TurnOf; ///< by call
  uint64_t Turn = 0;

  void call(TurnWord &Word) {
    if (uint64_t New = Word.take(Thread)) {
      Notes.note(New, TurnOf.size());
      Turn = New;
    }
    TurnOf.push_back(Turn);
  }
};

using Callers = std::vector<std::unique_ptr<Caller>>;

Callers callers(uint32_t N) {
  Callers C;
  for (uint32_t I = 0; I < N; ++I)
    C.push_back(std::make_unique<Caller>(I));
  return C;
}

TraceData write(const Callers &C) {
  std::vector<ThreadTurns> All;
  for (const auto &T : C)
    All.push_back({T->Thread, &T->Notes, T->TurnOf.size()});
  TraceData Out;
  writeTurns(All, Out, 3);
  return Out;
}

/// Whose call each one is. Checks that each thread's calls are there once, in turns that go up.
std::vector<uint32_t> order(const Callers &C, const TraceData &T) {
  std::vector<uint32_t> Order;
  if (T.TurnThreads.size() != 1 || T.TurnLengths.size() != 1) {
    ADD_FAILURE() << "no turns";
    return Order;
  }
  EXPECT_EQ(T.TurnThreads[0].Ranks, RankSet(3));
  IntStreamData::Cursor Threads(T.TurnThreads[0].Values), Lengths(T.TurnLengths[0].Values);
  std::vector<size_t> At(C.size());
  uint64_t Turn = 0;
  for (int64_t Thread, Length, Last = -1; Threads.next(Thread); Last = Thread) {
    EXPECT_NE(Thread, Last);
    EXPECT_TRUE(Lengths.next(Length) && Length > 0);
    for (; Length-- > 0; Order.push_back(static_cast<uint32_t>(Thread))) {
      size_t &Call = At[static_cast<size_t>(Thread)];
      const auto &TurnOf = C[static_cast<size_t>(Thread)]->TurnOf;
      if (Call == TurnOf.size() || TurnOf[Call] < Turn) {
        ADD_FAILURE() << "call " << Call << " of thread " << Thread;
        return Order;
      }
      Turn = TurnOf[Call++];
    }
  }
  for (size_t I = 0; I < C.size(); ++I)
    EXPECT_EQ(At[I], C[I]->TurnOf.size());
  return Order;
}

size_t sizeOf(const TraceData &T) {
  ByteWriter W;
  T.TurnThreads[0].write(W);
  T.TurnLengths[0].write(W);
  return W.Data.size();
}
} // namespace

TEST(Turns, OneThreadHasNone) {
  Callers C = callers(2);
  TurnWord Word;
  for (int I = 0; I < 10; ++I)
    C[0]->call(Word);
  TraceData T = write(C);
  EXPECT_TRUE(T.TurnThreads.empty() && T.TurnLengths.empty());
}

TEST(Turns, AreInTheOrderOfCalls) {
  for (unsigned Seed = 0; Seed < 20; ++Seed) {
    std::mt19937 Random(Seed);
    const uint32_t N = 2 + Seed % 5;
    Callers C = callers(N);
    TurnWord Word;
    std::vector<uint32_t> Wanted;
    for (unsigned I = 0; I < 200 || Wanted.size() < 400; ++I) {
      const uint32_t Thread = Random() % N;
      for (unsigned Calls = 1 + Random() % 3; Calls--;) {
        C[Thread]->call(Word);
        Wanted.push_back(Thread);
      }
    }
    EXPECT_EQ(order(C, write(C)), Wanted);
  }
}

TEST(Turns, WithoutCallsLeaveNothing) {
  Callers C = callers(3);
  TurnWord Word;
  C[0]->call(Word);
  C[1]->call(Word);
  C[2]->Notes.note(Word.take(2), 0); // its call was not recorded
  C[1]->call(Word);
  C[0]->call(Word);
  C[2]->Notes.note(Word.take(2), 0);
  EXPECT_EQ(order(C, write(C)), (std::vector<uint32_t>{0, 1, 1, 0}));
}

TEST(Turns, OfARegularProgramTakeNoSpace) {
  // Threads in a row, one call each; then the first one talks to each of the others, more and more.
  for (auto Next : {+[](uint64_t I) { return I % 5; }, +[](uint64_t I) { return I % 2 ? I / 2 % 4 + 1 : 0; }}) {
    size_t Bytes[2], Memory[2];
    for (unsigned Long = 0; Long < 2; ++Long) {
      Callers C = callers(5);
      TurnWord Word;
      for (uint64_t I = 0; I < (Long ? 200000 : 4000); ++I)
        C[Next(I)]->call(Word);
      Bytes[Long] = sizeOf(write(C));
      Memory[Long] = C[0]->Notes.memory();
    }
    EXPECT_LE(Bytes[1], Bytes[0] + 8);
    EXPECT_LE(Memory[1], Memory[0] + 256);
    EXPECT_LT(Bytes[1], 80u);
  }
}

TEST(Turns, AtRandomTakeFewBytes) {
  std::mt19937 Random(7);
  Callers C = callers(3);
  TurnWord Word;
  std::vector<uint32_t> Wanted;
  constexpr size_t Calls = 300000;
  for (size_t I = 0; I < Calls; ++I) {
    Wanted.push_back(Random() % 3);
    C[Wanted.back()]->call(Word);
    for (const auto &T : C)
      if (I % 1024 == 0) {
        ASSERT_LE(T->Notes.memory(), (size_t(1) << 18) + 16 * I / 3) << I;
      }
  }
  for (const auto &T : C) {
    EXPECT_TRUE(T->Notes.isPlain());
    EXPECT_LE(T->Notes.memory(), Calls * 2 / 9 * 8);
  }
  EXPECT_EQ(order(C, write(C)), Wanted);
}

/// What goes through a lock stands in the order in which threads had it.
TEST(Turns, KeepTheOrderThatTheProgramMakes) {
  constexpr uint32_t N = 8;
  Callers C = callers(N);
  TurnWord Word;
  std::mutex M;
  std::vector<uint32_t> Wanted;
  std::vector<std::thread> Threads;
  for (uint32_t I = 0; I < N; ++I)
    Threads.emplace_back([&, I] {
      for (unsigned Round = 0; Round < 2000; ++Round) {
        std::lock_guard<std::mutex> L(M);
        for (unsigned Calls = 1 + (Round + I) % 3; Calls--;) {
          C[I]->call(Word);
          Wanted.push_back(I);
        }
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(order(C, write(C)), Wanted);
}

/// Threads at the same time: some order, but one in which each thread's calls are.
TEST(Turns, OfThreadsThatHammer) {
  constexpr uint32_t N = 8;
  for (unsigned Times = 0; Times < 5; ++Times) {
    Callers C = callers(N);
    TurnWord Word;
    // Messages: what a thread sees was said in an earlier turn, or in the same one.
    struct Said {
      std::atomic<uint64_t> Turn{0};
    } Board;
    std::atomic<unsigned> Wrong{0};
    std::vector<std::thread> Threads;
    for (uint32_t I = 0; I < N; ++I)
      Threads.emplace_back([&, I] {
        for (unsigned Round = 0; Round < 20000; ++Round) {
          const uint64_t Seen = Board.Turn.load(std::memory_order_acquire);
          C[I]->call(Word);
          Wrong += Seen > C[I]->Turn;
          if (Round % 4 == 0)
            Board.Turn.store(C[I]->Turn, std::memory_order_release);
        }
      });
    for (std::thread &T : Threads)
      T.join();
    EXPECT_EQ(Wrong, 0u);
    // A turn is one thread's.
    std::map<uint64_t, uint32_t> Owners;
    for (const auto &T : C)
      for (uint64_t Turn : T->TurnOf)
        ASSERT_EQ(Owners.try_emplace(Turn, Turn ? T->Thread : 0).first->second, T->Thread) << Turn;
    EXPECT_EQ(order(C, write(C)).size(), size_t(N) * 20000);
  }
}
