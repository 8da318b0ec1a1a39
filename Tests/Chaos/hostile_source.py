"""A source that is as bad as can be: what a user of it is called decides how it answers."""

import gzip
import http.server
import json
import threading
import time
import urllib.parse
from collections import Counter

BAD = ("drip", "bomb", "flood", "wide", "numbers", "loop", "endless", "ignore", "lie", "now")


def items(first, count):
    return [{"id": f"r{n}", "seq": n, "raw": {"n": n}} for n in range(first, first + count)]


def page(**more):
    return json.dumps({"items": items(1, 5), **more}).encode()


BODIES = {
    "bomb": (gzip.compress(b'{"items":[' + b"[]," * 15_000_000 + b"[]]}", 9), 200, [("Content-Encoding", "gzip")]),
    "flood": [b'{"items":[' + b"[]," * 5_000_000 + b"[]]}"],
    "wide": [json.dumps({"items": [{"id": f"w{n}", "seq": n, "raw": "x" * 900} for n in range(14_000)]}).encode()],
    "numbers": [b'{"items":[{"id":"a","seq":1,"raw":[' + b"1e131071," * 100_000 + b"1]}]}"],
    "loop": [page(next="again")],
    "ignore": [page(total=10**9)],
}
LIES = [{}, True, "a\x00b", "c" * 400_000, ["x"]]
WAITS = ["0", "-5", "Thu, 01 Jan 1970 00:00:00 GMT"]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def send(self, body, status=200, headers=()):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def drip(self):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        while True:
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.2)

    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        who = address.path.split("/")[1]
        cursor = urllib.parse.parse_qs(address.query).get("cursor", [""])[0]
        with self.server.lock:
            self.server.counts[who] += 1
            number = self.server.counts[who]
        try:
            if who == "drip":
                self.drip()
            else:
                self.send(*answer(who, number, cursor))
        except OSError:
            self.close_connection = True


def answer(who, number, cursor):
    """Body, status and headers of a user's request of this number."""
    if who in BODIES:
        return BODIES[who]
    if who == "endless":
        return [page(next=f"n{number}")]
    if who == "lie":
        return [page(next=LIES[number % len(LIES)])]
    if who == "now":
        return b"{}", 429, [("Retry-After", WAITS[number % len(WAITS)])]
    first = int(cursor or 0)
    more = {"next": str(first + 5)} if first < 20 else {}
    return json.dumps({"items": items(first, 5), **more}).encode(), 200, [("ETag", '"e"')]


class Server(http.server.ThreadingHTTPServer):
    """Counts what each user was asked for."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.counts, self.lock = Counter(), threading.Lock()

    def handle_error(self, request, client_address):
        """Clients give up: that is what it is for."""


def start():
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
