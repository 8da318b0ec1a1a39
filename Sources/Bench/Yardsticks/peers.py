"""Makes the queue of a peer, fills it with jobs that do nothing, or drains it.

    peers.py PEER install DATABASE_URL
    peers.py PEER fill DATABASE_URL JOBS
    peers.py PEER drain DATABASE_URL PROCESSES JOBS_AT_ONCE CONNECTIONS

PEER is pgqueuer or procrastinate. Draining prints when its processes began, in seconds since 1970: each has
imported, connected and waited for the others by then, so that the start of Python counts for nothing. When the
last job ended stands in the peer's own tables. JOBS_AT_ONCE is pgqueuer's batch size, procrastinate's concurrency.
"""

import asyncio
import logging
import multiprocessing
import sys
import time

logging.disable(logging.WARNING)


class PgQueuerPeer:
    """Batches of one process run as tasks; a batch is claimed by one statement, and ended by another."""

    async def connect(self, url, connections):
        import asyncpg
        from pgqueuer import PgQueuer
        from pgqueuer.db import AsyncpgDriver, AsyncpgPoolDriver

        if connections == 1:
            driver = AsyncpgDriver(await asyncpg.connect(url))
        else:
            driver = AsyncpgPoolDriver(
                await asyncpg.create_pool(url, min_size=connections, max_size=connections)
            )
        self.queue = PgQueuer(driver)

        @self.queue.entrypoint("nothing")
        async def nothing(job):
            pass

    async def queries(self, url):
        import asyncpg
        from pgqueuer.db import AsyncpgDriver
        from pgqueuer.queries import Queries

        return Queries(AsyncpgDriver(await asyncpg.connect(url)))

    async def install(self, url):
        queries = await self.queries(url)
        await queries.install()
        await queries.optimize_autovacuum()

    async def fill(self, url, jobs):
        queries = await self.queries(url)
        for count in parts(jobs):
            await queries.enqueue(["nothing"] * count, [None] * count, [0] * count)

    async def drain(self, jobs_at_once):
        from pgqueuer.types import QueueExecutionMode

        await self.queue.qm.run(batch_size=jobs_at_once, mode=QueueExecutionMode.drain)


class ProcrastinatePeer:
    """Each job is fetched by a statement of its own, and ended by another."""

    def app(self, url, connections):
        import procrastinate

        app = procrastinate.App(
            connector=procrastinate.PsycopgConnector(
                conninfo=url, min_size=connections, max_size=connections
            )
        )

        @app.task(name="nothing")
        async def nothing():
            pass

        return app, nothing

    async def connect(self, url, connections):
        self.opened, _ = self.app(url, connections)
        await self.opened.open_async()

    async def install(self, url):
        app, _ = self.app(url, 1)
        async with app.open_async():
            await app.schema_manager.apply_schema_async()

    async def fill(self, url, jobs):
        app, nothing = self.app(url, 1)
        async with app.open_async():
            for count in parts(jobs):
                await nothing.batch_defer_async(*[{}] * count)

    async def drain(self, jobs_at_once):
        await self.opened.run_worker_async(
            wait=False, concurrency=jobs_at_once, listen_notify=False, install_signal_handlers=False
        )


def parts(jobs):
    """Sizes of statements that put so many jobs into a queue."""
    return [min(1000, jobs - begun) for begun in range(0, jobs, 1000)]


def drain_in_process(peer, url, jobs_at_once, connections, barrier, began):
    import uvloop

    async def run():
        await peer.connect(url, connections)
        await asyncio.to_thread(barrier.wait)
        began.put(time.time())
        await peer.drain(jobs_at_once)

    uvloop.run(run())


def main():
    peer = {"pgqueuer": PgQueuerPeer, "procrastinate": ProcrastinatePeer}[sys.argv[1]]()
    action, url, numbers = sys.argv[2], sys.argv[3], [int(word) for word in sys.argv[4:]]
    if action != "drain":
        asyncio.run(getattr(peer, action)(url, *numbers))
        return
    processes, jobs_at_once, connections = numbers
    barrier, began = multiprocessing.Barrier(processes), multiprocessing.Queue()
    children = [
        multiprocessing.Process(
            target=drain_in_process, args=(peer, url, jobs_at_once, connections, barrier, began)
        )
        for _ in range(processes)
    ]
    for child in children:
        child.start()
    first = min(began.get() for _ in children)
    for child in children:
        child.join()
    if any(child.exitcode for child in children):
        sys.exit(f"a process ended with {[child.exitcode for child in children]}")
    print(first)


if __name__ == "__main__":
    main()
