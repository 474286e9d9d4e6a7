"""Servers that lease their worker IDs, several at a time: starting them together, and what clients get of them."""

import itertools
import time

from .ids import expand, worker_of
from .load import Load, in_parallel
from .waiting import wait_for

ONE_ID = "/api/snowflake/get/x"
# Replies of Snowflake mode while it has no worker ID to issue with.
NO_WORKER_ID = {"WORKER_UNAVAILABLE", "LEASE_LOST"}


def start_together(servers):
    """Starts all at the same moment; returns them, once all issue."""
    in_parallel([lambda server=server: server.start(ready=False) for server in servers])
    for server in servers:
        wait_issuing(server)
    return servers


def issues(server):
    return server.fetch(ONE_ID).status == 200


def wait_issuing(server, seconds=60):
    wait_for(lambda: issues(server), seconds, f"IDs of {server.folder.name}")


def worker_id(server):
    return worker_of(server.snowflake())


def worker_ids(servers):
    return [worker_id(server) for server in servers]


def lease_metric(server, name):
    """One of the metrics frond_worker_…"""
    return server.metrics()[f"frond_worker_{name}"]


def wait_heartbeat(server, seconds=60):
    """Until the registry has confirmed a write that was not confirmed when this was called."""
    before = lease_metric(server, "heartbeats_total")
    wait_for(lambda: lease_metric(server, "heartbeats_total") > before, seconds,
             f"a heartbeat of {server.folder.name}")


def snowflake_ready(server):
    return server.manage("/readyz/snowflake").status == 200


def snowflake_state(server):
    """What /readyz says of Snowflake mode."""
    return server.manage("/readyz/snowflake?verbose").text()


def ids_of(reply):
    """The IDs of a reply, whichever form it has."""
    return [reply.number()] if reply.body.isdigit() else expand(reply)


class Streams:
    """One client of each server that asks on and on; a context manager that stops them."""

    def __init__(self, servers, target=ONE_ID, pause=0.01, timeout=60):
        self._loads = {server: Load(server, target, pause, timeout) for server in servers}
        # Samples carry the steady clock, IDs and fences the wall clock.
        self._wall_ahead = time.time() - time.monotonic()

    def __enter__(self):
        for load in self._loads.values():
            load.__enter__()
        return self

    def __exit__(self, *_):
        for load in self._loads.values():
            load.stop()

    def stop(self, server):
        """Ends the client of this server; what it got stays."""
        self._loads[server].stop()

    def samples(self, server):
        return list(self._loads[server].samples)

    def failures(self, server=None):
        """All replies but those with IDs; of one server, or of all."""
        servers = [server] if server else self._loads
        return [sample.reply for each in servers for sample in self.samples(each) if sample.status != 200]

    def phases(self, server):
        """The samples in order, as [(status, [sample, …]), …]."""
        return [(status, list(group))
                for status, group in itertools.groupby(self.samples(server), lambda sample: sample.status)]

    def received_ms(self, sample):
        """When the reply had arrived, in ms since the Unix epoch."""
        return (sample.at + sample.took + self._wall_ahead) * 1000

    def ids(self):
        """All IDs of all servers."""
        return [number for server in self._loads for number in self.ids_of(server)]

    def ids_of(self, server):
        return [number for sample in self.samples(server) if sample.status == 200 for number in ids_of(sample.reply)]

    def wait_more(self, server, seconds=30, count=10):
        """Until so many replies with IDs came since this was called."""
        before = len(self.ids_of(server))
        wait_for(lambda: len(self.ids_of(server)) >= before + count, seconds, f"IDs of {server.folder.name}")
