"""The subcommands: what they do, what they print, and how they end."""

import re
import sqlite3

import pytest

from harness.server import run_frond
from harness.waiting import ROOT


@pytest.fixture
def frond(folder):
    """Runs a command in a folder of its own."""
    return lambda *arguments, **options: run_frond(*arguments, folder=folder, **options)


def good(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_version(frond):
    text = good(frond("version"))
    assert "0." in text
    assert "frond" in text.lower()


@pytest.mark.parametrize("arguments", [["help"], ["--help"], ["-h"], ["serve", "--help"], ["key", "create", "--help"]])
def test_help(frond, arguments):
    assert good(frond(*arguments))


def test_help_shows_commands_and_exit_codes(frond):
    text = good(frond("help"))
    for word in ("serve", "init", "check-config", "key", "decode", "health", "version", "64"):
        assert word in text


@pytest.mark.parametrize("arguments", [
    [], ["nonsense"], ["serve", "--nonsense"], ["serve", "extra"], ["key"], ["key", "nonsense"], ["key", "create"],
    ["key", "show"], ["decode"], ["key", "create", "x", "--step"], ["--nonsense"],
])
def test_wrong_usage(frond, arguments):
    done = frond(*arguments)
    assert done.returncode == 64
    assert done.stderr
    assert not done.stdout


def test_works_on_a_file_in_the_current_folder(frond, folder):
    good(frond("init"))
    good(frond("key", "create", "demo", "--step", 1000))
    assert (folder / "frond.db").exists()
    assert "demo" in good(frond("key", "list"))


def test_init_says_what_it_did_and_can_be_repeated(frond, folder):
    first = good(frond("init"))
    assert "leaf_alloc" in first and "frond_key" in first
    good(frond("key", "create", "demo"))
    second = good(frond("init"))
    assert second != first
    assert "demo" in good(frond("key", "list"))


def test_init_takes_a_table_of_leaf_as_it_is(frond, folder):
    with sqlite3.connect(folder / "frond.db") as connection:
        connection.execute("CREATE TABLE leaf_alloc (biz_tag VARCHAR(128) NOT NULL PRIMARY KEY, max_id BIGINT NOT NULL, "
                           "step INT NOT NULL, description VARCHAR(256), update_time TIMESTAMP)")
        connection.execute("INSERT INTO leaf_alloc VALUES ('old', 5001, 2000, 'kept', NULL)")
    connection.close()
    good(frond("init"))
    assert "5001" in good(frond("key", "show", "old"))


def test_key_life(frond):
    good(frond("init"))
    good(frond("key", "create", "order", "--step", 500))
    shown = good(frond("key", "show", "order"))
    assert "order" in shown and "500" in shown
    good(frond("key", "set", "order", "--step", 700))
    assert "700" in good(frond("key", "show", "order"))
    assert "500" not in good(frond("key", "show", "order"))


def test_key_that_exists_or_does_not(frond):
    good(frond("init"))
    good(frond("key", "create", "order"))
    again = frond("key", "create", "order")
    assert again.returncode == 1
    assert "order" in again.stderr
    for arguments in (["show", "nope"], ["set", "nope", "--step", "5"]):
        done = frond("key", *arguments)
        assert done.returncode == 1
        assert "nope" in done.stderr


@pytest.mark.parametrize("arguments", [
    ["--step", 0], ["--step", -5], ["--step", "x"], ["--step", "9223372036854775808"], ["--delta", 0],
    ["--delta", 2, "--remainder", 2], ["--remainder", -1],
])
def test_key_with_impossible_figures(frond, arguments):
    good(frond("init"))
    done = frond("key", "create", "bad", *arguments)
    assert done.returncode in (1, 64)
    assert done.stderr
    assert frond("key", "show", "bad").returncode == 1


@pytest.mark.parametrize("key", ["", "k" * 129, "a\nb", "a\x7fb", b"\xff\xfe"])
def test_key_with_an_impossible_name(frond, key):
    good(frond("init"))
    if isinstance(key, bytes):
        key = key.decode("utf-8", "surrogateescape")
    import subprocess

    from harness.server import clean_environment
    from harness.waiting import BINARY

    done = subprocess.run([BINARY, "key", "create", key], capture_output=True, check=False, timeout=60,
                          env=clean_environment(), cwd="/tmp")
    assert done.returncode in (1, 64)
    assert done.stderr


def test_many_keys_are_all_listed_in_order(frond, folder):
    good(frond("init"))
    with sqlite3.connect(folder / "frond.db") as connection:
        connection.executemany("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES (?, 1, 100)",
                               [(f"key{number:05}",) for number in range(2500)])
    connection.close()
    names = [line.split()[0] for line in good(frond("key", "list")).splitlines() if re.match(r"key\d", line)]
    assert names == [f"key{number:05}" for number in range(2500)]


def test_delta_is_warned_about_because_leaf_does_not_know_it(frond):
    good(frond("init"))
    done = frond("key", "create", "two", "--delta", 2)
    assert done.returncode == 0
    assert "leaf" in (done.stdout + done.stderr).lower()


def test_commands_without_tables_say_what_to_do(frond):
    done = frond("key", "list")
    assert done.returncode in (1, 2)
    assert "init" in done.stderr


def test_decode(frond):
    number = (1567733700834 - 1288834974657) << 22 | 39 << 12 | 3448
    text = good(frond("decode", number))
    for word in ("2019-09-06T01:35:00.834Z", "39", "3448"):
        assert word in text


@pytest.mark.parametrize("text", ["abc", "-1", "9223372036854775808", ""])
def test_decode_refuses_what_is_no_id(frond, text):
    done = frond("decode", "--", text)
    assert done.returncode in (1, 64)
    assert done.stderr


def test_health(server):
    address = f"127.0.0.1:{server.management_port}"
    arguments = ["--set", f"server.management_listen={address}"]
    assert run_frond("health", *arguments).returncode == 0
    server.stop()
    done = run_frond("health", *arguments)
    assert done.returncode == 1
    assert done.stderr


def test_health_of_a_server_that_is_not_ready(servers):
    server = servers(database="mysql://nobody@127.0.0.1:1/none", snowflake__enabled=False).start(ready=False)
    done = run_frond("health", "--set", f"server.management_listen=127.0.0.1:{server.management_port}")
    assert done.returncode == 1


def test_repository_holds_what_a_newcomer_is_told(folder):
    for name in ("scripts/run", "scripts/test", "conf/frond.toml", "LICENSE"):
        assert (ROOT / name).exists()


def test_key_list_survives_a_closed_pipe(folder):
    """`frond key list | head -1` must not die noisily."""
    import subprocess

    from harness.server import clean_environment
    from harness.waiting import BINARY

    good(run_frond("init", folder=folder))
    with sqlite3.connect(folder / "frond.db") as connection:
        connection.executemany("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES (?, 1, 100)",
                               [(f"key{number:05}" + "x" * 80,) for number in range(5000)])
    connection.close()
    listing = subprocess.Popen([BINARY, "key", "list"], cwd=folder, env=clean_environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    listing.stdout.readline()
    listing.stdout.close()
    error = listing.stderr.read()
    listing.wait(60)
    assert b"terminate" not in error
