// trace/file/EncodeSchema.cpp, DecodeSchema.cpp: what a trace says of its functions.
#include "trace/file/Encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace pilgrim;

static std::string randomWord(std::mt19937 &Random) { return "w" + std::to_string(Random() % 20); }

/// Kinds and levels that a later writer may have are among them.
static FunctionSchema randomFunction(std::mt19937 &Random, uint32_t Id) {
  FunctionSchema F;
  F.Id = Id;
  F.Name = (Random() % 4 ? "MPI_" : "(") + randomWord(Random);
  F.IsCollective = Random() % 2;
  F.L = Random() % 3 ? usualLevel(F.Name) : static_cast<Level>(Random() % 4);
  F.Slots.resize(1 + Random() % 6);
  for (ParamSchema &P : F.Slots) {
    P.Name = Random() % 4 ? randomWord(Random) : "";
    P.K = static_cast<Kind>(Random() % 60);
    bool *const Bits[] = {&P.IsArray, &P.IsOutput, &P.IsMachine, &P.IsHidden, &P.IsFlags};
    for (bool *Bit : Bits)
      *Bit = Random() % 4 == 0;
    if (Random() % 3 == 0)
      P.Names = randomWord(Random);
    for (unsigned I = Random() % 4; I--;) {
      const auto What = static_cast<Relation>(1 + Random() % 21);
      P.Said.push_back({What, static_cast<uint8_t>(hasNumber(What) ? Random() % F.Slots.size() : 0)});
    }
  }
  return F;
}

TEST(SchemaCodec, WhatIsWrittenIsRead) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    std::mt19937 Random(Seed);
    TraceData T, Read;
    for (unsigned I = Random() % 8; I--;) {
      const uint32_t Id = Random() % 2 ? Random() % 1000 : UINT32_MAX - Random() % 9;
      T.Functions[Id] = randomFunction(Random, Id);
    }
    for (unsigned I = Random() % 8; I--;)
      T.Names[{randomWord(Random), static_cast<int64_t>(Random()) - 5}] = randomWord(Random);
    std::vector<uint32_t> Order, ReadOrder;
    for (const auto &[Id, F] : T.Functions)
      Order.push_back(Id);
    std::shuffle(Order.begin(), Order.end(), Random);
    const auto Bytes = encodeSchema(T, Order);
    ByteReader R(Bytes);
    ASSERT_TRUE(decodeSchema(R, Read, ReadOrder)) << R.reason();
    EXPECT_EQ(ReadOrder, Order);
    EXPECT_EQ(Read.Functions, T.Functions);
    EXPECT_EQ(Read.Names, T.Names);
    // A word stands once.
    const std::string Text(Bytes.begin(), Bytes.end());
    const size_t At = Text.find("MPI_w1");
    if (At != std::string::npos && Text[At - 1] == 6) {
      EXPECT_EQ(Text.find("\6MPI_w1", At), std::string::npos);
    }
    for (size_t Cut = 0; Cut < Bytes.size(); ++Cut) {
      TraceData Part;
      ByteReader Short({Bytes.data(), Cut});
      std::vector<uint32_t> Some;
      EXPECT_FALSE(decodeSchema(Short, Part, Some));
    }
  }
}

/// A schema of two words and a function with these bytes behind its name. Gives the function, if it is read.
static std::optional<FunctionSchema> read(std::vector<uint8_t> Function, uint64_t Memory = 1 << 20) {
  std::vector<uint8_t> Bytes{2, 1, 'a', 1, 'b', 1, 7, 0};
  Bytes.insert(Bytes.end(), Function.begin(), Function.end());
  Bytes.push_back(0); // no names
  TraceData T;
  std::vector<uint32_t> Order;
  ByteReader R(Bytes, Memory);
  if (!decodeSchema(R, T, Order))
    return std::nullopt;
  EXPECT_EQ(Order, std::vector<uint32_t>{7});
  return T.Functions.at(7);
}

