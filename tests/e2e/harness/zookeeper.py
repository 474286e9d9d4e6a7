"""Real ZooKeeper servers on the loopback address: one alone, or an ensemble."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess

from kazoo.client import KazooClient

from .ports import give_back, take_port
from .waiting import wait_for
from .zookeeper_wire import close_session, four_letters, sessions_in

JARS = ["/usr/share/java/zookeeper.jar", "/usr/share/java/slf4j-simple.jar"]


class Node:
    """One server process. The folder keeps its data from start to start; its ports stay the same."""

    def __init__(self, folder, number=1, clock=None):
        """`clock`: a FakeClock for this process alone."""
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        self.data.mkdir(parents=True)
        self.number = number
        self.clock = clock
        self.port, self.peer_port, self.election_port = take_port(), take_port(), take_port()
        self.process = None
        self.paused = False

    def __repr__(self):
        return f"ZooKeeper node {self.number} at port {self.port}"

    def configure(self, settings):
        """Writes the configuration file; `settings` as in zoo.cfg."""
        lines = {
            "dataDir": self.data,
            "clientPort": self.port,
            "clientPortAddress": "127.0.0.1",
            "maxClientCnxns": 0,
            "admin.enableServer": "false",
            "4lw.commands.whitelist": "*",
            **settings,
        }
        (self.folder / "zoo.cfg").write_text("".join(f"{key}={value}\n" for key, value in lines.items()))
        (self.data / "myid").write_text(f"{self.number}\n")

    def launch(self):
        """Starts the process and returns at once."""
        assert self.process is None, f"{self} runs already"
        command = [
            "java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
            f"-Djava.io.tmpdir={self.folder}", "-Dzookeeper.forceSync=no", "-Dzookeeper.preAllocSize=1024",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", ":".join(JARS),
            "org.apache.zookeeper.server.quorum.QuorumPeerMain", str(self.folder / "zoo.cfg"),
        ]
        environment = {name: value for name, value in os.environ.items() if name != "JAVA_TOOL_OPTIONS"}
        if self.clock:
            environment.update(self.clock.environment())
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log)
        return self

    def start(self):
        """Starts and waits until it serves; in an ensemble that takes a majority."""
        self.launch()
        return self.wait_serving()

    def wait_serving(self, seconds=60):
        wait_for(self.mode, seconds, f"{self} to serve")
        return self

    def mode(self):
        """"standalone", "leader" or "follower"; None while it does not serve."""
        if self.process is None or self.paused:
            return None
        assert self.process.poll() is None, f"{self} ended by itself:\n{self.log_text()[-4000:]}"
        found = re.search(r"^Mode: (\w+)", self.ask("srvr"), re.MULTILINE)
        return found.group(1) if found else None

    def ask(self, word):
        return four_letters(self.port, word)

    def log_text(self):
        return (self.folder / "log").read_text(errors="replace")

    def running(self):
        return self.process is not None

    def stop(self):
        self.resume()
        self.process.terminate()
        self.process.wait(30)
        self._ended()

    def kill(self):
        """kill -9. What was acknowledged is there after start()."""
        self.process.kill()
        self.process.wait()
        self._ended()

    def restart(self):
        self.stop()
        return self.start()

    def pause(self):
        """SIGSTOP: connections stay open and nothing answers. Returns once the process has stopped."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOWAIT)
        self.paused = True

    def resume(self):
        if self.paused:
            self.process.send_signal(signal.SIGCONT)
        self.paused = False

    def save(self):
        """Copies the data away; only while it is down."""
        self._copy(self.data, self.folder / "saved")

    def restore(self):
        """Puts back what save() copied, as from a backup; only while it is down."""
        self._copy(self.folder / "saved", self.data)

    def _copy(self, source, target):
        assert self.process is None, f"{self} runs"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)

    def end(self):
        """Whatever state it is in: nothing but the folder is left afterwards."""
        if self.running():
            self.kill()
        for port in (self.port, self.peer_port, self.election_port):
            give_back(port)

    def _ended(self):
        if self.clock:
            self.clock.clean_after(self.process.pid)
        self.process = None
        self.paused = False


