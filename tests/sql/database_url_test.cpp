#include "sql/database_url.hpp"

#include "sql/database.hpp"

#include <gtest/gtest.h>

namespace frond::sql {
namespace {

DatabaseUrl parsed(std::string_view text) {
    auto url = parse_database_url(text);
    EXPECT_TRUE(url) << text << ": " << (url ? "" : url.error().detail);
    return url ? *url : DatabaseUrl();
}

std::string complaint(std::string_view text) {
    const auto url = parse_database_url(text);
    EXPECT_FALSE(url) << text;
    if (url) return "";
    EXPECT_EQ(url.error().code, errc::invalid_configuration);
    EXPECT_NE(url.error().detail.find("sqlite:PATH"), std::string::npos) << "says what is allowed";
    return url.error().detail;
}

TEST(DatabaseUrl, Sqlite) {
    EXPECT_EQ(parsed("sqlite:frond.db").path, "frond.db");
    EXPECT_EQ(parsed("sqlite:/var/lib/frond/frond.db").path, "/var/lib/frond/frond.db");
    EXPECT_EQ(parsed("sqlite:///var/lib/frond.db").path, "///var/lib/frond.db");
    EXPECT_EQ(parsed("sqlite:my%20file%25.db").path, "my file%.db");
    EXPECT_EQ(parsed("sqlite:a b.db").path, "a b.db");
    EXPECT_EQ(parsed("sqlite:frond.db").engine, Engine::sqlite);
    EXPECT_EQ(parsed("sqlite:frond.db").printable(), "sqlite:frond.db");
}

TEST(DatabaseUrl, Mysql) {
    const DatabaseUrl url = parsed("mysql://us%40er:p%3Aw%2F%25@db.example.org:3307/i%20ds");
    EXPECT_EQ(url.engine, Engine::mysql);
    EXPECT_EQ(url.user, "us@er");
    EXPECT_EQ(url.password, "p:w/%");
    EXPECT_EQ(url.host, "db.example.org");
    EXPECT_EQ(url.port, 3307);
    EXPECT_EQ(url.database, "i ds");
    EXPECT_EQ(url.printable(), "mysql://db.example.org:3307/i ds");
}

TEST(DatabaseUrl, MysqlDefaults) {
    const DatabaseUrl url = parsed("mysql://frond@db/ids");
    EXPECT_FALSE(url.password);
    EXPECT_EQ(url.port, 3306);
    EXPECT_EQ(parsed("mysql://frond:@db/ids").password, "");
    EXPECT_EQ(parsed("mysql://frond:a:b@db/ids").password, "a:b");
}

TEST(DatabaseUrl, MysqlAddress6) {
    const DatabaseUrl url = parsed("mysql://frond@[fd00::1]:3307/ids");
    EXPECT_EQ(url.host, "fd00::1");
    EXPECT_EQ(url.port, 3307);
    EXPECT_EQ(url.printable(), "mysql://[fd00::1]:3307/ids");
    EXPECT_EQ(parsed("mysql://frond@[::1]/ids").host, "::1");
}

TEST(DatabaseUrl, MysqlSocket) {
    const DatabaseUrl url = parsed("mysql://frond@localhost/ids?socket=/run/mysqld/my%20sqld.sock");
    EXPECT_EQ(url.socket, "/run/mysqld/my sqld.sock");
    EXPECT_EQ(url.printable(), "mysql://localhost/ids?socket=/run/mysqld/my sqld.sock");
}

TEST(DatabaseUrl, NamesWhatWasFound) {
    EXPECT_NE(complaint("postgres://u@h/d").find("'postgres'"), std::string::npos);
    EXPECT_NE(complaint("frond.db").find("no scheme"), std::string::npos);
    EXPECT_NE(complaint("").find("no scheme"), std::string::npos);
    EXPECT_NE(complaint("sqlite:").find("path is empty"), std::string::npos);
    EXPECT_NE(complaint("sqlite:%zz").find("% escape"), std::string::npos);
    EXPECT_NE(complaint("sqlite:a%2").find("% escape"), std::string::npos);
    EXPECT_NE(complaint("sqlite:a%00b").find("zero byte"), std::string::npos);
    EXPECT_NE(complaint("sqlite:a.db?mode=ro").find("no parameters"), std::string::npos);
    EXPECT_NE(complaint("sqlite://host/a.db").find("host"), std::string::npos);
    EXPECT_NE(complaint("sqlite::memory:").find("memory"), std::string::npos);
    EXPECT_NE(complaint("sqlite:a\"b").find("must not hold"), std::string::npos);
    EXPECT_NE(complaint("mysql://db/ids").find("no user"), std::string::npos);
    EXPECT_NE(complaint("mysql://@db/ids").find("user is empty"), std::string::npos);
    EXPECT_NE(complaint("mysql://u@db").find("no database"), std::string::npos);
    EXPECT_NE(complaint("mysql://u@db/").find("no database"), std::string::npos);
    EXPECT_NE(complaint("mysql://u@db/a/b").find("'a/b'"), std::string::npos);
    EXPECT_NE(complaint("mysql://u@/ids").find("host is empty"), std::string::npos);
    EXPECT_NE(complaint("mysql://u@d;b/ids").find("neither a name nor an address"), std::string::npos);
    EXPECT_NE(complaint("mysql://u@[::1/ids").find("']'"), std::string::npos);
    EXPECT_NE(complaint("mysql://u@[::1]x:1/ids").find("']'"), std::string::npos);
    for (const char* port : {"0", "65536", "", "33x", "-1"}) {
        EXPECT_NE(complaint(std::string("mysql://u@db:") + port + "/ids").find("1 to 65535"), std::string::npos)
            << port;
    }
    EXPECT_NE(complaint("mysql://u@db/ids?tls=1").find("'tls'"), std::string::npos);
    EXPECT_NE(complaint("mysql://u@db/ids?socket=/s").find("'db'"), std::string::npos);
    EXPECT_NE(complaint("mysql://u@localhost/ids?socket=").find("empty"), std::string::npos);
    EXPECT_NE(complaint("mysql://u@localhost/ids?socket=a&socket=b").find("once"), std::string::npos);
}

TEST(DatabaseUrl, NeverRepeatsASecret) {
    for (const char* text : {"mysql://root:secret", "mysql://root:secret@", "mysql://root:secret/x@db/ids",
                             "mysql://root:sec%ret@db/ids", "mysql://root:secret@db:x/ids", "root:secret@db/ids",
                             "mysql://root:secret@db", "mysql://root:se@cret@db/a/b"}) {
        const std::string detail = complaint(text);
        EXPECT_EQ(detail.find("sec"), std::string::npos) << detail;
        EXPECT_EQ(detail.find("root"), std::string::npos) << detail;
    }
}

TEST(DatabaseOptions, AreChecked) {
    const auto complain = [](auto change) {
        DatabaseOptions options;
        options.name = "second";
        change(options);
        const auto database = Database::make(options);
        EXPECT_FALSE(database);
        if (database) return std::string();
        EXPECT_EQ(database.error().code, errc::invalid_configuration);
        EXPECT_NE(database.error().detail.find("second"), std::string::npos);
        return database.error().detail;
    };
    using std::chrono::seconds;
    EXPECT_NE(complain([](auto& o) { o.url = "x"; }).find("database URL"), std::string::npos);
    EXPECT_NE(complain([](auto& o) { o.pool_size = 0; }).find("pool_size"), std::string::npos);
    EXPECT_NE(complain([](auto& o) { o.connect_timeout = seconds(0); }).find("connect_timeout"), std::string::npos);
    EXPECT_NE(complain([](auto& o) { o.query_timeout = seconds(-1); }).find("query_timeout"), std::string::npos);
    EXPECT_NE(complain([](auto& o) { o.tls_ca = "ca.pem"; }).find("tls_ca"), std::string::npos);
}

TEST(DatabaseOptions, IdentityIsAbsoluteAndBare) {
    DatabaseOptions options;
    options.url = "sqlite:./sub/../frond.db";
    const auto sqlite = Database::make(options);
    ASSERT_TRUE(sqlite);
    EXPECT_TRUE((*sqlite)->identity().starts_with("sqlite:/"));
    EXPECT_TRUE((*sqlite)->identity().ends_with("/frond.db"));
    EXPECT_EQ((*sqlite)->identity().find("sub"), std::string::npos);
    options.url = "mysql://root:secret@db/ids";
    const auto mysql = Database::make(options);
    ASSERT_TRUE(mysql);
    EXPECT_EQ((*mysql)->identity(), "mysql://db:3306/ids");
}

}  // namespace
}  // namespace frond::sql
