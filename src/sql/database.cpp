#include "sql/database.hpp"

#include "sql/transaction.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <random>
#include <thread>

namespace frond::sql {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int max_attempts = 4;

// A session that dies this quickly had been closed by the server before; one that takes longer ran into a time-out,
// and trying again would double the wait.
constexpr milliseconds quick_death{500};

// Deadlocked transactions must not meet again in step.
void pause_before(int attempt) {
    thread_local std::minstd_rand random{std::random_device{}()};
    std::uniform_int_distribution<int> spread(1, 10 * attempt);
    std::this_thread::sleep_for(milliseconds(spread(random)));
}

std::string identity_of(const DatabaseUrl& url) {
    if (url.engine == Engine::mysql) return url.printable();
    std::error_code ec;
    DatabaseUrl absolute = url;
    // Through symbolic links, so that one file has one identity however it is spelt.
    const auto path = std::filesystem::weakly_canonical(std::filesystem::absolute(url.path, ec), ec);
    if (!ec) absolute.path = path.string();
    return absolute.printable();
}

Result<void> validate(const DatabaseOptions& options, const DatabaseUrl& url) {
    const auto wrong = [&](const char* what, long long found) {
        return Error(errc::invalid_configuration,
                     fmt::format("database {}: {} is {}, must be at least 1", options.name, what, found));
    };
    if (options.pool_size < 1) return wrong("pool_size", 0);
    if (options.connect_timeout.count() < 1) return wrong("connect_timeout (s)", options.connect_timeout.count());
    if (options.query_timeout.count() < 1) return wrong("query_timeout (s)", options.query_timeout.count());
    if (!options.tls_ca.empty() && url.engine != Engine::mysql) {
        return Error(errc::invalid_configuration,
                     fmt::format("database {}: tls_ca is for mysql:// only, found {}", options.name, url.printable()));
    }
    return {};
}

}  // namespace

// What one call of run() carries from try to try.
struct Database::Attempt {
    steady_clock::time_point deadline;
    int number = 1;
    bool committing = false;
    Result<void> result;
    Fault fault = Fault::other;
    std::string text;     // the driver's; empty: `result` counts
    bool failed = false;  // other than by what the body returned

    [[nodiscard]] CallTrouble trouble() const {
        if (!failed) return {};
        // A deadlock or a lock time-out rolls back, at COMMIT too.
        return {fault, committing && fault != Fault::retry};
    }
};

Result<std::shared_ptr<Database>> Database::make(const DatabaseOptions& options) {
    const auto url = parse_database_url(options.url);
    if (!url) return Error(url.error().code, fmt::format("database {}: {}", options.name, url.error().detail));
    if (const auto valid = validate(options, *url); !valid) return valid.error();
    return std::shared_ptr<Database>(new Database(options, *url));
}

Database::Database(const DatabaseOptions& options, const DatabaseUrl& url)
    : name_(options.name),
      identity_(identity_of(url)),
      query_timeout_(options.query_timeout),
      dialect_(url.engine == Engine::sqlite ? make_sqlite_dialect(options, url) : make_mysql_dialect(options, url)),
      pool_(*dialect_, options.pool_size) {}

Result<void> Database::check() {
    return run(
        Work::read, Audience::operators, [](soci::session&) -> Result<void> { return {}; }, nullptr);
}

Result<std::optional<std::string>> Database::create() {
    try {
        return dialect_->create_database();
    } catch (const soci::soci_error& error) {
        return explain(dialect_->fault(error), error.get_error_message(), Audience::operators);
    }
}

Result<void> Database::run(Work work, Audience audience, const Body& body, CallTrouble* trouble) {
    Attempt state;
    state.deadline = steady_clock::now() + query_timeout_;
    while (attempt(work, body, state) == Again::yes) pause_before(state.number++);
    if (trouble != nullptr) *trouble = state.trouble();
    if (state.text.empty()) return state.result;
    return explain(state.fault, state.text, audience);
}

Database::Again Database::attempt(Work work, const Body& body, Attempt& state) {
    auto lease = pool_.lease(state.deadline);
    state.committing = false;
    state.failed = true;  // until it ends well
    if (!lease) {
        state.fault = Fault::lost;
        state.text = "all sessions are busy";
        return Again::no;
    }
    const auto begun = steady_clock::now();
    bool reused = false;  // asked before a failed rollback closes the session
    try {
        soci::session& session = lease->session();
        reused = lease->reused();
        std::optional<Transaction> transaction;
        if (work == Work::write) transaction.emplace(*lease, dialect_->begin());
        state.result = body(session);
        if (transaction && state.result) {
            state.committing = true;
            transaction->commit();
        }
        state.text.clear();
        state.failed = false;
        return Again::no;
    } catch (const soci::soci_error& error) {
        const Again again = judge(error, state, reused, begun);
        if (state.fault == Fault::lost || state.fault == Fault::refused || state.fault == Fault::other) lease->drop();
        return again;
    } catch (const std::exception& error) {
        spdlog::error("database {}: {}", name_, error.what());
        lease->drop();
        state.fault = Fault::other;
        state.text.clear();
        state.result = errc::internal;
        return Again::no;
    }
}

Database::Again Database::judge(const soci::soci_error& error, Attempt& state, bool reused, PoolTime begun) {
    const auto now = steady_clock::now();
    state.fault = dialect_->fault(error);
    state.text = error.get_error_message();
    // With SQL and parameters: not for clients.
    spdlog::debug("database {}: {}", name_, error.what());
    if (state.number >= max_attempts || now >= state.deadline) return Again::no;
    if (state.fault == Fault::retry) return Again::yes;
    const bool closed_while_idle = state.fault == Fault::lost && reused && !state.committing;
    return closed_while_idle && now - begun < quick_death ? Again::yes : Again::no;
}

// What clients must not see and operators cannot guess: a missing table, a full disk, a folder that is not writable.
// Once for each text, as the same call fails again and again.
void Database::tell_once(const std::string& text) const {
    const std::lock_guard lock(told_mutex_);
    if (text == told_) return;
    told_ = text;
    spdlog::error("database {} ({}): {}", name_, identity_, text);
}

Error Database::explain(Fault fault, const std::string& text, Audience audience) const {
    if (fault == Fault::bad_text) return {errc::key_not_found, "the table's character set cannot hold this text"};
    if (fault == Fault::duplicate) return {errc::key_exists, "a row with this key exists"};
    if (audience == Audience::client) {
        if (fault != Fault::lost && fault != Fault::retry) tell_once(text);
        return {errc::store_unavailable, "the database could not be reached or did not answer in time"};
    }
    const bool configuration = fault == Fault::refused || fault == Fault::no_table || fault == Fault::denied;
    return {configuration ? errc::invalid_configuration : errc::store_unavailable,
            fmt::format("database {} ({}): {}{}", name_, identity_, text,
                        fault == Fault::no_table ? "; run `frond init` to create what is missing" : "")};
}

}  // namespace frond::sql
