#include "worker/machine.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

namespace frond::worker {
namespace {

// Not in <linux/magic.h>.
constexpr std::uint32_t zfs_magic = 0x2fc12fc1;
constexpr std::uint32_t jfs_magic = 0x3153464a;
constexpr std::uint32_t bcachefs_magic = 0xca451a4e;

constexpr std::array<std::uint32_t, 12> local_file_systems{
    EXT4_SUPER_MAGIC,  // ext2 and ext3 have the same number
    XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC,    F2FS_SUPER_MAGIC,  TMPFS_MAGIC, RAMFS_MAGIC,    OVERLAYFS_SUPER_MAGIC,
    zfs_magic,        REISERFS_SUPER_MAGIC, NILFS_SUPER_MAGIC, jfs_magic,   bcachefs_magic,
};

}  // namespace

std::string kernel_boot_id() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(file, id);
    return id;
}

std::int64_t birth_time_ns(int descriptor) {
    struct statx found {};
    if (::statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &found) != 0) return 0;
    if ((found.stx_mask & STATX_BTIME) == 0) return 0;
    return static_cast<std::int64_t>(found.stx_btime.tv_sec) * 1'000'000'000 + found.stx_btime.tv_nsec;
}

bool on_local_file_system(int descriptor) {
    struct statfs found {};
    if (::fstatfs(descriptor, &found) != 0) return false;
    const auto kind = static_cast<std::uint32_t>(found.f_type);
    return std::find(local_file_systems.begin(), local_file_systems.end(), kind) != local_file_systems.end();
}

std::string error_text(int error) { return std::generic_category().message(error); }

}  // namespace frond::worker
