"""Thirty sessions do all verbs at random while workers die, stop and lose replies and the clock is shifted.

The clock of the server is libfaketime's, where Debian's package is installed. `--calm`: a low rate, and nobody dies, so
that the memory of the workers tells something.
"""

import glob
import os
import random
import signal
import statistics
import time
from collections import Counter

import storm_judge
from checks import say
from cluster import port_of, at_port
from libpq import Refused, Session
from proxy import Proxy
from storm_verbs import CONTAINER, JOB, ZONE, Draw
from world import World

SESSIONS, WORKERS, USERS = 30, 3, 10
# Longer than any limit of a session. Timers of a server that runs under libfaketime may be set for as long as its clock is
# ahead: seen once, with a load of twenty on two cores. Who waits for one is cancelled, as an application would be.
PATIENCE_S = 45
# What a session may be told: somebody else was first, or asked for the same.
EXPECTED = {"JR011", "JR012", "JR013", "55P03", "57014"}


def run(run, options):
    clock = start_server_with_clock(run)
    world = prepare(run)
    storm = Storm(world, options, clock)
    try:
        storm.blow(options.storm)
        say(f"{counted(storm.counts)}, {storm.proxy.replies_lost} replies lost; refused: {counted(storm.refusals)}")
        if len(storm.memory) > 2:
            points = storm.memory[1:] if len(storm.memory) > 4 else storm.memory
            say("memory: {:+.3f} MB a minute, give or take {:.3f}".format(*slope(points)))
        storm_judge.judge(storm)
    finally:
        world.end()


def counted(counter):
    return ", ".join(f"{count} {name}" for name, count in sorted(counter.items())) or "nothing"


def start_server_with_clock(run):
    """Returns the file that shifts its clock; all processes of the server read it once a second."""
    libraries = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not libraries:
        say("libfaketime is not installed (bin/needs test): the clock stays as it is")
        return run.start_server("--fast")
    clock = f"{run.folder}/clock"
    set_clock(clock, 0)
    run.start_server("--fast", environment={
        "LD_PRELOAD": libraries[0], "FAKETIME_TIMESTAMP_FILE": clock, "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1"})
    return clock


def set_clock(clock, ahead):
    with open(clock + ".new", "w") as file:
        file.write(f"{ahead:+.1f}\n")
    os.chmod(clock + ".new", 0o644)
    os.replace(clock + ".new", clock)


def prepare(run):
    world = World(run, "storm")
    # Only what the storm asks for makes a run due, so that a request that is lost stays lost.
    world.job_file("metube/status.yaml", {
        "every: 5m": "every: 12h", "deadline: 60s": "deadline: 20s", "per_second: 20": "per_second: 100000",
        "concurrent: 16": "concurrent: 500"})
    world.jobrunner("migrate")
    world.start_source()
    world.source.post("cloudkit/fixture", name="metube", users=USERS, records=30, broken=0)
    # Runs last long enough to be met by all the others.
    world.source.fault("slow", delay_ms=400, probability=0.3, times=0)
    for tenant in ("east", "west"):
        world.add_tenant(tenant, [JOB], ["ck-metube"], ck_api_token="api-token")
    for number in range(1, USERS + 1):
        key = f"user-{number:06d}"
        world.add_user(key, ("east", "west")[number % 2], ["user_id"], ck_web_auth_token=f"token-{key}")
    return world


class Client:
    """A session that runs one drawn transaction after the other."""

    def __init__(self, storm, number):
        self.storm, self.random = storm, random.Random(f"{storm.seed} {number}")
        self.session = Session(storm.url, lock_timeout="2s", statement_timeout="30s", TimeZone="UTC")
        self.draw = Draw(storm, number, self.random)
        self.steps, self.answers, self.is_waiting = [], [], False
        self.wake(first=True)

    def wake(self, first=False):
        pause = self.random.expovariate(1 / self.storm.pace)
        self.at = time.monotonic() + (self.random.random() * self.storm.pace if first else pause)

    def begin(self):
        self.kind, statements, self.note = self.draw.transaction()
        # One in ten applications takes its time.
        self.hold = self.random.uniform(0.5, 3) if self.random.random() < 0.1 else 0
        self.steps, self.answers = [("begin", None), *statements, ("commit", None)], []

    def step(self):
        """Sends what is next, or takes what has come. False: nothing to do now."""
        if self.is_waiting:
            return self.take_answer()
        if time.monotonic() < self.at:
            return False
        if not self.steps:
            if self.storm.is_ending:
                return False
            self.begin()
        self.session.send(*self.steps.pop(0))
        self.is_waiting, self.sent_at = True, time.monotonic()
        return True

    def take_answer(self):
        if not self.session.is_ready(0):
            if time.monotonic() - self.sent_at > PATIENCE_S:
                self.sent_at = time.monotonic()
                self.storm.cancel(self.session)
            return False
        self.is_waiting = False
        try:
            self.answers.append(self.session.result())
        except Refused as refusal:
            self.session.script("rollback")
            self.storm.refused(self.kind, refusal)
            self.steps = []
            self.wake()
            return True
        if not self.steps:
            self.storm.committed(self.kind, self.note, self.answers)
            self.wake()
        elif len(self.steps) == 1 and self.hold:
            self.at = time.monotonic() + self.hold
        return True


