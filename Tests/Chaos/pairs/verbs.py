"""The verbs as transactions made of steps. What a verb was promised is noted when its commit is answered."""

from dataclasses import dataclass

from pairs.facts import Page, Request
from pairs.orders import BEGIN, COMMIT
from pairs.table import states_of
from pairs.world import SEALED, SILENT, TENANT, STATES, WITH_PASS, Run

WORKER, APPLICATION = "worker", "application"
HELD = states_of("commit_page") & WITH_PASS
ANY = set(STATES)
VERBS = {}


@dataclass
class Verb:
    name: str
    body: object
    steps: int
    side: str
    # States of Ann's job in which it does anything, and those that are telling.
    states: set
    telling: set
    # SQLSTATEs it may meet.
    may_meet: set
    # The function of SQL that the page's table has a row for.
    function: str | None

    @property
    def is_forced(self):
        return "force" in self.name


def verb(name, steps, side, states=ANY, telling=(), may_meet=(), function=None):
    def note(body):
        VERBS[name] = Verb(name, body, steps, side, set(states), set(telling), set(may_meet), function)
        return body

    return note


class Me:
    """One transaction's place in the world."""

    def __init__(self, world, facts, state, place):
        self.world, self.facts, self.state, self.place = world, facts, state, place
        self.runs = world.runs[state]
        self.actor = None

    def begin(self, verb):
        """What an actor runs; the actor tells when its step was sent."""

        def body(actor):
            self.actor = actor
            return verb.body(self)

        return body

    @property
    def now(self):
        return self.facts.clock.now

    def call(self, name, **values):
        return self.world.calling(name, **values)

    def of_ann(self, name, **values):
        return self.call(name, in_tenant=TENANT, in_user="ann", in_job=self.world.job, **values)

    def page(self, who, name, number):
        return self.world.statements.of(self.runs[who], name, number)

    def done(self, name, answer=None):
        self.facts.done[name] = self.now
        self.facts.answers[name] = answer

    def request(self, what, user, started, **more):
        self.facts.requests.append(Request(what, user, started, self.now, **more))


def alone(me, statement):
    """A transaction of one statement; returns its answer, and when it was sent."""
    yield BEGIN
    answer = yield statement
    started = me.actor.sent_at
    yield COMMIT
    return answer, started


# What workers do.


def claiming(name, function):
    def body(me):
        # What is due of whom is looked up when the transaction has begun.
        yield BEGIN
        rows = yield getattr(me.world, function)(me.world.worker, 10, [me.world.job])
        started = me.actor.sent_at
        yield COMMIT
        for row in rows:
            me.facts.claims.append(Run(me.world.job, row, started=started, committed=me.now))

    verb(name, 3, WORKER, CLAIMABLE, may_meet={"JR003"}, function=function)(body)


CLAIMABLE = {"due", "running", "silent", "limited", "paused", "deferred"}
claiming("claim", "claim_new")
claiming("claim of tenants", "claim_of_tenants")


def pages(name, statements, number, begins=True, last=None):
    def body(me):
        run, hold = me.runs["ann"], me.page("ann", "hold", number)
        stop = (yield [BEGIN, hold] if begins else hold)[0]["hold_job"] == "t"
        page = Page(run.fence, number, me.actor.sent_at, 0)
        for statement in statements:
            row = (yield me.page("ann", statement, number))[0]
            for count in ("swept",) if statement == "sweep" else ("inserted", "updated", "deleted"):
                setattr(page, count, int(row[count]))
        if last:
            yield last
        yield COMMIT
        page.committed = me.now
        me.facts.pages.append(page)
        me.done(name, stop)

    return body


RUN_ENDS = {"JR001", "JR002"}
verb("page", 3, WORKER, HELD, may_meet=RUN_ENDS, function="commit_page")(pages("page", ["page"], 2))
verb("first page", 3, WORKER, {"fresh"}, may_meet=RUN_ENDS)(pages("first page", ["page_first"], 1))
verb("sweep", 4, WORKER, HELD, may_meet=RUN_ENDS)(pages("sweep", ["page_last", "sweep"], 2))


