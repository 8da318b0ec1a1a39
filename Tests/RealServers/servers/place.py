"""Where a server runs: its folder, its ports, and how it is asked without jobrunner."""

import base64
import contextlib
import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

# A server that was never started compiles itself first, while eight others do.
READY_SECONDS_MAX = 120


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


class Place:
    """One server's. `headers` are sent with every request."""

    def __init__(self, name):
        self.name = name
        self.folder = Path(os.environ["REAL_SERVERS"]) / name
        self.port, self.other_port = (int(port) for port in (self.folder / "ports").read_text().split())
        self.url = f"http://127.0.0.1:{self.port}"
        self.programs = Path(sys.executable).parent
        self.headers = {}

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def send(self, method, path, body=None, form=None, headers=()):
        """The answer and its body; refusals raise, with the server's words."""
        data, sent = None, dict(self.headers)
        if form is not None:
            data = urllib.parse.urlencode(form).encode()
        elif isinstance(body, bytes):
            data = body
        elif body is not None:
            data, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        address = path if path.startswith("http") else self.url + path
        request = urllib.request.Request(address, data, sent | dict(headers), method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer, answer.read()
        except urllib.error.HTTPError as refusal:
            raise RuntimeError(f"{self.name}: {method} {path}: {refusal.code} {refusal.read()[:500]}") from refusal

    def call(self, method, path, body=None, form=None, headers=()):
        text = self.send(method, path, body, form, headers)[1]
        return json.loads(text) if text.strip() else None

    def get(self, path):
        return self.call("GET", path)

    def wait_until_ready(self, path):
        deadline = time.monotonic() + READY_SECONDS_MAX
        while time.monotonic() < deadline:
            try:
                self.send("GET", path)
                return
            except RuntimeError:  # It answers, if only that it wants to know who asks.
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"{self.name} does not answer")

    def query(self, store, statement):
        """What a server's own SQLite store holds, without the server."""
        with contextlib.closing(sqlite3.connect(f"file:{self.folder / store}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute(statement)]
