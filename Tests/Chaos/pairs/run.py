"""Runs every order of the steps of every pair of verbs, and says what did not hold.

Two processes, each with a database of its own, run the orders. What pages, sweeps and pushes send is written by a test of
the product, so that the statements are the product's own.
"""

import multiprocessing
import os
import random
import subprocess
import time

from checks import say
from pairs import matrix
from pairs.facts import Facts, Request
from pairs.judge import Judge
from pairs.orders import COMMIT, Actor, Clock, Stage, interleavings, is_known
from pairs.statements import Statements
from pairs.verbs import APPLICATION, Me
from pairs.world import ASKED_FOR, STATES, World
from processes import PROGRAMS

JOBS = "Tests/Chaos/pairs/jobs"
# States are made anew before their times are too old to mean the same.
FRESH_S = 300
# How long a step waits for a lock where that is tried, and what a busy machine may add.
PATIENCE_MS, SLACK_S = 50, 60
# Of a pair that is only sampled, so many orders.
SAMPLE = 12
SCENARIOS = sorted(matrix.scenarios(), key=lambda s: (s[0], list(STATES).index(s[1])))


def run(run, options):
    if options.unmet:
        for one, other, reason in matrix.unmet():
            print(f"{one.name} × {other.name}: {reason}")
        return
    run.start_server("--fast")
    statements = Statements(write_statements(run))
    databases = [migrated(run, name) for name in ("pairs_one", "pairs_two")]
    ran = total = 0
    names = {1: set(), 2: set(), 3: set()}
    for place, found, different, orders in all_results(databases, statements, options):
        job, state, verbs = SCENARIOS[place]
        name = " × ".join(verb.name for verb in verbs)
        ran, total = ran + different, total + orders
        names[len(verbs)].add(name)
        for text, seen in found.items():
            run.checks.that(f"{name} ({job}, {state})", text, False, f"in {len(seen)} of {orders} orders, such as {seen[0]}")
    unmet = sum(1 for _ in matrix.unmet())
    say(f"{len(names[2])} pairs and {len(names[3])} threes of verbs, {total} orders of their steps, {ran} of them different "
        f"once a step has waited; {unmet} pairs can't meet (--unmet says why); seed {options.seed}")
    if names[1] and not run.checks.failed:
        run.checks.that("pairs", f"{len(names[1])} verbs by themselves leave what the page's table says", True)
    if not run.checks.failed:
        run.checks.that("pairs", f"{len(names[2])} pairs of verbs in {total} orders of their steps: nothing is lost, stuck or miscounted", True)


def write_statements(run):
    path = f"{run.folder}/statements.json"
    test = ["bin/swift-test", "--skip-build", "--filter", "WritingTests.PairStatementTests"]
    with open(f"{run.folder}/statements.log", "w") as log:
        subprocess.run(test, check=True, stdout=log, stderr=log, env=os.environ | {"JOBRUNNER_PAIR_STATEMENTS": path})
    return path


def migrated(run, name):
    """The owner's address and an administrator's."""
    urls = run.cluster.database(name)
    with open(f"{run.folder}/{name}.log", "w") as log:
        subprocess.run([f"{PROGRAMS}/jobrunner", "migrate"], check=True, stdout=log, stderr=log,
                       env=os.environ | {"DATABASE_URL": urls[0], "JOBRUNNER_JOBS": JOBS})
    return urls


