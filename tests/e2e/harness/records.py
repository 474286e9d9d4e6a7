"""What stands in ZooKeeper under a name: the records of worker IDs, the name's own node, and who is present."""

import contextlib
import dataclasses
import json
import re

from kazoo.exceptions import NoNodeError
from kazoo.protocol.states import ZnodeStat


@dataclasses.dataclass(frozen=True)
class Entry:
    """A node as it was read. `stat` has version, mtime (ms, the server's clock), czxid, ephemeralOwner and so on."""

    path: str
    data: bytes
    stat: ZnodeStat

    @property
    def name(self):
        return self.path.rsplit("/", 1)[1]

    @property
    def fields(self):
        """The data as JSON."""
        return json.loads(self.data)

    @property
    def number(self):
        """The sequence number at the end of the name: the worker ID without the offset."""
        return int(re.search(r"-(\d{10})$", self.name).group(1))

    @property
    def is_frond(self):
        return self.name.startswith("frond:")

    @property
    def session(self):
        """The session that an ephemeral node belongs to."""
        assert self.stat.ephemeralOwner, f"{self.path} is not ephemeral"
        return self.stat.ephemeralOwner


class Records:
    """Looks at one name. Makes a connection for each look, or one for all inside a `with` block."""

    def __init__(self, zookeeper, name, root="/snowflake", **client_options):
        self.zookeeper = zookeeper
        self.base = f"{root}/{name}"
        self.forever, self.live_parent, self.frond = (f"{self.base}/{child}" for child in ("forever", "live", "frond"))
        self._client_options = client_options
        self._kept = None

    def __enter__(self):
        self._stack = contextlib.ExitStack()
        self._kept = self._stack.enter_context(self.zookeeper.client(**self._client_options))
        return self

    def __exit__(self, *_):
        self._kept = None
        self._stack.close()

    @contextlib.contextmanager
    def client(self):
        if self._kept:
            yield self._kept
        else:
            with self.zookeeper.client(**self._client_options) as client:
                yield client

    def all(self):
        """All records, Leaf's among them, by number; none when there is no parent."""
        return sorted(self._children(self.forever), key=lambda entry: entry.number)

    def frond_records(self):
        return [entry for entry in self.all() if entry.is_frond]

    def leaf_records(self):
        return [entry for entry in self.all() if not entry.is_frond]

    def names(self):
        """The names of the records as ZooKeeper gives them, read or not."""
        with self.client() as client:
            return client.get_children(self.forever)

    def of(self, number):
        """The record of that number; there must be one."""
        found = [entry for entry in self.all() if entry.number == number]
        assert len(found) == 1, f"{len(found)} records of number {number}"
        return found[0]

    def fence(self, number):
        """ms since the Unix epoch."""
        return int(self.of(number).fields["fence"])

    def name_node(self):
        """The node that is kept once for the name, or None."""
        return self._entry(self.frond)

    def parent(self):
        """The parent of the records, or None. Its cversion and numChildren tell how many were ever made."""
        return self._entry(self.forever)

    def live(self):
        """The signs of presence; `session` of one is what expire_session() takes."""
        return self._children(self.live_parent)

    def _entry(self, path):
        with self.client() as client:
            client.sync(self.base)
            return _read(client, path)

    def _children(self, parent):
        with self.client() as client:
            client.sync(self.base)
            try:
                names = client.get_children(parent)
            except NoNodeError:
                return []
            entries = [_read(client, f"{parent}/{name}") for name in names]
            return [entry for entry in entries if entry]


def _read(client, path):
    try:
        return Entry(path, *client.get(path))
    except NoNodeError:
        return None
