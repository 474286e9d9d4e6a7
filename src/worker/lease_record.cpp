#include "worker/lease_record.hpp"

#include "base/units.hpp"
#include "worker/json_fields.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>
#include <boost/system/system_error.hpp>

namespace frond::worker {
namespace {

namespace json = boost::json;

constexpr std::int64_t format_version = 1;
constexpr std::string_view held_word = "held";
constexpr std::string_view released_word = "released";

json::object to_json(const LeaseSpace& space) {
    json::object object = layout_to_json(space.layout);
    object["worker_id_offset"] = space.offset;
    object["worker_id_limit"] = space.limit;
    return object;
}

LeaseSpace space_from(const json::object& object) {
    auto space = make_space(layout_from_json(object), json_number(object, "worker_id_offset"),
                            json_number(object, "worker_id_limit"));
    if (!space) throw std::invalid_argument(space.error().detail);
    if (space->limit != json_number(object, "worker_id_limit")) throw std::invalid_argument("worker_id_limit is 0");
    return *space;
}

LeaseState state_from(std::string_view word) {
    if (word == held_word) return LeaseState::held;
    if (word == released_word) return LeaseState::released;
    throw std::invalid_argument("state is neither held nor released");
}

// A time that sums and differences of a few cannot overflow.
std::int64_t time_from(const json::object& object, std::string_view key) {
    const std::int64_t ms = json_number(object, key);
    if (ms < -furthest_time_ms || ms > furthest_time_ms) throw std::invalid_argument(std::string(key) + " is no time");
    return ms;
}

void check_version(const json::object& object) {
    if (const auto version = json_number(object, "version"); version != format_version) {
        throw std::invalid_argument(fmt::format("format version {}, this program knows {}", version, format_version));
    }
}

// Runs `read` over the object in the text; what it throws becomes the error.
template <class Read>
auto parse(std::string_view text, Read read) -> Result<decltype(read(json::object()))> {
    try {
        const json::value value = json::parse(json::string_view(text.data(), text.size()));
        const json::object& object = value.as_object();
        check_version(object);
        return read(object);
    } catch (const boost::system::system_error& error) {
        return Error(errc::bad_request, error.code().message());  // what() names the library's source
    } catch (const std::exception& error) {
        return Error(errc::bad_request, error.what());
    }
}

}  // namespace

Result<LeaseSpace> make_space(const SnowflakeLayout& layout, std::int64_t offset, std::int64_t limit) {
    const std::int64_t highest = layout.max_worker_id();
    if (offset < 0 || offset > highest) {
        return Error(errc::invalid_configuration,
                     fmt::format("snowflake.worker_id_offset is {}; with {} worker bits it must be 0 to {}", offset,
                                 layout.worker_bits(), highest));
    }
    const std::int64_t room = highest - offset + 1;
    if (limit < 0 || limit > room) {
        return Error(errc::invalid_configuration,
                     fmt::format("snowflake.worker_id_limit is {}; with {} worker bits and an offset of {} it must be "
                                 "1 to {}, or 0 for all",
                                 limit, layout.worker_bits(), offset, room));
    }
    return LeaseSpace{layout, offset, limit == 0 ? room : limit};
}

std::string describe(const LeaseSpace& space) {
    return fmt::format("epoch {}, bits {}+{}+{}, offset {}, limit {}", format_rfc3339(space.layout.epoch_ms()),
                       space.layout.timestamp_bits(), space.layout.worker_bits(), space.layout.sequence_bits(),
                       space.offset, space.limit);
}

std::string format_record(const LeaseRecord& record) {
    // Leaf's three fields first, for people who know them.
    return json::serialize(json::object{{"ip", record.ip},
                                        {"port", record.port},
                                        {"timestamp", record.timestamp},
                                        {"version", format_version},
                                        {"owner", record.owner},
                                        {"write", record.write},
                                        {"identity", record.identity},
                                        {"fence", record.fence},
                                        {"state", record.state == LeaseState::held ? held_word : released_word},
                                        {"layout", to_json(record.space)}});
}

Result<LeaseRecord> parse_record(std::string_view text) {
    return parse(text, [](const json::object& object) {
        LeaseRecord record;
        record.owner = json_text(object, "owner");
        record.write = json_text(object, "write");
        record.identity = json_text(object, "identity");
        record.ip = json_text(object, "ip");
        record.port = json_text(object, "port");
        record.timestamp = time_from(object, "timestamp");
        record.fence = time_from(object, "fence");
        record.state = state_from(json_text(object, "state"));
        record.space = space_from(object.at("layout").as_object());
        return record;
    });
}

std::string format_name(const NameRecord& name) {
    json::object object{{"version", format_version},
                        {"id", name.id},
                        {"parent", name.parent},
                        {"floor", nullptr},
                        {"layout", to_json(name.space)}};
    if (name.floor != INT64_MIN) object["floor"] = name.floor;
    return json::serialize(object);
}

Result<NameRecord> parse_name(std::string_view text) {
    return parse(text, [](const json::object& object) {
        NameRecord name;
        name.id = json_text(object, "id");
        name.parent = json_text(object, "parent");
        if (!object.at("floor").is_null()) name.floor = time_from(object, "floor");
        name.space = space_from(object.at("layout").as_object());
        return name;
    });
}

}  // namespace frond::worker
