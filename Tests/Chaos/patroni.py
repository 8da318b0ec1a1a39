"""Three workers sync while Patroni moves the leader to another node, and while leaders are killed and come back.

The nodes run the files of deploy/patroni. Workers know all three addresses, and take the one that takes writes.
"""

import time

from checks import say
from cluster import wait_until
from kills import judge_metube, metube, progress
from patroni_cluster import NAME, PatroniCluster


def run(run, options):
    run.cluster = cluster = PatroniCluster(f"{run.folder}/patroni")
    cluster.start()
    say(f"{len(cluster.nodes)} nodes follow one leader")
    # The lease is shorter than a leader's time to live, as it is with the times that are usual.
    world = metube(run, NAME, 60, users=60, deadline="1m", page_delay=10, lease="4s")
    world.workers.start(3)
    lose_leaders(run, world, options.switchovers, options.leader_kills)
    judge_all(world, f"{options.switchovers} switchovers and {options.leader_kills} kills of the leader")
    world.end()


def lose_leaders(run, world, switchovers, kills):
    """One after the other, in any order, each when the last one is healed."""
    cluster, stuck = run.cluster, 0
    turns = ["switched over"] * switchovers + ["killed"] * kills
    run.random.shuffle(turns)
    for turn in turns:
        cluster.await_health()
        world.again()
        await_page(world)
        old, since = cluster.leader, time.monotonic()
        promoted = cluster.switch_over(old) if turn == "switched over" else cluster.lose(old)
        stuck += not await_page(world)
        say(f"a leader was {turn}: another was promoted after {promoted - since:.1f} s,"
            f" and a page was committed {(time.monotonic() - promoted) * 1000:.0f} ms later")
        if turn == "killed":
            old.start()
    world.checks.none("every loss of a leader", "work resumed on the one that was promoted", stuck)
    cluster.await_health()


def await_page(world):
    """Whether a page is committed from now on; there is work for it, also where all was done meanwhile."""
    wait_until(lambda: seen(world), every=0.01)
    before = [seen(world)]

    def is_committed():
        if is_done(world):
            world.again()
            before[:] = [seen(world)]
        return seen(world) not in (None, *before)

    return wait_until(is_committed, every=0.01)


def is_done(world):
    try:
        return world.unfinished == 0
    except ConnectionError:
        return False


def seen(world):
    """How far it is, or nothing while no server answers."""
    try:
        return progress(world)
    except ConnectionError:
        return None


def judge_all(world, who):
    judge = judge_metube(world, who)
    judge.workers()
    judge.count("no run failed for it", "select count(*) from jobrunner.runs where outcome = 'failed' and error_kind = 'database'")
    judge.count("no run was taken from a worker that lives", "select count(*) from jobrunner.runs where error_kind = 'crashed'")
    judge.none("no outcome was refused or given up", world.workers.internal_errors())
