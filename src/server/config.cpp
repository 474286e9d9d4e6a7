#include "server/config.hpp"

namespace frond::server {

Result<SnowflakeLayout> SnowflakeConfig::layout() const {
    return SnowflakeLayout::make(epoch_ms, static_cast<int>(timestamp_bits), static_cast<int>(worker_bits),
                                 static_cast<int>(sequence_bits));
}

}  // namespace frond::server
