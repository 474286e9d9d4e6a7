"""Processes under measurement: the servers on one core, the load on another, and how much CPU time each used."""

import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("FROND_BUILD", ROOT / "build" / "release")).resolve()
FROND = BUILD / "frond"

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE = CORES[0]
LOAD_CORE = CORES[-1]


def describe():
    """The machine in a few words."""
    info = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*:\s*(.+)", info)
    name = model.group(1).strip() if model else os.uname().machine
    return f"{name}, {len(CORES)} cores, Linux {os.uname().release}"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def pinned(core, command):
    return ["taskset", "-c", str(core), *map(str, command)]


def fetch(port, target, timeout=5):
    """Status and body of one request."""
    with socket.create_connection(("127.0.0.1", port), timeout) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".encode())
        data = b""
        while piece := connection.recv(65536):
            data += piece
    head, body = data.split(b"\r\n\r\n", 1)
    return int(head.split(b" ", 2)[1]), body


def wait_until_open(port, process):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[0]} ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.01)
    raise RuntimeError(f"nothing listens on port {port}")


class Server:
    """A server process and its children, on the server core unless told otherwise."""

    def __init__(self, command, port, core=SERVER_CORE, environment=None, cwd=None):
        self.port = port
        command = list(map(str, command)) if core is None else pinned(core, command)
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=cwd, env=environment)
        wait_until_open(port, self.process)

    def processes(self):
        found = [self.process.pid]
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            found += [int(pid) for pid in (task / "children").read_text().split()]
        return found

    def cpu_seconds(self):
        """CPU time used so far, user and system, of all threads that live."""
        total = 0
        for pid in self.processes():
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                total += int((task / "schedstat").read_text().split()[0])
        return total / 1e9

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Bench:
    """The servers that take part, each started at its first use, in a folder on tmpfs."""

    # As long as Snowflake IDs are, so that all servers send equally many bytes.
    FIRST_ID = 10**18

    def __init__(self):
        place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="frond-bench-", dir=place))
        self.servers = {}
        self.made_database = False
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536) if hard > 0 else 65_536, hard))

    def close(self):
        for server in self.servers.values():
            server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def get(self, name):
        if name not in self.servers:
            self.servers[name] = getattr(self, f"_start_{name}")()
        return self.servers[name]

    def _start_floor(self):
        port = free_port()
        return Server([BUILD / "bench_floor", port, 19], port)

    def _start_nginx(self):
        port = free_port()
        config = self.folder / "nginx.conf"
        config.write_text(f"""daemon off; worker_processes 1; pid {self.folder}/nginx.pid; error_log stderr error;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000; server_tokens off; default_type text/plain;
  client_body_temp_path {self.folder}/body; proxy_temp_path {self.folder}/proxy;
  fastcgi_temp_path {self.folder}/fastcgi; uwsgi_temp_path {self.folder}/uwsgi; scgi_temp_path {self.folder}/scgi;
  server {{ listen 127.0.0.1:{port} backlog=1024; location / {{ return 200 "7777777777777777777"; }} }}
}}
""")
        return Server(["/usr/sbin/nginx", "-e", "stderr", "-p", self.folder, "-c", config], port)

    # --- Frond

    def database(self):
        """The database with its keys, made once: `single` issues IDs of 19 digits; `batch` is a key at step 1,000,000."""
        url = f"sqlite:{self.folder}/frond.db"
        if not self.made_database:
            for command in (["init"], ["key", "create", "single", "--step", "1000000"],
                            ["key", "create", "batch", "--step", "1000000"]):
                subprocess.run([FROND, *command, "--database", url], check=True, stdout=subprocess.DEVNULL,
                               cwd=self.folder, env=self.environment())
            subprocess.run(["sqlite3", self.folder / "frond.db", "UPDATE leaf_alloc SET "
                            f"max_id = {self.FIRST_ID} WHERE biz_tag = 'single'"], check=True)
            self.made_database = True
        return url

    @staticmethod
    def environment():
        return {name: value for name, value in os.environ.items() if not name.startswith("FROND_")}

    def frond_command(self, port, management_port, threads=1):
        return [
            FROND, "serve", "--database", self.database(),
            "--set", f"server.listen=127.0.0.1:{port}", "--set", f"server.management_listen=127.0.0.1:{management_port}",
            "--set", f"server.threads={threads}", "--set", "server.drain_delay=0s", "--set", "server.drain_timeout=2s",
            "--set", "server.max_connections=20000", "--set", "server.idle_timeout=1h",
            "--set", "snowflake.registry=static", "--set", "snowflake.worker_id=1",
            "--set", f"snowflake.state_dir={self.folder}", "--set", "log.level=warning",
        ]

    def _start_frond(self):
        port, management = free_port(), free_port()
        server = Server(self.frond_command(port, management), port, environment=self.environment(), cwd=self.folder)
        server.management_port = management
        for target in ("/api/segment/get/single", "/api/segment/get/batch", "/api/snowflake/get/single"):
            wait_for_200(port, target)
        return server

    def stop(self, name):
        if name in self.servers:
            self.servers.pop(name).stop()


def wait_for_200(port, target, seconds=20):
    deadline = time.monotonic() + seconds
    while True:
        try:
            if fetch(port, target)[0] == 200:
                return
        except OSError:
            pass
        if time.monotonic() > deadline:
            raise RuntimeError(f"no 200 from {target}")
        time.sleep(0.001)


# --- load

PIPELINE = """
local batch
function init(args)
  local one = wrk.format("GET", wrk.path)
  batch = string.rep(one, tonumber(args[1]))
end
function request() return batch end
"""


class Wrk:
    """wrk on the load core, 64 connections, and what it reports."""

    def __init__(self, server, target, seconds, folder, pipeline=1):
        command = ["wrk", "-t1", "-c64", f"-d{seconds}s", "--timeout", "10s"]
        if pipeline > 1:
            script = pathlib.Path(folder) / "pipeline.lua"
            script.write_text(PIPELINE)
            command += ["-s", script]
        command.append(f"http://127.0.0.1:{server.port}{target}")
        if pipeline > 1:
            command += ["--", str(pipeline)]
        self.process = subprocess.Popen(pinned(LOAD_CORE, command), stdout=subprocess.PIPE, text=True)

    def stop(self):
        """Ends the load before its time; returns as finish() does."""
        self.process.send_signal(signal.SIGINT)
        return self.finish()

    def finish(self):
        """The number of requests answered; an error when one was not answered with 200."""
        text, _ = self.process.communicate()
        if self.process.returncode != 0 or "Non-2xx" in text or "Socket errors" in text:
            raise RuntimeError(f"wrk: {text}")
        return int(re.search(r"(\d+) requests in", text).group(1))


def cpu_per_request(bench, name, target, seconds, pipeline=1):
    """CPU seconds of a server for each request, over one run of wrk."""
    server = bench.get(name)
    before = server.cpu_seconds()
    requests = Wrk(server, target, seconds, bench.folder, pipeline).finish()
    return (server.cpu_seconds() - before) / requests


def values_of(text):
    return {key: float(value) for key, value in re.findall(r"(\w+)=([-\d.]+)", text)}


def run_program(name, *arguments, core=LOAD_CORE):
    """Runs one of our programs and returns the `key=value` pairs that it prints."""
    command = [BUILD / name, *arguments]
    command = list(map(str, command)) if core is None else pinned(core, command)
    return values_of(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
