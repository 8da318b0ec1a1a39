"""pgbouncer stands between three workers and PostgreSQL, and lends its few sessions for transactions.

It is killed and started again at any moment, and so are workers and the server itself.
"""

import subprocess
import time

from checks import say
from cluster import Cluster, Database, at_port, port_of, wait_until
from judge import Judge
from kills import answers, judge_metube, metube

SESSIONS = 6


class Pooler:
    def __init__(self, folder, server):
        self.folder = folder
        done = subprocess.run(["bin/pg", "pooler", folder, f"127.0.0.1:{server}", f"default_pool_size = {SESSIONS}",
                               "server_login_retry = 1", "query_wait_timeout = 20"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"bin/pg pooler: {done.stderr}")
        self.port = int(done.stdout.strip().rsplit(":", 1)[1])

    def kill(self):
        subprocess.run(["bin/pg", "restart", self.folder], check=True, capture_output=True)

    def end(self):
        subprocess.run(["bin/pg", "stop", self.folder], capture_output=True)


def run(run, options):
    run.start_server()
    world = metube(run, "pooled", 60, users=options.users, deadline="1m", page_delay=20, lease="4s")
    url = world.environment["DATABASE_URL"]
    pooler = Pooler(f"{run.folder}/pooler", port_of(url))
    try:
        world.environment["DATABASE_URL"] = at_port(url, pooler.port)
        world.environment["JOBRUNNER_DIRECT_URL"] = url
        attack(run, world, pooler, options.pooler)
    finally:
        world.end()
        pooler.end()


def attack(run, world, pooler, disturbances):
    world.workers.start(3)
    world.await_that("select count(*) > 100 from synced.hub_video")
    sessions = busiest(world)
    say(f"{sessions['pooled']} sessions for the work of three workers, {sessions['own']} of their own")
    stuck = 0
    for number in range(disturbances):
        world.keep_busy()
        time.sleep(world.random.uniform(0.1, 0.5))
        if number % 4 == 3:
            run.cluster.restart_as_if_crashed()
            wait_until(lambda: answers(world))
        elif number % 4 == 1:
            world.workers.kill(world.random.randrange(3))
        else:
            pooler.kill()
        before = pages(world)
        world.keep_busy()
        stuck += not wait_until(lambda: pages(world) != before)
    who = f"{disturbances} disturbances behind pgbouncer"
    world.checks.none(who, "work went on after each", stuck)
    judge = judge_metube(world, who)
    judge.workers()
    judge.equal(f"the work had {SESSIONS} sessions at most", True, 0 < sessions["pooled"] <= SESSIONS)
    judge.equal("each worker had one of its own", 3, sessions["own"])
    judge.none("no outcome was refused or given up", world.workers.internal_errors())
    commands(world, Judge(world, who))


def busiest(world):
    """The most sessions seen in two seconds of work; those of their own are known by their listening."""
    most = {"pooled": 0, "own": 0}
    administrator = Database(world.administrator_url)
    end = time.monotonic() + 2
    while time.monotonic() < end:
        world.keep_busy()
        row = administrator.rows("""
            select count(*) filter (where w.id is null) as pooled, count(w.id) as own
            from pg_stat_activity as a
            left join jobrunner.workers as w on w.session_pid = a.pid and w.ended_at is null
            where a.application_name = 'jobrunner' and a.datname = current_database()""")[0]
        most = {name: max(count, int(row[name])) for name, count in most.items()}
    administrator.session.close()
    return most


def pages(world):
    try:
        return world.database.value("""
            select md5(string_agg(run_fence || ':' || (counters).pages, ',' order by user_id)) from jobrunner.checkpoints""")
    except ConnectionError:
        return None


def commands(world, judge):
    """What people call goes the direct way; each must succeed."""
    runs = "select count(*) from jobrunner.runs"
    before = world.database.value(runs)
    world.jobrunner("status")
    world.jobrunner("enqueue", "metube.refresh", "--tenant", "east", "--user", "user-000002", "--force", "--wait")
    judge.equal("a run that is asked for is done", True, world.database.value(runs) > before)