class ZooKeeper:
    """What a standalone server and an ensemble have in common: all nodes at once, clients, sessions."""

    def __init__(self, nodes):
        self.nodes = nodes

    @property
    def connect_string(self):
        return ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    @property
    def ports(self):
        return [node.port for node in self.nodes]

    def start(self):
        """Starts the nodes that are down and waits until all serve."""
        for node in self.nodes:
            if not node.running():
                node.launch()
        return self.wait_serving()

    def wait_serving(self, seconds=60):
        """Until all nodes that run, and are not paused, serve."""
        for node in self.nodes:
            if node.running() and not node.paused:
                node.wait_serving(seconds)
        return self

    def stop(self):
        self._all("stop")

    def kill(self):
        self._all("kill")

    def restart(self):
        self.stop()
        return self.start()

    def pause(self):
        self._all("pause")

    def resume(self):
        """Lets those go on that are paused; wait_serving() tells when they serve."""
        self._all("resume")

    def save(self):
        """A backup of all nodes; the servers are restarted for it."""
        self.stop()
        for node in self.nodes:
            node.save()
        self.start()

    def restore(self):
        """Restarts the servers with what they had at the last save(): all writes since then are lost."""
        self.stop()
        for node in self.nodes:
            node.restore()
        self.start()

    def end(self):
        for node in self.nodes:
            node.end()

    def _all(self, what):
        for node in self.nodes:
            if node.running():
                getattr(node, what)()

    @contextlib.contextmanager
    def client(self, **options):
        """A connected Kazoo client; `options` are KazooClient's."""
        client = KazooClient(**{"hosts": self.connect_string, "timeout": 10, **options})
        try:
            client.start(timeout=30)
            yield client
        finally:
            client.stop()
            client.close()

    def serving(self):
        """The nodes that serve."""
        return [node for node in self.nodes if node.mode()]

    def sessions(self):
        """The numbers of all sessions that are alive; only while it serves."""
        return sessions_in(wait_for(self._session_dump, 30, "the list of sessions"))

    def _session_dump(self):
        """From the node that keeps the sessions; empty when it does not answer."""
        dumps = [node.ask("dump") for node in self.nodes if node.mode() in ("leader", "standalone")]
        return next((dump for dump in dumps if "Sessions with Ephemerals" in dump), "")

    def expire_session(self, session):
        """Ends a session, by its number (the `ephemeralOwner` of its nodes), from outside: its nodes are gone when this
        returns, and its client is told that it expired as soon as it has found its connection closed."""
        assert session in self.sessions(), f"there is no session {session:#x}"

        def gone():
            # Another node than its client's, where there is one: that client cannot take it back so quickly.
            nodes = sorted(self.serving(), key=lambda node: session in sessions_in(node.ask("cons")))
            close_session(nodes[0].port, session)
            return session not in self.sessions()

        wait_for(gone, 30, f"the end of session {session:#x}")


class Standalone(ZooKeeper):
    """One server. `settings` are further lines of zoo.cfg."""

    def __init__(self, folder, clock=None, tick_ms=200, **settings):
        node = Node(pathlib.Path(folder) / "node", clock=clock)
        node.configure({**_times(tick_ms), **settings})
        super().__init__([node])

    @property
    def node(self):
        return self.nodes[0]

    @property
    def port(self):
        return self.node.port


class Ensemble(ZooKeeper):
    """`size` servers that elect a leader. `clocks`: {number of a node, from 1: its FakeClock}."""

    def __init__(self, folder, size=3, clocks=None, tick_ms=200, **settings):
        numbers = range(1, size + 1)
        nodes = [Node(pathlib.Path(folder) / f"node{n}", n, (clocks or {}).get(n)) for n in numbers]
        peers = {f"server.{node.number}": f"127.0.0.1:{node.peer_port}:{node.election_port}" for node in nodes}
        # A follower may be silent for 3 s: a stopped leader is noticed after that, a busy machine is not taken for one.
        limits = {"initLimit": 10_000 // tick_ms, "syncLimit": 3_000 // tick_ms}
        for node in nodes:
            node.configure({**_times(tick_ms), **limits, **peers, **settings})
        super().__init__(nodes)

    def leader(self):
        """The node that leads, or None."""
        return next((node for node in self.nodes if node.mode() == "leader"), None)

    def followers(self):
        return [node for node in self.nodes if node.mode() == "follower"]

    def wait_leader(self, seconds=60):
        return wait_for(self.leader, seconds, "a leader")

    def kill_leader(self):
        """kill -9 of the leader; returns the node. wait_leader() tells the next one."""
        leader = self.wait_leader()
        leader.kill()
        return leader

    def pause_leader(self):
        """SIGSTOP of the leader; returns the node, whose resume() lets it go on."""
        leader = self.wait_leader()
        leader.pause()
        return leader


def _times(tick_ms):
    """Sessions from two ticks to an hour, if the settings do not say otherwise."""
    return {"tickTime": tick_ms, "minSessionTimeout": 2 * tick_ms, "maxSessionTimeout": 3_600_000}
