// trace/sequences/Chunk.h, and what seals them (Sealer.h, GrammarSeal.cpp, IntStream.cpp): sequences of which parts
// repeat and parts do not, against the plain sequences.
#include "trace/sequences/Chunk.h"
#include "test/unit/Ranks.h"
#include "test/unit/Sequences.h"
#include "trace/base/Hash.h"
#include "trace/sequences/Sequence.h"
#include "trace/sequences/SequenceHash.h"
#include "trace/sequences/SlotStream.h"
#include "trace/sequences/StreamIndex.h"
#include "trace/sequences/TextStream.h"

#include <gtest/gtest.h>

#include <random>

using namespace pilgrim;
using namespace pilgrim::test;

namespace {
struct Store final : ChunkStore {
  /// Others: sequences that take memory too. With many, little has to be there to be sealed.
  explicit Store(unsigned Others = 0) {
    while (Others--)
      addLong();
  }
  std::vector<uint8_t> All;
  size_t Kept = 0;
  Chunk keep(std::vector<uint8_t> Bytes, uint64_t Length, uint32_t Terminals) override {
    All.insert(All.end(), Bytes.begin(), Bytes.end());
    ++Kept;
    const uint64_t Size = Bytes.size();
    return {std::make_shared<ChunkMemory>(std::move(Bytes)), 0, Size, Length, Terminals};
  }
};

/// Random items, loops, runs of one item, what was there before, in turn.
pilgrim::test::TerminalList mixed(std::mt19937_64 &R, size_t Least) {
  pilgrim::test::TerminalList S;
  while (S.size() < Least) {
    const unsigned Kind = R() % 5, Terminals = 1 + R() % 60;
    if (Kind < 2) {
      for (size_t N = R() % (Kind ? 9000 : 40000); N--;)
        S.push_back(static_cast<uint32_t>(R() % Terminals));
    } else if (Kind == 2) {
      for (size_t I = 0, Period = 1 + R() % 20, N = R() % 30000, From = S.size(); I < N; ++I)
        S.push_back(I < Period ? static_cast<uint32_t>(R() % Terminals) : S[From + I - Period]);
    } else if (Kind == 3) {
      S.insert(S.end(), R() % 50000, static_cast<uint32_t>(R() % 3));
    } else if (!S.empty()) {
      const pilgrim::test::TerminalList Part(S.begin() + static_cast<ptrdiff_t>(R() % S.size()), S.end());
      S.insert(S.end(), Part.begin(), Part.end());
    }
  }
  return S;
}

/// The same chunks, in one section, as a file has them.
template <typename Data> std::vector<uint8_t> writtenWith(const Data &D, ByteReader &R) {
  std::vector<uint8_t> Section;
  for (const auto &[Place, C] : D.Chunks) {
    C.place(Section.size());
    const auto Own = C.bytes();
    Section.insert(Section.end(), Own.begin(), Own.end());
  }
  R.Chunks = std::make_shared<ChunkMemory>(std::move(Section));
  ByteWriter W;
  D.write(W);
  return W.Data;
}

GrammarData readAgain(const GrammarData &D) {
  ByteReader Head({});
  const auto Bytes = writtenWith(D, Head);
  ByteReader R(Bytes);
  R.Chunks = Head.Chunks;
  const size_t Rules = R.count();
  GrammarData Out = GrammarData::read(R, Rules, nullptr, true);
  EXPECT_TRUE(R.ok() && R.atEnd()) << R.reason();
  return Out;
}

IntStreamData readAgain(const IntStreamData &D) {
  ByteReader Head({});
  const auto Bytes = writtenWith(D, Head);
  ByteReader R(Bytes);
  R.Chunks = Head.Chunks;
  IntStreamData Out = IntStreamData::read(R, IntStreamData::AnyFeature);
  EXPECT_TRUE(R.ok() && R.atEnd()) << R.reason();
  return Out;
}
} // namespace

