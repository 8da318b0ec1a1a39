"""Runs the steps of concurrent transactions in a given order, also where a step has to wait for another session."""

import itertools

from libpq import Refused

BEGIN, COMMIT = ("begin", None), ("commit", None)


def interleavings(counts):
    """Every order of so many steps of each transaction, as the transactions' places."""
    if len(counts) == 1:
        yield (0,) * counts[0]
        return
    total = sum(counts)
    for chosen in itertools.combinations(range(total), counts[0]):
        for others in interleavings(counts[1:]):
            remaining = iter(others)
            taken = set(chosen)
            yield tuple(0 if place in taken else next(remaining) + 1 for place in range(total))


class Course:
    """What an order comes to: a transaction that waits takes its steps as soon as it waits no more."""

    def __init__(self, order):
        self.left, self.waiting, self.taken = list(order), frozenset(), ()

    def next(self):
        """Whose step is next; None: all that are left wait, or none is left."""
        for place, actor in enumerate(self.left):
            if actor not in self.waiting:
                del self.left[place]
                self.taken += (actor,)
                return actor
        return None

    def note(self, waiting, done):
        """After a step: who waits now, and who has ended, however many steps it had left."""
        self.waiting = waiting
        self.left = [actor for actor in self.left if actor not in done]


def is_known(order, courses):
    """Whether this order comes to a course that was run already."""
    course = Course(order)
    while course.next() is not None:
        if course.taken not in courses:
            return False
        course.note(*courses[course.taken])
    return True


class Clock:
    """Counts what happens, so that one can say what came before what."""

    def __init__(self):
        self.now = 0

    def tick(self):
        self.now += 1


class Actor:
    """One transaction on a session of its own: `body` yields its steps and is sent their answers."""

    def __init__(self, place, verb, session, clock, body):
        self.place, self.verb, self.session, self.clock = place, verb, session, clock
        self.is_waiting, self.is_done, self.refusal, self.sent_at = False, False, None, 0
        self.blockers = set()
        self.body = body(self)
        self.advance(None)

    def advance(self, answer):
        try:
            self.step = self.body.send(answer)
        except StopIteration:
            self.is_done = True

    def send(self):
        """Sends the next step; of several statements only the last may wait."""
        self.clock.tick()
        self.sent_at = self.clock.now
        if isinstance(self.step, list):
            for statement in self.step[:-1]:
                self.session.send(*statement)
                self.session.result()
            self.step = self.step[-1]
        self.session.send(*self.step)

    def take_answer(self):
        """A refusal ends the transaction."""
        self.is_waiting, self.blockers = False, set()
        self.clock.tick()
        try:
            answer = self.session.result()
            if self.step == COMMIT and answer != "COMMIT":
                raise Refused("25P02", f"commit was answered by {answer}")
        except Refused as refusal:
            self.refusal, self.is_done = refusal, True
            self.session.script("rollback")
            self.body.close()
            return
        self.advance(answer)


class Stage:
    """Runs orders; who waits for whom is asked of the server."""

    def __init__(self, monitor):
        self.monitor = monitor

    def run(self, order, actors, courses):
        """Runs one order, notes its course; returns who waited for whom."""
        course, waits = Course(order), set()
        while True:
            place = course.next()
            if place is not None:
                actors[place].send()
                self.await_answer(actors[place])
            elif any(actor.is_waiting for actor in actors):
                self.await_any(actors)
            else:
                return waits
            self.look_after(actors)
            waiting = frozenset(actor.place for actor in actors if actor.is_waiting)
            done = frozenset(actor.place for actor in actors if actor.is_done)
            waits.update((a.place, b.place) for a in actors for b in actors if b.session.pid in a.blockers)
            course.note(waiting, done)
            courses[course.taken] = (waiting, done)

    def run_alone(self, actor, until=None):
        """To its end, or until a step is next; whoever it waits for stays as it is."""
        while not actor.is_done and actor.step != until:
            actor.send()
            self.await_any([actor])

    def await_answer(self, actor):
        """Until the step is answered, or waits for a lock."""
        while not actor.session.is_ready(1):
            if self.waits(actor):
                actor.is_waiting = True
                return
        actor.take_answer()

    def look_after(self, actors):
        """A commit may have let others go on, and these again others."""
        changed = True
        while changed:
            changed = False
            for actor in actors:
                if actor.is_waiting and (actor.session.is_ready(0) or not self.waits(actor)):
                    actor.is_waiting = False
                    self.await_answer(actor)
                    changed = changed or not actor.is_waiting

    def await_any(self, actors):
        """All that are left wait: the server ends one, for a deadlock or at the limit of its patience."""
        while True:
            for actor in actors:
                if (actor.is_waiting or len(actors) == 1) and actor.session.is_ready(1):
                    return actor.take_answer()

    def waits(self, actor):
        rows = self.monitor.query("select pg_blocking_pids($1::integer) as pids", actor.session.pid)
        actor.blockers = {int(pid) for pid in rows[0]["pids"].strip("{}").split(",") if pid}
        return bool(actor.blockers)
