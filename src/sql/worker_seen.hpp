// What one user of a name has seen of it, to notice a database that lost what it had acknowledged: one restored from a
// backup, or a replica that lagged and became the primary. No I/O. Not thread-safe.
#pragma once

#include "worker/registry.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace frond::sql {

class WorkerSeen {
public:
    // Each takes in what is shown now, or says in a sentence why it is older than what was shown before.
    [[nodiscard]] std::optional<std::string> name(const worker::NameRecord& name, std::int64_t handed_out);
    [[nodiscard]] std::optional<std::string> record(std::int64_t number, std::int64_t version, std::string_view text);
    // No row of the name is there.
    [[nodiscard]] std::optional<std::string> nothing() const;

    // What an acknowledged write has made.
    void wrote(std::int64_t number, std::int64_t version, std::string_view text);
    void handed_out(std::int64_t count) { handed_out_ = count; }

private:
    struct Shown {
        std::int64_t version;
        std::string text;
    };

    std::optional<worker::NameRecord> name_;
    std::int64_t handed_out_ = 0;
    std::unordered_map<std::int64_t, Shown> records_;
};

}  // namespace frond::sql