TEST(SchemaCodec, DamagedFunctionsAreRefused) {
  // Number of slots and whether it is collective; name, kind, bits of each.
  ASSERT_TRUE(read({2, 1, 0, 0}));
  EXPECT_EQ(read({2, 1, 0, 0})->Slots[0].Name, "b");
  EXPECT_TRUE(read({3, 1, 0, 0})->IsCollective);
  EXPECT_FALSE(read({0})) << "no slot";
  EXPECT_FALSE(read({2, 2, 0, 0})) << "no such word";
  EXPECT_TRUE(read({2, 1, 255, 31})) << "a kind of a later writer";
  EXPECT_FALSE(read({2, 1, 0, 128})) << "an unknown bit";
  EXPECT_EQ(read({2, 1, 0, 32, 0})->Slots[0].Names, "a");
  EXPECT_FALSE(read({2, 1, 0, 32, 2}));
  EXPECT_FALSE(read({2, 1, 0, 0}, 200)) << "it takes memory";
  for (size_t Slots : {255, 256}) {
    std::vector<uint8_t> Many{static_cast<uint8_t>((Slots << 1 & 127) | 128), static_cast<uint8_t>(Slots >> 6)};
    for (size_t I = 0; I < Slots; ++I)
      Many.insert(Many.end(), {1, 0, 0});
    EXPECT_EQ(read(Many).has_value(), Slots == 255);
  }
}

TEST(SchemaCodec, RelationsOfLaterWritersAreLeftOut) {
  auto Relations = [](std::vector<uint8_t> Bytes) -> std::optional<std::vector<SlotRelation>> {
    Bytes.insert(Bytes.begin(), {4, 1, 0, 0, 1, 0, 64}); // of the second slot of two
    auto F = read(Bytes);
    return F ? std::optional(F->Slots[1].Said) : std::nullopt;
  };
  using Said = std::vector<SlotRelation>;
  // Four times the relation, two for a number, one if there are more.
  EXPECT_EQ(Relations({1 << 2 | 2, 1}), (Said{{Relation::Count, 1}}));
  EXPECT_EQ(Relations({18 << 2}), (Said{{Relation::Frees, 0}}));
  EXPECT_EQ(Relations({18 << 2 | 1, 1 << 2 | 2, 0}), (Said{{Relation::Frees, 0}, {Relation::Count, 0}}));
  EXPECT_EQ(Relations({22 << 2}), Said()) << "not known";
  EXPECT_EQ(Relations({23 << 2 | 3, 200, 18 << 2}), std::nullopt) << "the number has two bytes";
  EXPECT_EQ(Relations({23 << 2 | 3, 100, 18 << 2}), (Said{{Relation::Frees, 0}}));
  EXPECT_EQ(Relations({1 << 2 | 2, 2}), std::nullopt) << "no such slot";
  EXPECT_EQ(Relations({1 << 2}), std::nullopt) << "a number is missing";
  EXPECT_EQ(Relations({18 << 2 | 2, 1}), std::nullopt) << "a number too much";
  EXPECT_EQ(Relations({128, 8}), std::nullopt) << "256";
}

TEST(SchemaCodec, TheLevelIsSaidWithTheFirstSlot) {
  EXPECT_EQ(read({2, 1, 0, 64, 24 << 2 | 2, 1})->L, Level::Tracer);
  EXPECT_EQ(read({2, 1, 0, 64, 24 << 2 | 2, 1})->Slots[0].Said.size(), 0u);
  EXPECT_EQ(read({4, 1, 0, 0, 1, 0, 64, 24 << 2 | 2, 1})->L, Level::Mpi) << "not with others";
  EXPECT_EQ(read({2, 1, 0, 0})->L, Level::Mpi);
}

TEST(SchemaCodec, TwoFunctionsMayNotHaveOneId) {
  for (uint8_t Id : {8, 7}) {
    const std::vector<uint8_t> Bytes{1, 1, 'a', 2, 7, 0, 2, 0, 0, 0, Id, 0, 2, 0, 0, 0, 0};
    TraceData T;
    std::vector<uint32_t> Order;
    ByteReader R(Bytes);
    EXPECT_EQ(decodeSchema(R, T, Order), Id == 8);
  }
}
