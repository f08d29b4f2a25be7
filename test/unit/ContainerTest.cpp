// trace/file/Container.h, Container.cpp: the file without what its sections say. What is written comes back, what is
// not known is not in the way, and damage has a place.
#include "trace/file/Container.h"
#include "test/unit/Samples.h"
#include "trace/read/Reader.h"

#include <gtest/gtest.h>

#include <random>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

using namespace pilgrim;
using namespace pilgrim::test;

using Bytes = std::vector<uint8_t>;

static Bytes randomBytes(size_t N, unsigned Seed) {
  std::mt19937 Random(Seed);
  Bytes B(N);
  for (uint8_t &X : B)
    X = static_cast<uint8_t>(Random());
  return B;
}

/// The sections of a trace, and others.
static Bytes fileOf(const TraceData &T, const std::vector<SectionPart> &Others, int Level,
                    std::optional<SectionId> Without = {}) {
  const SectionBytes S = encodeSections(T);
  std::vector<SectionPart> Parts;
  for (auto *B : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Measures})
    Parts.push_back({static_cast<uint32_t>(Parts.size()), "", *B});
  if (Without)
    Parts[static_cast<uint32_t>(*Without)].Bytes = {};
  Parts.insert(Parts.end(), Others.begin(), Others.end());
  return writeContainer(Parts, Level);
}

static std::string errorOf(const Bytes &File) {
  auto T = readTrace(File);
  return T ? "" : T.error().What;
}

/// A hand-made head: what is behind the checksum.
static Bytes sealed(const Bytes &Behind, size_t Summed = SIZE_MAX) {
  ByteWriter W;
  for (char C : {'P', 'I', 'L', 'G', 'R', 'I', 'M', '\n'})
    W.byte(static_cast<uint8_t>(C));
  W.u32(FormatVersion);
  W.u32(XXH32(Behind.data(), std::min(Summed, Behind.size()), 0));
  W.bytes(Behind);
  return W.Data;
}

/// Directory: behind the size of the file. Body: behind the directory.
static Bytes sealed(const ByteWriter &Directory, const Bytes &Body) {
  ByteWriter W;
  W.varint(Directory.Data.size() + Body.size());
  W.bytes(Directory.Data);
  W.bytes(Body);
  return sealed(W.Data);
}

// Of larger sections a sample says whether the best level is worth its time.
TEST(Container, TheBestLevelPacksWhatItMakesATwentiethSmaller) {
  Bytes Dense = randomBytes(size_t(1) << 18, 3), Sparse = Dense;
  for (uint8_t &X : Dense)
    X %= 6;
  auto Size = [](const Bytes &B, int Level) {
    return writeContainer(std::vector<SectionPart>{{0, "", B}}, Level).size();
  };
  EXPECT_LT(Size(Dense, 19), Size(Dense, 9) / 100 * 92);
  for (size_t I = 0; I < Sparse.size(); I += 4)
    Sparse[I] %= 6;
  EXPECT_EQ(Size(Sparse, 19), Size(Sparse, 9));
}

TEST(Container, SectionsComeBack) {
  const Bytes Small = randomBytes(100, 1), Large = randomBytes(AloneFrom, 2), Zeros(AloneFrom + 5, 0);
  for (int Level : {0, 1}) {
    Bytes File = writeContainer(
        std::vector<SectionPart>{{0, "", Small}, {1, "", Large}, {3, "", Zeros}, {1000000, "of others", Small}}, Level);
    FileBytes From(File);
    auto C = Container::open(From);
    ASSERT_TRUE(C) << C.error().What;
    EXPECT_EQ(*C->section(SectionId::Meta), Small);
    EXPECT_EQ(*C->section(SectionId::Calls), Zeros);
    EXPECT_EQ(*C->section(SectionId::Schema), Large);
    auto Tables = C->section(SectionId::Tables);
    ASSERT_FALSE(Tables);
    EXPECT_EQ(Tables.error().What, "damaged: there is no section tables");
    ASSERT_EQ(C->sections().size(), 4u);
    const SectionInfo &Last = C->sections()[3];
    EXPECT_EQ(Last.Id, 1000000u);
    EXPECT_EQ(Last.Name, "of others");
    EXPECT_EQ(Last.Bytes, 100u);
    // What is stored is stored together.
    EXPECT_EQ(C->sections()[1].Packed > 0, Level > 0);
    EXPECT_EQ(C->sections()[2].Packed > 0, Level > 0);
    EXPECT_EQ(Last.Packed, 0u);
  }
}

