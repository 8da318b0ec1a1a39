#!/usr/bin/env python3
"""Thirty sessions do all verbs at random while workers die, stop and lose replies and the clock is shifted; judges at the end.

    storm.py URL SOURCE --seconds N --seed N --programs DIR --logs DIR [--clock FILE] [--calm]

`--calm`: a low rate, and nobody dies, so that the memory of the workers tells something. Prints `ok - …` and `not ok - …`.
"""

import argparse
import datetime
import os
import random
import signal
import subprocess
import sys
import time
import urllib.parse
from collections import Counter

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "Pairs"))

from libpq import Refused, Session  # noqa: E402
from proxy import Proxy  # noqa: E402
from verbs import JOB, Draw  # noqa: E402
import judge  # noqa: E402

SESSIONS, WORKERS = 30, 3
# Longer than any limit of a session. Timers of a server that runs under libfaketime may be set for as long as its clock is
# ahead: seen once, with a load of twenty on two cores. Who waits for one is cancelled, as an application would be.
PATIENCE_S = 45
# What a session may be told: somebody else was first, or asked for the same.
EXPECTED = {"JR011", "JR012", "JR013", "55P03", "57014"}


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
            if not self.session.is_ready(0):
                if time.monotonic() - self.sent_at > PATIENCE_S:
                    self.sent_at = time.monotonic()
                    self.storm.cancel(self.session)
                return False
            self.is_waiting = False
            try:
                answer = self.session.result()
            except Refused as refusal:
                self.session.script("rollback")
                self.storm.refused(self.kind, refusal)
                self.steps = []
                self.wake()
                return True
            self.answers.append(answer)
            if not self.steps:
                self.storm.committed(self.kind, self.note, self.answers)
                self.wake()
            elif len(self.steps) == 1 and self.hold:
                self.at = time.monotonic() + self.hold
            return True
        if time.monotonic() < self.at:
            return False
        if not self.steps:
            if self.storm.is_ending:
                return False
            self.begin()
        self.session.send(*self.steps.pop(0))
        self.is_waiting, self.sent_at = True, time.monotonic()
        return True


