#include "http/address.hpp"

#include <gtest/gtest.h>

namespace frond::http {
namespace {

namespace asio = boost::asio;

TEST(ParseAddress, TakesHostsAndPorts) {
    EXPECT_EQ(*parse_address("0.0.0.0:8080"), (HostAndPort{"0.0.0.0", 8080}));
    EXPECT_EQ(*parse_address("[::]:0"), (HostAndPort{"::", 0}));
    EXPECT_EQ(*parse_address("[fe80::1%lo]:65535"), (HostAndPort{"fe80::1%lo", 65535}));
    EXPECT_EQ(*parse_address("a.example:1"), (HostAndPort{"a.example", 1}));
}

TEST(ParseAddress, RefusesEverythingElse) {
    for (const char* text : {"", "8080", ":8080", "host", "host:", "host:65536", "host:-1", "host:+1", "host:1x",
                             "host: 1", "::1:80", "[::1]", "[::1]80", "[]:80", "[::1:80", "::1]:80"}) {
        const auto parsed = parse_address(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().code, errc::invalid_configuration);
        EXPECT_NE(parsed.error().detail.find(text), std::string::npos);
    }
}

TEST(Resolve, TakesLiteralsAsTheyAre) {
    const auto found = resolve({"::1", 80});
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ(to_text(found->front()), "[::1]:80");
}

TEST(Resolve, LooksNamesUp) {
    const auto found = resolve({"localhost", 80});
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->front().address().is_loopback());
    const auto missing = resolve({"no-such-host.invalid", 80});
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().detail.find("no-such-host.invalid"), std::string::npos);
}

TEST(Ipv4Instead, StandsInOnlyForAllAddressesWithoutIpv6) {
    const Tcp::endpoint any_v6(asio::ip::address_v6::any(), 80);
    const Tcp::endpoint any_v4(asio::ip::address_v4::any(), 80);
    const Tcp::endpoint one_v6(asio::ip::address_v6::loopback(), 80);
    const ErrorCode no_family = asio::error::address_family_not_supported;
    const ErrorCode no_address = make_error_code(boost::system::errc::address_not_available);
    EXPECT_EQ(ipv4_instead(any_v6, no_family), any_v4);
    EXPECT_EQ(ipv4_instead(any_v6, no_address), any_v4);
    EXPECT_EQ(ipv4_instead(any_v6, asio::error::address_in_use), std::nullopt);
    EXPECT_EQ(ipv4_instead(one_v6, no_family), std::nullopt);
    EXPECT_EQ(ipv4_instead(any_v4, no_address), std::nullopt);
}

}  // namespace
}  // namespace frond::http
