// What is damaged is refused with a reason, whatever it is, and asks for no more memory than it is worth.
#include "test/fuzz/ReadEverything.h"
#include "test/unit/Samples.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

using namespace pilgrim;
using namespace pilgrim::test;

using Bytes = std::vector<uint8_t>;

static std::vector<Bytes> files() {
  return {writeTrace(tiny(), {.Level = 0}), writeTrace(tiny()), writeTrace(tags(), {.Level = 0}), writeTrace(tags()),
          writeTrace(TraceData(), {.Level = 0})};
}

TEST(Damage, ATraceCutAnywhereIsRefused) {
  for (const Bytes &File : files()) {
    ASSERT_TRUE(readTrace(File));
    for (size_t N = 0; N < File.size(); ++N) {
      // A copy, so that a sanitizer sees reads beyond the end.
      Bytes Cut(File.begin(), File.begin() + static_cast<ptrdiff_t>(N));
      auto T = readTrace(Cut);
      ASSERT_FALSE(T) << N;
      EXPECT_FALSE(T.error().What.empty());
      EXPECT_EQ(T.error().What.find('\n'), std::string::npos);
      auto Head = readHead(Cut);
      ASSERT_FALSE(Head) << N;
      EXPECT_EQ(Head.error().What, T.error().What);
    }
    Bytes More = File;
    More.push_back(0);
    EXPECT_FALSE(readTrace(More));
  }
}

TEST(Damage, AChangedByteAnywhereIsNoticed) {
  for (const Bytes &File : files())
    for (size_t N = 0; N < File.size(); ++N)
      for (uint8_t Change : {0x01, 0x02, 0x10, 0x80, 0xff, 0x7f}) {
        Bytes Damaged = File;
        Damaged[N] ^= Change;
        ASSERT_FALSE(readTrace(Damaged)) << N << " ^ " << int(Change);
        ASSERT_FALSE(readHead(Damaged)) << N << " ^ " << int(Change);
      }
}

TEST(Damage, ChainsOfCallersHaveALimit) {
  // Whoever follows them may recur.
  for (size_t N : {size_t(MaxCallers), size_t(MaxCallers) + 1}) {
    LeafBuilder B(1, 0, 0);
    B.add({0, "app", 1, {value(Tag::Word, {0})}, {}, std::vector<int64_t>(N, 2)});
    auto T = readTrace(writeTrace(B.take(), {.Level = 0}));
    EXPECT_EQ(T.has_value(), N == MaxCallers);
  }
}

/// The five unpacked sections as ReadEverything.h has them; with times, all seven.
static Bytes sectionsOf(const TraceData &T) {
  SectionBytes S = encodeSections(T);
  ByteWriter W;
  for (auto *B : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Measures})
    W.blob(*B);
  if (!S.Times.empty()) {
    W.blob(S.Times);
    W.blob(S.Chunks->read(0, S.Chunks->size()));
  }
  return W.Data;
}

TEST(Damage, DamageInTimesBehindTheChecksumsIsReadOrRefused) {
  const auto Folder = std::filesystem::path(__FILE__).parent_path() / "..";
  for (std::string Name : {"times", "times-exact", "times-cfg", "times-hist", "times-clocks"}) {
    SCOPED_TRACE(Name);
    auto T = Trace::open((Folder / "format" / (Name + ".pilgrim")).string());
    ASSERT_TRUE(T) << T.error().What;
    const Bytes Good = sectionsOf(T->data());
    if (std::getenv("PILGRIM_UPDATE_SAMPLES"))
      std::ofstream(Folder / "fuzz/corpus" / ("seed-sec-" + Name), std::ios::binary)
          .write(reinterpret_cast<const char *>(Good.data()), static_cast<std::streamsize>(Good.size()));
    ASSERT_TRUE(readEverything(Good));
    // Times come last: the directory, then frames.
    const SectionBytes S = encodeSections(T->data());
    const size_t Begin = Good.size() - S.Times.size() - S.Chunks->size() - 4;
    std::mt19937 Random(1);
    size_t Read = 0, Refused = 0;
    for (size_t N = Begin; N < Good.size(); N += 1 + Random() % 128) {
      Bytes Damaged = Good;
      Damaged[N] ^= static_cast<uint8_t>(1 + Random() % 255);
      ++(readEverything(Damaged) ? Read : Refused);
    }
    EXPECT_GT(Read, 0u);
    EXPECT_GT(Refused, 0u);
  }
}

