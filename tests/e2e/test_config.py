"""The configuration: its sources, their order, and errors that name the place, what is allowed, and the nearest key."""

import re
import socket

import pytest

from harness.server import run_frond
from harness.waiting import ROOT


@pytest.fixture
def check(folder):
    """Runs check-config over a file's text; returns the finished process."""

    def run(text, *arguments, name="frond.toml", environment=None):
        file = folder / name
        file.write_text(text)
        return run_frond("check-config", "--config", file, *arguments, folder=folder, environment=environment)

    return run


def output(done):
    return done.stdout + done.stderr


def test_documented_file_is_valid_and_says_nothing_but_the_defaults(folder):
    done = run_frond("check-config", "--config", ROOT / "conf" / "frond.toml", folder=folder)
    assert done.returncode == 0, output(done)
    assert run_frond("check-config", folder=folder).returncode == 0


def test_empty_file_is_valid(check):
    assert check("").returncode == 0


def test_all_errors_are_reported_at_once_with_line_and_advice(check):
    done = check("""[server]
lisen = "127.0.0.1:8080"
threads = "many"
drain_delay = "5 parsecs"
max_batch = 0

[snowflake]
registry = "static"
worker_id = 5000
on_clock_rollback = "panic"

[nonsense]
x = 1
""")
    assert done.returncode == 2
    text = output(done)
    for line, words in [
        (2, ["server.lisen", "server.listen"]),
        (3, ["server.threads", "whole number", "many"]),
        (4, ["server.drain_delay", "5 parsecs"]),
        (5, ["server.max_batch", "0"]),
        (9, ["snowflake.worker_id", "1023"]),
        (10, ["snowflake.on_clock_rollback", "hold, reject"]),
        (12, ["nonsense"]),
    ]:
        found = [row for row in text.splitlines() if re.search(rf"frond\.toml:{line}\b", row)]
        assert found, (line, text)
        assert all(word in " ".join(found) for word in words), (words, found)


WRONG = [
    "[server]\nlisten = 8080\n",
    '[server]\nlisten = "8080"\n',
    '[server]\nlisten = ["127.0.0.1:99999"]\n',
    "[server]\nlisten = []\n",
    "[server]\nthreads = -1\n",
    "[server]\nthreads = 1.5\n",
    '[server]\nheader_limit = "8 apples"\n',
    '[server]\nrequest_timeout = "0s"\n',
    '[server]\ndrain_timeout = 5\n',
    '[server]\naccess_log = "yes"\n',
    '[[database]]\nurl = "oracle:x"\n',
    '[[database]]\nurl = "mysql://nobody"\n',
    '[[database]]\nquery_timeout = "500ms"\n',
    '[[database]]\nurl = "sqlite:a"\n[[database]]\nurl = "sqlite:b"\n',
    '[database]\nurl = "sqlite:a"\n',
    '[[database]]\nurl = "mysql://u@h/d"\npassword_file = "/nonexistent/file"\n',
    '[segment]\nenabled = "yes"\n',
    '[segment]\nschema = "other"\n',
    '[snowflake]\nepoch = "yesterday"\n',
    "[snowflake]\ntimestamp_bits = 41\nworker_bits = 12\nsequence_bits = 12\n",
    "[snowflake]\nworker_id = -1\n",
    "[snowflake]\nworker_id = 1\n",
    '[snowflake]\nregistry = "static"\n',
    '[snowflake]\nregistry = "zookeeper"\n',
    "[snowflake]\nworker_id_offset = 1024\n",
    '[snowflake]\ndatabase = "other"\n',
    '[zookeeper]\nconnect = "zk"\n',
    '[zookeeper]\nroot = "x"\n',
    '[snowflake]\nworker_id = "seven"\n',
    '[snowflake]\nregistry = "carrier pigeon"\n',
    '[log]\nlevel = "loud"\n',
    "[server]\nthreads = 1\nthreads = 2\n",
    "this is no TOML",
    "[server\n",
    '[server]\nlisten = "unfinished\n',
]


