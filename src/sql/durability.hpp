// What an operator should know about how durable, and how usable, a database is as it stands.
#pragma once

#include "sql/dialect.hpp"

#include <soci/soci.h>

#include <string>
#include <vector>

namespace frond::sql {

// A sentence for each thing that could lose a commit (and so repeat numbers) or that Frond cannot see. Empty for
// SQLite, whose settings are enforced when a session opens. Throws soci::soci_error.
[[nodiscard]] std::vector<std::string> durability_warnings_of(soci::session& session, const Dialect& dialect);

}  // namespace frond::sql
