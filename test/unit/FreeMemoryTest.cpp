//===- FreeMemoryTest.cpp - what is free, of files as the kernel has them --===//
#include "platform/FreeMemory.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

using namespace pilgrim;

namespace {

/// A root folder with what a test puts there.
class FreeMemory : public ::testing::Test {
protected:
  FreeMemory() : Root(std::filesystem::path(::testing::TempDir()) / ("free-memory." + std::to_string(::getpid()))) {
    std::filesystem::remove_all(Root);
    put("proc/meminfo", "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    4000000 kB\n");
  }
  ~FreeMemory() override { std::filesystem::remove_all(Root); }
  void put(const std::string &Name, const std::string &Text) {
    std::filesystem::create_directories((Root / Name).parent_path());
    std::ofstream(Root / Name) << Text;
  }
  uint64_t free() const { return freeMemory(Root.c_str()); }

  const std::filesystem::path Root;
  static constexpr uint64_t Available = uint64_t(4000000) * 1024;
};

TEST_F(FreeMemory, OfTheMachine) {
  EXPECT_EQ(free(), Available);
  put("proc/meminfo", "MemTotal:       16000000 kB\nMemAvailableSoon: 1 kB\n");
  EXPECT_EQ(free(), UINT64_MAX);
  errno = EINTR; // from something else
  EXPECT_GT(freeMemory(), uint64_t(1) << 20);
  EXPECT_LT(freeMemory(), UINT64_MAX);
  EXPECT_EQ(errno, EINTR);
}

TEST_F(FreeMemory, OfAGroupOfVersion2AndThoseAroundIt) {
  put("proc/self/cgroup", "0::/jobs/17/step\n");
  EXPECT_EQ(free(), Available) << "groups that are not to be seen";
  put("sys/fs/cgroup/jobs/17/step/memory.max", "max\n");
  put("sys/fs/cgroup/jobs/17/step/memory.current", "500\n");
  put("sys/fs/cgroup/jobs/17/memory.max", "1000000\n");
  put("sys/fs/cgroup/jobs/17/memory.current", "700000\n");
  EXPECT_EQ(free(), 300000u);
  put("sys/fs/cgroup/jobs/17/memory.stat", "anon 10\nfile 250000\ninactive_file 100000\nactive_file 50000\n");
  EXPECT_EQ(free(), 450000u) << "what files have in memory can be had";
  put("sys/fs/cgroup/jobs/memory.max", "900000\n");
  put("sys/fs/cgroup/jobs/memory.current", "890000\n");
  EXPECT_EQ(free(), 10000u) << "the group around it has less";
  put("sys/fs/cgroup/jobs/17/step/memory.max", "400\n");
  EXPECT_EQ(free(), 0u) << "more in use than allowed";
}

TEST_F(FreeMemory, OfAGroupOfVersion1) {
  put("proc/self/cgroup", "9:name=systemd:/\n5:cpu,memory:/slurm/job_1\n0::/\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "123456789\n");
  EXPECT_EQ(free(), Available) << "no limit";
  put("sys/fs/cgroup/memory/slurm/job_1/memory.limit_in_bytes", "2000000\n");
  put("sys/fs/cgroup/memory/slurm/job_1/memory.usage_in_bytes", "1500000\n");
  put("sys/fs/cgroup/memory/slurm/job_1/memory.stat",
      "inactive_file 7\ntotal_inactive_file 100000\ntotal_active_file 20000\n");
  EXPECT_EQ(free(), 620000u);
  put("proc/self/cgroup", "5:memory_pressure:/slurm/job_1\n");
  EXPECT_EQ(free(), Available) << "another controller";
}

TEST_F(FreeMemory, InAContainerThatDoesNotSeeItsGroupsPath) {
  put("proc/self/cgroup", "4:memory:/docker/0123\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "3000000\n");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000000\n");
  EXPECT_EQ(free(), 2000000u);
}

} // namespace
