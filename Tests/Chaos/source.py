"""The fake source: its control, what it holds, and its log."""

import json
import urllib.request

import processes


class Source:
    """A process that listens at `hub`."""

    def __init__(self, log_path, *options):
        log = open(log_path, "w")
        self.process = processes.start("fake-source", "--listen", "127.0.0.1:0", *options, log=log)
        self.hub = processes.announced(log_path, "listening on ")

    def control(self, method, path, members=None):
        return control(self.hub, method, path, members)

    def post(self, path, /, **members):
        return self.control("POST", path, members)

    def fault(self, kind, /, **members):
        return self.post("faults", kind=kind, **members)

    def end_faults(self):
        self.control("DELETE", "faults")

    def cloud(self, path, container, /, **members):
        return self.post(f"cloudkit/{path}", container=container, **members)

    def cloud_records(self, container, user, zone):
        """Of one user's private database."""
        query = f"container={container}&database=private&user={user}&zone={zone}"
        return self.control("GET", f"cloudkit/records?{query}")["records"]

    def end(self):
        processes.end(self.process)


def control(hub, method, path, members=None):
    """JSON where the answer is an object, else its text."""
    body = None if members is None else json.dumps(members).encode()
    request = urllib.request.Request(f"{hub}/_control/{path}", data=body, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
    return json.loads(text) if text.startswith("{") else text

