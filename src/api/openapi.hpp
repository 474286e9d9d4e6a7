// conf/openapi.yaml, compiled in.
#pragma once

#include <string_view>

namespace frond::api {

[[nodiscard]] std::string_view openapi_document() noexcept;

}  // namespace frond::api
