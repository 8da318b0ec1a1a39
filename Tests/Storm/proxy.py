"""Stands between workers and the database, and loses replies: a connection ends when the server has answered."""

import random
import selectors
import socket
import threading


class Proxy:
    """Forwards bytes between clients and the server, in a thread of its own."""

    def __init__(self, host, port, seed):
        self.server = (host, port)
        self.draw = random.Random(f"proxy {seed}")
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.pairs, self.doomed = {}, set()
        self.lost = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.run, daemon=True).start()

    def lose_a_reply(self):
        """The next answer of some connection never arrives, and the connection ends."""
        with self.lock:
            servers = [end for end, (_, is_server) in self.pairs.items() if is_server]
            if servers:
                self.doomed.add(self.draw.choice(servers))

    def run(self):
        selector = selectors.DefaultSelector()
        selector.register(self.listener, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is self.listener:
                    self.accept(selector)
                elif key.fileobj in self.pairs:
                    self.forward(selector, key.fileobj)

    def accept(self, selector):
        client, _ = self.listener.accept()
        try:
            server = socket.create_connection(self.server)
        except OSError:
            return client.close()
        with self.lock:
            self.pairs[client], self.pairs[server] = (server, False), (client, True)
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(end, selectors.EVENT_READ)

    def forward(self, selector, end):
        other, _ = self.pairs[end]
        try:
            data = end.recv(65536)
        except OSError:
            data = b""
        if data and end in self.doomed:
            data, self.lost = b"", self.lost + 1
        try:
            if data:
                return other.sendall(data)
        except OSError:
            pass
        with self.lock:
            for gone in (end, other):
                selector.unregister(gone)
                self.pairs.pop(gone, None)
                self.doomed.discard(gone)
                gone.close()
