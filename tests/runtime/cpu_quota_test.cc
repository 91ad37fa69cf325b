// SPDX-License-Identifier: Apache-2.0
// Quotas of control groups, in files laid out as systems lay them out.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/cpu_count.h"

namespace lffn {
namespace {

constexpr char kUnified[] = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr char kVersion1[] =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n";

class CpuQuota : public testing::Test {
 protected:
  CpuQuota() : root_("/tmp/lffn-quota-" + std::to_string(getpid())) {
    std::filesystem::remove_all(root_);
    write("/proc/self/cgroup", "0::/\n");
  }
  ~CpuQuota() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + name).parent_path());
    std::ofstream(root_ + name) << text;
  }
  int32_t quota() const { return cpu_quota(root_); }

  std::string root_;
};

TEST_F(CpuQuota, IsNoneWithoutFiles) { EXPECT_EQ(quota(), 0); }

TEST_F(CpuQuota, OfVersion2IsRoundedUp) {
  write("/proc/self/mountinfo", kUnified);
  write("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 2);
  write("/sys/fs/cgroup/cpu.max", "20000 100000\n");
  EXPECT_EQ(quota(), 1);
}

TEST_F(CpuQuota, MaxIsNone) {
  write("/proc/self/mountinfo", kUnified);
  write("/sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 0);
}

TEST_F(CpuQuota, OfNestedGroupsIsTheSmallest) {
  write("/proc/self/mountinfo", kUnified);
  write("/proc/self/cgroup", "0::/outer/middle/inner\n");
  write("/sys/fs/cgroup/outer/cpu.max", "400000 100000\n");
  write("/sys/fs/cgroup/outer/middle/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/outer/middle/inner/cpu.max", "800000 100000\n");
  EXPECT_EQ(quota(), 4);
  write("/sys/fs/cgroup/outer/middle/inner/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3);
  write("/sys/fs/cgroup/other/cpu.max", "100000 100000\n");
  EXPECT_EQ(quota(), 3) << "another group's";
}

TEST_F(CpuQuota, OfVersion1) {
  write("/proc/self/mountinfo", kVersion1);
  write("/proc/self/cgroup", "5:memory:/elsewhere\n4:cpu,cpuacct:/a/b\n0::/\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 3);
  write("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(quota(), 1);
}

// A container that sees its own group as the root of the files, but the host's path.
TEST_F(CpuQuota, BehindAMountOfTheGroupItself) {
  write("/proc/self/mountinfo",
        "33 31 0:30 /docker/1f2e /sys/fs/cgroup/cpu,cpuacct ro,relatime - cgroup cgroup rw,cpu,cpuacct\n");
  write("/proc/self/cgroup", "4:cpu,cpuacct:/docker/1f2e/worker\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "500000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 5);
  write("/sys/fs/cgroup/cpu,cpuacct/worker/cpu.cfs_quota_us", "200000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/worker/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 2);
}

TEST_F(CpuQuota, InANamespace) {
  write("/proc/self/mountinfo", kUnified);
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/cpu.max", "700000 100000\n");
  EXPECT_EQ(quota(), 7);
  write("/proc/self/cgroup", "0::/../../sibling\n");  // moved out of it
  EXPECT_EQ(quota(), 7);
  write("/proc/self/mountinfo", "30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  EXPECT_EQ(quota(), 7);
}

// Another part of the hierarchy, mounted elsewhere, is not the group's own where one mount point shows that.
TEST_F(CpuQuota, OfAnotherGroupDoesNotCount) {
  const std::string other = "44 23 0:26 /limited /mnt/x rw - cgroup2 cgroup2 rw\n";
  write("/proc/self/cgroup", "0::/user\n");
  write("/mnt/x/cpu.max", "100000 100000\n");
  for (const std::string& mounts : {kUnified + other, other + kUnified}) {
    write("/proc/self/mountinfo", mounts);
    EXPECT_EQ(quota(), 0);
  }
  write("/sys/fs/cgroup/user/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3);
}

TEST_F(CpuQuota, OfBothVersionsIsTheSmaller) {
  write("/proc/self/mountinfo",
        std::string(kVersion1) + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  write("/proc/self/cgroup", "4:cpu,cpuacct:/\n0::/\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "600000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 6);
  write("/sys/fs/cgroup/unified/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota(), 4);
}

TEST_F(CpuQuota, OfAMountPointWithBlanks) {
  write("/proc/self/mountinfo", "30 23 0:26 / /sys/my\\040groups rw - cgroup2 cgroup2 rw\n");
  write("/sys/my groups/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3);
}

TEST_F(CpuQuota, SurvivesNonsense) {
  write("/proc/self/mountinfo", "\n-\n1 2 3\n30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\nx - cgroup\n");
  write("/proc/self/cgroup", "::\nno colons\n0::/a\n0:\n");
  write("/sys/fs/cgroup/a/cpu.max", "9e99 1e-99\n");
  EXPECT_EQ(quota(), 1 << 20);
  write("/sys/fs/cgroup/a/cpu.max", "100000 -5\n");
  EXPECT_EQ(quota(), 0);
  write("/sys/fs/cgroup/a/cpu.max", "nan 1\n");
  EXPECT_EQ(quota(), 0);
  write("/proc/self/cgroup", "0::no-slash\n");
  EXPECT_EQ(quota(), 0);
}

}  // namespace
}  // namespace lffn