class Storm:
    def __init__(self, world, options, clock):
        self.world, self.url, self.seed, self.clock = world, world.database.url, options.seed, clock
        self.is_calm, self.pace = options.calm, 5.0 if options.calm else 0.25
        self.users = [(row["tenant"], row["key"]) for row in world.database.rows("""
            select t.name as tenant, u.key from jobrunner.users as u
            join jobrunner.tenants as t on t.id = u.tenant_id where u.key like 'user-%' order by 1, 2""")]
        self.proxy = Proxy(port_of(self.url))
        self.random = random.Random(f"{self.seed} faults")
        self.counts, self.refusals, self.unexpected = Counter(), Counter(), []
        # (user, record): (status, modified); user: the last number drawn before the request was committed
        self.edits, self.requests = {}, {}
        self.is_ending, self.last_ms, self.ahead = False, 0, 0.0
        self.memory, self.later = [], []
        world.environment["DATABASE_URL"] = at_port(self.url, self.proxy.port)
        world.workers.start(WORKERS)

    # What the sessions are told of.

    def rising_ms(self):
        self.last_ms = max(self.last_ms + 1, int(time.time() * 1000))
        return self.last_ms

    def committed(self, kind, note, answers):
        self.counts[kind] += 1
        if note[0] == "edit":
            _, user, video, status, modified = note
            self.edits[user, video] = (status, modified)
        if note[0] in ("edit", "request"):
            # A run of a later claim can have seen it.
            fence = max(int(rows[0]["last_value"]) for rows in answers if rows and "last_value" in rows[0])
            self.requests[note[1]] = max(self.requests.get(note[1], 0), fence)

    def refused(self, kind, refusal):
        self.refusals[f"{kind} {refusal.sqlstate}"] += 1
        if refusal.sqlstate not in EXPECTED:
            self.unexpected.append(f"{kind}: {refusal.sqlstate} {refusal.text}")

    # What happens to workers, connections and the clock.

    def cancel(self, session):
        self.counts["timers that never rang"] += 1
        self.world.database.rows("select pg_cancel_backend($1)", session.pid)

    def kill(self):
        self.world.workers.kill(self.random.randrange(WORKERS))
        self.counts["kill"] += 1

    def stop(self):
        worker = self.world.workers.slots[self.random.randrange(WORKERS)]
        worker.send_signal(signal.SIGSTOP)
        self.later.append((time.monotonic() + self.random.uniform(0.3, 3), worker))
        self.counts["stop"] += 1

    def shift_clock(self):
        """Up to ten minutes ahead, or a few seconds back: timers of the server that run meanwhile wait as much longer."""
        if self.clock:
            self.ahead += self.random.choice([-3, -2, -1, 5, 60, 600])
            set_clock(self.clock, self.ahead)
            self.counts["clock shifts"] += 1

    def change_source(self):
        """Another device saves a status."""
        _, user = self.random.choice(self.users)
        modified = self.rising_ms()
        video = f"vid_{self.random.randrange(30):05d}"
        self.world.source.cloud("edit", CONTAINER, user=user, zone=ZONE, records=[{
            "recordName": video, "recordType": "WatchedStatus", "fields": {
                "videoId": {"value": video, "type": "STRING"}, "status": {"value": "watched", "type": "STRING"},
                "lastModified": {"value": modified, "type": "TIMESTAMP"},
                "playbackPosition": {"value": modified % 1000, "type": "DOUBLE"}}}])
        self.counts["changes at the source"] += 1

    def faults(self):
        """(least seconds, most seconds, what)"""
        calm = [(1, 4, self.change_source)]
        return calm if self.is_calm else calm + [
            (0.7, 3, self.kill), (2, 6, self.stop), (0.2, 1.5, lambda: self.proxy.lose_a_reply(self.random)),
            (5, 15, self.shift_clock)]

    # The course of it.

    def blow(self, seconds):
        clients = [Client(self, number) for number in range(SESSIONS)]
        begun = minute = time.monotonic()
        due = [[begun + self.random.uniform(low, high), low, high, what] for low, high, what in self.faults()]
        while time.monotonic() < begun + seconds or any(c.steps or c.is_waiting for c in clients):
            now = time.monotonic()
            self.is_ending = now >= begun + seconds
            busy = [client.step() for client in clients]
            for fault in due if not self.is_ending else []:
                if now >= fault[0]:
                    fault[3]()
                    fault[0] = now + self.random.uniform(fault[1], fault[2])
            self.go_on(now)
            if now - minute >= 60:
                minute = now
                self.look_at_memory(now - begun)
            if not any(busy):
                time.sleep(0.01)
        self.go_on(float("inf"))
        for client in clients:
            client.session.close()

    def go_on(self, now):
        for at, worker in self.later:
            if now >= at and worker.poll() is None:
                worker.send_signal(signal.SIGCONT)
        self.later = [(at, worker) for at, worker in self.later if now < at]

    def look_at_memory(self, seconds):
        sizes = self.world.workers.memory_mb("VmRSS")
        self.memory.append((seconds / 60, sum(sizes) / len(sizes)))
        say(f"minute {seconds / 60:.0f}: a worker has {', '.join(f'{size:.1f}' for size in sizes)} MB")


def slope(points):
    """Least squares: MB a minute, and its standard error."""
    minutes, sizes = zip(*points)
    rate, start = statistics.linear_regression(minutes, sizes)
    rest = sum((size - start - rate * minute) ** 2 for minute, size in points)
    return rate, (rest / (len(points) - 2) / statistics.pvariance(minutes) / len(points)) ** 0.5