TEST(Damage, DamageBehindTheChecksumsIsReadOrRefused) {
  for (const TraceData &T : {tiny(), tags(), mixed(), nodes(), callers()}) {
    Bytes Good = sectionsOf(T);
    ASSERT_TRUE(readEverything(Good));
    std::mt19937 Random(1);
    for (size_t N = 0; N < Good.size(); ++N) {
      readEverything(std::span(Good).first(N));
      for (uint8_t Change : {0x01, 0x02, 0x80, 0x7f}) {
        if (Good.size() > 2000 && Random() % 8)
          continue;
        Bytes Damaged = Good;
        Damaged[N] ^= Change;
        readEverything(Damaged);
      }
    }
  }
}

TEST(Damage, TheHeadIsReadWithoutTheRest) {
  for (int Level : {0, 19})
    for (const TraceData &T : {tiny(), tags(), mixed(), nodes(), TraceData()}) {
      auto Head = readHead(writeTrace(T, {.Level = Level}));
      ASSERT_TRUE(Head) << Head.error().What;
      EXPECT_EQ(Head->World, T.World);
      EXPECT_EQ(Head->Ranks, T.Ranks);
      EXPECT_EQ(Head->Meta, T.Meta);
      EXPECT_TRUE(Head->Groups.empty() && Head->Functions.empty());
    }
}

TEST(Damage, ErrorsSayWhatAndWhere) {
  auto Error = [](Bytes B) {
    auto T = readTrace(B);
    return T ? std::string("fine") : T.error().What;
  };
  Bytes File = writeTrace(tags(), {.Level = 0});
  EXPECT_EQ(Error({}), "the file is empty");
  EXPECT_NE(Error({'E', 'L', 'F', 0, 0, 0, 0, 0, 0}).find("not a Pilgrim trace"), std::string::npos);
  Bytes Newer = File;
  Newer[8] = FormatVersion + 1;
  EXPECT_NE(Error(Newer).find("version " + std::to_string(FormatVersion + 1)), std::string::npos);
  Bytes Cut(File.begin(), File.end() - 1);
  EXPECT_NE(Error(Cut).find("cut short"), std::string::npos);
  Bytes Flipped = File;
  Flipped.back() ^= 1;
  EXPECT_NE(Error(Flipped).find("checksum (offset 12)"), std::string::npos) << Error(Flipped);
  SectionBytes S = encodeSections(tags());
  S.Calls[2] = 0; // the first group has no ranks
  auto T = decodeSections(S);
  ASSERT_FALSE(T);
  EXPECT_EQ(T.error().What.find("damaged: section calls, unpacked offset "), 0u) << T.error().What;
  S = encodeSections(tags());
  S.Meta.push_back(0);
  T = decodeSections(S);
  ASSERT_FALSE(T);
  EXPECT_EQ(T.error().What,
            "damaged: section meta, unpacked offset " + std::to_string(S.Meta.size() - 1) + ": bytes are left over");
}

//===----------------------------------------------------------------------===//
// Little input that stands for much
//===----------------------------------------------------------------------===//

TEST(Damage, WhatIsTooLargeIsNotCalledDamaged) {
  const SectionBytes S = encodeSections(mixed());
  EXPECT_TRUE(decodeSections(S));
  auto T = decodeSections(S, {.Limit = 1000, .Left = 900});
  ASSERT_FALSE(T);
  EXPECT_EQ(T.error().What.find("too large for this reader: section schema, unpacked offset "), 0u) << T.error().What;
  EXPECT_NE(T.error().What.find(", limit 1000 bytes of memory"), std::string::npos) << T.error().What;
}

