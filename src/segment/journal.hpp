// The guard file: for each key the highest end of a range that this instance was given, and when it was last used.
// A second net under the guard in memory, for the restart that follows a fail-over; also says which keys to load before
// the server is ready. Written at each refill, not synced.
#pragma once

#include <frond/result.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace frond::segment {

struct JournalEntry {
    std::int64_t end = 0;           // no range may begin below it
    std::int64_t accepted = 0;      // the row's `accepted` at that time
    std::int64_t last_used_ms = 0;  // wall clock, ms since the Unix epoch

    bool operator==(const JournalEntry&) const = default;
};

// Thread-safe. Lines are appended, each with its own checksum, so that a torn one is noticed and ignored; the file is
// rewritten (temporary file, rename) when most of its lines are old. Keys hold no control characters.
class Journal {
public:
    // The name of the file for a database, so that each has its own and none is lost when another one is served from
    // the same folder for a while.
    static std::string file_name(std::string_view identity);
    // Opens or makes `file`. What it holds counts only for the same database (`identity`, one line of text): the file
    // of another one is begun anew. errc::invalid_configuration, naming the file, when it cannot be read or made.
    static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& file, std::string identity);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    // The newest entry of a key, all zero when there is none.
    [[nodiscard]] JournalEntry find(std::string_view key) const;
    // Keys used at or after since_ms, latest first, at most `limit`.
    [[nodiscard]] std::vector<std::string> used_since(std::int64_t since_ms, std::size_t limit) const;
    // How many lines were ignored at open() because they were damaged.
    [[nodiscard]] std::size_t damaged() const noexcept { return damaged_; }

    // Records the newest state of a key. False when the file could not be written; it then counts in memory only.
    bool record(std::string_view key, const JournalEntry& entry);

private:
    Journal(std::filesystem::path file, std::string identity);
    Result<void> load();
    bool load_line(std::string_view line);
    bool rewrite();
    [[nodiscard]] std::string header() const;

    const std::filesystem::path file_;
    const std::string identity_;
    std::size_t damaged_ = 0;

    mutable std::mutex mutex_;
    std::unordered_map<std::string, JournalEntry> entries_;
    std::size_t lines_ = 0;
    bool torn_ = false;  // the last line was cut short
    int descriptor_ = -1;
};

}  // namespace frond::segment
