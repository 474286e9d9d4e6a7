"""The rows of the table: for each, what is measured in one round, and what has to be reached.

A row's function measures one pair (or what the row needs) and returns (value for the limit, {side: figure}).
"""

import dataclasses
import re
import socket
import subprocess
import time
import typing

from machine import SERVER_CORE, Wrk, cpu_per_request, fetch, free_port, pinned, run_program, wait_for_200
from verdict import Limit

SINGLE = "/api/segment/get/single"
SNOWFLAKE = "/api/snowflake/get/single"
US, NS, MS = 1e6, 1e9, 1e3
LAYOUT_RATE = 4_096_000  # IDs a second that 12 bits of sequence allow


@dataclasses.dataclass(frozen=True)
class Kind:
    """A row before it is measured. `rounds`: how many values; None means as many as there are rounds."""

    name: str
    text: str
    limit: Limit
    unit: str
    measure: typing.Callable
    rounds: int = None


class Round:
    """One round of measurements over all rows. What several rows compare with is measured once in it."""

    def __init__(self, bench, seconds):
        self.bench = bench
        self.seconds = seconds
        self._cpu = {}

    def cpu(self, name, target="/", pipeline=1):
        key = (name, target, pipeline)
        if key not in self._cpu:
            self._cpu[key] = cpu_per_request(self.bench, name, target, self.seconds, pipeline)
        return self._cpu[key]


def cpu_single(round_):
    floor, frond = round_.cpu("floor"), round_.cpu("frond", SINGLE)
    return frond / floor, {"floor us": floor * US, "frond us": frond * US}


def cpu_pipelined(round_):
    floor, frond = round_.cpu("floor", "/", 16), round_.cpu("frond", SINGLE, 16)
    return frond / floor, {"floor us": floor * US, "frond us": frond * US}


def cpu_nginx(round_):
    frond, nginx = round_.cpu("frond", SINGLE), round_.cpu("nginx")
    return frond / nginx, {"nginx us": nginx * US, "frond us": frond * US}


def cpu_snowflake(round_):
    segment, snowflake = round_.cpu("frond", SINGLE), round_.cpu("frond", SNOWFLAKE)
    return snowflake / segment, {"segment us": segment * US, "snowflake us": snowflake * US}


def cpu_batch(round_):
    single = round_.cpu("frond", SINGLE)
    each = round_.cpu("frond", "/api/segment/get/batch?count=1000") / 1000
    return each / single, {"single us": single * US, "of 1000 ns": each * NS}


def latency(round_):
    """p99.9 in an open loop, held against 1.5 times the floor's and 0.2 ms."""
    result = {}
    for name, target in (("floor", "/"), ("frond", SINGLE)):
        port = round_.bench.get(name).port
        measured = run_program("bench_open_loop", port, target, 10_000, round_.seconds, 64)
        if measured["failed"] > 0:
            raise RuntimeError(f"{measured['failed']:.0f} of {measured['due']:.0f} requests failed at {name}")
        result[name] = measured["p999_us"] / 1000
    allowed = 1.5 * result["floor"] + 0.2
    return result["frond"] / allowed, {"floor ms": result["floor"], "frond ms": result["frond"], "allowed ms": allowed}


def issued(server):
    """Snowflake IDs issued so far, by the server's own counter."""
    text = fetch(server.management_port, "/metrics")[1].decode()
    return float(re.search(r'^frond_ids_issued_total\{mode="snowflake"\} ([\d.e+]+)$', text, re.MULTILINE).group(1))


def snowflake_rate(round_):
    """IDs a second by the server's own counter, while wrk runs, from when the lead has been used up."""
    server = round_.bench.get("frond")
    load = Wrk(server, SNOWFLAKE + "?count=1000", 60, round_.bench.folder)

    def rate_over(seconds):
        begin, before = time.monotonic(), issued(server)
        time.sleep(seconds)
        after, end = issued(server), time.monotonic()
        return (after - before) / (end - begin)

    used_up_by = time.monotonic() + 20
    while rate_over(0.5) > 1.01 * LAYOUT_RATE and time.monotonic() < used_up_by:
        pass
    rate = rate_over(round_.seconds)
    load.stop()
    return rate / LAYOUT_RATE, {"M IDs/s": rate / 1e6}


