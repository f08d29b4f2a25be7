// The trace file: what is written is read; what is damaged is refused with a
// reason; and sample files stay readable. The samples in test/format are read
// by a second reader too (test/test_format.py). After a change of the format:
//
//   PILGRIM_UPDATE_SAMPLES=1 build/release/bin/FormatTest
#include "test/fuzz/ReadEverything.h"
#include "test/unit/StructureSample.h"

#include <gtest/gtest.h>
#include <zstd.h>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace pilgrim;
using namespace pilgrim::test;

using Bytes = std::vector<uint8_t>;

static ModelValue value(Tag T, std::vector<int64_t> Words = {}, std::string Text = {},
                        std::vector<ModelObject> Objects = {}) {
  return {T, std::move(Words), std::move(Text), std::move(Objects), false};
}
static ModelValue streamed(ModelValue V) {
  V.Streamed = true;
  return V;
}

static TraceData join(std::vector<TraceData> Parts) {
  for (TraceData &T : Parts)
    deriveCandidates(T);
  for (size_t I = 1; I < Parts.size(); ++I)
    merge(Parts[0], std::move(Parts[I]));
  chooseCandidates(Parts[0]);
  return std::move(Parts[0]);
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// The one that docs/format.md goes through byte by byte: three ranks send to
/// the next one, four times.
static TraceData tiny() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 3; ++R) {
    LeafBuilder B(3, R, 0);
    ModelObject World{Kind::Comm, "MPI_COMM_WORLD", {0, R, 3, 0, -1}};
    for (int I = 0; I < 4; ++I)
      B.add({2,
             "app",
             0x40,
             {value(Tag::Word, {0}), value(Tag::Word, {(R + 1) % 3}), value(Tag::Object, {}, "", {World})},
             {}});
    Parts.push_back(B.take(true));
  }
  TraceData T = join(std::move(Parts));
  T.Functions[2].Name = "MPI_Send";
  const char *Names[] = {"return", "dest", "comm"};
  Kind Kinds[] = {Kind::Error, Kind::Rank, Kind::Comm};
  for (int I = 0; I < 3; ++I) {
    T.Functions[2].Slots[I] = {};
    T.Functions[2].Slots[I].Name = Names[I];
    T.Functions[2].Slots[I].K = Kinds[I];
  }
  T.Functions[2].Slots[0].Names = "error";
  T.Meta = {{"program", "ring"}};
  return T;
}

/// Every tag, every kind of object, streams, callbacks, times, extreme values.
static TraceData tags() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 4; ++R) {
    LeafBuilder B(4, R, 0);
    int64_t Rank = R;
    ModelObject World{Kind::Comm, "MPI_COMM_WORLD", {0, Rank, 4, 0, -1}},
        Row{Kind::Comm, "", {1, Rank % 2, 2, Rank / 2 * 2, 2}}, Int{Kind::Datatype, "MPI_INT", {0, 4}},
        Win{Kind::Win, "", {0, Rank, 4}}, File{Kind::File, "", {3, Rank, 4}};
    for (int64_t I = 0; I < 3; ++I) {
      B.add(
          {3,
           "app",
           16,
           {value(Tag::Word, {INT64_MIN}), value(Tag::Absent), value(Tag::Null), value(Tag::Name, {}, "MPI_IN_PLACE")},
           {}});
      B.add({7,
             "lib one.so",
             1 << 20,
             {value(Tag::Word, {INT64_MAX}), value(Tag::Array, {1, Rank, -Rank * 1000}),
              value(Tag::String, {}, std::string("a\0'b", 4)), value(Tag::Object, {}, "", {Row})},
             {{11,
               "",
               0,
               {value(Tag::Word, {0}), value(Tag::Objects, {}, "", {World, Int, Win, File}), value(Tag::Objects),
                value(Tag::Heap, {Rank, 64})},
               {{0, "", 0, {value(Tag::Raw, {Rank * 77 % 5})}, {}}}},
              {3,
               "app",
               17,
               {value(Tag::Word, {R == 2 ? -1 : Rank + 1}), value(Tag::Stack, {-8}), value(Tag::Data, {16}, "app"),
                value(Tag::Map, {1, 4096})},
               {}}}});
      B.add({11,
             "app",
             18,
             {value(Tag::Word, {0}), value(Tag::Status, {Rank, 5, 8, 0}),
              value(Tag::Statuses, {1, 2, 3, 4, NoStatus, 0, 0, 1}), value(Tag::Object, {}, "", {R % 2 ? Win : File})},
             {}});
      B.add({15,
             "app",
             19,
             {value(Tag::Word, {0}), streamed(value(Tag::Word, {I * 8 + Rank})),
              streamed(value(Tag::Heap, {I % 2, I * I * I})),
              streamed(value(Tag::Array, std::vector<int64_t>(static_cast<size_t>(I), I)))},
             {}});
      B.add({19,
             "",
             0,
             {streamed(value(Tag::Raw, {I ? INT64_MAX : INT64_MIN})), streamed(value(Tag::Data, {I}, "app")),
              streamed(value(Tag::Status, {I, 1, 2, 3})), streamed(value(Tag::Statuses, {I, 1, 2, 3, 4, 5, 6, I}))},
             {}});
    }
    Parts.push_back(B.take(true));
  }
  return join(std::move(Parts));
}