TEST(Chunk, SequencesThatRepeatHereAndThere) {
  size_t Chunks = 0, Again = 0;
  for (unsigned Seed = 0; Seed < 25; ++Seed) {
    std::mt19937_64 R(Seed);
    const pilgrim::test::TerminalList Plain = mixed(R, 60000);
    Store To(Seed % 5 ? 200 : 0);
    Grammar G;
    G.sealTo(To);
    for (size_t I = 0; I < Plain.size(); ++I) {
      // As the recorder does it where it foresees.
      if (G.predicts() && G.predicted() == Plain[I])
        G.advance();
      else
        G.append(Plain[I]);
      if (I == Plain.size() / 2)
        G.data(); // does not change what follows
    }
    const GrammarData D = G.data();
    Chunks += D.Chunks.size();
    const std::vector<uint64_t> Uses = D.uses();
    for (const auto &[Rule, C] : D.Chunks)
      Again += Uses[Rule] > 1;
    ASSERT_EQ(expand(D), Plain) << Seed;
    ASSERT_EQ(D.length(), Plain.size());
    std::vector<uint64_t> Counts(D.terminals(), 0);
    for (uint32_t T : Plain)
      ++Counts[T];
    ASSERT_EQ(D.terminalCounts(), Counts) << Seed;
    ASSERT_EQ(D.expanded().terminalCounts(), Counts) << Seed;
    ASSERT_EQ(expand(D.expanded()), Plain) << Seed;
    const GrammarData Read = readAgain(D);
    ASSERT_TRUE(Read == D);
    ASSERT_EQ(hashOf(Read), hashOf(D));
    ASSERT_EQ(expand(Read), Plain);
    // Looking into it.
    const pilgrim::Sequence S(D);
    ASSERT_EQ(S.length(), Plain.size());
    std::vector<uint64_t> Before(D.terminals(), 0);
    for (size_t I = 0, Next = 0; I <= Plain.size(); ++I) {
      if (I == Next || I == Plain.size()) {
        Next += 1 + R() % 3000;
        ASSERT_EQ(S.countsBefore(I), Before) << Seed << ", place " << I;
        auto C = S.cursorAt(I);
        uint32_t T;
        for (size_t J = I; J < std::min(I + 50, Plain.size()); ++J) {
          ASSERT_TRUE(C.next(T));
          ASSERT_EQ(T, Plain[J]) << Seed << ", place " << J << " from " << I;
        }
        if (I == Plain.size()) {
          ASSERT_FALSE(C.next(T));
          break;
        }
        ASSERT_EQ(S.at(I), Plain[I]);
      }
      ++Before[Plain[I]];
    }
    // Renaming looks into chunks.
    std::vector<uint32_t> New(D.terminals());
    for (uint32_t T = 0; T < New.size(); ++T)
      New[T] = T / 3;
    pilgrim::test::TerminalList Renamed, Left;
    for (uint32_t T : Plain) {
      Renamed.push_back(T / 3);
      if (T)
        Left.push_back(T / 3);
    }
    const GrammarData Other = D.renamed(New);
    ASSERT_EQ(expand(Other), Renamed);
    ASSERT_EQ(Other.terminalCounts(), Other.expanded().terminalCounts());
    if (!D.Chunks.empty()) {
      ASSERT_TRUE(readAgain(Other) == Other);
    }
    New[0] = GrammarData::LeftOut;
    ASSERT_EQ(expand(D.renamed(New)), Left);
  }
  EXPECT_GT(Chunks, 25u);
  EXPECT_GT(Again, 5u);
}

/// Of thousands of sequences none is long, but all of them take memory.
TEST(Chunk, ManySequencesThatAreNotLong) {
  constexpr size_t Many = 1500, Long = 1200, Room = 7500;
  Store To;
  std::vector<Grammar> All(Many);
  for (Grammar &G : All)
    G.sealTo(To);
  auto Of = [](size_t G, size_t N) { return static_cast<uint32_t>(mix(G, N) % 8); };
  for (size_t N = 0; N < Long; ++N)
    for (size_t G = 0; G < Many; ++G)
      All[G].append(Of(G, N));
  size_t Memory = 0;
  for (const Grammar &G : All)
    Memory += sizeof(G) + G.memory();
  EXPECT_LT(Memory / Many, Room);
  for (size_t G = 0; G < Many; G += 100) {
    std::vector<uint32_t> Wanted;
    for (size_t N = 0; N < Long; ++N)
      Wanted.push_back(Of(G, N));
    ASSERT_EQ(expand(All[G].data()), Wanted);
  }
}