TEST(Container, MeasuresAreNotPacked) {
  const Bytes Zeros(1000, 0), Own = randomBytes(100, 5), Large(AloneFrom, 0);
  for (const Bytes &Measures : {Own, Zeros, Large}) {
    // Sections before and behind them, packed with others and alone.
    const Bytes File = writeContainer(
        std::vector<SectionPart>{{0, "", Zeros}, {3, "", Large}, {4, "", Measures}, {5, "", Zeros}, {9, "more", Large}},
        19);
    FileBytes From(File);
    auto C = Container::open(From);
    ASSERT_TRUE(C) << C.error().What;
    EXPECT_EQ(*C->section(SectionId::Meta), Zeros);
    EXPECT_EQ(*C->section(SectionId::Calls), Large);
    EXPECT_EQ(*C->section(SectionId::Measures), Measures);
    EXPECT_EQ(*C->section(SectionId::Times), Zeros);
    EXPECT_TRUE(C->checkUnknown());
    EXPECT_NE(std::search(File.begin(), File.end(), Measures.begin(), Measures.end()), File.end());
    EXPECT_LT(File.size(), Measures.size() + 400);
  }
  // More of them than the file has.
  ByteWriter Directory;
  for (uint64_t N : {2 << 1 | 1, 5 << 1, 11 << 1 | 1, 3 << 2})
    Directory.varint(N);
  EXPECT_NE(errorOf(sealed(Directory, Bytes(10, 0))).find("damaged: sizes of sections"), std::string::npos);
}

TEST(Container, AHeadIsShort) {
  // Magic, version, checksum: 16. The size of the file; the number of sections; of each, its size.
  const SectionBytes S = encodeSections(tiny());
  EXPECT_EQ(writeTrace(tiny(), {.Level = 0}).size(),
            16 + 2 + 1 + 5 + S.Meta.size() + S.Schema.size() + S.Tables.size() + S.Calls.size() + S.Measures.size());
  // A section without bytes costs none.
  TraceData Untimed = tiny();
  for (Group &G : Untimed.Groups)
    G.Timed = false;
  Bytes File = writeTrace(Untimed, {.Level = 0});
  EXPECT_EQ(File.size(), 16 + 2 + 1 + 4 + S.Meta.size() + S.Schema.size() + S.Tables.size() + S.Calls.size());
  std::vector<SectionInfo> Sections;
  ASSERT_TRUE(readTrace(File, &Sections));
  ASSERT_EQ(Sections.size(), 5u);
  EXPECT_EQ(Sections[4].Name, "measures");
  EXPECT_EQ(Sections[4].Bytes, 0u);
}

TEST(Container, ASectionThatIsNotKnownIsSkipped) {
  const Bytes Small = randomBytes(100, 1), Large = randomBytes(2 * AloneFrom, 2);
  for (int Level : {0, 1}) {
    Bytes File = fileOf(tags(), {{7, "measures", Small}, {9, "", Small}, {123456789, "starts", Large}}, Level);
    std::vector<SectionInfo> Sections;
    auto T = readTrace(File, &Sections);
    ASSERT_TRUE(T) << T.error().What;
    EXPECT_EQ(writeTrace(*T), writeTrace(tags()));
    ASSERT_EQ(Sections.size(), 8u);
    EXPECT_EQ(Sections[5].Name, "measures");
    EXPECT_EQ(Sections[5].Bytes, 100u);
    EXPECT_EQ(Sections[6].Name, "section 9");
    EXPECT_EQ(Sections[7].Id, 123456789u);
    EXPECT_EQ(Sections[7].Bytes, 2 * AloneFrom);
    auto Head = readHead(File);
    ASSERT_TRUE(Head);
    EXPECT_EQ(Head->Meta, tags().Meta);
  }
  // It is not even read, unless somebody asks.
  Bytes File = fileOf(tags(), {{123456789, "starts", Large}}, 1);
  File[File.size() - 1000] ^= 1;
  EXPECT_TRUE(readTrace(File));
  FileBytes From(File);
  auto T = readTrace(From, nullptr, true);
  ASSERT_FALSE(T);
  EXPECT_EQ(T.error().What.find("damaged: the checksum of section starts (offset "), 0u) << T.error().What;
}

