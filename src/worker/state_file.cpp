#include "worker/state_file.hpp"

#include "worker/descriptor.hpp"
#include "worker/machine.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

namespace frond::worker {
namespace {

constexpr const char* temporary_name = "worker.json.tmp";
// A real one has under 1 KiB; more is not worth reading.
constexpr std::size_t largest_file = 65'536;

Error cannot(std::string_view verb, int error) {
    return {errc::store_unavailable, "cannot " + std::string(verb) + " the state file: " + error_text(error)};
}

Result<std::string> read_all(int file) {
    std::string text;
    std::array<char, 4096> block{};
    for (;;) {
        const ssize_t n = ::read(file, block.data(), block.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return cannot("read", errno);
        if (n == 0 || text.size() > largest_file) return text;
        text.append(block.data(), static_cast<std::size_t>(n));
    }
}

Result<void> write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(file, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return cannot("write", errno);
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

Result<void> write_temporary(int directory, std::string_view text, Sync sync) {
    Descriptor file(::openat(directory, temporary_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.valid()) return cannot("make", errno);
    if (auto written = write_all(file.get(), text); !written) return written;
    if (sync == Sync::yes && ::fsync(file.get()) != 0) return cannot("sync", errno);
    if (!file.reset()) return cannot("close", errno);
    return {};
}

Result<void> replace(int directory, Sync sync) {
    if (::renameat(directory, temporary_name, directory, JsonStateFile::file_name) != 0) return cannot("rename", errno);
    if (sync == Sync::yes && ::fsync(directory) != 0) return cannot("sync the folder of", errno);
    return {};
}

}  // namespace

Result<void> JsonStateFile::lock() {
    switch (directory_.lock()) {
        case LockState::ours:
            return {};
        case LockState::elsewhere:
            return Error(errc::invalid_configuration, directory_.trouble());
        case LockState::impossible:
            break;
    }
    return Error(errc::store_unavailable, directory_.trouble());
}

Result<LoadedState> JsonStateFile::load() {
    LoadedState loaded;
    const auto path = directory_.path() / file_name;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid() && errno == ENOENT) return loaded;
    if (!file.valid()) return cannot("open", errno);
    auto text = read_all(file.get());
    if (!text) return text.error();
    auto state = parse_state(*text);
    if (state) {
        loaded.state = std::move(*state);
    } else {
        loaded.damage = std::move(state.error().detail);
    }
    return loaded;
}

Result<void> JsonStateFile::store(const WorkerState& state, Sync sync) {
    if (auto ours = directory_.check_lock(); !ours) return ours;
    const int directory = directory_.descriptor();
    auto stored = write_temporary(directory, format_state(state), sync);
    if (stored) stored = replace(directory, sync);
    if (!stored) ::unlinkat(directory, temporary_name, 0);
    return stored;
}

}  // namespace frond::worker
