#include "support/zookeeper_server.hpp"

#include "support/zookeeper_wire.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace frond::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error("ZooKeeper for tests: " + what); }

fs::path new_folder() {
    std::string name = (fs::temp_directory_path() / "frond-zookeeper-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) fail("no temporary folder");
    return name;
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

// Starts a program whose output goes to `log`; it dies with this thread.
pid_t spawn(const std::vector<std::string>& words, const fs::path& log) {
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

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

void replace_folder(const fs::path& from, const fs::path& to) {
    fs::remove_all(to);
    fs::copy(from, to, fs::copy_options::recursive);
}

}  // namespace

ZooKeeperServer::ZooKeeperServer() : folder_(new_folder()), port_(free_port()) {
    fs::create_directory(folder_ / "data");
    write_configuration();
    start();
}

ZooKeeperServer::~ZooKeeperServer() {
    if (running()) kill();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

ZooKeeperServer& ZooKeeperServer::shared() {
    static ZooKeeperServer server;
    return server;
}

void ZooKeeperServer::write_configuration() const {
    std::ofstream(folder_ / "zoo.cfg") << "tickTime=" << tick.count() << "\ndataDir=" << (folder_ / "data").string()
                                       << "\nclientPort=" << port_ << "\nclientPortAddress=127.0.0.1\n"
                                       << "minSessionTimeout=" << 2 * tick.count() << "\nmaxSessionTimeout=60000\n"
                                       << "maxClientCnxns=0\nadmin.enableServer=false\n4lw.commands.whitelist=*\n";
}

std::vector<std::string> ZooKeeperServer::command() const {
    return {"java",
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dzookeeper.forceSync=no",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-cp",
            "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar",
            "org.apache.zookeeper.server.quorum.QuorumPeerMain",
            (folder_ / "zoo.cfg").string()};
}

void ZooKeeperServer::start() {
    if (running()) fail("runs already");
    if (!fs::exists("/usr/share/java/zookeeper.jar")) fail("the Debian package zookeeper is not installed");
    pid_ = spawn(command(), folder_ / "log");
    wait_until_serving();
}

void ZooKeeperServer::wait_until_serving() {
    const auto deadline = steady_clock::now() + std::chrono::seconds(60);
    while (ask("srvr").find("\nMode:") == std::string::npos) {
        if (waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
        if (!running() || steady_clock::now() > deadline) fail("does not start: " + text_of(folder_ / "log"));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void ZooKeeperServer::signal(int number) const {
    if (!running() || ::kill(pid_, number) != 0) fail("signal failed");
}

void ZooKeeperServer::kill() {
    signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

void ZooKeeperServer::pause() {
    signal(SIGSTOP);
    int status = 0;
    if (waitpid(pid_, &status, WUNTRACED) != pid_ || !WIFSTOPPED(status)) fail("did not stop");
}

void ZooKeeperServer::resume() { signal(SIGCONT); }

void ZooKeeperServer::save() {
    if (running()) fail("save() while it runs");
    replace_folder(folder_ / "data", folder_ / "saved");
}

void ZooKeeperServer::restore() {
    if (running()) fail("restore() while it runs");
    replace_folder(folder_ / "saved", folder_ / "data");
}

std::set<std::int64_t> ZooKeeperServer::sessions() const {
    const auto deadline = steady_clock::now() + std::chrono::seconds(30);
    std::string dump;
    while (dump.find("ephemeral nodes dump") == std::string::npos) {
        if (steady_clock::now() > deadline) fail("no dump");
        dump = ask("dump");
    }
    const std::regex session("\n\t0x([0-9a-f]+)");  // others with another indent are of connections
    std::set<std::int64_t> numbers;
    for (std::sregex_iterator at(dump.begin(), dump.end(), session), end; at != end; ++at) {
        numbers.insert(static_cast<std::int64_t>(std::stoull((*at)[1].str(), nullptr, 16)));
    }
    return numbers;
}

void ZooKeeperServer::expire_sessions() const {
    const auto deadline = steady_clock::now() + std::chrono::seconds(30);
    for (const std::int64_t session : sessions()) {
        // Its client connects again at once and may be quicker: then the session is its own again.
        while (sessions().contains(session)) {
            if (steady_clock::now() > deadline) fail("a session does not end");
            static_cast<void>(exchange(port_, closing_words(session)));
        }
    }
}

std::string ZooKeeperServer::ask(const std::string& four_letters) const { return exchange(port_, four_letters); }

}  // namespace frond::test
