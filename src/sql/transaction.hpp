// A transaction on a leased session: rolled back unless committed.
#pragma once

#include "sql/query.hpp"
#include "sql/session_pool.hpp"

#include <string>
#include <string_view>

namespace frond::sql {

// Not thread-safe. Errors: exceptions of type soci::soci_error, save from the destructor.
class Transaction {
public:
    // Begins with the statement `begin`.
    Transaction(SessionPool::Lease& lease, std::string_view begin) : lease_(lease) {
        Query(lease_.session(), std::string(begin)).execute();
        open_ = true;
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    // A session that cannot be rolled back is closed, which ends the transaction too.
    ~Transaction() {
        if (!open_) return;
        try {
            lease_.session().rollback();
        } catch (...) {
            lease_.drop();
        }
    }

    // Once this has been called and throws, the outcome is unknown.
    void commit() {
        lease_.session().commit();
        open_ = false;
    }

private:
    SessionPool::Lease& lease_;
    bool open_ = false;
};

}  // namespace frond::sql
