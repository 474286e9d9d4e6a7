// Records of worker IDs as JSON.
#include "base/units.hpp"
#include "cli/worker_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <vector>

namespace frond::cli {
namespace {

namespace json = boost::json;
using worker::RecordView;

json::object layout_object(const worker::LeaseSpace& space) {
    return {{"epoch", format_rfc3339(space.layout.epoch_ms())},
            {"timestamp_bits", space.layout.timestamp_bits()},
            {"worker_bits", space.layout.worker_bits()},
            {"sequence_bits", space.layout.sequence_bits()},
            {"worker_id_offset", space.offset},
            {"worker_id_limit", space.limit}};
}

json::object record_object(const RecordView& view, const worker::LeaseSpace& space) {
    json::object object{{"worker_id", space.worker_id(view.number)},
                        {"state", state_word(view)},
                        {"maker", view.record || !view.problem.empty() ? "frond" : "leaf"}};
    if (view.record) {
        const worker::LeaseRecord& record = *view.record;
        object["owner"] = record.owner;
        object["write"] = record.write;
        object["identity"] = record.identity;
        object["ip"] = record.ip;
        object["port"] = record.port;
        object["fence_ms"] = record.fence;
        object["timestamp_ms"] = record.timestamp;
        object["offset_ms"] = nullptr;
        if (view.modified_ms != 0) object["offset_ms"] = record.timestamp - view.modified_ms;
        object["layout"] = layout_object(record.space);
    }
    object["modified_ms"] = nullptr;
    if (view.modified_ms != 0) object["modified_ms"] = view.modified_ms;
    object["version"] = view.version;
    object["place"] = view.place;
    if (!view.problem.empty()) object["problem"] = view.problem;
    return object;
}

}  // namespace

std::string worker_json(const RecordView& view, const WorkerListing& listing) {
    return json::serialize(record_object(view, listing.survey.name.space));
}

std::string worker_list_json(const WorkerListing& listing) {
    const worker::Survey& survey = listing.survey;
    json::object object{{"name", listing.name},     {"registry", listing.registry},
                        {"id", survey.name.id},     {"layout", layout_object(survey.name.space)},
                        {"floor_ms", nullptr},      {"next_worker_id", nullptr},
                        {"now_ms", listing.now_ms}, {"clock", survey.clock ? "registry" : "local"}};
    if (survey.name.floor != INT64_MIN) object["floor_ms"] = survey.name.floor;
    const std::int64_t next = std::max(survey.next_number, survey.first_number);
    if (survey.name.space.holds(next)) object["next_worker_id"] = survey.name.space.worker_id(next);
    json::array present;
    for (const std::string& identity : survey.present) present.emplace_back(identity);
    object["present"] = std::move(present);
    std::vector<RecordView> records = survey.records;
    std::ranges::sort(records, {}, &RecordView::number);
    json::array workers;
    for (const RecordView& view : records) workers.push_back(record_object(view, survey.name.space));
    object["workers"] = std::move(workers);
    return json::serialize(object);
}

}  // namespace frond::cli
