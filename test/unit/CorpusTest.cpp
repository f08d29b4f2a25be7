// Every file of the fuzzer's corpus, its findings among them, is read or
// refused: the fuzzer's own function is run over it.
#include "test/fuzz/ReadEverything.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace pilgrim::test;
namespace fs = std::filesystem;

static std::vector<fs::path> corpus() {
  std::vector<fs::path> Files;
  fs::path Folder = fs::path(__FILE__).parent_path() / "../fuzz/corpus";
  for (const auto &F : fs::directory_iterator(Folder))
    Files.push_back(F.path());
  std::sort(Files.begin(), Files.end());
  return Files;
}

TEST(Corpus, EveryFileIsReadOrRefused) {
  size_t Read = 0, Refused = 0;
  for (const fs::path &File : corpus()) {
    SCOPED_TRACE(File.filename().string());
    std::ifstream In(File, std::ios::binary);
    std::vector<uint8_t> Bytes(std::istreambuf_iterator<char>(In), {});
    ++(readEverything(Bytes) ? Read : Refused);
  }
  // Seeds are traces; what was found by damaging them mostly is not.
  EXPECT_GT(Read, 0u);
  EXPECT_GT(Refused, 0u);
}