/// A file around given sections, packed but for measures, with the checksum in place.
static Bytes fileAround(const SectionBytes &S) {
  ByteWriter Raw, Head, Summed, File;
  for (auto *Part : {&S.Meta, &S.Schema, &S.Tables, &S.Calls})
    Raw.bytes(*Part);
  Bytes Packed(ZSTD_compressBound(Raw.Data.size()));
  Packed.resize(ZSTD_compress(Packed.data(), Packed.size(), Raw.Data.data(), Raw.Data.size(), 1));
  Head.varint(5 << 1 | 1);
  for (auto *Part : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Measures})
    Head.varint(static_cast<uint64_t>(Part->size()) << 1);
  Summed.varint(Head.Data.size() + Packed.size() + S.Measures.size());
  Summed.bytes(Head.Data);
  Summed.bytes(Packed);
  Summed.bytes(S.Measures);
  for (char C : {'P', 'I', 'L', 'G', 'R', 'I', 'M', '\n'})
    File.byte(static_cast<uint8_t>(C));
  File.u32(FormatVersion);
  File.u32(XXH32(Summed.Data.data(), Summed.Data.size(), 0));
  File.bytes(Summed.Data);
  return File.Data;
}

TEST(Damage, PackedZerosAreRefusedBeforeTheyAreUnpacked) {
  SectionBytes S = encodeSections(tags());
  EXPECT_TRUE(readTrace(fileAround(S)));
  S.Tables.assign(size_t(400) << 20, 0);
  Bytes File = fileAround(S);
  EXPECT_LT(File.size(), 100000u);
  auto T = readTrace(File);
  ASSERT_FALSE(T);
  EXPECT_EQ(T.error().What.find("too large for this reader: section tables, 419430400 bytes unpacked, limit "), 0u)
      << T.error().What;
}

static std::string errorOfCalls(const TraceData &Data, uint64_t &Calls) {
  auto T = Trace::fromBytes(writeTrace(Data));
  EXPECT_TRUE(T) << T.error().What;
  CallCursor C = Trace::calls(T->view(0, 0));
  Calls = 0;
  for (Call X; C.next(X);)
    ++Calls;
  return C.error();
}

TEST(Damage, AStreamedArrayOfAnyLengthIsRefused) {
  LeafBuilder B(1, 0, 0);
  B.add({1, "", 0, {value(Tag::Word, {0}), streamed(value(Tag::Array, {1}))}, {}});
  TraceData T = B.take();
  IntStream Length, Values;
  Length.append(1 << 30);
  calls(T.Groups[0]).Streams[{1, 0, 1, 0}][0].Values = Length.data();
  IntStreamData Many;
  Many.Runs = {{7, 0, uint64_t(1) << 40}};
  Many.Order.Rules = {{{0, false, 1}}};
  calls(T.Groups[0]).Streams[{1, 0, 1, 1}][0].Values = Many;
  uint64_t Calls;
  EXPECT_NE(errorOfCalls(T, Calls).find("stream of F1's slot 1"), std::string::npos);
  EXPECT_EQ(Calls, 0u);
}

TEST(Damage, OnlyDatatypesHaveSizesInStreams) {
  for (const Kind K : {Kind::Datatype, Kind::Comm}) {
    LeafBuilder B(1, 0, 0);
    std::vector<int64_t> Words{3, SizeInStream, 1, 0, -1};
    Words.resize(K == Kind::Comm ? 5 : 2);
    B.add({1, "", 0, {value(Tag::Word, {0}), streamed(value(Tag::Object, {8}, "", {{K, "", Words}}))}, {}});
    const auto T = readTrace(writeTrace(B.take()));
    ASSERT_EQ(T.has_value(), K == Kind::Datatype);
    const std::string Error = T ? "" : T.error().What;
    EXPECT_EQ(Error.find("a stream of sizes of what is no datatype") != std::string::npos, K == Kind::Comm) << Error;
  }
}

