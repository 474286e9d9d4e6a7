"""What a Leaf server does in ZooKeeper: its names, its JSON, and how it reads what it finds there."""

import json
import re
import time

from kazoo.exceptions import NoNodeError

MAX_INT = 2**31 - 1


class LeafError(AssertionError):
    """A Leaf server could not start with what it found."""


class LeafServer:
    """One Leaf server at ip:port, as far as ZooKeeper sees it. `client` is a connected Kazoo client."""

    def __init__(self, client, name, ip, port, root="/snowflake"):
        self.client, self.ip, self.port = client, ip, str(port)
        self.parent = f"{root}/{name}/forever"
        self.path = None
        self.worker_id = None

    @property
    def address(self):
        return f"{self.ip}:{self.port}"

    def start(self):
        """Takes a worker ID and returns it; 0 where there was no parent yet, whatever number it drew."""
        try:
            names = self.client.get_children(self.parent)
        except NoNodeError:
            self._create()
            self.worker_id = 0
            return self.worker_id
        numbers = parse_names(names)
        if self.address in numbers:
            self.worker_id = numbers[self.address]
            self._adopt(next(name for name in names if name.split("-")[0] == self.address))
        else:
            self._create()
            self.worker_id = int(self.path[-10:])
        return self.worker_id

    def heartbeat(self):
        """What it does every three seconds."""
        self.client.set(self.path, self.data())

    def data(self, timestamp=None):
        return leaf_data(self.ip, self.port, timestamp)

    def _create(self):
        self.path = self.client.create(f"{self.parent}/{self.address}-", self.data(), sequence=True, makepath=True)

    def _adopt(self, name):
        self.path = f"{self.parent}/{name}"
        if parse_data(self.client.get(self.path)[0])["timestamp"] > now_ms():
            raise LeafError(f"the clock is behind the timestamp of {name}")
        self.heartbeat()


def make_parent(client, name, addresses, root="/snowflake"):
    """A parent with a record for each (ip, port) in turn, as if Leaf servers had been started there one by one; returns
    these, to heartbeat or start again."""
    leaves = [LeafServer(client, name, ip, port, root) for ip, port in addresses]
    for leaf in leaves:
        leaf.start()
    return leaves


def leaf_data(ip, port, timestamp=None):
    """The data of a record; `timestamp` in ms, default now."""
    fields = {"ip": ip, "port": str(port), "timestamp": now_ms() if timestamp is None else timestamp}
    return json.dumps(fields, separators=(",", ":")).encode()


def parse_names(names):
    """{what stands before the first dash: the number behind it}. LeafError if a name cannot be read so."""
    return {name.split("-")[0]: _parse_int(name.split("-")[1:2], name) for name in names}


def parse_data(data):
    """The data of its own record, where it knows three fields and no more."""
    try:
        fields = json.loads(data)
    except ValueError as failure:
        raise LeafError(f"not JSON: {data!r}") from failure
    if not isinstance(fields, dict) or not set(fields) <= {"ip", "port", "timestamp"}:
        raise LeafError(f"not a record of Leaf: {data!r}")
    return fields


def _parse_int(parts, name):
    """Integer.parseInt, which is stricter than int()."""
    if not parts or not re.fullmatch(r"[+-]?\d+", parts[0]) or not -MAX_INT - 1 <= int(parts[0]) <= MAX_INT:
        raise LeafError(f"no number behind the first dash of {name!r}")
    return int(parts[0])


def now_ms():
    return time.time_ns() // 1_000_000
