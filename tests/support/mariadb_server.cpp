#include "support/mariadb_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <mysql.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace frond::test {
namespace {

using std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

// Starts a program whose output goes to `log`; it dies with us.
pid_t spawn(const std::vector<std::string>& words, const std::filesystem::path& log) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) fail("fork failed");
    if (pid > 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execvp(arguments.front(), arguments.data());
    _exit(127);
}

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// mariadbd is not on everybody's PATH.
std::string program(const std::string& name) {
    for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"}) {
        if (access((folder + name).c_str(), X_OK) == 0) return folder + name;
    }
    fail(name + " is not installed: the Debian package is mariadb-server-core");
}

// An empty data folder, made once per program and copied for each server.
const std::filesystem::path& template_data() {
    static TempFolder folder;
    static const std::filesystem::path data = [] {
        const auto path = folder.path() / "data";
        const auto log = folder.path() / "log";
        std::vector<std::string> words{program("mariadb-install-db"),
                                       "--no-defaults",
                                       "--datadir=" + path.string(),
                                       "--auth-root-authentication-method=normal",
                                       "--skip-test-db",
                                       "--force",  // also where the host's name cannot be looked up
                                       "--innodb-log-file-size=4M"};
        if (geteuid() == 0) words.push_back("--user=root");
        int status = 0;
        if (waitpid(spawn(words, log), &status, 0) < 0 || status != 0) fail("mariadb-install-db: " + text_of(log));
        return path;
    }();
    return data;
}

std::uint16_t free_port() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool ok = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    close(fd);
    if (!ok) fail("no free port");
    return ntohs(address.sin_port);
}

using Connection = std::unique_ptr<MYSQL, decltype(&mysql_close)>;

Connection connect_as_root(const std::string& socket, const std::string& database = "") {
    Connection connection(mysql_init(nullptr), &mysql_close);
    mysql_options(connection.get(), MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (mysql_real_connect(connection.get(), "localhost", "root", "", database.c_str(), 0, socket.c_str(), 0) ==
        nullptr) {
        connection.reset();
    }
    return connection;
}

std::string escape_url(const std::string& text) {
    std::ostringstream escaped;
    for (const unsigned char c : text) {
        if (std::isalnum(c)) {
            escaped << c;
        } else {
            escaped << '%' << "0123456789ABCDEF"[c >> 4] << "0123456789ABCDEF"[c & 15];
        }
    }
    return escaped.str();
}

}  // namespace

MariadbServer::MariadbServer(std::vector<std::string> extra) : extra_(std::move(extra)), port_(free_port()) {
    std::filesystem::copy(template_data(), folder_.path() / "data", std::filesystem::copy_options::recursive);
    start();
}

MariadbServer::~MariadbServer() {
    if (pid_ > 0) kill();
}

MariadbServer& MariadbServer::shared() {
    static MariadbServer server;
    return server;
}

std::string MariadbServer::socket() const { return (folder_.path() / "s").string(); }

void MariadbServer::start() {
    const auto log = folder_.path() / "log";
    std::vector<std::string> words{program("mariadbd"),
                                   "--no-defaults",
                                   "--datadir=" + (folder_.path() / "data").string(),
                                   "--socket=" + socket(),
                                   "--pid-file=" + (folder_.path() / "pid").string(),
                                   "--bind-address=127.0.0.1",
                                   "--port=" + std::to_string(port_),
                                   "--innodb-buffer-pool-size=32M",
                                   "--innodb-log-file-size=4M",
                                   "--innodb-flush-log-at-trx-commit=0",
                                   "--innodb-flush-method=nosync",
                                   "--skip-log-bin",
                                   "--performance-schema=OFF",
                                   "--skip-name-resolve"};
    if (geteuid() == 0) words.push_back("--user=root");
    words.insert(words.end(), extra_.begin(), extra_.end());
    pid_ = spawn(words, log);
    for (const auto deadline = steady_clock::now() + std::chrono::seconds(60); !connect_as_root(socket());) {
        if (waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
        if (pid_ < 0 || steady_clock::now() > deadline) fail("mariadbd does not start: " + text_of(log));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void MariadbServer::signal(int number) const {
    if (::kill(pid_, number) != 0) fail("kill failed");
}

void MariadbServer::kill() {
    signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

void MariadbServer::pause() {
    signal(SIGSTOP);
    int status = 0;
    if (waitpid(pid_, &status, WUNTRACED) != pid_ || !WIFSTOPPED(status)) fail("mariadbd did not stop");
}

void MariadbServer::resume() { signal(SIGCONT); }

std::string MariadbServer::ask(const std::string& sql, const std::string& database, std::size_t column) const {
    const Connection connection = connect_as_root(socket(), database);
    if (!connection) fail("mariadbd is away");
    if (mysql_real_query(connection.get(), sql.c_str(), sql.size()) != 0)
        fail(sql + ": " + mysql_error(connection.get()));
    const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> result(mysql_store_result(connection.get()),
                                                                          &mysql_free_result);
    if (!result) return "";
    const MYSQL_ROW row = mysql_fetch_row(result.get());
    return row != nullptr && row[column] != nullptr ? row[column] : "";
}

void MariadbServer::execute(const std::string& sql, const std::string& database) const {
    static_cast<void>(ask(sql, database));
}

std::string MariadbServer::new_database() {
    const std::string name = "frond_" + std::to_string(++databases_);
    std::string quoted(2 * std::strlen(password) + 1, '\0');
    quoted.resize(mysql_escape_string(quoted.data(), password, std::strlen(password)));
    execute("CREATE DATABASE " + name);
    for (const char* host : {"127.0.0.1", "localhost"}) {
        const std::string user = std::string("frond@'") + host + "'";
        execute("CREATE USER IF NOT EXISTS " + user + " IDENTIFIED BY '" + quoted + "'");
        execute("GRANT ALL ON " + name + ".* TO " + user);
    }
    return name;
}

std::string MariadbServer::url(const std::string& database) const {
    return "mysql://frond:" + escape_url(password) + "@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

}  // namespace frond::test
