// Ranges out of a leaf_alloc table, shared with Leaf servers if need be.
#pragma once

#include "segment/store.hpp"
#include "sql/database.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace frond::sql {

// The leaf schema: max_id is the next number never handed out, a range is [old max_id, new max_id). Works on the table
// alone as Leaf made it; what frond_key adds counts as soon as that table exists. Thread-safe. Details of errors hold
// key, column and value, nothing of the database; the driver's own words go to the log at level debug.
class SqlSegmentStore final : public segment::SegmentStore {
public:
    explicit SqlSegmentStore(std::shared_ptr<Database> database) : database_(std::move(database)) {}

    Result<segment::Grant> advance(std::string_view key, const segment::StepRequest& request) override;
    Result<bool> hand_back(std::string_view key, std::int64_t from, std::int64_t end) override;
    Result<std::vector<std::string>> keys() override;
    Result<std::vector<std::string>> durability_warnings() override;
    [[nodiscard]] std::string identity() const override { return database_->identity(); }

    // For start-up: Database::check(), and that the tables are there: invalid_configuration that names `frond init`
    // when they are not.
    Result<void> check();

private:
    const std::shared_ptr<Database> database_;
};

}  // namespace frond::sql
