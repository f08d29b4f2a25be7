// Which module holds an address: moduleAt() against dladdr() and /proc/self/maps, and ranges of code.
#include "platform/LoadedModules.h"
#include "platform/CodeRanges.h"
#include "platform/Generation.h"
#include "platform/Mappings.h"
#include "platform/Program.h"
#include "platform/Stacks.h"
#include "platform/Symbols.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace pilgrim;

namespace {
int Data = 42;
void code() {}
const void *addressOf(void (*F)()) { return reinterpret_cast<const void *>(F); }

void expectLikeDladdr(const void *Address) {
  Dl_info Info;
  ASSERT_NE(dladdr(Address, &Info), 0);
  ModulePlace Place;
  ASSERT_TRUE(moduleAt(Address, Place));
  EXPECT_EQ(Place.FirstPage, reinterpret_cast<uintptr_t>(Info.dli_fbase));
  EXPECT_STREQ(Place.Path, Info.dli_fname);
  const auto At = reinterpret_cast<uintptr_t>(Address);
  EXPECT_TRUE(Place.Segment.holds(At));
  EXPECT_LE(Place.Span.Begin, Place.Segment.Begin);
  EXPECT_GE(Place.Span.End, Place.Segment.End);
  EXPECT_EQ(Place.Span.Begin & ~uintptr_t(4095), Place.FirstPage);
}
} // namespace

TEST(LoadedModulesTest, ModulesAreTheOnesOfDladdr) {
  expectLikeDladdr(addressOf(code)); // the program: its path is argv[0]
  expectLikeDladdr(&Data);
  expectLikeDladdr(reinterpret_cast<const void *>(&std::strtol));
  expectLikeDladdr(dlsym(RTLD_DEFAULT, "dl_iterate_phdr"));
}

TEST(LoadedModulesTest, CodeAndDataLieInDifferentSegments) {
  ModulePlace Code, Static;
  ASSERT_TRUE(moduleAt(addressOf(code), Code));
  ASSERT_TRUE(moduleAt(&Data, Static));
  EXPECT_EQ(Code.FirstPage, Static.FirstPage);
  EXPECT_NE(Code.Segment.Begin, Static.Segment.Begin);
  EXPECT_TRUE(areInOneModule(addressOf(code), &Data));
  EXPECT_FALSE(areInOneModule(addressOf(code), dlsym(RTLD_DEFAULT, "strtol")));
}

TEST(LoadedModulesTest, NoModuleHoldsHeapStackOrNothing) {
  ModulePlace Place;
  int Local = 0;
  auto Block = std::make_unique<int>(1);
  void *Page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (const void *Address : {static_cast<const void *>(&Local), static_cast<const void *>(Block.get()),
                              static_cast<const void *>(Page), static_cast<const void *>(nullptr)}) {
    EXPECT_FALSE(moduleAt(Address, Place)) << Address;
    EXPECT_FALSE(areInOneModule(Address, Address)) << Address;
  }
  munmap(Page, 4096);
}

TEST(LoadedModulesTest, TheProgramIsOneModuleAndHasItsBuildIdOrNone) {
  unsigned Programs = 0;
  visitModules([&](const ModuleView &M) {
    Programs += M.isProgram();
    const std::string All = M.buildId(16), Some = M.buildId(4);
    EXPECT_TRUE(All.empty() || All.size() == 16) << All;
    EXPECT_EQ(Some, All.substr(0, 4));
    EXPECT_EQ(All.find_first_not_of("0123456789abcdef"), std::string::npos);
    return false;
  });
  EXPECT_EQ(Programs, 1u);
  EXPECT_EQ(programName(), "PlatformTest");
  EXPECT_EQ(programPath().substr(programPath().rfind('/') + 1), "PlatformTest");
}

