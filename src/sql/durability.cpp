#include "sql/durability.hpp"

#include "sql/query.hpp"

#include <fmt/format.h>

namespace frond::sql {
namespace {

void warn_of_server(soci::session& session, std::vector<std::string>& warnings) {
    const auto cells =
        Query(session, "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit, @@GLOBAL.log_bin, @@GLOBAL.sync_binlog").row(3);
    if (!cells) return;
    const std::string flush = cells->at(0).value_or("");
    if (flush != "1") {
        warnings.push_back(fmt::format(
            "innodb_flush_log_at_trx_commit is {}, not 1: a crash can lose commits, and numbers may be issued twice",
            flush));
    }
    const std::string sync = cells->at(2).value_or("");
    if (cells->at(1) == "1" && sync != "1") {
        warnings.push_back(
            fmt::format("sync_binlog is {}, not 1, while log_bin is on: a fail-over can lose commits, and numbers may "
                        "be issued twice",
                        sync));
    }
}

void warn_of_engine(soci::session& session, std::vector<std::string>& warnings) {
    const auto cells = Query(session,
                             "SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() "
                             "AND table_name = 'leaf_alloc'")
                           .row(1);
    const std::string engine = cells ? cells->front().value_or("") : "InnoDB";
    if (engine != "InnoDB") {
        warnings.push_back(
            fmt::format("leaf_alloc is in the engine {}, not InnoDB: its changes may not survive a crash", engine));
    }
}

void warn_of_permission(soci::session& session, const Dialect& dialect, std::vector<std::string>& warnings) {
    try {
        static_cast<void>(Query(session, "SELECT key_name FROM frond_key LIMIT 1").row(1));
    } catch (const soci::soci_error& error) {
        const Fault fault = dialect.fault(error);
        if (fault == Fault::no_table) return;
        if (fault != Fault::denied) throw;
        warnings.push_back(
            "no permission to read frond_key: if it exists, its delta, remainder, max_step and disabled are ignored");
    }
}

}  // namespace

std::vector<std::string> durability_warnings_of(soci::session& session, const Dialect& dialect) {
    std::vector<std::string> warnings;
    if (dialect.engine() == Engine::sqlite) return warnings;
    warn_of_server(session, warnings);
    warn_of_engine(session, warnings);
    warn_of_permission(session, dialect, warnings);
    return warnings;
}

}  // namespace frond::sql
