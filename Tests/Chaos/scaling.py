"""Workers follow a load that rises and falls: 1, 20 and 1 again, started and told to stop as a cluster would.

Jobs come due by a plan that is made before, whatever becomes of those before them. No run may be lost, crash or be
given up, what a stopping worker gives back must be taken by another at once, and jobs must begin in time.
"""

import signal
import time

from cluster import wait_until
from checks import say
from judge import SET_ASIDE
from kills import judge_metube, metube

MOST = 20
SLOTS = 2
# Of the whole span: where the load has begun to rise, is at its top, begins to fall and is low again.
KNEES = (0.1, 0.4, 0.6, 0.9)
# Jobs a second; a run takes more than a second, so that the top fills a third of the slots, and one worker is not enough.
LOW_RATE, TOP_RATE = 0.5, 12.0
LATE_MAX_S = 2
DRAIN_MAX_S = 15
VIDEOS, PAGE_DELAY_MS = 25, 250


def run(run, options):
    run.start_server()
    span = options.scaling
    due = plan(span)
    world = metube(run, "scaling", VIDEOS, users=len(due), page_delay=PAGE_DELAY_MS, concurrency=SLOTS, lease="15s")
    world.database.script("""
        update jobrunner.tenants set max_running = null;
        update jobrunner.jobs set due_at = now() + interval '1 hour'""")
    world.workers.start(1)
    world.await_that("select count(*) = 1 from jobrunner.workers")
    world.database.rows("""
        update jobrunner.jobs as j set due_at = now() + d.after * interval '1 s'
        from unnest($1::float8[]) with ordinality as d (after, number)
        join (select id, row_number() over (order by id) as number from jobrunner.users) as u using (number)
        where j.user_id = u.id""", due)
    follow(world, span)
    judge(world)
    world.end()


def height(part):
    """How far up the load is at a part of the span, 0 to 1."""
    rises, top, falls, low = KNEES
    return max(0.0, min(1.0, (part - rises) / (top - rises), (low - part) / (low - falls)))


def plan(span):
    """When jobs come due, in seconds from the beginning: of each small step as many as its rate asks for."""
    due, owed, steps = [], 0.0, int(span * 50)
    for step in range(steps):
        owed += (LOW_RATE + (TOP_RATE - LOW_RATE) * height(step / steps)) / 50
        while owed >= 1:
            owed -= 1
            due.append(step / 50)
    return due


def follow(world, span):
    """At each moment as many workers as the load is high; which one goes is chance."""
    began, started, running, stopping = time.monotonic(), 1, [0], []
    while (part := (time.monotonic() - began) / span) < 1:
        wanted = 1 + round((MOST - 1) * height(part))
        if len(running) < wanted:
            world.workers.start_in(started)
            running.append(started)
            started += 1
        elif len(running) > wanted:
            slot = running.pop(world.random.randrange(len(running)))
            world.workers.slots[slot].send_signal(signal.SIGTERM)
            stopping.append(slot)
        # The next change is a part of a second away, and is made at its time, not when something has happened.
        time.sleep(0.05)
    ended = [slot for slot in stopping
             if wait_until(lambda slot=slot: world.workers.slots[slot].poll() is not None, DRAIN_MAX_S)]
    checks = world.checks
    checks.equal("scaling", "there were 20 workers, and one is left", (MOST, 1), (started, world.workers.alive))
    checks.equal("scaling", "each that was told to stop ended in time, with 0", [0] * len(stopping),
                 [world.workers.slots[slot].returncode for slot in ended])


def judge(world):
    judge = judge_metube(world, "scaling")
    database = world.database
    judge.no_rows("no worker was given up", """
        select id || ' ' || end_reason as what from jobrunner.workers where end_reason <> 'stopped'""")
    judge.no_rows("no run crashed or failed", """
        select id || ' ' || concat_ws(' ', outcome, error_kind, error) as what from jobrunner.runs
        where outcome not in ('complete', 'partial') or error_kind = 'crashed'""")
    judge.no_rows("no job is set aside", SET_ASIDE)
    judge.none("no outcome was refused", world.workers.internal_errors())
    judge_cuts(judge)
    late, worst, count = (database.value(f"select ({what})::text from jobrunner.runs") for what in (
        "percentile_disc(0.99) within group (order by extract(epoch from started_at - scheduled_at))",
        "max(extract(epoch from started_at - scheduled_at))", "count(*)"))
    say(f"of {count} runs 99 of 100 began within {float(late):.2f} s, the last one after {float(worst):.2f} s")
    judge.checks.that("scaling", f"99 of 100 runs began within {LATE_MAX_S} s", float(late) < LATE_MAX_S, late)


def judge_cuts(judge):
    """What stopping workers gave back; the ones that take it are others, at once.

    A user's second tick may fall into the span: where the run after its cut found nothing new, it has left no row.
    """
    cuts = judge.database.rows("""
        select c.id, extract(epoch from n.started_at - c.ended_at)::text as seconds, n.worker_id = c.worker_id as is_same
        from jobrunner.runs as c
        left join lateral (
          select r.started_at, r.worker_id from jobrunner.runs as r
          where r.user_id = c.user_id and r.started_at >= c.ended_at order by r.started_at limit 1
        ) as n on true
        join jobrunner.jobs as j on j.user_id = c.user_id and j.name = c.job_name
        where c.outcome = 'partial' and (n.started_at is not null or j.last_run_at <= c.ended_at)""")
    waits = [float(cut["seconds"]) for cut in cuts if cut["seconds"]]
    say(f"{len(cuts)} runs were cut; the next ones began after {max(waits, default=0):.2f} s at most")
    judge.checks.that("scaling", "stopping workers had runs", cuts)
    judge.none("each was taken by another worker at once",
               [cut["id"] for cut in cuts if not cut["seconds"] or cut["is_same"] == "t" or float(cut["seconds"]) > LATE_MAX_S])
