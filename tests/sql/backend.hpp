// The databases that the contract tests run on, each test with a fresh one.
#pragma once

#include "sql/database.hpp"
#include "support/temp_folder.hpp"

#include <memory>
#include <string>

namespace frond::sql {

class Backend {
public:
    virtual ~Backend() = default;
    [[nodiscard]] virtual DatabaseOptions options() const = 0;

    // A Database of its own, as another server would have; throws when the options are wrong.
    [[nodiscard]] std::shared_ptr<Database> open() const;
    // Runs a statement past everything under test.
    void execute(const std::string& sql) const;
    // The first cell of the first row.
    [[nodiscard]] std::string ask(const std::string& sql) const;
};

// "sqlite" or "mariadb"; nothing exists in the database yet.
std::unique_ptr<Backend> make_backend(const std::string& engine);

}  // namespace frond::sql
