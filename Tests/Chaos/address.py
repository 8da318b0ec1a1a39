#!/usr/bin/env python3
"""An address behind which the server changes, on purpose: what a name, a balancer or a floating address is to a client.

    address.py PORT|silent

Prints one line, the port of the address and that of its control. A line sent to the control says what becomes of new
connections, and is answered with one, {"made": N}, the connections that were made so far:

    to PORT     they lead to the server at that port of this machine
    silent      they are taken and never answered
    refuse      they are ended at once
    cut         (beside one of these) all connections there are end, as when a machine is lost or a balancer moves on
    status      nothing changes

It needs nothing but Python's own library.
"""
import asyncio
import json
import sys


class Address:
    def __init__(self, target):
        self.target = target
        self.made = 0
        self.writers = set()

    async def serve(self, reader, writer):
        self.made += 1
        self.writers.add(writer)
        try:
            if self.target == "silent":
                while await reader.read(1 << 16):
                    pass
            elif self.target != "refuse":
                await self.relay(reader, writer, int(self.target))
        except OSError:
            pass
        finally:
            self.writers.discard(writer)
            writer.transport.abort()

    async def relay(self, reader, writer, port):
        server_reader, server = await asyncio.open_connection("127.0.0.1", port)
        ways = [asyncio.create_task(way) for way in (pump(reader, server), pump(server_reader, writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            server.transport.abort()

    def cut(self):
        for writer in self.writers:
            writer.transport.abort()

    async def control(self, reader, writer):
        while line := await reader.readline():
            words = line.decode().split()
            if words[0] == "to":
                self.target = words[1]
            elif words[0] in ("silent", "refuse"):
                self.target = words[0]
            if "cut" in words:
                self.cut()
            writer.write((json.dumps({"made": self.made}) + "\n").encode())
            await writer.drain()


async def pump(reader, writer):
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass


async def main():
    address = Address(sys.argv[1])
    server = await asyncio.start_server(address.serve, "127.0.0.1", 0, backlog=256)
    control = await asyncio.start_server(address.control, "127.0.0.1", 0)
    print(*(s.sockets[0].getsockname()[1] for s in (server, control)), flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