TEST(LoadedModulesTest, UnloadingBeginsAGeneration) {
  lookForUnloads();
  const uint64_t Before = unloads(), Then = generation();
  lookForUnloads();
  EXPECT_EQ(unloads(), Before);
  EXPECT_EQ(generation(), Then);
  void *Library = nullptr;
  for (const char *Name : {"libnss_files.so.2", "libBrokenLocale.so.1", "libutil.so.1", "libanl.so.1"})
    if (!Library && !dlopen(Name, RTLD_LAZY | RTLD_NOLOAD))
      Library = dlopen(Name, RTLD_LAZY);
  if (!Library)
    GTEST_SKIP() << "no library to load and unload";
  dlclose(Library);
  lookForUnloads();
  EXPECT_NE(unloads(), Before);
  EXPECT_NE(generation(), Then);
}

TEST(LoadedModulesTest, SymbolsAreFoundOnlyInLoadedLibraries) {
  EXPECT_EQ(symbolInLoaded("libc.so.6", "strtol"), dlsym(RTLD_DEFAULT, "strtol"));
  EXPECT_EQ(symbolInLoaded("libc.so.6", "no_such_symbol"), nullptr);
  EXPECT_EQ(symbolInLoaded("libno-such-library.so", "strtol"), nullptr);
}

TEST(LoadedModulesTest, BaseNamesHaveNoFolder) {
  EXPECT_STREQ(baseName("/usr/lib/libmpi.so.12"), "libmpi.so.12");
  EXPECT_STREQ(baseName("program"), "program");
  EXPECT_STREQ(baseName("folder/"), "");
}

TEST(MappingsTest, MappingsHoldTheirAddresses) {
  const long Page = sysconf(_SC_PAGESIZE);
  auto *Block = static_cast<char *>(mmap(nullptr, 3 * Page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(Block, MAP_FAILED);
  ASSERT_EQ(mprotect(Block + Page, Page, PROT_READ), 0); // a region of its own
  AddressRange Region;
  ASSERT_TRUE(mappingAt(reinterpret_cast<uintptr_t>(Block) + Page + 5, Region));
  EXPECT_EQ(Region.Begin, reinterpret_cast<uintptr_t>(Block) + Page);
  EXPECT_EQ(Region.End, Region.Begin + Page);
  munmap(Block, 3 * Page);
  EXPECT_FALSE(mappingAt(8, Region));
  AddressRange Stack;
  ASSERT_TRUE(mappingAt(initialStackPointer(), Stack));
  EXPECT_TRUE(Stack.holds(reinterpret_cast<uintptr_t>(&Stack)));
}

TEST(StacksTest, ThreadsHaveStacksOfTheirOwn) {
  EXPECT_TRUE(isMainThread());
  int Here = 0;
  EXPECT_LT(reinterpret_cast<uintptr_t>(&Here), stackEnd());
  EXPECT_EQ(stackEnd(), initialStackPointer());
  std::thread([] {
    int There = 0;
    EXPECT_FALSE(isMainThread());
    EXPECT_TRUE(threadStack().holds(reinterpret_cast<uintptr_t>(&There)));
    EXPECT_EQ(stackEnd(), threadStack().End);
    EXPECT_FALSE(threadStack().holds(initialStackPointer()));
  }).join();
}

TEST(CodeRangesTest, RangesAreKeptUpToTheirNumber) {
  CodeRanges<2> Some;
  EXPECT_TRUE(Some.isEmpty());
  EXPECT_FALSE(Some.hold(0));
  EXPECT_TRUE(Some.add({100, 200}));
  EXPECT_FALSE(Some.isEmpty());
  EXPECT_FALSE(Some.add({100, 200}));
  EXPECT_TRUE(Some.add({300, 400}));
  EXPECT_FALSE(Some.add({500, 600}));
  for (uintptr_t At : {100, 199, 300, 399})
    EXPECT_TRUE(Some.hold(At)) << At;
  for (uintptr_t At : {0, 99, 200, 299, 400, 500})
    EXPECT_FALSE(Some.hold(At)) << At;
}
