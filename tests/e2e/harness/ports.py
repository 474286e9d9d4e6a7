"""Ports for servers that are stopped and started again on the same port, or that must know it before they start."""

import random
import socket

# Below what Linux gives to clients, so that no connection takes a port while its server is down.
FIRST, LAST = 10_000, 32_000

_marks = {}


def take_port():
    """A free port of 127.0.0.1 that no other test takes, in whichever process it runs, until give_back()."""
    for port in random.SystemRandom().sample(range(FIRST, LAST), 1000):
        mark = _mark(port)
        if mark is None:
            continue
        if _is_free(port):
            _marks[port] = mark
            return port
        mark.close()
    raise AssertionError("no free port")


def give_back(port):
    mark = _marks.pop(port, None)
    if mark is not None:
        mark.close()


def _mark(port):
    """A socket whose name says that the port is taken; the name goes with the process that holds it."""
    mark = socket.socket(socket.AF_UNIX)
    try:
        mark.bind(f"\0frond-test-port-{port}")
        return mark
    except OSError:
        mark.close()
        return None


def _is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False
