"""A proxy that fails on purpose, between workers and PostgreSQL or between workers and a source; it runs in a thread.

What it leads to may change: a port, or `SILENT` for connections that are taken and never answered. It reads the
protocol of PostgreSQL, so that it knows which statement passes, and meets each sort of statement so often with one of
these, in turn:

    before   both connections are cut before the statement is passed on
    inside   both are cut after some bytes of the statement
    reply    the statement is passed on, and both are cut instead of passing on the reply
    late     the client's is cut; what it sent reaches the server 0.7 s later
    slow     the statement is passed on 0.5 s later
    silent   both stay open, and nothing is passed on any more, in either direction
    partial  both are cut after some bytes of the reply
"""

import asyncio
import collections
import itertools
import random
import re
import struct
import threading
import time

SILENT = None
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


class Messages:
    """Cuts what a client of PostgreSQL sends into messages, each with the label of its statement."""

    def __init__(self):
        self.buffer = b""
        self.is_started = False
        self.names = {}

    def take(self, data):
        self.buffer += data
        messages = []
        while (message := self.next()) is not None:
            messages.append(message)
        return messages

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


class Chooser:
    """Which statement is met with what: a number of faults for each label, with a pause between any two."""

    def __init__(self, draw, kinds=(), others=0, gap_s=0.025, **numbers):
        self.random, self.order, self.default, self.gap_s = draw, kinds, others, gap_s
        self.left, self.kinds, self.done = dict(numbers), {}, collections.defaultdict(collections.Counter)
        self.next_at = 0.0
        self.is_healed = False

    def choose(self, name):
        if self.is_healed or self.left.setdefault(name, self.default) <= 0:
            return None
        now = time.monotonic()
        if now < self.next_at or self.random.random() < 0.5:
            return None
        self.next_at = now + self.gap_s
        self.left[name] -= 1
        if name not in self.kinds:
            start = self.random.randrange(len(self.order))
            self.kinds[name] = itertools.cycle(self.order[start:] + self.order[:start])
        kind = next(self.kinds[name])
        self.done[name][kind] += 1
        return kind

    def told(self):
        """A line for each sort of statement that was met."""
        for name, kinds in sorted(self.done.items()):
            yield f"{kinds.total():4} at {name}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


class Relay:
    """One client's connection and its own to the server."""

    def __init__(self, proxy, client_reader, client):
        self.proxy = proxy
        self.client_reader, self.client, self.server = client_reader, client, None
        self.messages = proxy.make_messages()
        self.is_silent = False
        # So many bytes of the next reply still arrive; None: all of them.
        self.reply_left = None

    async def run(self):
        if self.proxy.target is SILENT:
            while await self.client_reader.read(1 << 16):
                pass
            return
        self.server_reader, self.server = await asyncio.open_connection("127.0.0.1", self.proxy.target)
        back = asyncio.create_task(self.pass_back())
        try:
            await self.pass_on()
        finally:
            back.cancel()

    def cut(self):
        self.client.transport.abort()
        if self.server:
            self.server.transport.abort()

    async def pass_on(self):
        while data := await self.client_reader.read(1 << 16):
            if self.is_silent:
                continue
            messages = self.messages.take(data)
            chosen = ((place, kind) for place, (_, name) in enumerate(messages)
                      if name and (kind := self.proxy.chooser.choose(name)))
            place, kind = next(chosen, (len(messages), None))
            first, rest = (b"".join(raw for raw, _ in part) for part in (messages[:place], messages[place:]))
            if not await self.send(kind, first, rest):
                return

    async def send(self, kind, first, rest):
        """Passes on what was sent, the rest of it with a fault. False: the connection is done with."""
        chance = self.proxy.chooser.random
        if kind == "late":
            self.client.transport.abort()
            await asyncio.sleep(0.7)
        elif kind == "slow":
            self.server.write(first)
            first = b""
            await asyncio.sleep(0.5)
        elif kind == "inside":
            rest = rest[: chance.randrange(1, len(rest))]
        elif kind == "before" or kind == "silent" and chance.random() < 0.5:
            rest = b""
        elif kind in ("reply", "partial"):
            self.reply_left = 0 if kind == "reply" else chance.randrange(1, 400)
        self.server.write(first + rest)
        self.is_silent = self.is_silent or kind == "silent"
        await self.server.drain()
        if kind == "late":
            await asyncio.sleep(2)
        elif kind in ("before", "inside"):
            # Not an abort: what was sent has to arrive.
            self.server.close()
        return kind not in ("late", "before", "inside")

    async def pass_back(self):
        try:
            while data := await self.server_reader.read(1 << 16):
                if self.is_silent:
                    continue
                if self.reply_left is not None:
                    data = data[: self.reply_left]
                    self.reply_left -= len(data)
                self.client.write(data)
                await self.client.drain()
                if self.reply_left == 0:
                    self.proxy.replies_lost += 1
                    break
        except OSError:
            pass
        if not self.is_silent:
            self.client.close()


class Proxy:
    """Listens at `port`. Without a chooser it only relays, and changes what it leads to."""

    def __init__(self, target, chooser=None, make_messages=Messages):
        self.target, self.make_messages = target, make_messages
        self.chooser = chooser or Chooser(random.Random(0))
        self.relays, self.made, self.replies_lost = set(), 0, 0
        self.loop = asyncio.new_event_loop()
        has_begun = threading.Event()
        threading.Thread(target=self.serve, args=(has_begun,), daemon=True).start()
        has_begun.wait()

    def serve(self, has_begun):
        async def listen():
            server = await asyncio.start_server(self.take, "127.0.0.1", 0, backlog=256)
            self.port = server.sockets[0].getsockname()[1]
            has_begun.set()
            await asyncio.Event().wait()

        self.loop.run_until_complete(listen())

    async def take(self, reader, writer):
        relay = Relay(self, reader, writer)
        self.made += 1
        self.relays.add(relay)
        try:
            await relay.run()
        except OSError:
            pass
        finally:
            self.relays.discard(relay)
            relay.cut()

    def lead_to(self, target, cut=False):
        """New connections lead there; `cut`: those there are end, as when a machine is lost or a balancer moves on."""
        def change():
            self.target = target
            for relay in list(self.relays) if cut else []:
                relay.cut()

        self.loop.call_soon_threadsafe(change)

    def lose_a_reply(self, draw):
        """The next answer of some connection never arrives, and the connection ends."""
        def doom():
            if relays := [relay for relay in self.relays if relay.server]:
                draw.choice(relays).reply_left = 0

        self.loop.call_soon_threadsafe(doom)

    def heal(self):
        """No more faults; what is silent stays silent."""
        self.chooser.is_healed = True
