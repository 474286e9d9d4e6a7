"""Fixtures of the end-to-end tests: servers and databases in temporary folders, all ended when the test is."""

import fcntl
import itertools
import pathlib
import shutil
import tempfile

import pytest

from harness import mariadb
from harness.clock import FakeClock
from harness.proxy import Relays
from harness.records import Records
from harness.server import Frond
from harness.waiting import BINARY
from harness.zookeeper import Ensemble, Standalone


def pytest_configure(config):
    config.addinivalue_line("markers", "threads: matters for threads, and so is run with ThreadSanitizer too")


def pytest_sessionstart(session):
    if not BINARY.exists() and not session.config.option.collectonly:
        pytest.exit(f"{BINARY} is not there: build it, or name it with FROND_BINARY", returncode=3)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    outcome = yield
    setattr(item, f"outcome_of_{outcome.get_result().when}", outcome.get_result())


@pytest.fixture
def folder(request):
    """A folder of the test's own with a short path; kept when the test fails."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="frond-"))
    yield path
    call = getattr(request.node, "outcome_of_call", None)
    if call is not None and call.failed:
        print(f"files and logs are kept in {path}")
    else:
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def servers(request, folder):
    """Makes servers: servers() gives one over an SQLite file of its own; see Frond for the arguments."""
    made = []
    numbers = itertools.count()

    def make(name=None, **options):
        server = Frond(folder / (name or f"server{next(numbers)}"), **options)
        made.append(server)
        return server

    yield make
    failures = []
    for server in made:
        try:
            server.end()
        except AssertionError as failure:
            failures.append(failure)
    call = getattr(request.node, "outcome_of_call", None)
    if call is not None and call.failed:
        for server in made:
            print(f"--- log of {server.folder}\n{server.all_log_text()[-6000:]}")
    if failures:
        raise failures[0]


@pytest.fixture
def server(servers):
    """A running server over SQLite with the key `demo`, step 1000."""
    return servers().init().create_key("demo").start()


@pytest.fixture
def fake_clock(folder):
    """A wall clock that the test can step; give it to a server as `clock`."""
    return FakeClock(folder)


@pytest.fixture
def fake_clocks(folder):
    """Makes wall clocks that can be stepped one by one: fake_clocks("zookeeper", "-1h")."""
    return lambda name, offset="+0": FakeClock(folder, offset, f"clock-{name}")


@pytest.fixture(scope="session")
def mariadb_template(tmp_path_factory, worker_id):
    """A data folder to copy, made once for all workers of this run."""
    shared = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        shared = shared.parent
    template = shared / "mariadb-template"
    with (shared / "mariadb-template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not template.exists():
            unfinished = shared / "mariadb-template.new"
            mariadb.make_template(unfinished)
            unfinished.rename(template)
    return template


@pytest.fixture(scope="session")
def mariadb_server(mariadb_template):
    """One MariaDB for all tests of a worker, which must leave it running."""
    server = mariadb.MariaDb(tempfile.mkdtemp(prefix="frond-db-"), mariadb_template)
    server.start()
    yield server
    server.end()


@pytest.fixture
def own_mariadb(mariadb_template):
    """A MariaDB for this test alone, to stop, kill and restart; commits survive a kill."""
    server = mariadb.MariaDb(tempfile.mkdtemp(prefix="frond-db-"), mariadb_template, durable=True)
    server.start()
    yield server
    server.end()


_database_numbers = itertools.count(1)


@pytest.fixture
def database(mariadb_server):
    """An empty schema in the worker's MariaDB."""
    return mariadb_server.make_database(f"ids{next(_database_numbers)}")


@pytest.fixture(scope="session")
def zookeeper_of_worker():
    """See `zookeeper`."""
    path = tempfile.mkdtemp(prefix="frond-zk-")
    server = Standalone(path)
    try:
        yield server.start()
    finally:
        server.end()
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def zookeeper(zookeeper_of_worker):
    """One standalone ZooKeeper for all tests of a worker, which must leave it running and use a name of their own."""
    return zookeeper_of_worker.wait_serving()


@pytest.fixture
def zookeepers(folder):
    """Makes servers for this test alone, started unless told otherwise: zookeepers(), zookeepers(Ensemble, size=5),
    zookeepers(clock=clock, start=False)."""
    made = []

    def make(kind=Standalone, start=True, **options):
        made.append(kind(folder / f"zookeeper{len(made)}", **options))
        return made[-1].start() if start else made[-1]

    yield make
    for server in made:
        server.end()


@pytest.fixture
def own_zookeeper(zookeepers):
    """A standalone ZooKeeper for this test alone, to stop, kill, pause and restart."""
    return zookeepers()


@pytest.fixture
def ensemble(zookeepers):
    """Three ZooKeeper servers for this test alone."""
    return zookeepers(Ensemble)


@pytest.fixture
def relays():
    """Makes relays that stand before all nodes of a ZooKeeper: frond(zookeeper=relays(zookeeper))."""
    made = []

    def make(zookeeper):
        made.append(Relays(zookeeper.ports))
        return made[-1]

    yield make
    for each in made:
        each.close()


_name_numbers = itertools.count(1)


@pytest.fixture
def registry_name():
    """A name in the registry (`snowflake.name`) that no other test on the same server uses."""
    return f"test.{next(_name_numbers)}"


@pytest.fixture
def records(zookeeper, registry_name):
    """What stands under the test's name in `zookeeper`."""
    return Records(zookeeper, registry_name)


@pytest.fixture
def frond(request, relays, zookeepers, servers, registry_name):
    """Makes servers that lease their worker IDs under the test's name: frond() from `zookeeper`, frond(zookeeper=x)
    from whatever has a connect string. Each has an identity of its own. Not started yet; the arguments are Frond's.
    With segment__enabled=False a start waits for the worker ID; else readiness of segment mode is enough."""
    # `relays` and `zookeepers` stand before `servers` so that they outlive them: a graceful stop needs the registry.
    numbers = itertools.count()

    def make(folder_name=None, zookeeper=None, **options):
        folder_name = folder_name or f"frond{next(numbers)}"
        registry = zookeeper or request.getfixturevalue("zookeeper")
        settings = {
            "snowflake__registry": "zookeeper",
            "snowflake__worker_id": None,
            "snowflake__name": registry_name,
            "snowflake__identity": folder_name,
            "zookeeper__connect": registry.connect_string,
        }
        return servers(folder_name, **{**settings, **options})

    return make
