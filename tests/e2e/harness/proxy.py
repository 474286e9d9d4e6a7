"""A TCP relay between the server and its database or registry that fails at a chosen moment and in a chosen way."""

import socket
import threading


class Relay:
    """Listens on a free port of the loopback address and relays to `target` (a port there). `cut_after` is a piece of
    what a client sends: once it has been passed on, that connection is cut before the answer comes back. `stall_before`
    is one too: the relay stalls before it passes that on, once, and counts it in `stalls`.

    cut(), stall() and lose_replies() last until the next of them or heal(). Thread-safe."""

    def __init__(self, target):
        self.target = target
        self.cut_after = None
        self.cuts = 0
        self.stall_before = None
        self.stalls = 0
        self.lost_bytes = 0  # of replies, by lose_replies()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._sockets = set()
        self._broken = set()  # clients that missed a part of their replies
        self._state = "heals"
        self._changed = threading.Condition()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Ends all connections, and new ones at once."""
        self._set("cut")
        self.cut_all()

    def stall(self):
        """Passes nothing on, in neither direction, and makes no connection; after heal() what was held back arrives."""
        self._set("stalls")

    def lose_replies(self):
        """Requests arrive, and what is answered is thrown away; connections stay open."""
        self._set("loses")

    def heal(self):
        """Relays again. Connections that missed a part of their replies are ended: nobody could go on with them."""
        self._set("heals")
        with self._changed:
            broken = list(self._broken)
        for each in broken:
            self._end(each)

    def close(self):
        self._set("cut")
        self._end(self._listener)  # wakes the thread that waits for clients
        self._listener.close()
        self.cut_all()

    def cut_all(self):
        """Ends the connections that there are; new ones are relayed."""
        with self._changed:
            sockets = list(self._sockets)
        for each in sockets:
            self._end(each)

    def _set(self, state):
        with self._changed:
            self._state = state
            self._changed.notify_all()

    @staticmethod
    def _end(each):
        try:
            each.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client):
        self._wait_while_stalled()
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()
            return
        with self._changed:
            relayed = self._state != "cut"
            if relayed:
                self._sockets |= {client, server}
        if not relayed:
            client.close()
            server.close()
            return
        back = threading.Thread(target=self._pump, args=(server, client, False), daemon=True)
        back.start()
        self._pump(client, server, True)
        back.join()
        with self._changed:
            self._sockets -= {client, server}
            self._broken.discard(client)
        client.close()
        server.close()

    def _wait_while_stalled(self):
        with self._changed:
            self._changed.wait_for(lambda: self._state != "stalls")

    def _pump(self, source, target, from_client):
        try:
            while True:
                data = source.recv(65536)
                if not data:
                    break
                if from_client and self.stall_before is not None and self.stall_before in data:
                    self.stall_before = None
                    self.stall()
                    self.stalls += 1
                self._wait_while_stalled()
                if self._state == "cut":
                    break
                if not from_client and self._loses(target, data):
                    continue
                cut = from_client and self.cut_after is not None and self.cut_after in data
                if cut:
                    self._end_replies(source)
                target.sendall(data)
                if cut:
                    self.cuts += 1
                    break
        except OSError:
            pass
        self._end(source)
        self._end(target)

    def _loses(self, client, reply):
        """Whether this reply does not reach the client: also none that follows one that was lost."""
        with self._changed:
            if self._state != "loses" and client not in self._broken:
                return False
            self._broken.add(client)
            self.lost_bytes += len(reply)
            return True

    @staticmethod
    def _end_replies(client):
        try:
            client.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Relays:
    """A relay to each of several ports, all in the same state; [n] is the one to the nth port."""

    def __init__(self, targets):
        self._relays = [Relay(target) for target in targets]

    def __getitem__(self, index):
        return self._relays[index]

    @property
    def connect_string(self):
        return ",".join(f"127.0.0.1:{relay.port}" for relay in self._relays)

    def cut(self):
        self._each("cut")

    def stall(self):
        self._each("stall")

    def lose_replies(self):
        self._each("lose_replies")

    def heal(self):
        self._each("heal")

    def close(self):
        self._each("close")

    def _each(self, what):
        for relay in self._relays:
            getattr(relay, what)()
