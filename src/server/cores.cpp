#include "server/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

namespace frond::server {
namespace {

namespace fs = std::filesystem;

std::optional<double> ratio(double quota, double period) {
    if (quota <= 0 || period <= 0) return std::nullopt;
    return quota / period;
}

// Version 2: "max 100000" or "150000 100000".
std::optional<double> quota_v2(const fs::path& group) {
    std::ifstream file(group / "cpu.max");
    double quota = 0;
    double period = 0;
    if (!(file >> quota >> period)) return std::nullopt;
    return ratio(quota, period);
}

// Version 1: two files; a quota of -1 is none.
std::optional<double> quota_v1(const fs::path& group) {
    std::ifstream quota_file(group / "cpu.cfs_quota_us");
    std::ifstream period_file(group / "cpu.cfs_period_us");
    double quota = 0;
    double period = 0;
    if (!(quota_file >> quota) || !(period_file >> period)) return std::nullopt;
    return ratio(quota, period);
}

std::optional<double> tighter(std::optional<double> a, std::optional<double> b) {
    if (a && b) return std::min(*a, *b);
    return a ? a : b;
}

// The tightest quota from `path` (below `mount`) up to `mount` itself. Inside a container the path may be one of the
// host's, of which only the mount's root is seen.
std::optional<double> tightest(const fs::path& mount, fs::path path, std::optional<double> (*quota)(const fs::path&)) {
    std::optional<double> least = quota(mount);
    for (path = path.relative_path(); !path.empty(); path = path.parent_path()) {
        least = tighter(least, quota(mount / path));
    }
    return least;
}

bool lists(std::string_view controllers, std::string_view wanted) {
    while (!controllers.empty()) {
        const std::string_view one = controllers.substr(0, controllers.find(','));
        if (one == wanted) return true;
        controllers.remove_prefix(std::min(controllers.size(), one.size() + 1));
    }
    return false;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root) {
    const fs::path mounts = root / "sys/fs/cgroup";
    std::optional<double> least;
    std::ifstream groups(root / "proc/self/cgroup");
    // Lines "hierarchy:controllers:path"; hierarchy 0 without controllers is version 2.
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const fs::path path = line.substr(second + 1);
        if (controllers.empty()) least = tighter(least, tightest(mounts, path, quota_v2));
        if (!lists(controllers, "cpu")) continue;
        for (const fs::path& mount : {mounts / controllers, mounts / "cpu"}) {
            least = tighter(least, tightest(mount, path, quota_v1));
        }
    }
    return least;
}

std::size_t usable_cores(const fs::path& root) {
    cpu_set_t mask;
    std::size_t cores = std::thread::hardware_concurrency();
    // Fails on machines with more than 1024 cores; the count above is then right, or nearly so.
    if (sched_getaffinity(0, sizeof(mask), &mask) == 0) cores = static_cast<std::size_t>(CPU_COUNT(&mask));
    if (const auto quota = cpu_quota(root)) cores = std::min(cores, static_cast<std::size_t>(std::ceil(*quota)));
    return std::max<std::size_t>(cores, 1);
}

}  // namespace frond::server