@pytest.mark.parametrize("text", WRONG)
def test_wrong_values_are_errors(check, text):
    done = check(text)
    assert done.returncode == 2
    assert re.search(r"frond\.toml:\d+", output(done)), output(done)


def test_serve_refuses_in_the_same_way(folder):
    (folder / "frond.toml").write_text("[server]\nthreads = -1\nlisen = 1\n")
    done = run_frond("serve", "--config", "frond.toml", folder=folder)
    assert done.returncode == 2
    assert "server.threads" in output(done) and "server.listen" in output(done)


def test_file_that_is_not_there(folder):
    for command in ("serve", "check-config", "init"):
        done = run_frond(command, "--config", "no-such-file.toml", folder=folder)
        assert done.returncode == 2
        assert "no-such-file.toml" in output(done)


def test_unknown_environment_key_is_an_error_and_others_are_never_read(check):
    done = check("", environment={"FROND__SERVER__LISEN": "x"})
    assert done.returncode == 2
    assert "FROND__SERVER__LISEN" in output(done) and "FROND__SERVER__LISTEN" in output(done)
    kubernetes = {"FROND_PORT": "tcp://10.0.0.1:8080", "FROND_SERVICE_HOST": "10.0.0.1", "FROND_SERVER_THREADS": "x"}
    assert check("", environment=kubernetes).returncode == 0


def test_sqlite_in_kubernetes_needs_a_word_from_the_operator(check, folder):
    pod = {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}
    done = check("", environment=pod)
    assert done.returncode == 2
    assert "snowflake.registry" in output(done) and "snowflake.single_instance = true" in output(done)
    assert run_frond("serve", folder=folder, environment=pod).returncode == 2
    for remedy in ("snowflake.single_instance=true", "database.0.url=mysql://u@h/d"):
        assert check("", "--set", remedy, environment=pod).returncode == 0
    assert run_frond("decode", "1", folder=folder, environment=pod).returncode == 0


def test_heartbeat_that_may_hardly_fail_is_warned_of(check):
    done = check("", "--set", "snowflake.fence_window=8s")
    assert done.returncode == 0
    assert "warning: snowflake.heartbeat" in output(done)


def test_wrong_set_is_an_error(check):
    for wrong in ("server.lisen=x", "server.threads=x", "server.threads", "=1", "threads=1"):
        done = check("", "--set", wrong)
        assert done.returncode == 2, wrong
        assert "--set" in output(done)


def test_precedence(servers, folder):
    """--set wins over the environment, the environment over the file."""
    file = folder / "order.toml"
    file.write_text("[server]\nmax_batch = 10\nbody_limit = 10\n[snowflake]\nworker_id = 1\nmax_ahead = \"500ms\"\n")
    server = servers(environment={"FROND__SERVER__MAX_BATCH": "20", "FROND__SNOWFLAKE__WORKER_ID": "2"},
                     arguments=["--config", str(file)], snowflake__worker_id=3).init().create_key("demo").start()
    assert server.snowflake() >> 12 & 1023 == 3
    assert len(server.segment(count=20)) == 20
    assert server.fetch("/api/segment/get/demo?count=21").code() == "INVALID_COUNT"
    assert server.fetch("/api/segment/get/demo", "POST", body="x" * 11).code() == "PAYLOAD_TOO_LARGE"


def test_one_address_or_several(servers):
    server = servers(server__listen=None)
    file = server.folder / "frond.toml"
    file.write_text('[server]\nlisten = ["127.0.0.1:0", "127.0.0.1:0"]\n')
    server.arguments = ["--config", str(file)]
    server.init().create_key("demo").launch()
    text = ""

    def two_ports():
        nonlocal text
        text = server.log_text()
        return len(set(re.findall(r"127\.0\.0\.1:(\d+)", text))) >= 3

    from harness.waiting import wait_for

    wait_for(two_ports, 10, "three addresses in the start line")


