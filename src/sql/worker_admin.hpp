// Leases in the table frond_worker, for operators.
#pragma once

#include "sql/database.hpp"
#include "worker/registry.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace frond::sql {

// Thread-safe. The name as in WorkerRegistryOptions.
class SqlWorkerAdmin final : public worker::WorkerAdmin {
public:
    SqlWorkerAdmin(std::shared_ptr<Database> database, std::string name)
        : database_(std::move(database)), name_(std::move(name)) {}

    [[nodiscard]] std::string describe() const override;
    worker::RegistryResult<worker::Survey> look() override;
    worker::RegistryResult<std::int64_t> raise_floor(std::int64_t floor_ms) override;

private:
    [[nodiscard]] worker::RegistryError never_made() const;

    const std::shared_ptr<Database> database_;
    const std::string name_;
};

}  // namespace frond::sql
