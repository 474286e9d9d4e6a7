#include "server/config_load.hpp"

#include "server/config_check.hpp"
#include "server/config_sources.hpp"
#include "server/host_name.hpp"
#include "server/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace frond::server {
namespace {

std::string without_newline(std::string text) {
    const std::size_t newline = text.ends_with("\r\n") ? 2 : text.ends_with('\n') ? 1 : 0;
    text.erase(text.size() - newline);
    return text;
}

// Applies settings in order, remembers where each came from, and collects what is wrong.
class Loader {
public:
    explicit Loader(Gathered gathered) : errors_(std::move(gathered.errors)), notes_(std::move(gathered.notes)) {
        for (const Setting& setting : gathered.settings) apply(setting);
        if (!gathered.no_database.empty() && !origins_.contains("database.0.url")) {
            errors_.push_back(std::move(gathered.no_database));
        }
    }

    std::variant<LoadedConfig, ConfigErrors> finish(const std::string& host_name, bool in_kubernetes) {
        check_database_numbers();
        resolve_ordinal(host_name);
        for (const Finding& finding : check_config(config_, in_kubernetes)) report(finding);
        for (std::size_t i = 0; i < config_.databases.size(); ++i) read_password(i);
        read_zookeeper_auth();
        if (!errors_.empty()) return ConfigErrors{std::move(errors_)};
        std::vector<std::string> warnings = config_warnings(config_);
        return LoadedConfig{std::move(config_), std::move(notes_), std::move(warnings)};
    }

private:
    void apply(const Setting& setting) {
        const auto path = find_key(setting.key);
        if (!path) {
            errors_.push_back(fmt::format("{}: unknown key {}; did you mean {}?", setting.source, setting.key,
                                          nearest_key(setting.key)));
            return;
        }
        if (section_of(path->key->name) == "database") need_database(path->index);
        origins_[setting.key] = setting.source;
        if (const auto problem = apply_value(*path->key, path->index, setting.value, config_)) {
            errors_.push_back(fmt::format("{}: {}: {}", setting.source, setting.key, *problem));
            broken_.insert(setting.key);
        }
    }

    void need_database(std::size_t index) {
        if (config_.databases.size() <= index) config_.databases.resize(index + 1);
    }

    // Numbers count from 0 without a gap, so that a mistyped one does not make databases of defaults.
    void check_database_numbers() {
        for (std::size_t i = 1; i < config_.databases.size(); ++i) {
            const std::string url = fmt::format("database.{}.url", i);
            if (origins_.contains(url)) continue;
            errors_.push_back(fmt::format("{} is missing: each database after the first needs a URL", url));
            broken_.insert(url);
        }
    }

    [[nodiscard]] std::string origin(const std::string& key) const {
        const auto found = origins_.find(key);
        return found == origins_.end() ? "default" : found->second;
    }

    // A finding that rests on a value already reported as wrong would only confuse. Of the keys it involves, it is told
    // where the first one stands that somebody has set.
    void report(const Finding& finding) {
        const auto is_broken = [this](const std::string& key) { return broken_.contains(key); };
        if (std::ranges::any_of(finding.keys, is_broken)) return;
        const auto is_set = [this](const std::string& key) { return origins_.contains(key); };
        const auto set = std::ranges::find_if(finding.keys, is_set);
        const std::string& place = set == finding.keys.end() ? finding.keys.front() : *set;
        errors_.push_back(fmt::format("{}: {}: {}", origin(place), finding.keys.front(), finding.text));
    }

    void resolve_ordinal(const std::string& host_name) {
        SnowflakeConfig& snowflake = config_.snowflake;
        if (!snowflake.worker_id_ordinal || !snowflake.enabled || snowflake.registry != Registry::fixed) return;
        snowflake.worker_id = ordinal_of(host_name);
        if (snowflake.worker_id) return;
        report({{"snowflake.worker_id"},
                fmt::format("\"ordinal\" needs a host name that ends in a number, such as frond-0; found \"{}\"",
                            host_name)});
    }

    // The content of a file that holds a secret, without the newline at its end.
    std::optional<std::string> read_secret(const std::string& key, const std::string& path) {
        auto text = read_text_file(path);
        if (text) return without_newline(std::move(*text));
        report({{key}, fmt::format("cannot read {}: {}", path, text.error().detail)});
        return std::nullopt;
    }

    void read_password(std::size_t index) {
        DatabaseConfig& database = config_.databases[index];
        if (database.password_file.empty()) return;
        auto password = read_secret(fmt::format("database.{}.password_file", index), database.password_file);
        if (password) database.password = std::move(*password);
    }

    void read_zookeeper_auth() {
        ZookeeperConfig& zookeeper = config_.zookeeper;
        if (zookeeper.auth_file.empty()) return;
        const std::string key = "zookeeper.auth_file";
        auto auth = read_secret(key, zookeeper.auth_file);
        if (!auth) return;
        const std::size_t colon = auth->find(':');
        if (colon == std::string::npos || colon == 0 || auth->find('\n') != std::string::npos) {
            report({{key}, fmt::format("{} must hold one line, user:password", zookeeper.auth_file)});
            return;
        }
        zookeeper.auth = std::move(*auth);
    }

    Config config_;
    std::vector<std::string> errors_;
    std::vector<std::string> notes_;
    std::map<std::string, std::string> origins_;
    std::set<std::string> broken_;
};

}  // namespace

std::variant<LoadedConfig, ConfigErrors> load_config(const ConfigSources& sources) {
    const std::string host_name = sources.host_name.empty() ? system_host_name() : sources.host_name;
    Gathered gathered;
    if (sources.file) read_config_file(*sources.file, host_name, gathered);
    read_environment(sources.environment, gathered);
    read_databases(sources.databases, gathered);
    read_sets(sources.sets, gathered);
    return Loader(std::move(gathered)).finish(host_name, sources.in_kubernetes);
}

}  // namespace frond::server
