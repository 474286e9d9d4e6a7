// One database: its sessions, and the one place where exceptions of SOCI become errors of ours.
#pragma once

#include "sql/dialect.hpp"
#include "sql/session_pool.hpp"

#include <frond/result.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace frond::sql {

// Who reads an error's detail.
enum class Audience {
    client,    // anybody: nothing of the driver's text, no address, no SQL
    operators  // the command line and start-up: what the driver said, without user or password
};

// How a call of the database failed, for those to whom the error's code says too little.
struct CallTrouble {
    std::optional<Fault> fault;  // none: the call succeeded, or the body itself returned the error
    bool maybe_done = false;     // it failed at COMMIT: what the body did may have been done, or may yet be done
};

// Thread-safe; all calls block, up to about connect_timeout + query_timeout when the database does not answer.
class Database {
public:
    // Reads the options; opens nothing. errc::invalid_configuration.
    static Result<std::shared_ptr<Database>> make(const DatabaseOptions& options);
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    // Calls body(soci::session&), which returns some Result, inside a transaction: committed when the body succeeds,
    // rolled back when it returns an error or throws. Deadlocks are retried a little, and so is a session that the
    // server closed while it was idle; the body must stand being called again. A connection lost at COMMIT is not
    // retried: outcome unknown. What the body throws as soci::soci_error comes back as store_unavailable, key_exists
    // (duplicate), key_not_found (a text that the table cannot hold) or invalid_configuration (table missing, log-in
    // refused; operators only, clients get store_unavailable). `trouble`, if given, tells more.
    template <class Body>
    auto transact(Audience audience, Body body, CallTrouble* trouble = nullptr) {
        return call(Work::write, audience, std::move(body), trouble);
    }

    // The same without a transaction, for reading.
    template <class Body>
    auto read(Audience audience, Body body, CallTrouble* trouble = nullptr) {
        return call(Work::read, audience, std::move(body), trouble);
    }

    // For start-up: opens a session. invalid_configuration when that cannot work as configured (no such file, wrong
    // password, no such database, no TLS), store_unavailable when the database is away; a sentence for operators.
    Result<void> check();

    // Creates what sessions need before they can open (SQLite's file); a sentence when it did something. Errors as
    // check().
    Result<std::optional<std::string>> create();

    [[nodiscard]] const Dialect& dialect() const noexcept { return *dialect_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    // The URL without user and password; SQLite's path is absolute.
    [[nodiscard]] const std::string& identity() const noexcept { return identity_; }

private:
    enum class Work { read, write };
    enum class Again { no, yes };
    using Body = std::function<Result<void>(soci::session&)>;
    struct Attempt;

    Database(const DatabaseOptions& options, const DatabaseUrl& url);

    Result<void> run(Work work, Audience audience, const Body& body, CallTrouble* trouble);
    Again attempt(Work work, const Body& body, Attempt& state);
    Again judge(const soci::soci_error& error, Attempt& state, bool reused, PoolTime begun);
    void tell_once(const std::string& text) const;
    [[nodiscard]] Error explain(Fault fault, const std::string& text, Audience audience) const;

    template <class F>
    auto call(Work work, Audience audience, F body, CallTrouble* trouble) {
        using Answer = decltype(body(std::declval<soci::session&>()));
        std::optional<Answer> answer;
        const auto done = run(
            work, audience,
            [&](soci::session& session) -> Result<void> {
                answer.emplace(body(session));
                if (!*answer) return answer->error();
                return {};
            },
            trouble);
        return done ? std::move(*answer) : Answer(done.error());
    }

    const std::string name_;
    const std::string identity_;
    const std::chrono::seconds query_timeout_;
    const std::unique_ptr<Dialect> dialect_;
    SessionPool pool_;
    mutable std::mutex told_mutex_;
    mutable std::string told_;  // the last text that tell_once() logged
};

}  // namespace frond::sql
