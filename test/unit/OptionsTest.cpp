// The runtime's options, and how it is put into a program.
#include "api/Options.h"
#include "driver/Preload.h"

#include <gtest/gtest.h>

using namespace pilgrim;

namespace {

/// Parses an environment; what was reported, or the effective set.
std::string options(std::map<std::string, std::string> Environment) {
  struct Context {
    std::map<std::string, std::string> &Environment;
    std::string Said;
  } Ctx{Environment, {}};
  Options O;
  bool Good = parseOptions(
      O,
      [](void *C, const char *Name) -> const char * {
        auto &E = static_cast<Context *>(C)->Environment;
        auto It = E.find(Name);
        return It == E.end() ? nullptr : It->second.c_str();
      },
      [](void *C, const char *Line) { static_cast<Context *>(C)->Said += Line; }, &Ctx);
  EXPECT_EQ(Good, Ctx.Said.empty());
  return Good ? (O.Enabled ? O.text() : "off") : Ctx.Said;
}

TEST(Options, haveTheDefaultsOfTheContract) {
  EXPECT_EQ(options({}), "");
  EXPECT_EQ(options({{"PILGRIM_MODE", "auto"},
                     {"PILGRIM_TIMING", "mean"},
                     {"PILGRIM_BUFFERS", "segments"},
                     {"PILGRIM_START", "on"},
                     {"PILGRIM_VERIFY", "off"},
                     {"PILGRIM_LOG", "warn"}}),
            "");
}

TEST(Options, areReadFromVariablesAndTheList) {
  std::string Set = options({{"PILGRIM_OPTIONS", "timing=off:buffers=off"},
                             {"PILGRIM_BUFFERS", "segments"},
                             {"PILGRIM_FINALIZE_LIMIT", "1500ms"}});
  EXPECT_EQ(Set, "timing=off:finalize-limit=1.5");
  EXPECT_EQ(options({{"PILGRIM", "off"}, {"PILGRIM_TIMING", "bad"}}), "off");
}

TEST(Options, sayWhatIsAccepted) {
  // What else there is depends on the libraries that the build found.
  EXPECT_TRUE(options({{"PILGRIM_TIMING", "zlib"}})
                  .starts_with("PILGRIM_TIMING=zlib: accepted: mean, off, calls, histogram, path-histogram, zstd, cfg, "
                               "hist"));
  EXPECT_EQ(options({{"PILGRIM_CLUSTER", "rank"}}), "PILGRIM_CLUSTER=rank: accepted: path, signature");
  EXPECT_EQ(options({{"PILGRIM_TIMING", "zstd"}, {"PILGRIM_ERROR", "5%"}}),
            "PILGRIM_ERROR=5%: accepted with PILGRIM_TIMING=zstd: 0, as it is lossless");
  EXPECT_EQ(options({{"PILGRIM_TIMING", "hist"}, {"PILGRIM_ERROR", "0.01%"}}),
            "PILGRIM_ERROR=0.01%: accepted with PILGRIM_TIMING=hist: bounds as 10us, 0, or from 0.1% to 50%");
  EXPECT_EQ(options({{"PILGRIM_TIMING", "hist"}, {"PILGRIM_ERROR", "5%,MPI_Send=0"}, {"PILGRIM_CLUSTER", "signature"}}),
            "timing=hist:cluster=signature:error=5%,MPI_Send=0");
  EXPECT_EQ(options({{"PILGRIM_VERIFY", "yes"}}), "PILGRIM_VERIFY=yes: accepted: off, on, strict");
  EXPECT_EQ(options({{"PILGRIM_OPTIONS", "mode=odd"}}), "PILGRIM_OPTIONS: mode=odd: accepted: auto, dynamic");
  EXPECT_EQ(options({{"PILGRIM_IO", "posix"}}), "PILGRIM_IO=posix: not in this version; accepted: off");
  EXPECT_EQ(options({{"PILGRIM_IO", "off"}}), "");
  EXPECT_EQ(options({{"PILGRIM_FINALIZE_LIMIT", "-1"}}), "PILGRIM_FINALIZE_LIMIT=-1: accepted: a number of seconds");
}

TEST(Preload, putsTheRuntimeFirst) {
  EXPECT_EQ(preloadList("/l/libpilgrim.so", ""), "/l/libpilgrim.so");
  EXPECT_EQ(preloadList("/l/libpilgrim.so", "a.so:b.so"), "/l/libpilgrim.so:a.so:b.so");
  EXPECT_EQ(preloadList("/l/libpilgrim.so", "/x/libasan.so.8:b.so"), "/x/libasan.so.8:/l/libpilgrim.so:b.so");
  EXPECT_EQ(preloadList("/l/libpilgrim.so", "/l/libpilgrim.so b.so"), "/l/libpilgrim.so:b.so");
}

} // namespace
