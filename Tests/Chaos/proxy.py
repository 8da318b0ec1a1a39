#!/usr/bin/env python3
"""A proxy that fails on purpose, between workers and PostgreSQL or between workers and a source.

    proxy.py postgres UPSTREAM_PORT [--commit N] [--claim N] [--other N] [--gap MS] [--seed N]
    proxy.py http UPSTREAM_PORT [--request N] [--gap MS] [--seed N]

It reads the protocol of PostgreSQL, so that it knows which statement passes, and meets each sort of statement so often
with one of these, in turn:

    before   both connections are cut before the statement is passed on
    inside   both are cut after some bytes of the statement
    reply    the statement is passed on, and both are cut instead of passing on the reply
    late     the client's is cut; what it sent reaches the server 0.7 s later
    slow     the statement is passed on 0.5 s later
    silent   both stay open, and nothing is passed on any more, in either direction

Prints one line, the port of the proxy and that of its control. A line sent to the control is answered with one:
status (what it did, as JSON; left counts what it has yet to do), heal (no more of it; what is silent stays silent).
It needs nothing but Python's own library.
"""
import argparse
import asyncio
import collections
import itertools
import json
import random
import re
import struct
import time

SSL_REQUEST, GSS_REQUEST, CANCEL_REQUEST = 80877103, 80877104, 80877102
VERB = re.compile(rb"jobrunner\.([a-z_]+)\s*\(")
# Of the verbs in one statement the one that tells what it is for.
TELLING = ("commit_page", "claim_of_tenants", "claim_new", "look_due", "finish_runs", "run_inputs", "hold_job")
KINDS = ("before", "inside", "reply", "late", "slow", "reply", "before", "silent")
HTTP_KINDS = ("before", "reply", "slow", "partial", "reply", "partial")


def label(sql):
    """What a statement is called here; None: nothing that is met with a fault."""
    sql = sql.strip().lower()
    if sql in (b"commit", b"begin", b"rollback"):
        return sql.decode()
    verbs = [verb.decode() for verb in VERB.findall(sql)]
    for verb in TELLING:
        if verb in verbs:
            return "claim" if verb.startswith("claim_") else verb
    if verbs:
        return verbs[0]
    words = re.findall(rb"[a-z_]+", sql)
    return b" ".join(words[:1]).decode() or None


class Chooser:
    """Which statement is met with what: a number of faults for each label, with a pause between any two."""

    def __init__(self, numbers, default, kinds, gap, seed):
        self.left = dict(numbers)
        self.default = default
        self.gap = gap
        self.kinds = {}
        self.order = kinds
        self.done = collections.Counter()
        self.seen = collections.Counter()
        self.next_at = 0.0
        self.is_healed = False
        self.random = random.Random(seed)

    def choose(self, name):
        self.seen[name] += 1
        if self.is_healed or self.left.setdefault(name, self.default) <= 0:
            return None
        now = time.monotonic()
        if now < self.next_at or self.random.random() < 0.5:
            return None
        self.next_at = now + self.gap
        self.left[name] -= 1
        if name not in self.kinds:
            start = self.random.randrange(len(self.order))
            self.kinds[name] = itertools.cycle(self.order[start:] + self.order[:start])
        kind = next(self.kinds[name])
        self.done[(name, kind)] += 1
        return kind

    def status(self):
        done = collections.defaultdict(dict)
        for (name, kind), count in sorted(self.done.items()):
            done[name][kind] = count
        return {"done": done, "seen": self.seen, "left": {k: v for k, v in self.left.items() if v > 0}}


class Messages:
    """Cuts what a client of PostgreSQL sends into messages, each with the label of its statement."""

    def __init__(self):
        self.buffer = b""
        self.is_started = False
        self.names = {}

    def take(self, data):
        self.buffer += data
        messages = []
        while True:
            message = self.next()
            if message is None:
                return messages
            messages.append(message)

    def next(self):
        head = 1 if self.is_started else 0
        if len(self.buffer) < head + 4:
            return None
        length = struct.unpack_from("!i", self.buffer, head)[0] + head
        if len(self.buffer) < length:
            return None
        raw, self.buffer = self.buffer[:length], self.buffer[length:]
        if self.is_started:
            return raw, self.name_of(raw)
        if length >= 8 and struct.unpack_from("!i", raw, 4)[0] not in (SSL_REQUEST, GSS_REQUEST, CANCEL_REQUEST):
            self.is_started = True
            return raw, "connect"
        return raw, None

    def name_of(self, raw):
        kind, body = raw[:1], raw[5:]
        if kind == b"Q":
            return label(body.rstrip(b"\0"))
        if kind == b"P":
            name, sql, _ = body.split(b"\0", 2)
            self.names[name] = label(sql)
        elif kind == b"B":
            _, name, _ = body.split(b"\0", 2)
            return self.names.get(name)
        return None


