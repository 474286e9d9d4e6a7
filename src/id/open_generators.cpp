#include "id/open_generators.hpp"

#include <pthread.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>

namespace frond {
namespace {

// Both outlive every generator, also those with static storage.
constinit std::mutex mutex;
constinit SnowflakeGenerator* first = nullptr;

}  // namespace

void OpenGenerators::add(SnowflakeGenerator& generator) {
    watch_forks();
    {
        const std::lock_guard lock(mutex);
        if (!has_twin(generator)) {
            generator.next_ = first;
            if (first != nullptr) first->previous_ = &generator;
            first = &generator;
            return;
        }
    }
    throw std::invalid_argument("a generator with worker ID " + std::to_string(generator.worker_id()) +
                                " and this layout is open in this process already: the two would repeat IDs");
}

void OpenGenerators::remove(SnowflakeGenerator& generator) noexcept {
    const std::lock_guard lock(mutex);
    SnowflakeGenerator*& before = generator.previous_ == nullptr ? first : generator.previous_->next_;
    before = generator.next_;
    if (generator.next_ != nullptr) generator.next_->previous_ = generator.previous_;
}

void OpenGenerators::watch_forks() {
    static const int error = pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); },
                                            [] {
                                                close_all();
                                                mutex.unlock();
                                            });
    if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_atfork");
}

// In the child, where no other thread exists yet.
void OpenGenerators::close_all() noexcept {
    for (SnowflakeGenerator* each = first; each != nullptr; each = each->next_) {
        if (each->closed()) continue;
        each->copied_ = true;
        each->close();
    }
}

bool OpenGenerators::has_twin(const SnowflakeGenerator& generator) noexcept {
    for (const SnowflakeGenerator* each = first; each != nullptr; each = each->next_) {
        if (!each->closed() && each->worker_id() == generator.worker_id() && each->layout() == generator.layout()) {
            return true;
        }
    }
    return false;
}

}  // namespace frond
