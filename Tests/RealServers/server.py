"""What the test does at the servers' side.

server.py prepare      a folder, ports and secrets for each; prints the names
server.py serve NAME   becomes the server
server.py fill NAME    waits for it, and fills it
server.py change NAME  edits, adds and deletes
server.py compare      what every server says, against PostgreSQL's rows: a line each

`REAL_SERVERS` is the folder of all.
"""

import importlib
import os
import random
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import comparison
from servers import NAMES
from servers.place import Place

# Below those that the kernel gives to whoever connects, so that none is taken before its server listens.
PORTS = range(12000, 20000)


def module(name):
    return importlib.import_module(f"servers.{name}")


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def prepare():
    ports = (port for port in random.sample(PORTS, len(PORTS)) if is_free(port))
    for name in NAMES:
        folder = Path(os.environ["REAL_SERVERS"]) / name
        folder.mkdir()
        (folder / "ports").write_text(f"{next(ports)} {next(ports)}")
        (folder / "job").write_text(module(name).JOB)
        (folder / "secrets").mkdir()
        for secret, value in module(name).SECRETS.items():
            # What others may read is refused as a secret.
            (folder / "secrets" / secret).touch(0o600)
            (folder / "secrets" / secret).write_text(value)
    print(*NAMES)


def serve(name):
    place = Place(name)
    words, environment = module(name).serve(place)
    os.chdir(place.folder)
    os.execvpe(words[0], [str(word) for word in words], os.environ | environment)


def fill(name):
    place = Place(name)
    place.wait_until_ready(module(name).READY)
    module(name).fill(place)


def change(name):
    module(name).change(Place(name))


def compare():
    with ThreadPoolExecutor() as pool:
        said = pool.map(lambda name: module(name).says(Place(name)), NAMES)
    for name, tables in zip(NAMES, said):
        comparison.tell(Place(name), tables)


if __name__ == "__main__":
    verbs = {verb.__name__: verb for verb in (prepare, serve, fill, change, compare)}
    verbs[sys.argv[1]](*sys.argv[2:])
