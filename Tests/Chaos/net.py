"""A proxy stands between three workers and PostgreSQL, and another between them and the source.

Each sort of statement is met so often with a cut before, inside or after it, with silence, with half a second, or is
delivered when its connection is long gone. A turn's limit is 3 s here, so that what falls silent is found within the
five. The first of two hosts never answers. Then the server stands still, an address leads to a standby and back, and at
last the standby takes the server's place behind it.
"""

import time

from checks import say
from cluster import HANG_S, at_port, port_of, wait_until
from kills import judge_metube, metube
from judge import INVARIANTS, Judge, judge_nothing_stuck
from proxy import HTTP_KINDS, KINDS, SILENT, Chooser, Proxy, Requests

WORLD = dict(users=60, deadline="1m", page_delay=10)


def run(run, options):
    run.start_server()
    if options.cuts:
        cut(run, options)
    if options.freeze:
        freeze(run, options.freeze)
    # The last one: it leaves another server.
    if options.switches:
        switch(run, options.switches)


def cut(run, options):
    world = metube(run, "net", 60, lease="4s", **WORLD)
    url = world.environment["DATABASE_URL"]
    # A page's statements are one turn: what meets one of them meets its commit.
    chooser = Chooser(run.random, KINDS, options.others, commit=options.cuts, claim=options.claims, begin=0, rollback=0)
    database = Proxy(port_of(url), chooser)
    silent = Proxy(SILENT)
    source = Proxy(port_of(world.source.hub + "/"), Chooser(run.random, HTTP_KINDS, gap_s=0.1, request=options.requests), Requests)
    world.database.rows("select jobrunner.set_source(name, 'metube-hub', $1) from jobrunner.tenants", f"http://127.0.0.1:{source.port}")
    hosts = f"127.0.0.1:{silent.port},127.0.0.1:{database.port}"
    world.environment["DATABASE_URL"] = (
        url.replace(f"127.0.0.1:{port_of(url)}", hosts)
        + "?sslmode=disable&connect_timeout=1&options=-c%20statement_timeout%3D1s")
    world.workers.start(3)

    def left():
        """Statements that hardly ever come are not waited for."""
        return sum(proxy.chooser.left.get(name, 0) for proxy in (database, source) for name in ("commit", "claim", "request"))

    def meet():
        world.keep_busy()
        world.hurry(those="true")
        return left() == 0

    wait_until(meet, HANG_S + (options.cuts + options.claims + options.requests) / 2, every=0.2)
    who = f"{options.cuts} cuts at COMMIT, {options.claims} at a claim, {options.requests} at requests"
    world.checks.none(who, "all were made in time", left())
    database.heal()
    source.heal()
    judge_nothing_stuck(world, who)
    judge = judge_metube(world, who)
    judge.workers()
    judge.none("no outcome was refused or given up", world.workers.internal_errors())
    judge.equal("the silent first host was asked, and by no session again and again", True, 0 < silent.made < 100)
    for proxy in (database, source):
        for line in proxy.chooser.told():
            say(line)
    world.end()


def freeze(run, seconds):
    """Every process of the server stands still, longer than the lease and a turn's limit."""
    world = metube(run, "frozen", 60, lease="15s", **WORLD)
    world.workers.start(3)
    time.sleep(2)
    # Runs are under way, claims and outcomes as well.
    world.again()
    time.sleep(0.5)
    run.cluster.freeze(seconds)
    who = f"frozen for {seconds} s"
    judge_nothing_stuck(world, who)
    # While work goes on; at rest no job runs.
    ended = "a job runs under a worker that has ended"
    Judge(world, who).no_rows(f"never: {ended}, while work goes on", INVARIANTS[ended])
    judge = judge_metube(world, who)
    judge.workers()
    world.end()


def switch(run, switches):
    """The address leads to a standby and back, and at last to the standby that has taken the primary's place."""
    world, cluster = metube(run, "promoted", 60, lease="4s", **WORLD), run.cluster
    url = world.environment["DATABASE_URL"]
    primary = port_of(url)
    cluster.start_standby()
    address = Proxy(primary)
    world.environment["DATABASE_URL"] = at_port(url, address.port) + "?sslmode=disable"
    world.workers.start(3)
    world.await_that("select count(*) > 100 from synced.hub_video")
    stayed = 0
    for _ in range(switches):
        world.keep_busy()
        address.lead_to(cluster.standby_port, cut=True)
        time.sleep(1.5)
        address.lead_to(primary)
        # Not cut: what has a session at the standby must let it go by itself.
        world.again()
        stayed += not world.await_that(
            "select count(*) = 0 from jobrunner.jobs where state = 'waiting' and due_at < now() - interval '1 s'")
        stayed += cluster.sessions_at_standby() != 0
    who = f"{switches} switches to a standby, and its promotion"
    world.checks.none(who, "each time all work went on, and no session stayed at the standby", stayed)
    world.again()
    cluster.lose()
    address.lead_to(cluster.standby_port, cut=True)
    time.sleep(2)
    cluster.promote_standby()
    world.database.url = at_port(url, cluster.standby_port)
    world.database.session = None
    judge = judge_metube(world, who)
    judge.workers()
    judge.count("no run failed for it", "select count(*) from jobrunner.runs where outcome = 'failed' and error_kind = 'database'")
    judge.none("no outcome was refused or given up", world.workers.internal_errors())
    world.end()
