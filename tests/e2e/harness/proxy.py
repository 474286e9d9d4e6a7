"""A TCP relay between the server and its database that can cut connections at a chosen moment."""

import socket
import threading


class Relay:
    """Listens on a free port of the loopback address and relays to `target` (a port there). `cut_after` is a piece of
    what a client sends: once it has been passed on, that connection is cut before the answer comes back."""

    def __init__(self, target):
        self.target = target
        self.cut_after = None
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._sockets = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()
        self.cut_all()

    def cut_all(self):
        with self._lock:
            sockets = list(self._sockets)
        for each in sockets:
            self._end(each)

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
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            with self._lock:
                self._sockets |= {client, server}
            threading.Thread(target=self._pump, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self._pump, args=(server, client, False), daemon=True).start()

    def _pump(self, source, target, from_client):
        try:
            while True:
                data = source.recv(65536)
                if not data:
                    break
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
        with self._lock:
            self._sockets -= {source, target}

    @staticmethod
    def _end_replies(client):
        try:
            client.shutdown(socket.SHUT_WR)
        except OSError:
            pass
