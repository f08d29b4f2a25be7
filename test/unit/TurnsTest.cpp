// The order between threads, against what each thread saw itself.
#include "core/Turns.h"
#include "test/unit/MemoryStore.h"
#include "trace/read/TurnCursor.h"

#include <gtest/gtest.h>

#include <barrier>
#include <map>
#include <mutex>
#include <random>
#include <thread>

using namespace pilgrim;

namespace {
/// A thread and its calls: they are numbered, and nothing else.
struct Caller {
  explicit Caller(uint32_t Thread) : Thread(Thread) { Notes.sealTo(Chunks); }
  uint32_t Thread;
  test::MemoryStore Chunks;
  TurnNotes Notes;
  std::vector<uint64_t> TurnOf; ///< by call
  uint64_t Turn = 0;
  bool IsInCall = false;

  void begin(TurnWord &Word) {
    if (uint64_t New = Word.take(Thread)) {
      Notes.note(New, TurnOf.size());
      Turn = New;
    }
    TurnOf.push_back(Turn);
    IsInCall = true;
  }
  void end(TurnWord &Word) {
    if (uint64_t Last = Word.end(Thread))
      Notes.ended(Last);
    IsInCall = false;
  }
  void call(TurnWord &Word) {
    begin(Word);
    end(Word);
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
    All.push_back({T->Thread, &T->Notes, T->TurnOf.size(), T->IsInCall});
  TraceData Out;
  writeTurns(All, Out, 3, C[0]->Chunks);
  return Out;
}

/// Whose call each one is. Checks that each thread's calls are there once, in turns that go up. AreAlone: whether the
/// turns tell that all calls before it were over when it began.
std::vector<uint32_t> order(const Callers &C, const TraceData &T, std::vector<bool> *AreAlone = nullptr) {
  std::vector<uint32_t> Order;
  if (T.TurnThreads.size() != 1 || T.TurnLengths.size() != 1) {
    ADD_FAILURE() << "no turns";
    return Order;
  }
  EXPECT_EQ(T.TurnThreads[0].Ranks, RankSet(3));
  std::vector<size_t> At(C.size());
  uint64_t Turn = 0;
  bool WasAlone = true;
  TurnCursor Turns(T, 3);
  for (uint32_t Last = ~0u; Turns.next(); Last = Turns.Thread, WasAlone = Turns.Length.BeginsAlone) {
    EXPECT_TRUE(Turns.Thread != Last || (Turns.Length.BeginsAlone && !WasAlone));
    for (uint64_t Left = Turns.Length.Calls; Left--; Order.push_back(Turns.Thread)) {
      if (AreAlone)
        AreAlone->push_back(Turns.Length.BeginsAlone);
      size_t &Call = At[Turns.Thread];
      const auto &TurnOf = C[Turns.Thread]->TurnOf;
      if (Call == TurnOf.size() || TurnOf[Call] < Turn) {
        ADD_FAILURE() << "call " << Call << " of thread " << Turns.Thread;
        return Order;
      }
      Turn = TurnOf[Call++];
    }
  }
  EXPECT_FALSE(Turns.isDamaged());
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

/// Calls that overlap as they like: a call that began when all before it were over is known to have done so, and no
/// other one.
TEST(Turns, TellWhenAllCallsBeforeWereOver) {
  for (unsigned Seed = 0; Seed < 40; ++Seed) {
    std::mt19937 Random(Seed);
    const uint32_t N = 2 + Seed % 4, Calls = Seed < 38 ? 400 : 40000;
    Callers C = callers(N);
    TurnWord Word;
    std::vector<bool> Wanted, Found;
    uint32_t UnderWay = 0;
    while (Wanted.size() < Calls || (UnderWay && Seed % 3)) {
      Caller &Of = *C[Random() % N];
      if (Of.IsInCall) {
        Of.end(Word);
        --UnderWay;
      } else if (Random() % (Seed % 4 + 1) == 0 && Wanted.size() < Calls) {
        Wanted.push_back(UnderWay == 0);
        Of.begin(Word);
        ++UnderWay;
      }
    }
    order(C, write(C), &Found);
    EXPECT_EQ(Found, Wanted) << Seed;
  }
}

/// Threads that call at the same time, and then one of them alone.
TEST(Turns, TellOfBarriers) {
  constexpr uint32_t N = 4, Rounds = 500;
  Callers C = callers(N);
  TurnWord Word;
  std::barrier Barrier(N);
  std::vector<std::thread> Threads;
  for (uint32_t I = 0; I < N; ++I)
    Threads.emplace_back([&, I] {
      for (unsigned Round = 0; Round < Rounds; ++Round) {
        C[I]->call(Word);
        Barrier.arrive_and_wait();
        if (I == Round % N)
          C[I]->call(Word);
        Barrier.arrive_and_wait();
      }
    });
  for (std::thread &T : Threads)
    T.join();
  std::vector<bool> Alone;
  auto Order = order(C, write(C), &Alone);
  ASSERT_EQ(Order.size(), size_t(N + 1) * Rounds);
  for (size_t Round = 0; Round < Rounds; ++Round) {
    EXPECT_TRUE(Alone[Round * (N + 1)] && Alone[Round * (N + 1) + N]) << Round;
    EXPECT_EQ(Order[Round * (N + 1) + N], Round % N);
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

/// However many there are.
TEST(Turns, AtRandomTakeLittleMemoryAndFewBytes) {
  std::mt19937 Random(7);
  Callers C = callers(3);
  TurnWord Word;
  std::vector<uint32_t> Wanted;
  constexpr size_t Room = size_t(3) << 19;
#ifdef __SANITIZE_THREAD__ // it is ten times slower, and memory is looked at without it
  constexpr size_t Calls = 200000, RoomAtEnd = Room;
#else
  constexpr size_t Calls = 1200000, RoomAtEnd = size_t(1) << 17;
#endif
  for (size_t I = 0; I < Calls; ++I) {
    Wanted.push_back(Random() % 3);
    C[Wanted.back()]->call(Word);
    if (I % 1024 == 0) {
      for (const auto &T : C)
        ASSERT_LE(T->Notes.memory(), Room) << I;
    }
  }
  for (const auto &T : C)
    EXPECT_LE(T->Notes.memory(), RoomAtEnd);
  const TraceData T = write(C);
  EXPECT_EQ(order(C, T), Wanted);
  // Of two random numbers out of three, which differ, one says 1 bit; a turn is 1.5 calls long.
  size_t Bytes = 0;
  for (const RankedStreams *L : {&T.TurnThreads, &T.TurnLengths})
    for (const auto &[Run, Of] : (*L)[0].Values.Chunks)
      Bytes += Of.size();
  EXPECT_GT(Bytes, Calls / 8);
  EXPECT_LT(Bytes, Calls / 4);
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