class Runner:
    """Runs scenarios in one database."""

    def __init__(self, urls, statements):
        self.world = World(*urls, statements)
        self.stage = Stage(self.world.monitor)
        self.made, self.made_at = set(), 0

    def prepare(self, job, state):
        if getattr(self.world, "job", None) != job or time.monotonic() - self.made_at > FRESH_S:
            self.world.make(job)
            self.made, self.made_at = set(), time.monotonic()
        if state not in self.made:
            self.world.build(state)
            self.made.add(state)

    def run(self, scenario, draw):
        """Returns what was violated with the orders that did it, how many orders were run, and of how many."""
        job, state, verbs = scenario
        self.prepare(job, state)
        orders = list(interleavings([verb.steps for verb in verbs]))
        if draw is not None and len(orders) > SAMPLE:
            orders = draw.sample(orders, SAMPLE)
        found, courses, waited, ran = {}, {}, set(), 0
        for order in orders:
            if not is_known(order, courses):
                ran += 1
                for text in self.run_order(state, verbs, order, courses, waited):
                    found.setdefault(text, []).append(" ".join("ABC"[place] for place in order))
        for waiter, holder in sorted(waited if len(verbs) == 2 else ()):
            ran += 1
            for text in self.run_out_of_patience(state, verbs, waiter, holder):
                found.setdefault(text, []).append(f"{'AB'[holder]} stays open")
        return found, ran, len(orders)

    def begin(self, state, verbs):
        self.world.put_back(state)
        facts = Facts(state, Clock())
        if state in ASKED_FOR:
            facts.requests.append(Request("enqueue force", "ann", -5, -4, "due", force=True, entity=self.world.entity))
        return facts, [self.actor(facts, state, place, verb) for place, verb in enumerate(verbs)]

    def actor(self, facts, state, place, verb):
        me = Me(self.world, facts, state, place)
        return Actor(place, verb, self.world.sessions[place], facts.clock, me.begin(verb))

    def run_order(self, state, verbs, order, courses, waited):
        facts, actors = self.begin(state, verbs)
        waits = self.stage.run(order, actors, courses)
        waited |= waits
        for waiter, holder in waits:
            if verbs[waiter].name in matrix.NEVER_WAIT and verbs[holder].side == APPLICATION:
                facts.violated(f"{verbs[waiter].name} waits for an application's transaction")
        judge = Judge(self.world, facts, state, actors)
        if len(verbs) == 1:
            judge.judge_single(verbs[0])
        judge.judge()
        return facts.violations

    def run_out_of_patience(self, state, verbs, waiter, holder):
        """One holds its transaction open until the other's patience is over, which then tries again."""
        facts, actors = self.begin(state, verbs)
        self.stage.run_alone(actors[holder], until=COMMIT)
        first = actors[waiter]
        first.session.script(f"set lock_timeout = {PATIENCE_MS}")
        begun = time.monotonic()
        self.stage.run_alone(first)
        took = time.monotonic() - begun
        first.session.script("reset lock_timeout")
        if took > PATIENCE_MS / 1000 + SLACK_S:
            facts.violated(f"{first.verb.name} waited {took:.1f} s for a lock, though its limit is {PATIENCE_MS} ms")
        self.stage.run_alone(actors[holder])
        if first.refusal:
            if first.refusal.sqlstate != "55P03":
                facts.violated(f"{first.verb.name} was refused: {first.refusal.sqlstate} {first.refusal.text}")
            actors[waiter] = self.actor(facts, state, waiter, verbs[waiter])
            self.stage.run_alone(actors[waiter])
        Judge(self.world, facts, state, actors).judge()
        return facts.violations


def work(urls, statements, seed, tasks, results):
    runner = Runner(urls, statements)
    while (task := tasks.get()) is not None:
        place, is_sampled = task
        draw = random.Random(f"{seed} {place}") if is_sampled else None
        results.put((place, *runner.run(SCENARIOS[place], draw)))


def chosen(options):
    """Places of the scenarios to run, and whether only some of their orders are drawn."""
    names = options.only.split(",") if options.only else []
    places = [place for place, (_, _, verbs) in enumerate(SCENARIOS)
              if all(any(verb.name.startswith(name) for verb in verbs) for name in names)]
    if options.seconds is None:
        return [(place, False) for place in places]
    first = [place for place in places if len(SCENARIOS[place][2]) == 1]
    first += [place for place in places if matrix.met_badly(SCENARIOS[place])]
    others = [place for place in places if place not in set(first)]
    random.Random(options.seed).shuffle(others)
    return [(place, False) for place in first] + [(place, True) for place in others]


def all_results(databases, statements, options):
    """Hands out the scenarios until there are no more or the time is over, and yields what comes back."""
    end = None if options.seconds is None else time.monotonic() + options.seconds
    queue, results = multiprocessing.Queue(), multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(urls, statements, options.seed, queue, results), daemon=True)
               for urls in databases]
    for worker in workers:
        worker.start()
    open_tasks, tasks, is_over = 0, iter(chosen(options)), False
    while True:
        while not is_over and open_tasks < 2 * len(workers):
            task = next(tasks, None)
            if task is None or end is not None and time.monotonic() > end:
                is_over = True
                break
            queue.put(task)
            open_tasks += 1
        if open_tasks == 0:
            break
        while results.empty() and all(worker.is_alive() for worker in workers):
            time.sleep(0.005)
        if results.empty():
            raise RuntimeError("a process has ended before its time")
        yield results.get()
        open_tasks -= 1
    for _ in workers:
        queue.put(None)
    for worker in workers:
        worker.join()
