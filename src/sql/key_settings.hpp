// Which settings a key of the leaf schema may have. Pure functions; thread-safe.
#pragma once

#include "segment/store.hpp"

#include <frond/result.hpp>

namespace frond::sql {

// errc::invalid_key for the key, errc::key_misconfigured, naming key, setting and value, for anything else; see
// SqlKeyAdmin.
[[nodiscard]] Result<void> validate_record(const segment::KeyRecord& record);

}  // namespace frond::sql