def generator(round_):
    rate = run_program("bench_rates", "generator", 10 if round_.seconds >= 3 else 2)["per_second"]
    return rate / LAYOUT_RATE, {"M IDs/s": rate / 1e6}


def wide_layout(round_):
    clock = run_program("bench_rates", "clock", round_.seconds)["per_second"]
    wide = run_program("bench_rates", "wide", round_.seconds)["per_second"]
    return wide / clock, {"M clock reads/s": clock / 1e6, "M IDs/s": wide / 1e6}


class Memory:
    """A server of its own with two threads; its memory after a million requests, and with 10,000 idle connections."""

    def __init__(self):
        self.result = None

    def measure(self, bench):
        if self.result is None:
            bench.stop("frond")  # one server at a time holds the state folder
            self.result = self._measure(bench)
        return self.result

    @staticmethod
    def _measure(bench):
        from machine import Server

        port, management = free_port(), free_port()
        server = Server(bench.frond_command(port, management, threads=2), port, core=None,
                        environment=bench.environment(), cwd=bench.folder)
        try:
            wait_for_200(port, SINGLE)
            requests = 0
            while requests < 1_000_000:
                requests += Wrk(server, SINGLE, 5, bench.folder).finish()
            time.sleep(1)
            busy = server.resident_bytes()
            connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(10_000)]
            for connection in connections:
                connection.sendall(f"GET {SINGLE} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
                if b" 200 " not in connection.recv(4096):
                    raise RuntimeError("an idle connection got no 200")
            time.sleep(1)
            idle = server.resident_bytes()
            for connection in connections:
                connection.close()
            return busy, (idle - busy) / len(connections)
        finally:
            server.stop()


MEMORY = Memory()


def memory(round_):
    busy, _ = MEMORY.measure(round_.bench)
    return busy / 2**20, {"MiB": busy / 2**20}


def idle_memory(round_):
    _, each = MEMORY.measure(round_.bench)
    return each / 1024, {"bytes": each}


def start_up(round_):
    """From exec to the first 200 of /readyz, over an existing database on tmpfs."""
    bench = round_.bench
    bench.stop("frond")
    port, management = free_port(), free_port()
    command = pinned(SERVER_CORE, bench.frond_command(port, management))
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=bench.folder, env=bench.environment(), stdout=subprocess.DEVNULL)
    try:
        wait_for_200(management, "/readyz")
        took = (time.monotonic() - begin) * MS
    finally:
        process.terminate()
        process.wait(15)
    return took, {"ms": took}


KINDS = [
    Kind("cpu", "server CPU per single-ID request against the floor", Limit(at_most=1.25), "x", cpu_single),
    Kind("cpu-16", "the same, 16 requests in one write", Limit(at_most=1.6), "x", cpu_pipelined),
    Kind("nginx", "server CPU per single-ID request against nginx `return 200`", Limit(at_most=1.1), "x", cpu_nginx),
    Kind("snowflake", "Snowflake single-ID request against segment", Limit(at_most=1.05), "x", cpu_snowflake),
    Kind("batch", "server CPU per ID at count=1000 against a single request", Limit(at_most=1 / 200), "x", cpu_batch),
    Kind("latency", "p99.9 at 10,000 requests/s, open loop, against 1.5 x floor + 0.2 ms", Limit(at_most=1), "x", latency),
    Kind("http-ids", "Snowflake IDs/s over HTTP, count=1000, against the layout's 4,096,000", Limit(at_least=0.95), "x",
         snowflake_rate, rounds=3),
    Kind("generator", "generator, one thread, lead used up, against the layout's 4,096,000",
         Limit(at_least=0.99, at_most=1.01), "x", generator, rounds=1),
    Kind("wide", "generator with layout 41/0/22 against bare clock reads", Limit(at_least=0.6), "x", wide_layout),
    Kind("start", "exec to the first 200 of /readyz, existing database", Limit(at_most=100), "ms", start_up),
    Kind("memory", "resident after 1 M requests, 64 connections, 2 threads", Limit(at_most=25), "MiB", memory, rounds=1),
    Kind("idle", "what an idle connection adds, of 10,000", Limit(at_most=2), "KiB", idle_memory, rounds=1),
]
