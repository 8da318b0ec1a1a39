"""A standby is promoted again and again while three workers sync, and the server that it replaces is lost in each way.

The old primary is killed, or stands still and comes back beside its successor, or has become read-only without closing a
session. The workers know both servers as hosts of one list, or one address that moves, by turns. What was replaced is
thrown away in the end, and a new standby follows the successor, so that each round begins like the first.
"""

import os
import signal
import subprocess
import time

from checks import say
from cluster import Cluster, Database, at_port, port_of, wait_until
from kills import judge_metube, metube
from libpq import Refused
from proxy import Proxy

# A promotion and the first page behind it: what the promise is.
RESUME_MAX_S = 3
LEASE_S = 4
WAYS = ("killed", "frozen", "read-only")


class Pair:
    """A primary, and the standby that confirms each of its commits; they change places."""

    def __init__(self, run):
        self.folder, self.count = run.folder, 0
        self.primary, self.standby = run.cluster, None
        self.frozen = []

    def add_standby(self):
        self.count += 1
        standby = Cluster.__new__(Cluster)
        standby.folder, standby.standby_folder = f"{self.folder}/pg-{self.count}", f"{self.folder}/none"
        with open(f"{self.folder}/pg-{self.count}.log", "w") as log:
            standby.url, standby.administrator_url = Cluster.pg("standby", standby.folder, self.primary.folder, log=log)
        self.standby = standby
        self.confirm()

    def confirm(self):
        """From here on no commit is acknowledged that the standby does not have."""
        administrator = Database(self.primary.administrator_url)
        for text in ("alter system set synchronous_standby_names = '*'", "select pg_reload_conf()"):
            administrator.script(text)
        follows = "select count(*) = 1 from pg_stat_replication where sync_state = 'sync'"
        if not wait_until(lambda: administrator.holds(follows)):
            raise RuntimeError("the standby does not follow")
        administrator.session.close()

    def lose(self, way):
        """The primary takes no part any more; it has not been told."""
        if way == "killed":
            self.primary.lose()
        elif way == "frozen":
            self.frozen = processes_of(self.primary)
            for pid in self.frozen:
                os.kill(pid, signal.SIGSTOP)
        else:
            administrator = Database(self.primary.administrator_url)
            administrator.script("alter system set default_transaction_read_only = on")
            administrator.script("select pg_reload_conf()")
            administrator.session.close()

    def promote(self):
        """The standby is the primary; returns when it takes writes."""
        # Its own setting would have it wait for a standby that is none.
        Cluster.pg("promote", self.standby.folder)
        self.old, self.primary, self.standby = self.primary, self.standby, None
        administrator = Database(self.primary.administrator_url)
        administrator.script("alter system set synchronous_standby_names = ''")
        administrator.script("alter system set default_transaction_read_only = off")
        administrator.script("select pg_reload_conf()")
        administrator.session.close()
        return time.monotonic()

    def bring_back(self, way):
        """The old one works beside its successor, as when its network or machine recovers."""
        if way == "frozen":
            for pid in self.frozen:
                try:
                    os.kill(pid, signal.SIGCONT)
                except ProcessLookupError:
                    pass
            self.frozen = []
        elif way == "killed":
            self.old.restart_as_if_crashed()
        administrator = Database(self.old.administrator_url)
        # It confirms commits by itself: what somebody wrote there would be lost.
        for text in ("alter system set synchronous_standby_names = ''",
                     "alter system set default_transaction_read_only = off", "select pg_reload_conf()"):
            administrator.script(text)
        administrator.session.close()

    def remove_old(self):
        subprocess.run(["bin/pg", "stop", self.old.folder], capture_output=True)

    def end(self):
        for pid in self.frozen:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass
        for cluster in (self.primary, self.standby):
            if cluster:
                subprocess.run(["bin/pg", "stop", cluster.folder], capture_output=True)


def processes_of(cluster):
    """The postmaster first: it starts no more of them."""
    children = subprocess.run(["pgrep", "-P", str(cluster.postmaster)], capture_output=True, text=True).stdout.split()
    return [cluster.postmaster, *map(int, children)]