TEST(Damage, EachTypeOfAnArrayHasASize) {
  for (const int64_t Sizes : {2, 1, 3}) {
    LeafBuilder B(1, 0, 0);
    const ModelObject Type{Kind::Datatype, "", {3, SizeInStream}};
    B.add({1, "", 0, {value(Tag::Word, {0}), streamed(value(Tag::Objects, {8, 9}, "", {Type, Type}))}, {}});
    TraceData T = B.take();
    IntStream Length, Values;
    Length.append(Sizes);
    for (int64_t I = 0; I < Sizes; ++I)
      Values.append(I);
    calls(T.Groups[0]).Streams[{1, 0, 1, 0}][0].Values = Length.data();
    calls(T.Groups[0]).Streams[{1, 0, 1, 1}][0].Values = Values.data();
    uint64_t Calls;
    const std::string Error = errorOfCalls(T, Calls);
    EXPECT_EQ(Error.find("stream of F1's slot 1") != std::string::npos, Sizes != 2) << Error;
    EXPECT_EQ(Calls, Sizes == 2 ? 1u : 0u);
  }
}

TEST(Damage, CallsWithoutEndInsideACallAreRefused) {
  LeafBuilder B(1, 0, 0);
  B.add({0, "", 0, {value(Tag::Word, {0})}, {}}, 1);
  TraceData T = B.take();
  calls(T.Groups[0]).Items[0].Order.Rules = {{{0, false, uint64_t(1) << 60}}};
  uint64_t Calls;
  EXPECT_NE(errorOfCalls(T, Calls).find("too large for this reader: calls inside call 0 of rank 0, limit "),
            std::string::npos);
  EXPECT_EQ(Calls, 0u);
}

TEST(Damage, ManyCallsInsideACallAreReadInLinearTime) {
  LeafBuilder B(1, 0, 0);
  ModelCall Outer{0, "", 0, {value(Tag::Word, {0})}, {}};
  for (int I = 0; I < 200000; ++I)
    Outer.Inside.push_back({0, "", 0, {value(Tag::Word, {I % 10})}, {}});
  B.add(Outer);
  auto Lines = B.Lines;
  auto T = Trace::fromBytes(writeTrace(B.take()));
  ASSERT_TRUE(T);
  EXPECT_EQ(callLines(*T, 0, 0), Lines);
}

//===----------------------------------------------------------------------===//
// What a file must agree with itself on
//===----------------------------------------------------------------------===//

TEST(Damage, ARankInTwoGroupsOfAThreadIsRefused) {
  TraceData T = tiny();
  T.Groups.push_back(T.Groups[0]);
  EXPECT_FALSE(readTrace(writeTrace(T)));
  T.Groups[1].Thread = 1;
  EXPECT_TRUE(readTrace(writeTrace(T)));
}

TEST(Damage, AGroupOfRanksThatTheTraceHasNotIsRefused) {
  TraceData T = tiny();
  T.Ranks = RankSet::below(2);
  EXPECT_FALSE(readTrace(writeTrace(T)));
}

TEST(Damage, AFunctionWithoutSlotsIsRefused) {
  TraceData T = tiny();
  T.Functions[77].Id = 77;
  T.Functions[77].Name = "f";
  EXPECT_FALSE(readTrace(writeTrace(T)));
  T.Functions[77].Slots.resize(1);
  EXPECT_TRUE(readTrace(writeTrace(T)));
}

TEST(Damage, SectionsAreListedInFileOrder) {
  std::vector<SectionInfo> Sections;
  Bytes File = writeTrace(tags(), {.Level = 0});
  ASSERT_TRUE(readTrace(File, &Sections));
  std::string Names;
  uint64_t Raw = 0;
  for (const SectionInfo &S : Sections) {
    Names += S.Name + " ";
    Raw += S.Bytes;
  }
  EXPECT_EQ(Names, "meta schema tables calls measures ");
  // Magic, version, checksum, size; the number of sections, and each one's size.
  EXPECT_EQ(Raw + 8 + 4 + 4 + 2 + 1 + 5 + 4, File.size());
}
