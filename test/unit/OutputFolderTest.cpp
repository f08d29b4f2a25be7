// api/OutputFolder.h, OutputFolder.cpp: whether a file can be written, against the system's answer to opening it.
#include "api/OutputFolder.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pilgrim;

namespace {

class OutputFolder : public testing::Test {
protected:
  void SetUp() override {
    std::string Name = testing::TempDir() + "pilgrim-folder-XXXXXX";
    ASSERT_NE(mkdtemp(Name.data()), nullptr);
    ASSERT_EQ(chmod(Name.c_str(), 0755), 0);
    Root = Name;
  }
  void TearDown() override { std::filesystem::remove_all(Root); }

  /// What the system says to a file that is made there. The file is gone afterwards.
  static std::string opened(const std::string &Path) {
    struct stat S;
    const bool WasThere = stat(Path.c_str(), &S) == 0;
    const int Fd = open(Path.c_str(), O_WRONLY | O_CREAT, 0644);
    if (Fd < 0)
      return std::strerror(errno);
    close(Fd);
    if (!WasThere)
      unlink(Path.c_str());
    return "";
  }
  void makeFile(const std::string &Name) const {
    const int Fd = open((Root + Name).c_str(), O_WRONLY | O_CREAT, 0644);
    ASSERT_GE(Fd, 0);
    close(Fd);
  }

  std::string Root;
};

TEST_F(OutputFolder, SaysWhatOpeningWouldSay) {
  makeFile("/file");
  ASSERT_EQ(mkdir((Root + "/folder").c_str(), 0755), 0);
  ASSERT_EQ(symlink("circle", (Root + "/circle").c_str()), 0);
  ASSERT_EQ(symlink("nowhere", (Root + "/dangling").c_str()), 0);
  ASSERT_EQ(symlink("folder", (Root + "/alias").c_str()), 0);
  unsigned Bad = 0;
  for (const std::string Name : {"/new.pilgrim", "/file", "/folder", "/folder/new", "/folder/../new", "/alias/new",
                                 "/missing/new", "/file/new", "/circle", "/circle/new", "/dangling", "/."}) {
    const std::string Said = whyNotWritable(Root + Name), Wanted = opened(Root + Name);
    EXPECT_EQ(Said, Wanted) << Name;
    Bad += !Wanted.empty();
  }
  EXPECT_EQ(Bad, 6u);
  const std::string Long(300, 'n'), Longest(5000, 'n');
  for (const std::string &Path : {Root + "/" + Long, Root + "/" + Long + "/new", Longest})
    EXPECT_EQ(whyNotWritable(Path), std::strerror(ENAMETOOLONG));
  int Pipe[2];
  ASSERT_EQ(pipe(Pipe), 0);
  EXPECT_EQ(whyNotWritable("/proc/self/fd/" + std::to_string(Pipe[1])), "neither a file nor the name of a new one");
  close(Pipe[0]);
  close(Pipe[1]);
}

TEST_F(OutputFolder, NamesWithoutFolderAndAtTheRoot) {
  const std::string Before = std::filesystem::current_path();
  ASSERT_EQ(chdir(Root.c_str()), 0);
  EXPECT_EQ(whyNotWritable("new.pilgrim"), "");
  EXPECT_EQ(whyNotWritable("./new.pilgrim"), "");
  EXPECT_EQ(whyNotWritable("missing/new.pilgrim"), std::strerror(ENOENT));
  ASSERT_EQ(chdir(Before.c_str()), 0);
  EXPECT_EQ(whyNotWritable("/"), std::strerror(EISDIR));
  EXPECT_EQ(whyNotWritable("/pilgrim-test-that-is-not-there"), opened("/pilgrim-test-that-is-not-there"));
}

TEST_F(OutputFolder, MakesNoFile) {
  EXPECT_EQ(whyNotWritable(Root + "/new"), "");
  EXPECT_TRUE(std::filesystem::is_empty(Root));
}

/// Root may write everywhere, so another user asks.
TEST_F(OutputFolder, RightsOfTheUser) {
  ASSERT_EQ(mkdir((Root + "/closed").c_str(), 0555), 0);
  ASSERT_EQ(mkdir((Root + "/hidden").c_str(), 0777), 0);
  ASSERT_EQ(chmod((Root + "/hidden").c_str(), 0666), 0);
  const pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (Child == 0) {
    constexpr uid_t Nobody = 65534;
    if (getuid() == 0 && setuid(Nobody) != 0)
      _exit(9);
    const char *const Denied = std::strerror(EACCES);
    _exit((whyNotWritable(Root + "/closed/new") == Denied ? 0 : 1) |
          (whyNotWritable(Root + "/hidden/new") == Denied ? 0 : 2));
  }
  int Status = 0;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  ASSERT_TRUE(WIFEXITED(Status));
  EXPECT_EQ(WEXITSTATUS(Status), 0);
}

} // namespace