def test_port_in_use_is_an_error_that_names_the_key(servers):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        server = servers(server__listen=f"127.0.0.1:{port}").init()
        server.launch()
        assert server.wait_exit() == 2
        text = server.log_text()
        assert "server.listen" in text and str(port) in text


def test_port_of_another_frond_is_in_use_too(servers):
    """SO_REUSEPORT must not let a second server share a port in silence."""
    first = servers().init().start()
    second = servers(server__listen=f"127.0.0.1:{first.port}", snowflake__worker_id=1).init()
    second.launch()
    assert second.wait_exit() == 2
    assert "server.listen" in second.log_text()


def test_all_interfaces_with_and_without_ipv6(servers):
    server = servers(server__listen="[::]:0").init().create_key("demo")
    server.launch()
    from harness.waiting import wait_for
    from harness.wire import fetch

    def port():
        for event in server.log():
            found = re.search(r"(?:\[::\]|0\.0\.0\.0):(\d+)", event["msg"])
            if found:
                return int(found.group(1))
        return None

    number = wait_for(port, 10, "the start line")
    assert fetch(number, "/api/segment/get/demo").number() == 1
    try:
        assert fetch(number, "/api/segment/get/demo", host="::1").number() == 2
    except OSError:
        pass  # no IPv6 on this machine


LEAF = """# as Leaf ships it
leaf.name=com.example.ids
leaf.segment.enable={segment}
leaf.jdbc.url=jdbc:mysql://127.0.0.1:3306/leaf?useUnicode=true&characterEncoding=utf8
leaf.jdbc.username=leaf
leaf.jdbc.password=secret word

leaf.snowflake.enable={snowflake}
"""


def test_leaf_properties_are_translated(check):
    done = check(LEAF.format(segment="true", snowflake="false"), name="leaf.properties")
    assert done.returncode == 0, output(done)
    text = output(done)
    for word in ("leaf.jdbc.url", "leaf.name", "leaf.segment.enable", "leaf.snowflake.enable"):
        assert word in text
    assert "secret word" not in text


def test_leaf_properties_lease_where_leaf_servers_do(check):
    text = LEAF.format(segment="false", snowflake="true")
    done = check(text + "leaf.snowflake.zk.address=zk1:2181,zk2:2181\nleaf.snowflake.port=8080\n",
                 name="leaf.properties")
    assert done.returncode == 0, output(done)
    for note in ("snowflake.registry = zookeeper", "zookeeper.connect = zk1:2181,zk2:2181", "snowflake.identity = "):
        assert note in output(done)
    done = check(text, name="leaf.properties")
    assert done.returncode == 2
    assert "zookeeper.connect" in output(done)


def test_leaf_properties_with_unknown_keys(check):
    done = check("leaf.segment.enable=false\nleaf.nonsense=1\n", name="leaf.properties")
    assert done.returncode == 2
    assert "leaf.nonsense" in output(done)


def test_passwords_are_never_shown(check):
    done = check('[[database]]\nurl = "mysql://user:hunter2@host:1/db"\nnonsense = 1\n')
    assert done.returncode == 2
    assert "hunter2" not in output(done)


def test_text_on_request_and_json_by_default(servers):
    server = servers(log__format=None).init().start(ready=True)
    assert all(event.get("ts") and event.get("level") for event in server.log())
    text = servers(log__format="text").init()
    text.launch()
    from harness.waiting import wait_for

    wait_for(lambda: "listen" in text.log_text(), 10)
    assert not text.log_text().startswith("{")


def test_log_level(servers):
    server = servers(log__level="error").init()
    server.launch()
    server.signal(15)
    assert server.wait_exit() in (0, -15)
    assert not [event for event in server.log() if event["level"] in ("info", "debug", "trace")]
