"""HTTP as bytes on a socket: sends exactly what a test wants and puts nothing right."""

import dataclasses
import json
import socket

from .waiting import PATIENCE


@dataclasses.dataclass
class Reply:
    """One HTTP reply. Header names are in lower case; `headers` keeps the order and repetitions."""

    status: int
    headers: list
    body: bytes
    version: str = "HTTP/1.1"

    def header(self, name):
        values = [value for key, value in self.headers if key == name.lower()]
        assert len(values) <= 1, f"header {name} is sent {len(values)} times"
        return values[0] if values else None

    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)

    def number(self):
        """The ID of a single get: digits and nothing else."""
        assert self.status == 200, self
        assert self.body.isdigit(), self.body
        return int(self.body)

    def numbers(self):
        """The IDs of a batch as text."""
        assert self.status == 200, self
        return [int(line) for line in self.body.split()]

    def code(self):
        """The code of an error, after a look at the rest of the problem document."""
        assert self.header("content-type") == "application/problem+json", self
        problem = self.json()
        assert problem["status"] == self.status
        for member in ("type", "title", "detail"):
            assert isinstance(problem[member], str), problem
        # A request that could not be read has no target to name.
        assert isinstance(problem.get("instance", ""), str), problem
        return problem["code"]


class Wire:
    """One connection. All waits end after `timeout` seconds with TimeoutError."""

    def __init__(self, port, host="127.0.0.1", timeout=15, receive_buffer=None):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout * PATIENCE)
        self.socket.connect((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data.encode() if isinstance(data, str) else data)

    def request(self, target, method="GET", headers="", body=b""):
        """Sends a request. `headers` are complete lines; the length of a body is added."""
        body = body.encode() if isinstance(body, str) else body
        if body:
            headers += f"Content-Length: {len(body)}\r\n"
        self.send(f"{method} {target} HTTP/1.1\r\nHost: test\r\n{headers}\r\n".encode("utf-8", "surrogateescape") + body)

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def _more(self):
        data = self.socket.recv(65536)
        self.buffer += data
        return bool(data)

    def _until(self, mark):
        while mark not in self.buffer:
            assert self._more(), f"closed in the middle of a reply: {self.buffer!r}"
        head, self.buffer = self.buffer.split(mark, 1)
        return head

    def _exactly(self, count):
        while len(self.buffer) < count:
            assert self._more(), f"closed in the middle of a body: {self.buffer!r}"
        body, self.buffer = self.buffer[:count], self.buffer[count:]
        return body

    def reply(self, head=False):
        """Reads one reply; `head` when it answers a HEAD request and so has no body."""
        lines = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        version, status, *_ = lines[0].split(" ")
        headers = []
        for line in lines[1:]:
            name, value = line.split(":", 1)
            headers.append((name.lower(), value.strip()))
        reply = Reply(int(status), headers, b"", version)
        length = reply.header("content-length")
        assert length is not None or reply.status in (100, 204, 304), lines
        if not head and length:
            reply.body = self._exactly(int(length))
        return reply

    def exchange(self, target, method="GET", headers="", body=b""):
        self.request(target, method, headers, body)
        return self.reply(head=method == "HEAD")

    def rest(self):
        """All bytes up to the end of the connection; a reset counts as the end."""
        try:
            while self._more():
                pass
        except (ConnectionResetError, BrokenPipeError):
            pass
        data, self.buffer = self.buffer, b""
        return data

    def assert_closed(self):
        """The server ends the connection without sending any more."""
        assert self.rest() == b""


def fetch(port, target, method="GET", headers="", body=b"", **options):
    """One request on a connection of its own."""
    with Wire(port, **options) as wire:
        return wire.exchange(target, method, headers, body)
