#include "sql/worker_seen.hpp"

#include <fmt/format.h>

namespace frond::sql {

std::optional<std::string> WorkerSeen::name(const worker::NameRecord& name, std::int64_t handed_out) {
    if (name_ && name_->id != name.id) return "the name was deleted and made again";
    if (handed_out < handed_out_) {
        return fmt::format("{} worker IDs were handed out, the database knows of {}", handed_out_, handed_out);
    }
    if (name_ && name.floor < name_->floor) {
        return fmt::format("the floor was {}, the database shows {}", name_->floor, name.floor);
    }
    name_ = name;
    handed_out_ = handed_out;
    return std::nullopt;
}

std::optional<std::string> WorkerSeen::record(std::int64_t number, std::int64_t version, std::string_view text) {
    const auto found = records_.find(number);
    if (found != records_.end()) {
        const Shown& before = found->second;
        if (version < before.version) {
            return fmt::format("record {} had version {}, the database shows {}", number, before.version, version);
        }
        // Versions count up: two contents of one version are two histories.
        if (version == before.version && text != before.text) {
            return fmt::format("version {} of record {} has another content than before", version, number);
        }
    }
    wrote(number, version, text);
    return std::nullopt;
}

std::optional<std::string> WorkerSeen::nothing() const {
    if (!name_) return std::nullopt;
    return "the name is gone from frond_worker";
}

void WorkerSeen::wrote(std::int64_t number, std::int64_t version, std::string_view text) {
    records_.insert_or_assign(number, Shown{version, std::string(text)});
}

}  // namespace frond::sql