/// Values by rank: pieces, and too many of them.
static TraceData ranks() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 60; ++R) {
    LeafBuilder B(60, R, 0);
    int64_t Rank = R;
    ModelObject Row{Kind::Comm, "", {1, Rank % 7, R < 56 ? 7 : 4, Rank / 7 * 7, -1}};
    int64_t Size = Row.Words[2];
    for (int I = 0; I < 3; ++I) {
      B.add({3,
             "",
             0,
             {value(Tag::Word, {Rank == 59 ? -1 : Rank + 1}), value(Tag::Word, {(Rank + 59) % 60}),
              value(Tag::Word, {Rank * Rank % 23}), value(Tag::Word, {Rank / 30})},
             {}});
      B.add({7,
             "",
             0,
             {value(Tag::Word, {0}), value(Tag::Object, {}, "", {Row}), value(Tag::Word, {(Rank % 7 + 1) % Size}),
              value(Tag::String, {}, "host" + std::to_string(R / 16))},
             {}});
    }
    for (unsigned I = 0; I < 3 + R % 2; ++I) // two groups
      B.add({0, "", 0, {value(Tag::Word, {1})}, {}});
    Parts.push_back(B.take());
  }
  return join(std::move(Parts));
}

static TraceData mixed() { return join(rankTraces(randomRun(33, 9))); }

/// With structure, of which some does not depend on the rank.
static TraceData nodes() {
  std::vector<TraceData> Parts;
  for (uint32_t R = 0; R < 7; ++R)
    Parts.push_back(structuredRank(7, R));
  return join(std::move(Parts));
}

/// All-to-all of differing sizes: displacements follow from counts, and what is received from what is sent. Shift: of
/// one displacement on rank 2, which then does not follow from anything.
static TraceData vectors(int64_t Shift) {
  std::vector<TraceData> Parts;
  auto Count = [](int64_t From, int64_t To, int64_t I) { return (From * 7 + To * 5 + I * I) % 11; };
  for (uint32_t R = 0; R < 5; ++R) {
    LeafBuilder B(5, R, 0);
    for (int64_t I = 0; I < 4; ++I) {
      std::vector<int64_t> Send, Receive, SendAt{0}, ReceiveAt{100};
      for (int64_t To = 0; To < 5; ++To) {
        Send.push_back(Count(R, To, I));
        Receive.push_back(Count(To, R, I));
        SendAt.push_back(SendAt.back() + Send.back());
        ReceiveAt.push_back(ReceiveAt.back() - 8 * Receive.back());
      }
      SendAt.pop_back();
      ReceiveAt.pop_back();
      if (R == 2)
        SendAt[3] += Shift;
      B.add({3,
             "",
             0,
             {value(Tag::Array, Send), value(Tag::Array, SendAt), value(Tag::Array, Receive),
              value(Tag::Array, ReceiveAt)},
             {}});
      B.add({3,
             "",
             0,
             {value(Tag::Array, {3, 1, 4, 1, 5}), value(Tag::Word, {R}), value(Tag::Array, {0, 6, 8, 16, 18}),
              value(Tag::Array, {0, 0, 0})},
             {}});
    }
    Parts.push_back(B.take());
  }
  return join(std::move(Parts));
}
static TraceData vectors() { return vectors(0); }

