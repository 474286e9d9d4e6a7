#include "support/fake_registry.hpp"

#include "worker/random_id.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace frond::test {

using worker::Created;
using worker::Found;
using worker::LeaseRecord;
using worker::RecordView;
using worker::RegistryError;
using worker::RegistryFault;
using worker::RegistryResult;
using worker::Survey;
using worker::Written;

using Lock = std::lock_guard<std::mutex>;

void FakeStore::set_first_number(std::int64_t number) {
    const Lock lock(mutex_);
    first_number_ = number;
}

void FakeStore::set_clock(std::optional<std::chrono::milliseconds> ahead) {
    const Lock lock(mutex_);
    ahead_ = ahead;
}

void FakeStore::set_available(bool available) {
    const Lock lock(mutex_);
    available_ = available;
}

void FakeStore::overrun_next_create() {
    const Lock lock(mutex_);
    overrun_ = true;
}

void FakeStore::lose_replies(int count) {
    const Lock lock(mutex_);
    replies_to_lose_ = count;
}

void FakeStore::delay_changes(int count) {
    const Lock lock(mutex_);
    changes_to_delay_ = count;
}

int FakeStore::land() {
    const Lock lock(mutex_);
    const auto late = std::exchange(late_, {});
    return static_cast<int>(std::ranges::count_if(late, [](const auto& change) { return change(); }));
}

void FakeStore::drop() {
    const Lock lock(mutex_);
    late_.clear();
    changes_to_delay_ = 0;
}

FakeStore::State FakeStore::snapshot() const {
    const Lock lock(mutex_);
    return state_;
}

void FakeStore::restore(State state) {
    const Lock lock(mutex_);
    state_ = std::move(state);
}

void FakeStore::put_foreign(const std::string& name, std::string text, std::string maker) {
    const Lock lock(mutex_);
    Name& its = state_.at(name);
    its.rows[its.next++] = Row{0, now_ms(), std::move(text), std::move(maker)};
}

void FakeStore::remove(const std::string& name, std::int64_t number) {
    const Lock lock(mutex_);
    state_.at(name).rows.erase(number);
}

template <class T>
RegistryResult<T> FakeStore::carry_out(Change<T> change) {
    if (changes_to_delay_ > 0) {
        --changes_to_delay_;
        late_.push_back([change] { return std::holds_alternative<T>(change()); });
        return RegistryError{RegistryFault::unknown, "no answer"};
    }
    auto result = change();
    if (replies_to_lose_ > 0) {
        --replies_to_lose_;
        return RegistryError{RegistryFault::unknown, "the answer was lost"};
    }
    return result;
}

std::optional<worker::RegistryClock> FakeStore::clock() const {
    if (!ahead_) return std::nullopt;
    return worker::RegistryClock{now_ms(), SystemClock().steady()};
}

std::int64_t FakeStore::now_ms() const {
    return unix_ms(SystemClock().wall()) + ahead_.value_or(std::chrono::milliseconds(0)).count();
}

RecordView FakeStore::view(const std::string& name, std::int64_t number, const Row& row) const {
    RecordView view{number, row.version, row.modified_ms, std::nullopt, name + "/" + std::to_string(number), {}};
    if (row.maker.empty()) return view;
    auto record = worker::parse_record(row.text);
    if (record) {
        view.record = std::move(*record);
    } else {
        view.problem = record.error().detail;
    }
    return view;
}

Survey FakeStore::survey(const std::string& name) const {
    const Name& its = state_.at(name);
    Survey survey;
    survey.name = its.record;
    survey.first_number = first_number_;
    survey.next_number = its.next;
    survey.clock = clock();
    for (const auto& [number, row] : its.rows) survey.records.push_back(view(name, number, row));
    return survey;
}

RegistryResult<Created> FakeStore::create(const std::string& name, const worker::LeaseSpace& space,
                                          const LeaseRecord& record) {
    const auto found = state_.find(name);
    if (found == state_.end()) return RegistryError{RegistryFault::unavailable, "the name was never joined"};
    Name& its = found->second;
    if (std::exchange(overrun_, false)) {
        overrun(its, space, record);
        return RegistryError{RegistryFault::unknown, "the answer was lost"};
    }
    if (!space.holds(its.next)) return RegistryError{RegistryFault::full, "all numbers are in use"};
    const std::int64_t number = its.next++;
    its.rows[number] = Row{0, now_ms(), worker::format_record(record), record.owner};
    return Created{number, 0, clock()};
}

void FakeStore::overrun(Name& name, const worker::LeaseSpace& space, const LeaseRecord& record) {
    const std::int64_t number = std::max(name.next, space.limit);
    name.next = number + 1;
    name.rows[number] = Row{0, now_ms(), worker::format_record(record), record.owner};
}

RegistryResult<Written> FakeStore::write(const std::string& name, std::int64_t number, std::int64_t version,
                                         const LeaseRecord& record) {
    const auto found = state_.find(name);
    if (found == state_.end() || !found->second.rows.contains(number)) {
        return RegistryError{RegistryFault::missing, "no such record"};
    }
    Row& row = found->second.rows.at(number);
    if (row.version != version) return RegistryError{RegistryFault::conflict, "the record has another version"};
    row.version = version + 1;
    row.modified_ms = now_ms();
    row.text = worker::format_record(record);
    return Written{row.version, clock()};
}

