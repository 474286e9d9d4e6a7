#include "api/metrics.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace frond::api {
namespace {

std::string rendered() {
    const Health health(nullptr, nullptr);
    http::ServerMetrics http_metrics;
    http_metrics.connections_open.set(3);
    segment::SegmentMetrics segment;
    segment.ids_issued.add(41);
    segment.ids_issued.add();
    snowflake::SnowflakeMetrics snowflake;
    snowflake.worker_id.set(-1);
    Dispatcher dispatcher(nullptr, AccessLog::off);
    return render_metrics({.version = "1.2.3",
                           .health = health,
                           .http = http_metrics,
                           .segment = &segment,
                           .snowflake = &snowflake,
                           .leased = true,
                           .dispatchers = {&dispatcher}});
}

TEST(Metrics, ValuesAreThere) {
    const std::string text = rendered();
    EXPECT_NE(text.find("frond_build_info{version=\"1.2.3\"} 1\n"), std::string::npos);
    EXPECT_NE(text.find("frond_ids_issued_total{mode=\"segment\"} 42\n"), std::string::npos);
    EXPECT_NE(text.find("frond_http_connections 3\n"), std::string::npos);
    EXPECT_NE(text.find("frond_snowflake_worker_id -1\n"), std::string::npos);
}

TEST(Metrics, EveryLineIsWellFormedAndEveryFamilyStandsOnce) {
    const std::regex comment(R"(# (HELP|TYPE) [a-z_]+ .+)");
    const std::regex sample(R"re([a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?[0-9]+)re");
    std::istringstream lines(rendered());
    std::set<std::string> families;
    for (std::string line; std::getline(lines, line);) {
        EXPECT_TRUE(std::regex_match(line, line.starts_with('#') ? comment : sample)) << line;
        if (!line.starts_with("# TYPE ")) continue;
        EXPECT_TRUE(families.insert(line).second) << line;
        EXPECT_EQ(line.ends_with(" counter"), line.find("_total ") != std::string::npos) << line;
    }
    EXPECT_GT(families.size(), 10U);
}

}  // namespace
}  // namespace frond::api