TEST(Container, ASectionThatIsNeededAndMissingIsNamed) {
  for (SectionId Id : {SectionId::Meta, SectionId::Schema, SectionId::Tables, SectionId::Calls})
    EXPECT_EQ(errorOf(fileOf(tags(), {}, 1, Id)), std::string("damaged: there is no section ") + nameOf(Id));
}

TEST(Container, ALargeSectionIsReadWithoutTheOthers) {
  // Tables of many strings, and nothing else that is large.
  TraceData T = tags();
  const Bytes Large = randomBytes(2 * AloneFrom, 3);
  T.Meta["note"] = std::string(Large.begin(), Large.end());
  const Bytes File = writeTrace(T, {.Level = 1});
  std::vector<SectionInfo> Sections;
  ASSERT_TRUE(readTrace(File, &Sections));
  EXPECT_GT(Sections[0].Packed, AloneFrom);
  EXPECT_EQ(Sections[1].Packed + Sections[2].Packed + Sections[3].Packed + Sections[4].Packed, 0u);
  // The last byte is of the section meta: all else is read without it.
  Bytes Damaged = File;
  Damaged.back() ^= 1;
  FileBytes From(Damaged);
  auto C = Container::open(From);
  ASSERT_TRUE(C) << C.error().What;
  EXPECT_TRUE(C->section(SectionId::Calls));
  EXPECT_FALSE(C->section(SectionId::Meta));
  EXPECT_EQ(errorOf(Damaged).find("damaged: the checksum of section meta (offset "), 0u) << errorOf(Damaged);
  // And the head without a large section behind it.
  Damaged = fileOf(tags(), {}, 1);
  const Bytes Calls = randomBytes(2 * AloneFrom, 4);
  const SectionBytes S = encodeSections(tags());
  Damaged = writeContainer(
      std::vector<SectionPart>{{0, "", S.Meta}, {1, "", S.Schema}, {2, "", S.Tables}, {3, "", Calls}}, 1);
  Damaged[Damaged.size() - 1000] ^= 1;
  EXPECT_TRUE(readHead(Damaged));
  EXPECT_EQ(errorOf(Damaged).find("damaged: the checksum of section calls (offset "), 0u) << errorOf(Damaged);
}

TEST(Container, DamageAnywhereIsNoticed) {
  const Bytes Zeros(2 * AloneFrom, 0), Ones(AloneFrom, 1);
  const SectionBytes S = encodeSections(tags());
  std::vector<SectionPart> Parts{{0, "", S.Meta}, {1, "", S.Schema}, {2, "", Zeros}, {3, "", Ones}, {8, "more", Zeros}};
  const Bytes File = writeContainer(Parts, 1);
  ASSERT_LT(File.size(), 5000u);
  auto ErrorOf = [](const Bytes &B) -> std::string {
    FileBytes From(B);
    auto C = Container::open(From);
    if (!C)
      return C.error().What;
    for (SectionId Id : {SectionId::Meta, SectionId::Schema, SectionId::Tables, SectionId::Calls})
      if (auto Section = C->section(Id); !Section)
        return Section.error().What;
    auto Done = C->checkUnknown();
    return Done ? "" : Done.error().What;
  };
  ASSERT_EQ(ErrorOf(File), "");
  FileBytes From(File);
  auto Sections = Container::open(From)->sections();
  const size_t More = File.size() - Sections[4].Packed, Calls = More - Sections[3].Packed,
               Tables = Calls - Sections[2].Packed;
  for (size_t N = 0; N < File.size(); ++N) {
    EXPECT_NE(ErrorOf(Bytes(File.begin(), File.begin() + static_cast<ptrdiff_t>(N))), "") << N;
    for (uint8_t Change : {0x01, 0x10, 0x80}) {
      Bytes Damaged = File;
      Damaged[N] ^= Change;
      const std::string Error = ErrorOf(Damaged);
      ASSERT_NE(Error, "") << N;
      auto Names = [&](const char *Name) { return Error.find(std::string("section ") + Name) != std::string::npos; };
      EXPECT_TRUE(N < Tables || Names(N >= More ? "more" : N >= Calls ? "calls" : "tables")) << N << ": " << Error;
    }
  }
}

