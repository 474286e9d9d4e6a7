// Key administration in the leaf schema.
#pragma once

#include "segment/store.hpp"
#include "sql/database.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace frond::sql {

// Writes leaf_alloc and frond_key; never drops or alters a table. Thread-safe. Details of errors are for operators:
// those of store_unavailable and invalid_configuration hold the database's address and the driver's words, and must
// not reach an HTTP client.
//
// Settings: step 1 to 2^31 - 1 (Leaf's column) and at least delta, so that every range holds an ID; delta at least 1;
// remainder in [0, delta); max_step at least 1; description at most 256 characters. key_misconfigured otherwise. A key
// with delta > 1 must not be shared with a Leaf server, which does not know delta. What Leaf's table has no column for
// needs frond_key: invalid_configuration, naming `frond init`, where it is missing.
class SqlKeyAdmin final : public segment::KeyAdmin {
public:
    explicit SqlKeyAdmin(std::shared_ptr<Database> database) : database_(std::move(database)) {}

    // Makes all tables of Frond that are missing, those of worker.sql too.
    Result<std::vector<std::string>> init() override;
    // A key that was deleted begins at its floor or above.
    Result<void> create(const segment::KeyRecord& record) override;
    Result<std::vector<segment::KeyRecord>> list(std::string_view prefix, std::string_view after,
                                                 std::size_t limit) override;
    Result<segment::KeyRecord> show(std::string_view key) override;
    Result<segment::KeyRecord> change(std::string_view key, const segment::KeyChange& change) override;
    Result<segment::KeyRecord> accept(std::string_view key) override;
    // Also raises the floors of deleted keys, which the count leaves out. bad_request when n < 1.
    Result<std::int64_t> raise_all(std::int64_t n) override;
    Result<segment::KeyRecord> raise(std::string_view key, std::int64_t n) override;

private:
    const std::shared_ptr<Database> database_;
};

}  // namespace frond::sql
