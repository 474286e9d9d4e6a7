#include "zookeeper/log_line.hpp"

#include <gtest/gtest.h>

namespace frond::zookeeper {
namespace {

TEST(LogLine, OfTheClient) {
    const LogLine line = parse_log_line("2026-12-01 04:00:00,123:77(0x7f00):ZOO_WARN@do_io@12: host: gone\n");
    EXPECT_EQ(line.level, "WARN");
    EXPECT_EQ(line.message, "host: gone");
}

TEST(LogLine, OfAnybodyElse) {
    for (const char* text : {"", "text", ":ZOO_", "x:ZOO_INFO@", "x:ZOO_: y"}) {
        const LogLine line = parse_log_line(text);
        EXPECT_EQ(line.level, "") << text;
        EXPECT_EQ(line.message, text);
    }
}

}  // namespace
}  // namespace frond::zookeeper