TEST(Container, SizesHaveSixtyFourBits) {
  // A packed section of 5 GB of zeros, which is more than this file may become.
  ByteWriter Directory;
  Directory.varint(1 << 1 | 1);
  Directory.varint(uint64_t(5000000000) << 1);
  EXPECT_EQ(errorOf(sealed(Directory, Bytes(40, 0))).find("too large for this reader: section meta, 5000000000 bytes"),
            0u);
  // Of a section that is not known, the size is only told.
  SectionBytes S = encodeSections(tiny());
  ByteWriter D, Behind;
  D.varint(6 << 1);
  for (auto *B : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Measures})
    D.varint(static_cast<uint64_t>(B->size()) << 1);
  D.varint(uint64_t(5000000000) << 1 | 1);
  D.varint(3 << 2 | 2 | 1);
  D.string("huge");
  D.varint(4);
  D.u32(XXH32("huge", 4, 0));
  size_t All = D.Data.size() + 4;
  for (auto *B : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Measures})
    All += B->size();
  Behind.varint(All);
  Behind.bytes(D.Data);
  for (auto *B : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Measures})
    Behind.bytes(*B);
  const size_t Summed = Behind.Data.size();
  for (char C : {'h', 'u', 'g', 'e'})
    Behind.byte(static_cast<uint8_t>(C));
  std::vector<SectionInfo> Sections;
  auto T = readTrace(sealed(Behind.Data, Summed), &Sections);
  ASSERT_TRUE(T) << T.error().What;
  EXPECT_EQ(Sections.back().Id, 8u);
  EXPECT_EQ(Sections.back().Name, "huge");
  EXPECT_EQ(Sections.back().Bytes, 5000000000u);
  EXPECT_EQ(Sections.back().Packed, 4u);
}

TEST(Container, ADirectoryThatCannotBeIsRefused) {
  auto Error = [](std::initializer_list<uint64_t> Numbers, size_t Body) {
    ByteWriter W;
    for (uint64_t N : Numbers)
      W.varint(N);
    return errorOf(sealed(W, Bytes(Body, 0)));
  };
  auto Says = [&](const char *What, std::initializer_list<uint64_t> Numbers, size_t Body = 10) {
    EXPECT_NE(Error(Numbers, Body).find(What), std::string::npos) << Error(Numbers, Body);
  };
  Says("there is no section meta", {0}, 0);
  Says("sizes of sections", {0});
  Says("sizes of sections", {2, 11 << 1});
  Says("more than 255 sections", {256 << 1});
  Says("without bytes", {2, 0});
  Says("2^32 or more", {2, 3, uint64_t(1) << 34});
  Says("2^62 bytes or more", {4, UINT64_MAX - 1, UINT64_MAX - 1});
  Says("larger than the file", {2, 5 << 1 | 1, 1, UINT64_MAX, 0, 0, 0, 0});
  Says("larger than the file", {2, 5 << 1 | 1, 1, 11, 0, 0, 0, 0});
  Says("larger than the file", {2, 5 << 1 | 1, 1, 0, 0, 0, 0, 0});
  Says("too long", {2, 5 << 1 | 1, 2, 65});
  Says("not in ASCII", {2, 5 << 1 | 1, 2, 1, 10});
  Says("ends early", {20 << 1, 2, 2}, 0);
  Says("size of the sections", {3, 5 << 1});
}