TEST(Format, ArraysThatFollowFromOthersAreNotWritten) {
  SectionBytes All = encodeSections(vectors()), Shifted = encodeSections(vectors(1));
  // Five ranks' displacements, but for the head of each list, a byte each and more.
  EXPECT_GT(Shifted.Tables.size(), All.Tables.size() + 4 * 5 * 5);
  for (int64_t Shift : {0, 1}) {
    auto T = Trace::fromBytes(writeTrace(vectors(Shift)));
    ASSERT_TRUE(T);
    for (uint32_t R = 0; R < 5; ++R) {
      CallCursor C = Trace::calls(T->view(R, 0));
      Call X;
      ASSERT_TRUE(C.next(X));
      auto Array = [&](size_t I) { return X.Slots[I].Words; };
      int64_t At = 0, ReceivedAt = 100;
      for (size_t I = 0; I < 5; ++I) {
        EXPECT_EQ(Array(0)[I], (R * 7 + int64_t(I) * 5) % 11);
        EXPECT_EQ(Array(1)[I], At + (R == 2 && I == 3 ? Shift : 0));
        EXPECT_EQ(Array(2)[I], (int64_t(I) * 7 + R * 5) % 11);
        EXPECT_EQ(Array(3)[I], ReceivedAt);
        At += Array(0)[I];
        ReceivedAt -= 8 * Array(2)[I];
      }
    }
    // Written again it is the same file.
    EXPECT_EQ(writeTrace(*readTrace(writeTrace(vectors(Shift)))), writeTrace(vectors(Shift)));
  }
}

struct Sample {
  const char *Name;
  TraceData (*Make)();
  int Level;
};
static const Sample Samples[] = {{"tiny", tiny, 0},    {"tags", tags, 0},   {"ranks", ranks, 19},
                                 {"mixed", mixed, 19}, {"nodes", nodes, 0}, {"vectors", vectors, 0}};

static std::filesystem::path sampleFile(const Sample &S, const char *Suffix) {
  return std::filesystem::path(__FILE__).parent_path() / "../format" / (std::string(S.Name) + Suffix);
}

static Bytes contents(const std::filesystem::path &P) {
  std::ifstream In(P, std::ios::binary);
  EXPECT_TRUE(In) << P.filename();
  return Bytes(std::istreambuf_iterator<char>(In), {});
}

/// All calls of a trace.
static std::string listing(const Trace &T) {
  std::string S;
  T.data().Ranks.forEach([&](uint32_t Rank) {
    for (uint32_t Thread : T.threads(Rank)) {
      S += "rank " + std::to_string(Rank) + " thread " + std::to_string(Thread) + "\n";
      for (const std::string &Line : callLines(T, Rank, Thread))
        S += Line + "\n";
    }
  });
  return S;
}

TEST(Format, SamplesReadAsTheyAlwaysDid) {
  for (const Sample &S : Samples) {
    SCOPED_TRACE(S.Name);
    if (std::getenv("PILGRIM_UPDATE_SAMPLES")) {
      Bytes New = writeTrace(S.Make(), {.Level = S.Level});
      std::ofstream(sampleFile(S, ".pilgrim"), std::ios::binary)
          .write(reinterpret_cast<const char *>(New.data()), static_cast<std::streamsize>(New.size()));
      auto T = Trace::fromBytes(New);
      ASSERT_TRUE(T) << T.error().What;
      std::ofstream(sampleFile(S, ".calls")) << listing(*T);
    }
    auto T = Trace::open(sampleFile(S, ".pilgrim").string());
    ASSERT_TRUE(T) << T.error().What;
    Bytes Text = contents(sampleFile(S, ".calls"));
    EXPECT_EQ(listing(*T), std::string(Text.begin(), Text.end()));
  }
}