/// What was in rules, or in runs of values, takes no memory once it is sealed.
TEST(Chunk, RulesThatWereGivenUpAreNotKept) {
  std::mt19937_64 R(1);
  Store To;
  Grammar Items;
  IntStream Values;
  Items.sealTo(To);
  Values.sealTo(To);
  size_t MostOfItems = 0, MostOfValues = 0;
  for (size_t N = 0; N < 300000; ++N) {
    Items.append(static_cast<uint32_t>(R() % 50));
    Values.append(static_cast<int64_t>(R() >> 40)); // most are runs of their own
    MostOfItems = std::max(MostOfItems, Items.memory());
    MostOfValues = std::max(MostOfValues, Values.memory());
  }
  EXPECT_LT(Items.memory(), MostOfItems / 4);
  EXPECT_LT(Values.memory(), MostOfValues / 4);
}

/// No element waits for a whole chunk to be coded, and a chunk is coded long before the next one is full.
TEST(Chunk, AreCodedBitByBit) {
  std::mt19937_64 R(1);
  Store To;
  Sealer<RepeatedTerminal> S;
  S.IsPlain = true;
  size_t Cut = 0, N = 0, Behind = 0;
  for (size_t Before = 0; N < 100000; ++N) {
    S.append(To, {static_cast<uint32_t>(R() % 50), 1});
    const size_t Now = S.Plain.size();
    if (Now < Before) {
      ++Cut;
      EXPECT_EQ(Behind, 0u) << "the one before is not coded yet";
      Behind = 1;
    } else if (Behind && To.Kept == Cut) {
      EXPECT_GT(Behind, 1000u);
      EXPECT_LT(Behind, 12000u);
      Behind = 0;
    }
    Behind += Behind != 0;
    Before = Now;
  }
  EXPECT_GT(Cut, 5u);
  const SealedPart All = S.result(To, 1);
  EXPECT_EQ(All.Chunks.size(), To.Kept);
  uint64_t Length = 0;
  for (uint32_t I : All.Order)
    Length += All.Chunks[I].length();
  EXPECT_EQ(Length, N);
}

TEST(Chunk, SequencesThatRepeatStayGrammars) {
  std::mt19937_64 R(1);
  pilgrim::test::TerminalList Body;
  for (int I = 0; I < 7000; ++I)
    Body.push_back(static_cast<uint32_t>(R() % 50));
  Store To;
  Grammar Sealed, Other;
  Sealed.sealTo(To);
  for (int Times = 0; Times < 20; ++Times)
    for (uint32_t T : Body) {
      Sealed.append(T);
      Other.append(T);
    }
  EXPECT_TRUE(Sealed.data() == Other.data());
}

/// Something that does not repeat, then a long body again and again: it is kept a few times, however often it comes.
template <typename Of, typename Value> void comesAgain(size_t Before, size_t Period, unsigned Others) {
  size_t Bytes[2];
  for (unsigned Longer = 0; Longer < 2; ++Longer) {
    std::mt19937_64 R(Period);
    Store To(Others);
    Of S;
    S.sealTo(To);
    std::vector<Value> Body(Period), Plain;
    for (Value &V : Body)
      V = static_cast<Value>(R() % 60);
    for (size_t I = 0; I < Before; ++I)
      Plain.push_back(static_cast<Value>(R() % 60));
    for (size_t Times = (Longer ? 4 : 1) * (3 + 100000 / Period); Times--;)
      Plain.insert(Plain.end(), Body.begin(), Body.end());
    for (Value V : Plain)
      S.append(V);
    const auto D = S.data();
    ASSERT_TRUE(expand(D) == Plain);
    ASSERT_TRUE(readAgain(D) == D);
    ByteReader Head({});
    Bytes[Longer] = writtenWith(D, Head).size() + To.All.size();
  }
  // Less than 6 bits an element; at both ends a chunk that does not come again.
  EXPECT_LT(Bytes[0], (Before + 2 * Period) * 6 / 8 + 30000) << Before << " " << Period << " " << Others;
  EXPECT_LT(Bytes[1], Bytes[0] + 15000) << Before << " " << Period << " " << Others;
}

