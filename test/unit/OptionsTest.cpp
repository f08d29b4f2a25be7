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
  EXPECT_EQ(options({{"PILGRIM_FINALIZE_LIMIT", "-1"}}),
            "PILGRIM_FINALIZE_LIMIT=-1: accepted: a number of seconds up to 1000000000, as 90, 1.5s or 500ms");
}

TEST(Options, sayHowLargeValuesMayBe) {
  for (const char *Bad : {"0x10", "99999999999999", "1m", "inf", " 1", ""})
    EXPECT_EQ(options({{"PILGRIM_OPTIONS", std::string("finalize-limit=") + Bad}}),
              std::string("PILGRIM_OPTIONS: finalize-limit=") + Bad +
                  ": accepted: a number of seconds up to 1000000000, as 90, 1.5s or 500ms");
  for (const char *Bad :
       {"51%", "0x1%", "1001s", "1m", "%", "5", "0x1ms", "-1%", "MPI_Sendd=5%", "5%,MPI_=0", "Send=5%"})
    EXPECT_EQ(options({{"PILGRIM_TIMING", "calls"}, {"PILGRIM_ERROR", Bad}}),
              std::string("PILGRIM_ERROR=") + Bad +
                  ": accepted: a bound, or two for durations and gaps, up to 50% or 1000s, as 10%, 5% or 10us, 0 for "
                  "lossless; also MPI_Send=5%, of up to 100 functions that MPI has");
  for (const char *Good : {"50%", "1000s", "0", "0.0", "1e-3%", "5ns", "MPI_Send=5%", "MPI_Alltoallw_c=5%"})
    EXPECT_EQ(options({{"PILGRIM_TIMING", "calls"}, {"PILGRIM_ERROR", Good}}),
              std::string("timing=calls:error=") + Good);
}

TEST(Options, areNamedAsTheyWereGiven) {
  EXPECT_EQ(options({{"PILGRIM_OPTIONS", "error=5%:timing=zstd"}}),
            "PILGRIM_OPTIONS: error=5%: accepted with PILGRIM_OPTIONS: timing=zstd: 0, as it is lossless");
  EXPECT_EQ(options({{"PILGRIM_OPTIONS", "error=5%"}, {"PILGRIM_TIMING", "zstd"}}),
            "PILGRIM_OPTIONS: error=5%: accepted with PILGRIM_TIMING=zstd: 0, as it is lossless");
}

TEST(Options, knowWhatIsInVain) {
  Options O;
  std::string Error;
  EXPECT_TRUE(setOption(O, "cluster", "path", "--cluster", Error));
  EXPECT_TRUE(
      whyInVain(O, "cluster")
          .starts_with("--cluster=path: has no effect with --timing=mean, the default; accepted with timing hist"));
  EXPECT_TRUE(setOption(O, "timing", "zstd", "PILGRIM_TIMING", Error));
  EXPECT_TRUE(whyInVain(O, "cluster").starts_with("--cluster=path: has no effect with PILGRIM_TIMING=zstd; accepted"));
  EXPECT_EQ(whyInVain(O, "error"), "");
  EXPECT_EQ(whyInVain(O, "clocks"), "");
  EXPECT_EQ(whyInVain(O, "buffers"), "");
  EXPECT_TRUE(setOption(O, "timing", "histogram", "--timing", Error));
  EXPECT_EQ(whyInVain(O, "error"), "");
  EXPECT_NE(whyInVain(O, "clocks"), "");
  EXPECT_TRUE(setOption(O, "timing", "off", "--timing", Error));
  EXPECT_NE(whyInVain(O, "error"), "");
}

TEST(Preload, putsTheRuntimeFirst) {
  EXPECT_EQ(preloadList("/l/libpilgrim.so", ""), "/l/libpilgrim.so");
  EXPECT_EQ(preloadList("/l/libpilgrim.so", "a.so:b.so"), "/l/libpilgrim.so:a.so:b.so");
  EXPECT_EQ(preloadList("/l/libpilgrim.so", "/x/libasan.so.8:b.so"), "/x/libasan.so.8:/l/libpilgrim.so:b.so");
  EXPECT_EQ(preloadList("/l/libpilgrim.so", "/l/libpilgrim.so b.so"), "/l/libpilgrim.so:b.so");
}

} // namespace
