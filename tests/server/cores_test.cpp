#include "server/cores.hpp"

#include "server/load_helper.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace frond::server {
namespace {

TEST(CpuQuota, IsNothingWithoutControlGroups) {
    const TemporaryFolder root;
    EXPECT_EQ(cpu_quota(root.path()), std::nullopt);
}

TEST(CpuQuota, ReadsVersion2) {
    const TemporaryFolder root;
    root.write("proc/self/cgroup", "0::/\n");
    root.write("sys/fs/cgroup/cpu.max", "150000 100000\n");
    EXPECT_EQ(cpu_quota(root.path()), 1.5);
}

TEST(CpuQuota, TakesMaxForNone) {
    const TemporaryFolder root;
    root.write("proc/self/cgroup", "0::/\n");
    root.write("sys/fs/cgroup/cpu.max", "max 100000\n");
    EXPECT_EQ(cpu_quota(root.path()), std::nullopt);
}

TEST(CpuQuota, TakesTheTightestOfAllParents) {
    const TemporaryFolder root;
    root.write("proc/self/cgroup", "0::/pods/pod7/main\n");
    root.write("sys/fs/cgroup/pods/cpu.max", "400000 100000\n");
    root.write("sys/fs/cgroup/pods/pod7/cpu.max", "50000 100000\n");
    root.write("sys/fs/cgroup/pods/pod7/main/cpu.max", "max 100000\n");
    EXPECT_EQ(cpu_quota(root.path()), 0.5);
}

TEST(CpuQuota, FindsTheMountOfAContainerThatShowsThePathOfItsHost) {
    const TemporaryFolder root;
    root.write("proc/self/cgroup", "4:cpu,cpuacct:/docker/0123456789\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
    root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cpu_quota(root.path()), 2.0);
}

TEST(CpuQuota, ReadsVersion1UnderTheShortName) {
    const TemporaryFolder root;
    root.write("proc/self/cgroup", "3:memory:/a\n2:cpuset:/a\n1:cpuacct,cpu:/a\n");
    root.write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "25000\n");
    root.write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    root.write("sys/fs/cgroup/cpuset/a/cpu.cfs_quota_us", "1\n");
    EXPECT_EQ(cpu_quota(root.path()), 0.25);
}

TEST(CpuQuota, TakesMinusOneForNone) {
    const TemporaryFolder root;
    root.write("proc/self/cgroup", "1:cpu:/\n");
    root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cpu_quota(root.path()), std::nullopt);
}

TEST(CpuQuota, SurvivesGarbage) {
    const TemporaryFolder root;
    root.write("proc/self/cgroup", "\n0\n0:\nx:y\n0::/\n1:cpu:/\n");
    root.write("sys/fs/cgroup/cpu.max", "many few\n");
    root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
    root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "0\n");
    EXPECT_EQ(cpu_quota(root.path()), std::nullopt);
}

TEST(UsableCores, IsTheAffinityWithoutAQuota) {
    const TemporaryFolder root;
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
    EXPECT_EQ(usable_cores(root.path()), static_cast<std::size_t>(CPU_COUNT(&mask)));
}

TEST(UsableCores, RoundsTheQuotaUpAndIsNeverZero) {
    const TemporaryFolder root;
    root.write("proc/self/cgroup", "0::/\n");
    root.write("sys/fs/cgroup/cpu.max", "1000 100000\n");
    EXPECT_EQ(usable_cores(root.path()), 1u);
}

TEST(UsableCores, RespectsANarrowAffinity) {
    const TemporaryFolder root;
    root.write("proc/self/cgroup", "0::/\n");
    root.write("sys/fs/cgroup/cpu.max", "6400000 100000\n");
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    int first = 0;
    while (!CPU_ISSET(first, &before)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(usable_cores(root.path()), 1u);
    ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace frond::server