TEST(Chunk, WhatComesAgainIsKeptOnce) {
  for (size_t Period : {700, 100000})
    for (size_t Before : {0, 60000})
      for (unsigned Others : {0, 200}) {
        comesAgain<Grammar, uint32_t>(Before, Period, Others);
        comesAgain<IntStream, int64_t>(Before, Period, Others);
      }
}

/// What repeats after something that does not is foreseen again.
TEST(Chunk, RulesComeBack) {
  std::mt19937_64 R(1);
  Store To;
  Grammar G;
  G.sealTo(To);
  for (int I = 0; I < 80000; ++I)
    G.append(static_cast<uint32_t>(R() % 50));
  unsigned Foreseen = 0;
  for (int I = 0; I < 200000; ++I)
    if (const auto T = static_cast<uint32_t>(I % 7); G.predicts() && G.predicted() == T) {
      G.advance();
      ++Foreseen;
    } else {
      G.append(T);
    }
  EXPECT_GT(Foreseen, 150000u);
  // Where one item comes again and again, at once.
  for (int I = 0; I < 9000; ++I)
    G.append(static_cast<uint32_t>(R() % 50));
  for (int I = 0; I < 3; ++I)
    G.append(3);
  EXPECT_TRUE(G.repeats(3));
  G.advance(1000);
  EXPECT_EQ(G.data().length(), 80000u + 200000 + 9000 + 1003);
}

/// Any bytes, in pieces of any length; what comes again, in other pieces, is kept once.
TEST(Chunk, Text) {
  for (unsigned Seed = 0; Seed < 8; ++Seed) {
    std::mt19937_64 R(Seed);
    Store To(Seed % 2 ? 200 : 0);
    TextStream T(To);
    std::string Body;
    for (size_t I = 0; I < (Seed < 2 ? Seed : 400000); ++I)
      Body += static_cast<char>(Seed % 3 ? 'a' + R() % 16 : R());
    std::string All;
    for (unsigned Times = 0; Times < 6; ++Times)
      All += Body;
    for (size_t At = 0, N; At < All.size(); At += N) {
      N = std::min<size_t>(All.size() - At, R() % 5 ? R() % 50 : R() % 300000);
      T.append(std::string_view(All).substr(At, N));
      if (R() % 1000 == 0)
        T.data(); // changes nothing
    }
    const IntStreamData D = T.data();
    Numbers Plain;
    for (char C : All)
      Plain.push_back(static_cast<unsigned char>(C));
    ASSERT_EQ(expand(D), Plain) << Seed;
    ASSERT_TRUE(readAgain(D) == D);
    EXPECT_LT(To.All.size(), Body.size() * (Seed % 3 ? 6 : 10) / 8 * 3 + 100) << Seed;
  }
}

