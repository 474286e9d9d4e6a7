// Keys as the command line shows them. Pure functions.
#pragma once

#include "segment/store.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace frond::cli {

// The text without control characters, which a table made by others may hold: each becomes \xNN.
[[nodiscard]] std::string printable(std::string_view text);

// One key, a field a line.
[[nodiscard]] std::string key_text(const segment::KeyRecord& record);
// Keys as a table, or "no keys".
[[nodiscard]] std::string key_table(const std::vector<segment::KeyRecord>& records);
// One key as a JSON object, without a newline. max_id, which may pass 2^53, is a string, as IDs are in the HTTP API.
[[nodiscard]] std::string key_json(const segment::KeyRecord& record);
// {"keys":[…],"next":"…"}; `next` is left out when it is empty.
[[nodiscard]] std::string key_list_json(const std::vector<segment::KeyRecord>& records, std::string_view next);

}  // namespace frond::cli