class Storm:
    def __init__(self, asked):
        self.asked, self.url, self.seed = asked, asked.url, asked.seed
        self.pace = 5.0 if asked.calm else 0.25
        self.admin = Session(asked.url, TimeZone="UTC")
        self.users = [(row["tenant"], row["key"]) for row in self.admin.query("""
            select t.name as tenant, u.key from jobrunner.users as u
            join jobrunner.tenants as t on t.id = u.tenant_id where u.key like 'user-%' order by 1, 2""")]
        parts = urllib.parse.urlsplit(asked.url)
        self.proxy = Proxy(parts.hostname, parts.port, self.seed)
        self.worker_url = parts._replace(netloc=f"{parts.username}@127.0.0.1:{self.proxy.port}").geturl()
        self.random = random.Random(f"{self.seed} faults")
        self.counts, self.refusals, self.unexpected = Counter(), Counter(), []
        # (user, record): (status, modified); user: the last number drawn before the request was committed
        self.edits, self.requests, self.app_rows = {}, {}, set()
        self.is_ending, self.last_ms, self.ahead = False, 0, 0.0
        self.memory, self.workers = [], {}
        for slot in range(WORKERS):
            self.start_worker(slot)

    # What the sessions are told of.

    def rising_ms(self):
        self.last_ms = max(self.last_ms + 1, int(time.time() * 1000))
        return self.last_ms

    @staticmethod
    def iso(ms):
        return datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).isoformat(timespec="milliseconds")

    @staticmethod
    def storing(deadline):
        changed = f"""to_jsonb(f) || '{{"deadline": "{deadline}"}}'"""
        return f"select jobrunner.store_job_file({changed}) from jobrunner.job_files as f where f.name = '{JOB}'"

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
        self.admin.query("select pg_cancel_backend($1)", session.pid)

    def start_worker(self, slot):
        log = open(os.path.join(self.asked.logs, f"worker-{slot}.log"), "a")
        self.workers[slot] = subprocess.Popen(
            [os.path.join(self.asked.programs, "jobrunner"), "worker", "--concurrency", "8", "--lease", "1500ms"],
            env=os.environ | {"DATABASE_URL": self.worker_url}, stdout=log, stderr=log)

    def kill(self):
        slot = self.random.randrange(WORKERS)
        self.workers[slot].kill()
        self.workers[slot].wait()
        self.start_worker(slot)
        self.counts["kill"] += 1

    def stop(self):
        worker = self.workers[self.random.randrange(WORKERS)]
        worker.send_signal(signal.SIGSTOP)
        self.later.append((time.monotonic() + self.random.uniform(0.3, 3), worker))
        self.counts["stop"] += 1

    def shift_clock(self):
        """Up to ten minutes ahead, or a few seconds back: timers of the server that run meanwhile wait as much longer."""
        if self.asked.clock:
            self.ahead += self.random.choice([-3, -2, -1, 5, 60, 600])
            self.set_clock(self.ahead)
            self.counts["clock shifts"] += 1

    def set_clock(self, ahead):
        with open(self.asked.clock + ".new", "w") as file:
            file.write(f"{ahead:+.1f}\n")
        os.chmod(self.asked.clock + ".new", 0o644)
        os.replace(self.asked.clock + ".new", self.asked.clock)

    def change_source(self):
        """Another device saves a status."""
        _, user = self.random.choice(self.users)
        judge.device_saves(self.asked.source, user, f"vid_{self.random.randrange(30):05d}", self.rising_ms())
        self.counts["changes at the source"] += 1

    def faults(self):
        """(least seconds, most seconds, what)"""
        calm = [(1, 4, self.change_source)]
        return calm if self.asked.calm else calm + [
            (0.7, 3, self.kill), (2, 6, self.stop), (0.2, 1.5, self.proxy.lose_a_reply), (5, 15, self.shift_clock)]

    # The course of it.

    def blow(self):
        clients = [Client(self, number) for number in range(SESSIONS)]
        begun = minute = time.monotonic()
        self.later = []
        due = [[begun + self.random.uniform(low, high), low, high, what] for low, high, what in self.faults()]
        while time.monotonic() < begun + self.asked.seconds or any(c.steps or c.is_waiting for c in clients):
            now = time.monotonic()
            self.is_ending = now >= begun + self.asked.seconds
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
        sizes = []
        for worker in self.workers.values():
            with open(f"/proc/{worker.pid}/status") as file:
                sizes += [int(line.split()[1]) for line in file if line.startswith("VmRSS:")]
        self.memory.append((seconds / 60, sum(sizes) / len(sizes) / 1024))
        print(f"   minute {seconds / 60:.0f}: a worker has {', '.join(f'{size / 1024:.1f}' for size in sizes)} MB", flush=True)

    def end(self):
        for worker in self.workers.values():
            worker.send_signal(signal.SIGCONT)
            worker.terminate()
        for worker in self.workers.values():
            try:
                worker.wait(15)
            except subprocess.TimeoutExpired:
                worker.kill()


def slope(points):
    """Least squares: MB a minute, and its standard error."""
    count = len(points)
    mean_x, mean_y = (sum(p[i] for p in points) / count for i in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    rate = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    rest = sum((y - mean_y - rate * (x - mean_x)) ** 2 for x, y in points)
    return rate, (rest / (count - 2) / spread) ** 0.5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("source")
    for name in ("programs", "logs"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--clock")
    parser.add_argument("--calm", action="store_true")
    asked = parser.parse_args()
    storm = Storm(asked)
    try:
        storm.blow()
        said = ", ".join(f"{count} {name}" for name, count in sorted(storm.counts.items()))
        print(f"   {said}, {storm.proxy.lost} replies lost; refused: "
              + (", ".join(f"{count} {name}" for name, count in sorted(storm.refusals.items())) or "nothing"), flush=True)
        if len(storm.memory) > 2:
            print("   memory: {:+.3f} MB a minute, give or take {:.3f}".format(*slope(storm.memory[1:] if len(storm.memory) > 4 else storm.memory)))
        failed = judge.judge(storm)
    finally:
        storm.end()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