def run(run, options):
    run.start_server()
    pair = Pair(run)
    try:
        for addressed in ("hosts", "address"):
            half(run, pair, addressed, (options.failover + (addressed == "hosts")) // 2, options.users)
    finally:
        pair.end()


def half(run, pair, addressed, failovers, users):
    if not failovers:
        return
    run.cluster = pair.primary
    world = metube(run, addressed, 60, users=users, deadline="1m", page_delay=100, lease=f"{LEASE_S}s")
    url = world.environment["DATABASE_URL"]
    database = url.rsplit("/", 1)[1]
    pair.add_standby()
    address = Proxy(port_of(pair.primary.url))
    resumed, strayed, who = [], 0, f"{failovers} failovers, {addressed}"
    del world.environment["DATABASE_URL"]
    world.environment["DATABASE_URL_FILE"] = world.secret_file("url", "")
    tell(world, pair, url, address, addressed)
    world.workers.start(3)
    world.await_that(f"select count(*) > {users} from synced.hub_video")
    mark = world.database.value("select count(*) from jobrunner.workers")
    for number in range(failovers):
        way = WAYS[number % len(WAYS)]
        world.again()
        world.await_that("select count(*) > 5 from jobrunner.jobs where worker_id is not null")
        pair.lose(way)
        time.sleep(world.random.uniform(0.2, 1.5))
        promoted = pair.promote()
        # An address that moves keeps no connection of a machine that is gone; that of one that stands still says nothing.
        address.lead_to(port_of(pair.primary.url), cut=way == "killed")
        world.database.url = at_port(url, port_of(pair.primary.url))
        world.database.session = None
        before = first_seen(world)
        if wait_until(lambda: latest_page(world) not in (None, before), 60, every=0.01):
            resumed.append(time.monotonic() - promoted)
            say(f"{way}, {addressed}: a page was committed {resumed[-1] * 1000:.0f} ms after the promotion")
        pair.bring_back(way)
        strayed += works_at(world, pair.old, database)
        if number + 1 < failovers:
            pair.remove_old()
            pair.add_standby()
            tell(world, pair, url, address, addressed)
            world.workers.kill(number % 3)
    checks = world.checks
    checks.equal(who, "work went on after each promotion", failovers, len(resumed))
    slow = [f"{span:.2f} s" for span in resumed if span > RESUME_MAX_S]
    checks.none(who, f"each time within {RESUME_MAX_S} s", slow)
    checks.none(who, "nobody went on at a server that was replaced", strayed)
    judge = judge_metube(world, who)
    judge.workers()
    judge.count("no worker was given up but those that were killed", f"""
        select greatest(0, count(*) - {failovers - 1}) from jobrunner.workers
        where id > {mark} - 3 and end_reason in ('silent', 'session_gone')""")
    judge.count("no run failed for it",
                "select count(*) from jobrunner.runs where outcome = 'failed' and error_kind = 'database'")
    judge.none("no outcome was refused or given up", world.workers.internal_errors())
    world.end()
    pair.remove_old()


def tell(world, pair, url, address, addressed):
    """Who connects from here on knows the present servers, the one that will be lost first."""
    told = at_port(url, address.port) + "?sslmode=disable"
    if addressed == "hosts":
        hosts = ",".join(f"127.0.0.1:{port_of(cluster.url)}" for cluster in (pair.primary, pair.standby))
        told = url.replace(f"127.0.0.1:{port_of(url)}", hosts)
    world.secret_file("url", told)


def first_seen(world):
    """The pages of the moment at which the server takes questions."""
    seen = []

    def look():
        seen[:] = [latest_page(world)]
        return seen[0]

    wait_until(look, 60, every=0.01)
    return seen[0]


def latest_page(world):
    """What changes with each page; nothing while the server takes no question."""
    try:
        return world.database.value("""
            select md5(string_agg(run_fence || ':' || (counters).pages, ',' order by user_id)) from jobrunner.checkpoints""")
    except (ConnectionError, Refused):
        world.database.session = None
        return None


def works_at(world, old, database):
    """What workers begin or say at the old server, while it takes writes again and they have work.

    Who noticed nothing, since it stood still for a moment only, looks for a successor every other lease.
    """
    end = time.monotonic() + 4 * LEASE_S
    while True:
        count = begun_at(world, old, database)
        if not count or time.monotonic() > end:
            return count


def begun_at(world, old, database):
    world.again()
    # What was on its way to it when it stood still is done by it first, and nobody learns of it.
    time.sleep(0.3)
    administrator = Database(old.administrator_url.rsplit("/", 1)[0] + "/" + database)
    since = administrator.value("select clock_timestamp()::text")
    time.sleep(1.5)
    count = administrator.value(f"""
        select (select count(*) from jobrunner.workers where heartbeat_at > '{since}')
          + (select count(*) from jobrunner.jobs where started_at > '{since}')""")
    administrator.session.close()
    return count