TEST(Format, StructureChangesNoCall) {
  Trace All = *Trace::fromBytes(writeTrace(nodes()));
  for (uint32_t R = 0; R < 7; ++R) {
    // As it was written by one rank, which keeps what only another may need.
    TraceData One = structuredRank(7, R);
    deriveCandidates(One);
    chooseCandidates(One);
    auto T = Trace::fromBytes(writeTrace(One));
    ASSERT_TRUE(T) << T.error().What;
    EXPECT_EQ(callLines(*T, R, 0), callLines(All, R, 0));
    EXPECT_EQ(T->data().Regions[0].Function, 0x123456789abcdef0u);
    EXPECT_EQ(T->data().Regions[0].Events[2].Name, "nothing");
    // Again, and each time to the same bytes.
    EXPECT_EQ(writeTrace(T->data()), writeTrace(One));
  }
  EXPECT_EQ(All.data().Regions[0].Events[2].K, Region::Unknown);
  // Iterations that differ share what does not, but in memory.
  EXPECT_EQ(writeTrace(All.data()), writeTrace(nodes()));
}

TEST(Format, SamplesAreWrittenAsTheyAlwaysWere) {
  // zstd's own output may change with its version, so only what is stored.
  for (const Sample &S : Samples)
    if (S.Level == 0) {
      EXPECT_EQ(writeTrace(S.Make(), {.Level = 0}), contents(sampleFile(S, ".pilgrim"))) << S.Name;
    }
}

TEST(Format, TheSampleInTheDocumentationIsTheTinyOne) {
  std::ifstream In(std::filesystem::path(__FILE__).parent_path() / "../../docs/format.md");
  ASSERT_TRUE(In);
  // Lines of the example: offset, two blanks, bytes, two blanks, what they are.
  Bytes Shown;
  for (std::string Line; std::getline(In, Line);) {
    if (Line.size() < 12 || Line.find_first_not_of(' ') != 4 || Line.find_first_not_of("0123456789abcdef", 4) != 8 ||
        Line.compare(8, 2, "  ") != 0)
      continue;
    EXPECT_EQ(std::stoul(Line.substr(4, 4), nullptr, 16), Shown.size()) << Line;
    std::istringstream Words(Line.substr(10, Line.find("  ", 10) - 10));
    for (std::string Word; Words >> Word;)
      Shown.push_back(static_cast<uint8_t>(std::stoul(Word, nullptr, 16)));
  }
  EXPECT_EQ(Shown, writeTrace(tiny(), {.Level = 0}));
}

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

static std::vector<Bytes> files() {
  return {writeTrace(tiny(), {.Level = 0}), writeTrace(tiny()), writeTrace(tags(), {.Level = 0}), writeTrace(tags()),
          writeTrace(TraceData(), {.Level = 0})};
}

TEST(Format, ATraceCutAnywhereIsRefused) {
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

TEST(Format, AChangedByteAnywhereIsNoticed) {
  for (const Bytes &File : files())
    for (size_t N = 0; N < File.size(); ++N)
      for (uint8_t Change : {0x01, 0x02, 0x10, 0x80, 0xff, 0x7f}) {
        Bytes Damaged = File;
        Damaged[N] ^= Change;
        ASSERT_FALSE(readTrace(Damaged)) << N << " ^ " << int(Change);
        ASSERT_FALSE(readHead(Damaged)) << N << " ^ " << int(Change);
      }
}

/// The five unpacked sections as ReadEverything.h has them.
static Bytes sectionsOf(const TraceData &T) {
  SectionBytes S = encodeSections(T);
  ByteWriter W;
  for (auto *B : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Times})
    W.blob(*B);
  return W.Data;
}

