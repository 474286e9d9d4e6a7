#include "server/config_keys.hpp"
#include "server/load_helper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frond::server {
namespace {

using testing::HasSubstr;
using testing::Not;

// How often `part` stands in `text`.
std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

class LoadConfig : public testing::Test {
protected:
    ConfigSources file(std::string_view text) {
        ConfigSources sources;
        sources.file = folder_.write("frond.toml", text);
        return sources;
    }
    static ConfigSources sets(std::vector<std::string> values) {
        ConfigSources sources;
        sources.sets = std::move(values);
        return sources;
    }

    TemporaryFolder folder_;
};

TEST_F(LoadConfig, IsTheDefaultsWithoutAnySource) { EXPECT_EQ(loaded({}).config, Config()); }

TEST_F(LoadConfig, ObeysThePrecedence) {
    ConfigSources sources = file("[server]\nthreads = 1\nmax_batch = 1\nmax_connections = 1\n");
    sources.environment = {{"FROND__SERVER__MAX_BATCH", "2"}, {"FROND__SERVER__MAX_CONNECTIONS", "2"}};
    sources.sets = {"server.max_connections=3"};
    const Config config = loaded(sources).config;
    EXPECT_EQ(config.server.threads, 1);
    EXPECT_EQ(config.server.max_batch, 2);
    EXPECT_EQ(config.server.max_connections, 3);
}

TEST_F(LoadConfig, LetsTheLastOfSeveralSetsWin) {
    EXPECT_EQ(loaded(sets({"server.threads=1", "server.threads=2"})).config.server.threads, 2);
}

TEST_F(LoadConfig, KeepsEverythingAfterTheFirstEqualsSign) {
    EXPECT_EQ(loaded(sets({"snowflake.name=a=b"})).config.snowflake.name, "a=b");
}

TEST_F(LoadConfig, TakesTheDatabaseOfTheCommandLine) {
    ConfigSources sources = file("[[database]]\nurl = 'sqlite:a'\npool_size = 7\n");
    sources.environment = {{"FROND__DATABASE__0__URL", "sqlite:b"}};
    sources.databases = {"sqlite:c"};
    const Config config = loaded(sources).config;
    EXPECT_EQ(config.databases.size(), 1u);
    EXPECT_EQ(config.databases[0].url, "sqlite:c");
    EXPECT_EQ(config.databases[0].pool_size, 7);
}

TEST_F(LoadConfig, ReadsOnlyItsOwnEnvironment) {
    ConfigSources sources;
    sources.environment = {{"FROND_PORT", "tcp://10.0.0.1:80"}, {"FROND_SERVICE_HOST", "x"}, {"PATH", "/bin"}};
    EXPECT_EQ(loaded(sources).config, Config());
}

TEST_F(LoadConfig, RefusesUnknownNamesInItsEnvironment) {
    ConfigSources sources;
    sources.environment = {
        {"FROND__SERVER__THREDS", "1"}, {"FROND__server__threads", "1"}, {"FROND__", "1"}, {"FROND__X", "1"}};
    const std::string errors = errors_of(sources);
    EXPECT_EQ(count(errors, "\n"), 4u) << errors;
    EXPECT_THAT(errors,
                HasSubstr("FROND__SERVER__THREDS: unknown key server.threds; did you mean FROND__SERVER__THREADS?"));
}

TEST_F(LoadConfig, ReportsAllErrorsOfAllSourcesAtOnce) {
    ConfigSources sources = file("[server]\nthreds = 1\nmax_batch = 'many'\n[sever]\n");
    sources.environment = {{"FROND__LOG__LEVEL", "loud"}};
    sources.databases = {"postgres://x"};
    sources.sets = {"segment.enabled=perhaps", "nonsense"};
    const std::string errors = errors_of(sources);
    EXPECT_EQ(count(errors, "\n"), 7u) << errors;
    EXPECT_THAT(errors, HasSubstr("frond.toml:2: unknown key server.threds; did you mean server.threads?"));
    EXPECT_THAT(errors,
                HasSubstr("frond.toml:3: server.max_batch: found \"many\", expected a whole number from 1 to 1000000"));
    EXPECT_THAT(errors, HasSubstr("frond.toml:4: unknown section [sever]; did you mean [server]?"));
    EXPECT_THAT(
        errors,
        HasSubstr(
            "FROND__LOG__LEVEL: log.level: found \"loud\", expected one of trace, debug, info, warning, error, off"));
    EXPECT_THAT(errors, HasSubstr("--database: database.0.url: database URL: found the scheme 'postgres'"));
    EXPECT_THAT(errors, HasSubstr("--set: segment.enabled: found \"perhaps\", expected true or false"));
    EXPECT_THAT(errors, HasSubstr("--set nonsense: expected section.key=value"));
}

TEST_F(LoadConfig, RefusesFilesThatCannotBeRead) {
    ConfigSources sources;
    sources.file = folder_.path() / "none.toml";
    EXPECT_THAT(errors_of(sources), HasSubstr("none.toml: cannot read the configuration file: No such file"));
    sources.file = folder_.path();
    EXPECT_THAT(errors_of(sources), HasSubstr("cannot read the configuration file: Is a directory"));
    sources.file = "/dev/zero";
    EXPECT_THAT(errors_of(sources), HasSubstr("cannot read the configuration file: larger than 1 MiB"));
}

TEST_F(LoadConfig, ReadsPasswordsFromFiles) {
    const auto load = [this](std::string_view content) {
        return loaded(sets({"database.0.url=mysql://u@h/d",
                            "database.0.password_file=" + folder_.write("password", content).string()}))
            .config.databases[0]
            .password;
    };
    EXPECT_EQ(load("secret\n"), "secret");
    EXPECT_EQ(load("secret\r\n"), "secret");
    EXPECT_EQ(load(" secret \n\n"), " secret \n");
    EXPECT_EQ(load("secret"), "secret");
    EXPECT_EQ(load("secret\r"), "secret\r");
}

TEST_F(LoadConfig, RefusesPasswordFilesThatCannotBeRead) {
    const std::string url = "database.0.url=mysql://u@h/d";
    EXPECT_THAT(errors_of(sets({url, "database.0.password_file=/none/at/all"})),
                HasSubstr("--set: database.0.password_file: cannot read /none/at/all: No such file or directory"));
    EXPECT_THAT(errors_of(sets({url, "database.0.password_file=" + folder_.path().string()})),
                HasSubstr("database.0.password_file: cannot read"));
}

TEST_F(LoadConfig, RefusesTwoPasswords) {
    const std::string file_set = "database.0.password_file=" + folder_.write("password", "x").string();
    EXPECT_THAT(errors_of(sets({"database.0.url=mysql://u@h/d", "database.0.password=y", file_set})),
                HasSubstr("database.0.password_file: a password is set as well"));
    EXPECT_THAT(errors_of(sets({"database.0.url=mysql://u:hunter2@h/d", file_set})),
                HasSubstr("database.0.password_file: a password is set as well"));
    const std::string errors = errors_of(sets({"database.0.url=mysql://u:hunter2@h/d", "database.0.password=hunter3"}));
    EXPECT_THAT(errors, HasSubstr("database.0.password: the URL holds a password as well"));
    EXPECT_THAT(errors, Not(HasSubstr("hunter")));
}

TEST_F(LoadConfig, RefusesMySqlSettingsForSqlite) {
    ConfigSources sources;
    sources.environment = {{"FROND__DATABASE__0__PASSWORD", "x"}, {"FROND__DATABASE__0__TLS_CA", "ca.pem"}};
    const std::string errors = errors_of(sources);
    EXPECT_THAT(errors, HasSubstr("FROND__DATABASE__0__PASSWORD: database.0.password: has no meaning for SQLite"));
    EXPECT_THAT(errors, HasSubstr("FROND__DATABASE__0__TLS_CA: database.0.tls_ca: has no meaning for SQLite"));
}

TEST_F(LoadConfig, ChecksTheLayout) {
    EXPECT_THAT(
        errors_of(file("[snowflake]\ntimestamp_bits = 50\n")),
        HasSubstr("frond.toml:2: snowflake.timestamp_bits: timestamp_bits + worker_bits + sequence_bits is 72"));
    EXPECT_THAT(errors_of(sets({"snowflake.sequence_bits=20"})), HasSubstr("--set: snowflake.timestamp_bits:"));
    EXPECT_EQ(loaded(sets({"snowflake.worker_bits=0", "snowflake.timestamp_bits=51"}))
                  .config.snowflake.layout()
                  ->worker_bits(),
              0);
}

TEST_F(LoadConfig, ChecksLimitsAgainstEachOther) {
    EXPECT_THAT(errors_of(sets({"server.target_limit=16KiB"})),
                HasSubstr("--set: server.target_limit: 16384 bytes are more than server.header_limit, 8192 bytes"));
    EXPECT_THAT(errors_of(sets({"server.header_limit=1KiB"})), HasSubstr("--set: server.target_limit:"));
    EXPECT_EQ(errors_of(sets({"server.header_limit=1KiB", "server.target_limit=1KiB"})), "");
}

TEST_F(LoadConfig, DoesNotComplainTwiceOfOneMistake) {
    EXPECT_EQ(count(errors_of(sets({"server.header_limit=nonsense", "server.target_limit=16KiB"})), "\n"), 1u);
}

// Everything that a later release brings says so; nothing is ignored.
TEST_F(LoadConfig, RefusesWhatTheReleaseCannotDo) {
    const std::vector<std::string> values{"segment.schema=tinyid",   "auth.tokens_file=x",
                                          "auth.admin_token_file=x", "auth.refresh_interval=59s",
                                          "tls.certificate=x",       "tls.key=x",
                                          "tls.client_ca=x",         "management_tls.certificate=x",
                                          "management_tls.key=x",    "management_tls.client_ca=x",
                                          "metrics.max_keys=5"};
    std::set<std::string> covered;
    for (const std::string& value : values) {
        const std::string key = value.substr(0, value.find('='));
        covered.insert(key);
        const std::string errors = errors_of(sets({value}));
        EXPECT_THAT(errors, HasSubstr("--set: " + key + ": \"")) << value;
        EXPECT_THAT(errors, HasSubstr("is not supported by this release; leave it")) << value;
    }
    for (const ConfigKey& key : config_keys())
        EXPECT_EQ(key.planned, covered.contains(std::string(key.name))) << key.name;
}

TEST_F(LoadConfig, TakesTheDefaultsOfWhatTheReleaseCannotDo) {
    EXPECT_EQ(loaded(sets({"snowflake.registry=database", "segment.schema=leaf", "auth.tokens_file="})).config,
              Config());
}

}  // namespace
}  // namespace frond::server
