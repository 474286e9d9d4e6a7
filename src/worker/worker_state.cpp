#include "worker/worker_state.hpp"

#include "worker/json_fields.hpp"

#include <fmt/format.h>
#include <boost/crc.hpp>
#include <boost/json.hpp>

namespace frond::worker {
namespace {

namespace json = boost::json;

constexpr std::int64_t format_version = 1;
constexpr std::string_view checksum_key = ",\"checksum\":\"";
constexpr std::string_view checksum_end = "\"}\n";
constexpr std::size_t checksum_digits = 8;
constexpr std::size_t tail_size = checksum_key.size() + checksum_digits + checksum_end.size();

std::string tail_for(std::string_view body) {
    boost::crc_32_type crc;
    crc.process_bytes(body.data(), body.size());
    return fmt::format("{}{:08x}{}", checksum_key, crc.checksum(), checksum_end);
}

json::object to_json(const Holder& holder) {
    return {{"boot_id", holder.boot_id},
            {"device", holder.device},
            {"inode", holder.inode},
            {"birth_ns", holder.birth_ns},
            {"local", holder.local}};
}

Holder holder_from(const json::object& object) {
    return {json_text(object, "boot_id"), object.at("device").to_number<std::uint64_t>(),
            object.at("inode").to_number<std::uint64_t>(), json_number(object, "birth_ns"),
            object.at("local").as_bool()};
}

WorkerState::Use use_from(std::string_view word) {
    if (word == "held") return WorkerState::Use::held;
    if (word == "released") return WorkerState::Use::released;
    throw std::invalid_argument("state is neither held nor released");
}

WorkerState state_from(const json::object& object) {
    WorkerState state;
    state.name = json_text(object, "name");
    state.layout = layout_from_json(object.at("layout").as_object());
    state.registry = json_text(object, "registry");
    state.worker_id = json_number(object, "worker_id");
    state.owner = json_text(object, "owner");
    state.use = use_from(json_text(object, "state"));
    state.watermark = json_number(object, "watermark");
    if (!object.at("fence").is_null()) state.fence = json_number(object, "fence");
    state.holder = holder_from(object.at("holder").as_object());
    return state;
}

Error damaged(std::string why) { return {errc::bad_request, std::move(why)}; }

}  // namespace

std::string format_state(const WorkerState& state) {
    json::object object{{"version", format_version},
                        {"name", state.name},
                        {"layout", layout_to_json(state.layout)},
                        {"registry", state.registry},
                        {"worker_id", state.worker_id},
                        {"owner", state.owner},
                        {"state", state.use == WorkerState::Use::held ? "held" : "released"},
                        {"watermark", state.watermark},
                        {"fence", nullptr},
                        {"holder", to_json(state.holder)}};
    if (state.fence) object["fence"] = *state.fence;
    std::string body = json::serialize(object);
    body.pop_back();  // the closing brace belongs to the tail
    return body + tail_for(body);
}

Result<WorkerState> parse_state(std::string_view text) {
    if (text.size() <= tail_size) return damaged("too short");
    const std::string_view body = text.substr(0, text.size() - tail_size);
    if (text.substr(body.size()) != tail_for(body)) return damaged("the checksum does not match");
    // The text is one that Frond wrote; what follows guards against another version of Frond.
    try {
        const json::value value = json::parse(std::string(body) + '}');
        const json::object& object = value.as_object();
        if (const auto version = json_number(object, "version"); version != format_version) {
            return damaged(fmt::format("format version {}, this program knows {}", version, format_version));
        }
        return state_from(object);
    } catch (const std::exception& error) {
        return damaged(error.what());
    }
}

std::string ignored_because(const WorkerState& found, const Claim& claim) {
    if (found.name != claim.name) return "it belongs to the name \"" + found.name + "\"";
    if (found.layout != claim.layout) return "it belongs to another layout";
    return {};
}

std::optional<std::int64_t> floor_of(const WorkerState& found, const Claim& claim, std::int64_t worker_id) {
    if (!ignored_because(found, claim).empty() || found.worker_id != worker_id) return std::nullopt;
    return found.watermark;
}

Permission permission_of(const WorkerState& found, const Claim& claim) {
    Permission permission;
    if (!ignored_because(found, claim).empty() || found.registry != claim.registry) return permission;
    if (!claim.holder.proves_death_of(found.holder)) return permission;
    permission.resume = true;
    if (found.use == WorkerState::Use::held) permission.offline_until = found.fence;
    return permission;
}

}  // namespace frond::worker