TEST(Format, DamageBehindTheChecksumsIsReadOrRefused) {
  for (const TraceData &T : {tiny(), tags(), mixed(), nodes()}) {
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

TEST(Format, TheHeadIsReadWithoutTheRest) {
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

TEST(Format, ErrorsSayWhatAndWhere) {
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
}

//===----------------------------------------------------------------------===//
// Little input that stands for much
//===----------------------------------------------------------------------===//

/// A file around given sections, packed, with the checksum in place.
static Bytes fileAround(const SectionBytes &S) {
  ByteWriter Raw, Summed, File;
  for (auto *Part : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Times})
    Raw.bytes(*Part);
  Bytes Packed(ZSTD_compressBound(Raw.Data.size()));
  Packed.resize(ZSTD_compress(Packed.data(), Packed.size(), Raw.Data.data(), Raw.Data.size(), 1));
  Summed.u64(45 + Packed.size());
  Summed.byte(1);
  for (auto *Part : {&S.Meta, &S.Schema, &S.Tables, &S.Calls, &S.Times})
    Summed.u32(static_cast<uint32_t>(Part->size()));
  Summed.bytes(Packed);
  for (char C : {'P', 'I', 'L', 'G', 'R', 'I', 'M', '\n'})
    File.byte(static_cast<uint8_t>(C));
  File.u32(FormatVersion);
  File.u32(XXH32(Summed.Data.data(), Summed.Data.size(), 0));
  File.bytes(Summed.Data);
  return File.Data;
}

TEST(Format, PackedZerosAreRefusedBeforeTheyAreUnpacked) {
  SectionBytes S = encodeSections(tags());
  EXPECT_TRUE(readTrace(fileAround(S)));
  S.Tables.assign(size_t(400) << 20, 0);
  Bytes File = fileAround(S);
  EXPECT_LT(File.size(), 100000u);
  auto T = readTrace(File);
  ASSERT_FALSE(T);
  EXPECT_NE(T.error().What.find("size of section tables"), std::string::npos);
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

TEST(Format, AStreamedArrayOfAnyLengthIsRefused) {
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

TEST(Format, CallsWithoutEndInsideACallAreRefused) {
  LeafBuilder B(1, 0, 0);
  B.add({0, "", 0, {value(Tag::Word, {0})}, {}}, 1);
  TraceData T = B.take();
  calls(T.Groups[0]).Items[0].Order.Rules = {{{0, false, uint64_t(1) << 60}}};
  uint64_t Calls;
  EXPECT_NE(errorOfCalls(T, Calls).find("too many calls inside"), std::string::npos);
  EXPECT_EQ(Calls, 0u);
}

TEST(Format, ManyCallsInsideACallAreReadInLinearTime) {
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

TEST(Format, ARankInTwoGroupsOfAThreadIsRefused) {
  TraceData T = tiny();
  T.Groups.push_back(T.Groups[0]);
  EXPECT_FALSE(readTrace(writeTrace(T)));
  T.Groups[1].Thread = 1;
  EXPECT_TRUE(readTrace(writeTrace(T)));
}

TEST(Format, AGroupOfRanksThatTheTraceHasNotIsRefused) {
  TraceData T = tiny();
  T.Ranks = RankSet::below(2);
  EXPECT_FALSE(readTrace(writeTrace(T)));
}

TEST(Format, AFunctionWithoutSlotsIsRefused) {
  TraceData T = tiny();
  T.Functions[77].Id = 77;
  T.Functions[77].Name = "f";
  EXPECT_FALSE(readTrace(writeTrace(T)));
  T.Functions[77].Slots.resize(1);
  EXPECT_TRUE(readTrace(writeTrace(T)));
}

TEST(Format, SectionsAreListedInFileOrder) {
  std::vector<SectionInfo> Sections;
  Bytes File = writeTrace(tags(), {.Level = 0});
  ASSERT_TRUE(readTrace(File, &Sections));
  std::string Names;
  uint64_t Raw = 0;
  for (const SectionInfo &S : Sections) {
    Names += S.Name + " ";
    Raw += S.Bytes;
  }
  EXPECT_EQ(Names, "meta schema tables calls times ");
  EXPECT_EQ(Raw + 45, File.size());
}