@verb("page with a secret", 5, WORKER, HELD, may_meet=RUN_ENDS)
def page_with_a_secret(me):
    user = {"in_tenant_id": me.world.tenant_id, "in_user_id": me.world.users["ann"], "in_job": me.world.job}
    brought = me.call("bring_secret", **user, in_name="brought", in_sealed=SEALED + "03", in_changed_at="2026-01-01T00:00:00Z")
    yield [BEGIN, me.call("hold_secrets", **user)]
    yield from pages("page with a secret", ["page"], 2, begins=False, last=brought)(me)


@verb("quiet look", 4, WORKER, HELD, may_meet=RUN_ENDS)
def quiet_look(me):
    yield me.page("ann", "page_look", 2)
    yield from pages("quiet look", ["page"], 2)(me)


def pushing(name, statement):
    def body(me):
        run, source = me.runs["ann"], me.facts.source
        yield [BEGIN, me.page("ann", "hold", None)]
        rows = yield me.world.statements.of(run, "push_read")
        yield COMMIT
        if not rows:
            return
        given = []
        for row in rows:
            # By the names of the columns, or by the places of the fields.
            record = row.get(me.world.key) or row["field_0"]
            row["body"] = row.get("body") or row.get("field_1")
            given.append({"KEY": record, "VERSION": row["row_version"], "NAME": record, "TAG": f"sent-{record}", "SENT": row["body"]})
            if statement == "saved":
                source[record] = (row["body"], f"sent-{record}")
            elif statement == "saved_otherwise":
                source[record] = ("REMOTE", f"sent-{record}")
            elif statement in ("removed", "gone"):
                source[record] = (None, None)
            elif statement == "replaced":
                source[record] = ("REMOTE", f"sent-{record}")
        yield [BEGIN, me.page("ann", "hold", None)]
        yield me.world.statements.of_rows(run, statement, given)
        yield me.call("store_push_counters", in_user_id=run.user_id, in_name=run.job, in_entity=run.entity, in_fence=run.fence,
                      in_pushed=len(given), in_failed=0, in_swept=0)
        yield COMMIT
        for row, read in zip(given, rows):
            # A row that was edited since it gave way keeps its tag: that edit knows nothing of the source's version
            # either, so the next push has to meet the conflict again.
            if statement.startswith("saved"):
                me.facts.tagged[row["KEY"]] = me.now
            # What was sent is no longer there, where the source has made something else of it.
            if statement != "saved":
                me.facts.gave_way[row["KEY"]] = None if read["is_deleted"] == "t" else read["body"]
        me.done(name)

    return body


for pushed in ("saved", "saved_otherwise", "removed", "gone", "replaced", "refused"):
    name = f"push {pushed.replace('_', ' ')}"
    verb(name, 7, WORKER, HELD, may_meet=RUN_ENDS)(pushing(name, pushed))


def finishing(outcomes, passes=None, **more):
    """Ends the runs of users; `outcomes` says how."""

    def body(me):
        runs = [(me.runs[user], outcome) for user, outcome in outcomes.items()]
        values = ending(me.world, runs, passes, **more)
        rows, _ = yield from alone(me, me.world.finishing(**values))
        said = {int(row["fence"]): row["verdict"] for row in rows}
        for place, (run, outcome) in enumerate(runs):
            verdict = said.get(run.fence)
            if verdict == "busy":
                me.facts.busy.append({name: [value[place]] for name, value in values.items()})
            elif verdict != "lost":
                me.facts.ends[run.fence] = (outcome, me.now)
        me.done("finish", said)

    return body


