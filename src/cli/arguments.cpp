#include "cli/command.hpp"

#include <string_view>
#include <variant>

extern char** environ;

namespace frond::cli {

void ConfigArguments::add_to(CLI::App& command, For purpose) {
    purpose_ = purpose;
    command.add_option("--config", file_, "TOML file, or Leaf's leaf.properties");
    command.add_option("--set", sets_, "a setting, section.key=value; may be repeated")->allow_extra_args(false);
    command.add_option("--database", databases_, "URL of the first database; may be repeated")->allow_extra_args(false);
}

server::ConfigSources ConfigArguments::sources() const {
    server::ConfigSources sources;
    if (!file_.empty()) sources.file = file_;
    sources.sets = sets_;
    sources.databases = databases_;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos)
            sources.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    // Kubernetes puts it into every pod.
    sources.in_kubernetes = purpose_ == For::serving && sources.environment.contains("KUBERNETES_SERVICE_HOST");
    return sources;
}

std::optional<server::LoadedConfig> ConfigArguments::load(Console& console) const {
    auto loaded = server::load_config(sources());
    if (auto* good = std::get_if<server::LoadedConfig>(&loaded)) return std::move(*good);
    for (const std::string& line : std::get<server::ConfigErrors>(loaded).lines)
        console.err << "frond: " << line << '\n';
    return std::nullopt;
}

int complain(Console& console, const Error& error) {
    console.err << "frond: " << (error.detail.empty() ? code_name(error.code) : error.detail) << '\n';
    return error.code == errc::invalid_configuration ? server::exit_cannot_start : server::exit_failed;
}

}  // namespace frond::cli
