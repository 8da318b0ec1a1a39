"""Three workers are killed, stopped or lose the server while 200 users sync 50,000 records, or meet their deadlines."""

import signal
import time

from checks import say
from cluster import HANG_S, wait_until
from judge import Judge, Served
from world import World

JOB = "metube.refresh"


def run(run, options):
    run.start_server()
    if options.kills:
        kill(run, options.kills)
    if options.stops:
        stop(run, options.stops)
    if options.restarts:
        restart(run, options.restarts)
    if options.deadlines:
        meet_deadlines(run, options.deadlines)


def metube(run, name, videos, *, users=200, deadline="5m", page_delay=60, **more):
    """A world with MeTube's job, two tenants, and users that the hub knows; tenant east may run 9 at once."""
    world = World(run, name, **more)
    world.job_file("metube/refresh.yaml", {
        "per_second: 20": "per_second: 100000", "concurrent: 8": "concurrent: 1000", "size: 100": "size: 10",
        "first: 1s": "first: 50ms", "deadline: 5m": f"deadline: {deadline}"})
    world.jobrunner("migrate")
    world.start_source("--users", str(users), "--videos-min", str(videos), "--videos-max", str(videos),
                       "--page-delay", str(page_delay))
    for tenant in ("east", "west"):
        world.add_tenant(tenant, [JOB], ["metube-hub"])
    world.database.script(f"""
        select count(jobrunner.add_user(
          case when n % 2 = 0 then 'east' else 'west' end, key, jsonb_build_object('hub_user_id', key)))
        from (select n, 'user-' || lpad(n::text, 6, '0') as key from generate_series(1, {users}) as n) as users;
        insert into synced.hub_channel select id, 'channel-' || c from jobrunner.users, generate_series(1, 3) as c""")
    world.watch_writes()
    watch_limit(world)
    return world


def watch_limit(world):
    """Each claim that makes a tenant's runs more than it may have leaves a row in over_limit."""
    world.database.script("""
        update jobrunner.tenants set max_running = 9 where name = 'east';
        create table public.over_limit (running bigint, at timestamptz default now());
        create function public.note_claims() returns trigger language plpgsql as $$
        begin
          insert into public.over_limit (running)
          select count(*) from jobrunner.jobs as j join jobrunner.tenants as t on t.id = j.tenant_id
          where t.name = 'east' and j.worker_id is not null
          having count(*) > max(t.max_running);
          return null;
        end $$;
        create trigger note_claims after update on jobrunner.jobs execute function public.note_claims()""")


def judge_metube(world, who):
    """When all jobs have come to rest, or should have; returns the judge for what is a phase's own."""
    world.await_complete()
    judge = Judge(world, who)
    judge.house()
    judge.videos()
    judge.stale_writes()
    judge.count("max_running was never exceeded", "select count(*) from public.over_limit")
    return judge


def kill(run, kills):
    world = metube(run, "kills", 250)
    world.workers.start(3)
    time.sleep(1)
    for _ in range(kills):
        world.workers.kill(world.random.randrange(3))
        world.keep_busy()
        time.sleep(world.random.uniform(0.1, 0.5))
    judge = judge_metube(world, f"{kills} kills")
    judge.equal("crashed runs are in the history", True,
                world.database.value("select count(*) from jobrunner.runs where error_kind = 'crashed'") > 0)
    world.end()


def stop(run, stops):
    """A worker is stopped past its lease, and goes on."""
    world = metube(run, "stops", 100)
    world.workers.start(3)
    missed = 0
    for gone in range(1, stops + 1):
        # The one that was stopped last has noticed, and taken up work again.
        missed += not world.await_that("select count(*) = 3 from jobrunner.workers where ended_at is null")
        time.sleep(0.3)
        world.keep_busy()
        slot = world.random.randrange(3)
        since = time.monotonic()
        world.workers.slots[slot].send_signal(signal.SIGSTOP)
        # The lease, and a turn of each worker to look: the stopped one's is nobody's.
        missed += not world.await_that(f"select count(*) >= {gone} from jobrunner.workers where end_reason = 'silent'")
        say(f"given up {(time.monotonic() - since) * 1000:.0f} ms after it was stopped")
        world.workers.slots[slot].send_signal(signal.SIGCONT)
    judge = judge_metube(world, f"{stops} stops")
    judge.none("each time the stopped worker was given up, and came back", missed)
    judge.equal("the same processes work on", 3, world.workers.alive)
    world.end()


def restart(run, restarts):
    """PostgreSQL ends as if it had crashed, and is started again."""
    world = metube(run, "restarts", 100)
    world.workers.start(3)
    time.sleep(2)
    stuck = 0
    for _ in range(restarts):
        world.keep_busy()
        run.cluster.restart_as_if_crashed()
        wait_until(lambda: answers(world))
        start, before = time.monotonic(), progress(world)
        stuck += not wait_until(lambda: progress(world) != before)
        say(f"a page was committed {(time.monotonic() - start) * 1000:.0f} ms after the server accepted connections")
        time.sleep(0.3)
    judge = judge_metube(world, f"{restarts} restarts")
    judge.none("work resumed each time", stuck)
    judge.equal("no worker exited", 3, world.workers.alive)
    world.end()


def answers(world):
    try:
        return world.database.holds("true")
    except ConnectionError:
        return False


def progress(world):
    return world.database.value("""
        select md5(string_agg(run_fence || ':' || (counters).pages, ',' order by user_id)) from jobrunner.checkpoints""")


def meet_deadlines(run, users):
    """Of each run the second page drips until the deadline."""
    world = metube(run, "deadlines", 25, users=users, deadline="2s", page_delay=0, concurrency=users)
    database, source = world.database, world.source
    database.script("update jobrunner.tenants set max_running = null")
    for number in range(1, users + 1):
        source.fault("drip", bytes=1, every_ms=100, path="/api/users/*/feed", user=f"user-{number:06d}", skip=1, times=1)
    world.workers.start(1)
    ended = "from jobrunner.runs where error_kind = 'deadline'"
    world.await_that(f"select count(*) >= {users} {ended}")
    who = "deadlines"
    yielded = database.value(f"select count(*) {ended} and outcome = 'partial' and (counters).pages = 1")
    # Its page would drip for ten minutes.
    late = database.value(f"select count(*) {ended} and ended_at - started_at > interval '1 min'")
    slowest = database.value(
        f"select round(extract(epoch from max(ended_at - started_at) - interval '2 s') * 1000)::text {ended}")
    say(f"the slowest slot was free {slowest} ms after its deadline")
    judge = judge_metube(world, who)
    judge.equal(f"each of {users} runs yielded", users, yielded)
    judge.none("each slot was free long before its page would have come", late)
    judge.equal("the next run began at the committed cursor", users, Served(source.hub).first_pages())
    world.end()