def ending(world, runs, passes=None, kind=None, entity=None):
    kinds = {"failed": "unavailable", "deferred": "rate_limited", "needs_reauth": "unauthorised", "partial": "deadline"}
    return {
        "user_id": [run.user_id for run, _ in runs],
        "name": [run.job for run, _ in runs],
        "fence": [run.fence for run, _ in runs],
        "nonce": [run.nonce for run, _ in runs],
        "outcome": [outcome for _, outcome in runs],
        "error_kind": [kind or kinds.get(outcome) for _, outcome in runs],
        "error": ["it says why" if outcome in kinds else None for _, outcome in runs],
        "wait_ms": [36_000_000 if outcome == "deferred" else None for _, outcome in runs],
        "requests": [1 for _ in runs],
        "ended_passes": [passes for _ in runs],
        "calls": [None for _ in runs],
        "has_committed": [run.user_id == world.users["ann"] for run, _ in runs],
        "is_unchanged": [False for _ in runs],
        "failures": [entity and f'[{{"entity": "{entity}", "kind": "unavailable", "error": "away"}}]' for _ in runs],
        "secret_versions": [run.secrets for run, _ in runs],
    }


FINISH = states_of("finish_runs") - {"ahead"}
EMPTY_PULL = '[{"entity": "mark", "generation": 0, "pass_number": 1, "page_number": 0}]'
for outcome in ("complete", "partial", "deferred", "needs_reauth", "failed"):
    verb(f"finish {outcome}", 3, WORKER, FINISH, {"asked"} if outcome in ("partial", "deferred") else (),
         function="finish_runs")(
        finishing({"ann": outcome}))
verb("finish failed push", 3, WORKER, HELD)(finishing({"ann": "failed"}, EMPTY_PULL, entity="mark"))
verb("finish batch", 3, WORKER, HELD)(finishing({"ann": "partial", "bob": "complete"}))


@verb("finish idle", 3, WORKER, FINISH, function="finish_idle_runs")
def finish_idle(me):
    """Ends bob's run, which has nothing to note, where the claim left its row; else as a worker ends any other."""
    run = me.runs["bob"]
    places = me.world.judge.query(
        "select j.ctid::text as place from jobrunner.jobs as j where j.user_id = $1 and j.name = $2", run.user_id, run.job)
    place = places[0]["place"] if places else "(0,0)"
    rows, _ = yield from alone(me, (
        "select jobrunner.finish_idle_runs(array[$1::tid], array[$2::bigint], array[$3::uuid], array[true], array[null]) as fences",
        [place, run.fence, run.nonce]))
    if rows[0]["fences"] != "{}":
        me.facts.ends[run.fence] = ("complete", me.now)
        me.done("finish", {})
    else:
        yield from finishing({"bob": "complete"})(me)


@verb("release", 3, WORKER, states_of("release_jobs") - WITH_PASS - SILENT, {"asked"}, function="release_jobs")
def release(me):
    run = me.runs["ann"]
    rows, _ = yield from alone(me, me.call("release_jobs", in_user_ids=[run.user_id], in_names=[run.job],
                                           in_fences=[run.fence], in_nonces=[run.nonce]))
    if rows[0]["release_jobs"] == "1":
        me.facts.ends[run.fence] = ("released", me.now)


def housekeeping(name, function, states=ANY, telling=(), of_world=lambda world: {}, **values):
    def body(me):
        rows, _ = yield from alone(me, me.call(function, **values, **of_world(me.world)))
        me.done(name, rows)

    verb(name, 3, WORKER, states, telling, function=function)(body)


housekeeping("reap", "reap_jobs", SILENT, SILENT, in_lease="1 minute")
# A worker's end in order, when it knows of no claim: also when a claim's answer never came.
housekeeping("leave", "deregister_worker", {"due"}, {"due"}, lambda world: {"in_worker_id": world.worker})
housekeeping("slow_jobs", "slow_jobs", {"due", "later", "slowing"}, {"slowing"})
housekeeping("maintain_runs", "maintain_runs")
