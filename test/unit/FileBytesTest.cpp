// trace/file/FileBytes.h, FileBytes.cpp: a file is looked at before it is read, wherever it comes from.
#include "trace/file/FileBytes.h"
#include "test/unit/Samples.h"
#include "trace/read/Reader.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace pilgrim;
using namespace pilgrim::test;

using Bytes = std::vector<uint8_t>;

namespace {
class Folder {
public:
  Folder() { EXPECT_TRUE(mkdtemp(Path.data())); }
  ~Folder() { std::filesystem::remove_all(Path); }
  std::string file(const char *Name) const { return Path + "/" + Name; }

private:
  std::string Path = (std::filesystem::temp_directory_path() / "pilgrim-XXXXXX").string();
};
} // namespace

static void write(const std::string &File, const Bytes &B, uint64_t Size) {
  std::ofstream(File, std::ios::binary)
      .write(reinterpret_cast<const char *>(B.data()), static_cast<std::streamsize>(B.size()));
  std::filesystem::resize_file(File, Size);
}

static long peakKilobytes() {
  rusage Usage{};
  getrusage(RUSAGE_SELF, &Usage);
  return Usage.ru_maxrss;
}

TEST(FileBytes, ALargeFileThatIsNoTraceIsRefusedUnread) {
  Folder In;
  const uint64_t Large = uint64_t(3) << 30; // of holes
  const Bytes Trace = writeTrace(tiny());
  Bytes Older = Trace;
  Older[8] = FormatVersion - 1;
  const long Before = peakKilobytes();
  for (const auto &[Begin, Why] : {std::pair<Bytes, const char *>{{}, "not a Pilgrim trace"},
                                   {{'P', 'I', 'L', 'G', 'R', 'I', 'M', '!'}, "not a Pilgrim trace"},
                                   {Older, "format version"},
                                   {Trace, "more behind the end"}}) {
    write(In.file("large"), Begin, Large);
    auto T = Trace::open(In.file("large"));
    ASSERT_FALSE(T);
    EXPECT_NE(T.error().What.find(Why), std::string::npos) << T.error().What;
  }
  EXPECT_LT(peakKilobytes() - Before, 4 << 10);
}

TEST(FileBytes, FilesAndMemoryAreReadAlike) {
  Folder In;
  for (const TraceData &T : {tiny(), tags(), mixed()})
    for (int Level : {0, 19}) {
      const Bytes B = writeTrace(T, {.Level = Level});
      write(In.file("trace"), B, B.size());
      auto Read = Trace::open(In.file("trace"));
      ASSERT_TRUE(Read) << Read.error().What;
      EXPECT_EQ(Read->fileBytes(), B.size());
      EXPECT_EQ(writeTrace(Read->data()), writeTrace(*readTrace(B)));
      write(In.file("trace"), B, B.size() - 1);
      Read = Trace::open(In.file("trace"));
      ASSERT_FALSE(Read);
      EXPECT_EQ(Read.error().What.find("cut short"), 0u) << Read.error().What;
    }
}

TEST(FileBytes, WhatCannotBeReadIsSaid) {
  Folder In;
  EXPECT_EQ(Trace::open(In.file("nothing")).error().What, "cannot open: No such file or directory");
  EXPECT_EQ(Trace::open(In.file("")).error().What, "cannot read: Is a directory");
  write(In.file("empty"), {}, 0);
  EXPECT_EQ(Trace::open(In.file("empty")).error().What, "the file is empty");
}

/// What is read from a pipe that these bytes come through.
static std::expected<Trace, TraceError> throughPipe(const Bytes &B, bool &WasReadToItsEnd) {
  int Ends[2];
  EXPECT_EQ(pipe(Ends), 0);
  signal(SIGPIPE, SIG_IGN);
  std::thread Writer([&] {
    size_t Done = 0;
    for (ssize_t N; Done < B.size() && (N = ::write(Ends[1], B.data() + Done, B.size() - Done)) > 0;)
      Done += static_cast<size_t>(N);
    WasReadToItsEnd = Done == B.size();
    close(Ends[1]);
  });
  auto T = Trace::open("/dev/fd/" + std::to_string(Ends[0]));
  close(Ends[0]);
  Writer.join();
  return T;
}

TEST(FileBytes, APipeIsReadAsFarAsTheTraceGoes) {
  bool ToItsEnd;
  TraceData Large = tiny();
  for (uint32_t I = 0; I < 300000; ++I)
    Large.Meta["note"] += static_cast<char>(I * I % 251);
  for (const TraceData &D : {tiny(), Large}) {
    const Bytes B = writeTrace(D, {.Level = 0});
    auto T = throughPipe(B, ToItsEnd);
    ASSERT_TRUE(T) << T.error().What;
    EXPECT_EQ(T->fileBytes(), B.size());
    EXPECT_EQ(T->data().Meta, D.Meta);
    T = throughPipe(Bytes(B.begin(), B.end() - 1), ToItsEnd);
    ASSERT_FALSE(T);
    EXPECT_EQ(T.error().What.find("cut short"), 0u) << T.error().What;
    Bytes More = B;
    More.resize(size_t(20) << 20);
    T = throughPipe(More, ToItsEnd);
    ASSERT_FALSE(T);
    EXPECT_NE(T.error().What.find("more behind the end"), std::string::npos) << T.error().What;
    EXPECT_FALSE(ToItsEnd);
  }
  EXPECT_FALSE(throughPipe(Bytes(size_t(20) << 20), ToItsEnd));
  EXPECT_FALSE(ToItsEnd);
}