FakeRegistry::FakeRegistry(std::shared_ptr<FakeStore> store, std::string name, worker::LeaseSpace space,
                           std::string identity)
    : store_(std::move(store)), name_(std::move(name)), space_(space), identity_(std::move(identity)) {}

FakeRegistry::~FakeRegistry() {
    const Lock lock(store_->mutex_);
    if (present_) store_->present_.erase(store_->present_.find(identity_));
}

std::string FakeRegistry::describe() const { return "fake:" + name_; }

std::optional<RegistryError> FakeRegistry::refusal() const {
    if (cancelled_) return RegistryError{RegistryFault::unavailable, "the call was cancelled"};
    if (!store_->available_) return RegistryError{RegistryFault::unavailable, "the registry is away"};
    return std::nullopt;
}

std::optional<RegistryError> FakeRegistry::older() {
    const auto found = store_->state_.find(name_);
    if (found == store_->state_.end()) {
        if (!seen_) return std::nullopt;
        return RegistryError{RegistryFault::went_backwards, "the name is gone"};
    }
    const FakeStore::Name& now = found->second;
    if (seen_) {
        const bool less = std::ranges::any_of(seen_->rows, [&](const auto& row) {
            const auto its = now.rows.find(row.first);
            return its != now.rows.end() && its->second.version < row.second.version;
        });
        if (less || now.next < seen_->next || now.record.id != seen_->record.id) {
            return RegistryError{RegistryFault::went_backwards, "the registry shows less than before"};
        }
    }
    seen_ = now;
    return std::nullopt;
}

RegistryResult<Survey> FakeRegistry::survey() {
    const Lock lock(store_->mutex_);
    if (auto refused = refusal()) return *refused;
    if (auto error = older()) return *error;
    if (!store_->state_.contains(name_)) {
        store_->state_[name_] = {{worker::random_id(), space_, {}, INT64_MIN}, store_->first_number_, {}};
    }
    if (!std::exchange(present_, true)) store_->present_.insert(identity_);
    if (auto error = older()) return *error;
    return store_->survey(name_);
}

RegistryResult<Created> FakeRegistry::create(const LeaseRecord& record) {
    const Lock lock(store_->mutex_);
    if (auto refused = refusal()) return *refused;
    if (auto error = older()) return *error;
    // What is put aside outlives this handle: it takes copies.
    const auto create = [store = store_.get(), name = name_, space = space_, record] {
        return store->create(name, space, record);
    };
    auto created = store_->carry_out<Created>(create);
    if (std::holds_alternative<Created>(created)) static_cast<void>(older());
    return created;
}

RegistryResult<Written> FakeRegistry::write(std::int64_t number, std::int64_t version, const LeaseRecord& record) {
    const Lock lock(store_->mutex_);
    if (auto refused = refusal()) return *refused;
    if (auto error = older()) return *error;
    const auto write = [store = store_.get(), name = name_, number, version, record] {
        return store->write(name, number, version, record);
    };
    auto written = store_->carry_out<Written>(write);
    if (std::holds_alternative<Written>(written)) static_cast<void>(older());
    return written;
}

RegistryResult<Found> FakeRegistry::pick(const std::function<bool(std::int64_t, const FakeStore::Row&)>& wanted) {
    const Lock lock(store_->mutex_);
    if (auto refused = refusal()) return *refused;
    if (auto error = older()) return *error;
    const auto name = store_->state_.find(name_);
    if (name == store_->state_.end()) return Found();
    for (const auto& [number, row] : name->second.rows) {
        if (wanted(number, row)) return Found(store_->view(name_, number, row));
    }
    return Found();
}

RegistryResult<Found> FakeRegistry::read(std::int64_t number) {
    return pick([&](std::int64_t its, const FakeStore::Row&) { return its == number; });
}

RegistryResult<Found> FakeRegistry::find(const LeaseRecord& created) {
    auto found = pick([&](std::int64_t, const FakeStore::Row& row) { return row.maker == created.owner; });
    const auto* view = std::get_if<Found>(&found);
    if (view == nullptr || !*view || space_.holds((*view)->number)) return found;
    const auto& record = (*view)->record;
    if (record && record->owner == created.owner && record->write == created.write) {
        store_->remove(name_, (*view)->number);
    }
    return RegistryError{RegistryFault::full, "the record has a number above the last one"};
}

std::optional<RegistryError> FakeAdmin::refusal() const {
    if (!store_->available_) return RegistryError{RegistryFault::unavailable, "the registry is away"};
    if (store_->state_.contains(name_)) return std::nullopt;
    return RegistryError{RegistryFault::missing, "the name was never made"};
}

RegistryResult<Survey> FakeAdmin::look() {
    const Lock lock(store_->mutex_);
    if (auto refused = refusal()) return *refused;
    Survey survey = store_->survey(name_);
    survey.present.assign(store_->present_.begin(), store_->present_.end());
    return survey;
}

RegistryResult<std::int64_t> FakeAdmin::raise_floor(std::int64_t floor_ms) {
    const Lock lock(store_->mutex_);
    if (auto refused = refusal()) return *refused;
    return store_->carry_out<std::int64_t>([store = store_.get(), name = name_, floor_ms]() {
        std::int64_t& floor = store->state_.at(name).record.floor;
        floor = std::max(floor, floor_ms);
        return RegistryResult<std::int64_t>(floor);
    });
}

}  // namespace frond::test