class Requests:
    """Calls each request to a source by one name."""

    def take(self, data):
        starts = re.match(rb"(GET|POST|PUT|DELETE|PATCH) ", data)
        return [(data, "request" if starts else None)]


class Relay:
    """One client's connection and its own to the server."""

    def __init__(self, proxy, client_reader, client):
        self.proxy = proxy
        self.client_reader, self.client = client_reader, client
        self.messages = proxy.make_messages()
        self.is_silent = False
        self.eats_reply = False
        self.reply_left = None

    async def run(self):
        try:
            self.server_reader, self.server = await asyncio.open_connection("127.0.0.1", self.proxy.upstream)
        except OSError:
            self.client.transport.abort()
            return
        back = asyncio.create_task(self.pass_back())
        try:
            await self.pass_on()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.cut()
            back.cancel()

    def cut(self):
        self.client.transport.abort()
        self.server.transport.abort()

    async def pass_on(self):
        while data := await self.client_reader.read(1 << 16):
            if self.is_silent:
                continue
            messages = self.messages.take(data)
            for place, (_, name) in enumerate(messages):
                kind = self.proxy.chooser.choose(name) if name else None
                if kind is None:
                    continue
                first = b"".join(raw for raw, _ in messages[:place])
                rest = b"".join(raw for raw, _ in messages[place:])
                if not await self.fail(kind, first, rest):
                    return
                break
            else:
                self.server.write(b"".join(raw for raw, _ in messages))
                await self.server.drain()

    async def fail(self, kind, first, rest):
        """False: the connection is done with."""
        chance = self.proxy.chooser.random
        if kind == "slow":
            self.server.write(first)
            await asyncio.sleep(0.5)
            self.server.write(rest)
        elif kind == "reply":
            self.eats_reply = True
            self.server.write(first + rest)
        elif kind == "partial":
            self.reply_left = chance.randrange(1, 400)
            self.server.write(first + rest)
        elif kind == "silent":
            self.server.write(first + (rest if chance.random() < 0.5 else b""))
            self.is_silent = True
        elif kind == "late":
            self.client.transport.abort()
            await asyncio.sleep(0.7)
            self.server.write(first + rest)
            await self.server.drain()
            await asyncio.sleep(2)
            return False
        else:
            part = rest[: chance.randrange(1, len(rest))] if kind == "inside" else b""
            self.server.write(first + part)
            await self.server.drain()
            # Not an abort: what was sent has to arrive.
            self.server.close()
            return False
        await self.server.drain()
        return True

    async def pass_back(self):
        try:
            while data := await self.server_reader.read(1 << 16):
                if self.is_silent:
                    continue
                if self.eats_reply:
                    break
                if self.reply_left is not None:
                    data = data[: self.reply_left]
                    self.reply_left -= len(data)
                self.client.write(data)
                await self.client.drain()
                if self.reply_left == 0:
                    break
        except OSError:
            pass
        if not self.is_silent:
            self.client.close()


class Proxy:
    def __init__(self, upstream, make_messages, chooser):
        self.upstream, self.make_messages, self.chooser = upstream, make_messages, chooser

    async def serve(self, reader, writer):
        await Relay(self, reader, writer).run()

    async def control(self, reader, writer):
        while line := await reader.readline():
            word = line.decode().strip()
            if word == "heal":
                self.chooser.is_healed = True
            writer.write((json.dumps(self.chooser.status()) + "\n").encode())
            await writer.drain()


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("postgres", "http"))
    parser.add_argument("upstream", type=int)
    for name, number in (("commit", 0), ("claim", 0), ("other", 0), ("request", 0), ("gap", 25), ("seed", 1)):
        parser.add_argument("--" + name, type=int, default=number)
    given = parser.parse_args()
    if given.kind == "postgres":
        # A page's statements are one turn: what meets one of them meets its commit.
        numbers = {"commit": given.commit, "claim": given.claim, "begin": 0, "rollback": 0}
        chooser = Chooser(numbers, given.other, KINDS, given.gap / 1000, given.seed)
        proxy = Proxy(given.upstream, Messages, chooser)
    else:
        chooser = Chooser({"request": given.request}, 0, HTTP_KINDS, given.gap / 1000, given.seed)
        proxy = Proxy(given.upstream, Requests, chooser)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0, backlog=256)
    control = await asyncio.start_server(proxy.control, "127.0.0.1", 0)
    print(*(s.sockets[0].getsockname()[1] for s in (server, control)), flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