TEST(Chunk, Streams) {
  size_t Chunks = 0, Again = 0;
  for (unsigned Seed = 0; Seed < 25; ++Seed) {
    std::mt19937_64 R(Seed);
    Numbers Plain;
    while (Plain.size() < 60000) {
      const unsigned Kind = R() % 4;
      if (!Plain.empty() && R() % 3 == 0) {
        const Numbers Part(Plain.begin() + static_cast<ptrdiff_t>(R() % Plain.size()), Plain.end());
        Plain.insert(Plain.end(), Part.begin(), Part.end());
      }
      int64_t V = static_cast<int64_t>(R() % 1000);
      for (size_t I = 0, N = R() % 20000, Shift = 20 + R() % 40; I < N; ++I)
        Plain.push_back(Kind == 0 ? V + int64_t(I) * 8 : Kind == 1 ? static_cast<int64_t>(R() >> Shift) : V += R() % 9);
    }
    Store To(Seed % 5 ? 200 : 0);
    IntStream S;
    S.sealTo(To);
    for (size_t I = 0; I < Plain.size(); ++I) {
      S.append(Plain[I]);
      if (I == Plain.size() / 2)
        S.data();
    }
    const IntStreamData D = S.data();
    Chunks += D.Chunks.size();
    const std::vector<uint64_t> Uses = D.Order.terminalCounts();
    for (const auto &[Run, C] : D.Chunks)
      Again += Uses[Run] > 1;
    ASSERT_EQ(expand(D), Plain) << Seed;
    ASSERT_EQ(expand(D.expanded()), Plain) << Seed;
    ASSERT_EQ(D.length(), Plain.size());
    const IntStreamData Read = readAgain(D);
    ASSERT_TRUE(Read == D);
    ASSERT_EQ(hashOf(Read), hashOf(D));
    ASSERT_EQ(expand(Read), Plain);
    uint64_t Sum = 0, Times = 0, Values = 0;
    D.forEachRun([&](const LinearRun &Run, uint64_t N) {
      Times += N * Run.Count;
      for (uint64_t I = 0; I < Run.Count; ++I)
        Values += N * (static_cast<uint64_t>(Run.First) + I * static_cast<uint64_t>(Run.Stride));
    });
    ASSERT_EQ(Times, Plain.size());
    const StreamIndex Index(D);
    for (size_t I = 0, Next = 0; I <= Plain.size(); ++I) {
      if (I == Next || I == Plain.size()) {
        Next += 1 + R() % 3000;
        ASSERT_EQ(Index.sumBefore(D, I), Sum) << Seed << ", place " << I;
        auto C = Index.cursorAt(D, I);
        int64_t V;
        for (size_t J = I; J < std::min(I + 50, Plain.size()); ++J) {
          ASSERT_TRUE(C.next(V));
          ASSERT_EQ(V, Plain[J]) << Seed << ", place " << J << " from " << I;
        }
        if (I == Plain.size())
          break;
        ASSERT_EQ(Index.at(D, I), Plain[I]);
      }
      Sum += static_cast<uint64_t>(Plain[I]);
    }
    ASSERT_EQ(Values, Sum);
  }
  EXPECT_GT(Chunks, 25u);
  EXPECT_GT(Again, 5u);
}

TEST(Chunk, SlotsKeepOneOfValuesAndSteps) {
  std::mt19937_64 R(5);
  for (int Kind = 0; Kind < 3; ++Kind) {
    Store To;
    SlotStream S;
    S.sealTo(To);
    Numbers Plain;
    for (int64_t I = 0, V = 0; I < 100000; ++I)
      Plain.push_back(Kind == 0 ? static_cast<int64_t>(R() % 5000) : V += Kind == 1 ? R() % 16 : I % 7);
    for (int64_t V : Plain)
      S.append(V);
    EXPECT_LT(S.memory(), 1000000u) << Kind;
    const IntStreamData D = S.data();
    ASSERT_EQ(expand(D), Plain) << Kind;
    size_t Bytes = 0;
    for (const auto &[Run, C] : D.Chunks)
      Bytes += C.size();
    EXPECT_LT(Bytes, Kind == 0 ? 100000 * 12.7 / 8 : Kind == 1 ? 100000 * 4.3 / 8 : 1.0) << Kind;
  }
}

/// However damaged it is, a chunk has the length that it says.
TEST(Chunk, Damage) {
  std::mt19937_64 R(3);
  for (int Round = 0; Round < 200; ++Round) {
    std::vector<uint8_t> Bytes(R() % 40);
    for (uint8_t &B : Bytes)
      B = static_cast<uint8_t>(R() % (R() % 2 ? 4 : 256));
    const uint64_t Size = Bytes.size(), Length = 1 + R() % 1000;
    const Chunk C(std::make_shared<ChunkMemory>(Bytes), 0, Size, Length, 5);
    uint64_t N = 0;
    const auto Items = C.items();
    for (const RepeatedTerminal &E : *Items) {
      ASSERT_LT(E.Value, 5u);
      ASSERT_GE(E.Count, 1u);
      N += E.Count;
    }
    ASSERT_EQ(N, Length);
    ASSERT_EQ(C.values()->size(), Length);
  }
  // A place outside of the section, or no section at all.
  ByteWriter W;
  for (uint64_t V : {10, 5, 100, 3})
    W.varint(V);
  for (size_t Size : {14, 15, 16}) {
    ByteReader In(W.Data);
    In.Chunks = std::make_shared<ChunkMemory>(std::vector<uint8_t>(Size));
    Chunk::read(In, true);
    EXPECT_EQ(In.ok(), Size > 14) << Size;
  }
  ByteReader In(W.Data);
  Chunk::read(In, true);
  EXPECT_FALSE(In.ok());
}
