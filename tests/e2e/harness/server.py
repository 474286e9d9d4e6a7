"""The server under test: the real binary in a folder of its own, on free ports."""

import json
import os
import pathlib
import re
import signal
import subprocess

from .waiting import BINARY, PATIENCE, SANITIZER, Deadline, wait_for
from .wire import Wire, fetch

SANITIZER_REPORT = re.compile(r"(AddressSanitizer|ThreadSanitizer|LeakSanitizer|runtime error):?[^\n]*")


def settings(values):
    """{"server.threads": 2} as command-line arguments."""
    arguments = []
    for key, value in values.items():
        if isinstance(value, bool):
            value = "true" if value else "false"
        arguments += ["--set", f"{key}={value}"]
    return arguments


def clean_environment(extra=None):
    """The environment without whatever FROND__ settings the developer's shell may have, and outside of Kubernetes."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("FROND_", "KUBERNETES_")) and name != "POD_NAME"}
    environment.update(extra or {})
    return environment


def run_frond(*arguments, folder=None, environment=None, seconds=60, stdin=None):
    """Runs a command to its end; returns the process with stdout and stderr as text."""
    done = subprocess.run(
        [str(BINARY), *map(str, arguments)],
        cwd=folder,
        env=clean_environment(environment),
        capture_output=True,
        text=True,
        input=stdin,
        timeout=seconds * PATIENCE,
        check=False,
    )
    report = SANITIZER_REPORT.search(done.stdout + done.stderr)
    assert not report, done.stdout + done.stderr
    return done


class Frond:
    """One server over one folder. start() and stop() may be called again and again; the folder keeps its state."""

    DEFAULTS = {
        "server.listen": "127.0.0.1:0",
        "server.management_listen": "127.0.0.1:0",
        "server.threads": 2,
        "server.drain_delay": "0s",
        "server.drain_timeout": "5s",
        "snowflake.registry": "static",
        "snowflake.worker_id": 0,
        "log.format": "json",
    }

    def __init__(self, folder, database=None, clock=None, environment=None, arguments=(), **overrides):
        """`database`: its URL, default an SQLite file in the folder. `overrides`: settings with `__` for the dot; None
        leaves a default setting away."""
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.database = database or f"sqlite:{self.folder}/frond.db"
        self.clock = clock
        self.environment = dict(environment or {})
        self.arguments = list(arguments)
        self.settings = {**self.DEFAULTS, "snowflake.state_dir": str(self.folder)}
        for name, value in overrides.items():
            self.set(name.replace("__", "."), value)
        self.log_file = self.folder / "log"
        self.process = None
        self.port = None
        self.management_port = None
        self._log_start = 0  # where the log of the present run begins

    def set(self, key, value):
        """Changes a setting for the next start; None takes it away."""
        if value is None:
            self.settings.pop(key, None)
        else:
            self.settings[key] = value

    # --- commands over the same database

    def command(self, *arguments, ok=True, **options):
        done = run_frond(*arguments, "--database", self.database, folder=self.folder, **options)
        if ok:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    def init(self):
        self.command("init")
        return self

    def create_key(self, key, step=1000, *more):
        self.command("key", "create", key, "--step", step, *more)
        return self

    # --- life

    def launch(self):
        """Starts the process and returns at once."""
        assert self.process is None
        command = [str(BINARY), "serve", "--database", self.database, *settings(self.settings), *self.arguments]
        environment = clean_environment(self.environment)
        if self.clock:
            environment.update(self.clock.environment(SANITIZER))
        self._log_start = self.log_file.stat().st_size if self.log_file.exists() else 0
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=subprocess.STDOUT)
        return self

    def start(self, ready=True):
        """Starts and waits for the addresses and, unless told otherwise, for /readyz."""
        self.launch()
        self.port, self.management_port = wait_for(self._addresses, 20, "the start line")
        if ready:
            wait_for(lambda: self.is_ready(), 20, "/readyz")
        return self

    def _addresses(self):
        assert self.process.poll() is None, f"ended with {self.process.returncode}:\n{self.log_text()}"
        for event in self.log():
            ports = re.findall(r"127\.0\.0\.1:(\d+)", event["msg"].split("database")[0])
            if "listen" in event["msg"] and len(ports) >= 2:
                return int(ports[0]), int(ports[1])
        return None

    @property
    def pid(self):
        return self.process.pid

    def running(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def wait_exit(self, seconds=20):
        """The exit code once the process has ended by itself."""
        code = self.process.wait(seconds * PATIENCE)
        self._ended()
        return code

    def stop(self, seconds=20):
        """A graceful stop; must end with 0."""
        self.signal(signal.SIGTERM)
        code = self.wait_exit(seconds)
        assert code == 0, self.log_text()

    def kill(self):
        """kill -9."""
        self.process.kill()
        self.process.wait()
        self._ended()

    def pause(self):
        """SIGSTOP: connections stay open and nothing answers. Returns once the process has stopped."""
        self.signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOWAIT)

    def resume(self):
        self.signal(signal.SIGCONT)

    def restart(self):
        self.stop()
        return self.start()

    def end(self):
        """Whatever state it is in: nothing is left afterwards."""
        if self.running():
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            deadline = Deadline(15)
            try:
                self.process.wait(deadline.left())
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"did not stop after SIGTERM:\n{self.log_text()}") from None
        self._ended()

    def _ended(self):
        if self.clock and self.process:
            self.clock.clean_after(self.process.pid)
        self.process = None
        self.assert_clean()

    def assert_clean(self):
        text = self.all_log_text()
        report = SANITIZER_REPORT.search(text)
        assert not report, text[report.start() : report.start() + 8000]

    # --- what it says

    def all_log_text(self):
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def log_text(self):
        """The log of the present run."""
        if not self.log_file.exists():
            return ""
        with self.log_file.open("rb") as log:
            log.seek(self._log_start)
            return log.read().decode(errors="replace")

    def log(self):
        """The events of the present run as dictionaries; a line that is not JSON is an event with `msg` alone."""
        events = []
        for line in self.log_text().splitlines(keepends=True):
            if not line.endswith("\n"):
                break  # still being written
            try:
                events.append(json.loads(line))
            except json.JSONDecodeError:
                events.append({"msg": line.rstrip("\n"), "level": "none"})
        return events

    def logged(self, pattern):
        """The events whose message matches."""
        return [event for event in self.log() if re.search(pattern, event["msg"], re.IGNORECASE)]

    # --- requests

    def connect(self, **options):
        return Wire(self.port, **options)

    def fetch(self, target, method="GET", **options):
        return fetch(self.port, target, method, **options)

    def manage(self, target, method="GET", **options):
        return fetch(self.management_port, target, method, **options)

    def is_ready(self):
        assert self.process.poll() is None, f"ended with {self.process.returncode}:\n{self.log_text()}"
        return self.manage("/readyz").status == 200

    def segment(self, key="demo", count=None):
        """IDs of segment mode: one number, or a list of `count`."""
        if count is None:
            return self.fetch(f"/api/segment/get/{key}").number()
        return self.fetch(f"/api/segment/get/{key}?count={count}").numbers()

    def snowflake(self, key="demo", count=None):
        if count is None:
            return self.fetch(f"/api/snowflake/get/{key}").number()
        return self.fetch(f"/api/snowflake/get/{key}?count={count}").numbers()

    def metrics(self):
        """{name with labels: value} of /metrics."""
        reply = self.manage("/metrics")
        assert reply.status == 200
        values = {}
        for line in reply.text().splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                values[name] = float(value)
        return values

    def resident_kib(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1))
