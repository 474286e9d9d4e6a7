#include "server/text_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace frond::server {

Result<std::string> read_text_file(const std::filesystem::path& path) {
    constexpr std::size_t limit = 1 << 20;  // a device without end must not hang the start
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file) return Error(errc::invalid_configuration, std::strerror(errno));
    std::string text;
    std::array<char, 4096> block{};
    while (const std::size_t size = std::fread(block.data(), 1, block.size(), file.get())) {
        text.append(block.data(), size);
        if (text.size() > limit) return Error(errc::invalid_configuration, "larger than 1 MiB");
    }
    // Opening a folder succeeds; reading from it does not.
    if (std::ferror(file.get()) != 0) return Error(errc::invalid_configuration, std::strerror(errno));
    return text;
}

}  // namespace frond::server
