"""What must hold after every order, asked of the database."""

import json

from judge import INVARIANTS
from pairs import table
from pairs.following import judge_counters, judge_rows, judge_requests
from pairs.verbs import VERBS, ending
from pairs.world import Run

LOOK = """
select json_build_object(
  'broken', json_build_object({broken}),
  'jobs', (select json_agg(to_jsonb(j) || jsonb_build_object('hours', extract(epoch from j.due_at - now()) / 3600))
    from jobrunner.jobs as j),
  'checkpoints', (select json_agg(k) from jobrunner.checkpoints as k where k.user_id = {ann}),
  'rows', (select json_agg(r) from synced.{table} as r where r.user_id = {ann}),
  'runs', (select json_agg(r) from (select r.*, (r.counters).* from jobrunner.runs as r) as r),
  'left', (select count(*) from (
    select user_id from jobrunner.jobs union all select user_id from jobrunner.checkpoints
    union all select user_id from jobrunner.runs union all select user_id from jobrunner.secrets
    union all select user_id from jobrunner.seen_pages union all select user_id from synced.{table}
    union all select user_id from jobrunner.periods
    union all select id from jobrunner.users) as r where r.user_id = {ann}),
  'memory', (select count(*) from (
    select tenant_id, name as job_name from jobrunner.jobs
    union all select tenant_id, job_name from jobrunner.tenant_jobs
    union all select tenant_id, job_name from jobrunner.checkpoints
    union all select tenant_id, job_name from jobrunner.periods
    union all select u.tenant_id, m.job_name from (
      select user_id, job_name from jobrunner.call_memory union all select user_id, job_name from jobrunner.seen_pages
      union all select user_id, job_name from jobrunner.armed_triggers) as m join jobrunner.users as u on u.id = m.user_id
    ) as r where r.tenant_id = {tenant} and r.job_name = '{job}'),
  'others', (select count(*) from jobrunner.jobs as j where j.tenant_id <> {tenant} and j.name = '{job}')
) as look
"""
BROKEN = ", ".join(
    f"'{text.replace(chr(39), chr(39) * 2)}', (select json_agg(what) from ({sql}) as q)" for text, sql in INVARIANTS.items())


class Judge:
    """Looks at the world after one order."""

    def __init__(self, world, facts, state, actors):
        self.world, self.facts, self.state, self.actors = world, facts, state, actors
        self.ann = world.users["ann"]

    def look(self):
        sql = LOOK.format(broken=BROKEN, ann=self.ann, table=self.world.table, tenant=self.world.tenant_id, job=self.world.job)
        look = json.loads(self.world.judge.query(sql)[0]["look"])
        return {name: value if value is not None else [] for name, value in look.items()}

    def judge(self):
        self.judge_refusals()
        self.judge_cleared()
        self.tell_again()
        self.reap()
        before = self.look()
        self.judge_invariants(before)
        self.judge_state(before)
        self.end_runs(before)
        claims, due = self.claim()
        after = self.look()
        self.judge_invariants(after)
        self.judge_claim(claims, due)
        if "remove_user" not in self.facts.done:
            self.judge_taken_rows(after)
            judge_rows(self, after)
            judge_counters(self, after)
        judge_requests(self, after)

    def judge_invariants(self, look):
        for text, found in look["broken"].items():
            if found:
                self.facts.violated(f"{text}: {', '.join(found)}")

    def judge_single(self, verb):
        """What one verb by itself leaves is what the page says."""
        expected = table.left_by(verb.function, self.state, verb.is_forced)
        if expected is not None:
            found = self.world.judge.query(table.SUMMARY, self.ann, self.world.job)[0]["summary"]
            if found not in expected:
                self.facts.violated(f"the job is {found}, and {table.PAGE} says {' or '.join(sorted(expected))}")

    def judge_refusals(self):
        for actor in self.actors:
            refusal = actor.refusal
            if refusal and refusal.sqlstate not in actor.verb.may_meet | self.removal():
                self.facts.violated(f"{actor.verb.name} was refused: {refusal.sqlstate} {refusal.text}")

    def judge_cleared(self):
        """Asked before anything is mended: reconcile_jobs would take such a job back, a minute later."""
        if self.world.judge.query("""
                select 1 from jobrunner.jobs as j
                join jobrunner.workers as w on w.id = j.worker_id
                where w.cleared_at is not null"""):
            self.facts.violated("a worker that was cleared holds a job")

    def removal(self):
        """What may meet those who come after a user was removed, or its job taken."""
        removed = {"JR001", "JR002", "JR011", "JR012"} if "remove_user" in self.facts.done else set()
        return removed | ({"JR001", "JR012"} if "take_job" in self.facts.done else set())

    def tell_again(self):
        """Outcomes that met a job which somebody else held are told again."""
        for values in self.facts.busy:
            rows = self.world.finish(**values)
            for fence, outcome in zip(values["fence"], values["outcome"]):
                said = {int(row["fence"]): row["verdict"] for row in rows}
                if said.get(fence) == "busy":
                    self.facts.violated("an outcome is busy though nobody holds its job")
                elif said.get(fence) != "lost":
                    self.facts.ends[fence] = (outcome, self.facts.clock.now)

    def reap(self):
        """An hour goes by for workers that ended; what they held must be free afterwards."""
        self.world.judge.script(
            "update jobrunner.workers set ended_at = ended_at - interval '1 h' where ended_at is not null")
        self.world.judge.script("update jobrunner.chores set done_at = done_at - interval '1 h'")
        for _ in range(2):
            self.world.call("reap_jobs", in_lease="1 minute")
        self.world.call("reconcile_jobs")

    # The state that the verbs left.

    def job(self, look):
        return next((j for j in look["jobs"] if j["user_id"] == self.ann and j["name"] == self.world.job), None)

    def judge_state(self, look):
        facts, done = self.facts, self.facts.done
        known = {run.fence: run for run in [*self.world.runs[self.state].values(), *facts.claims]}
        for job in look["jobs"]:
            if job["worker_id"] is not None and job["fence"] not in known:
                facts.violated("a job runs under a claim that nobody has")
        if "remove_user" in done and look["left"]:
            facts.violated(f"{look['left']} rows of a removed user are left")
        self.judge_taken(look)
        if job := self.job(look):
            self.judge_stops(job)
            self.judge_reset(look)
            self.judge_patience(job)
            self.judge_secret(job)

    def judge_taken(self, look):
        """Of a job that was taken from its tenant nothing is left but history, and nobody else's is touched."""
        done = self.facts.done
        if "take_job" not in done:
            return
        if done.get("give_job anew", -1) < done["take_job"] and look["memory"]:
            self.facts.violated(f"{look['memory']} rows of a taken job are left")
        if look["others"] != 1:
            self.facts.violated("a job was taken from another tenant")
        if any(page.committed > done["take_job"] for page in self.facts.pages):
            self.facts.violated("a page of a taken job was committed after it was taken")

    def judge_taken_rows(self, look):
        """Rows that nobody edited meanwhile go when that was asked for, and stay when it was not."""
        facts = self.facts
        if "take_job" not in facts.done:
            return
        edited = {edit.record for edit in facts.edits}
        stored = {row[self.world.key] for row in look["rows"]}
        if facts.answers["take_job"] and "give_job anew" not in facts.done and stored - edited:
            facts.violated(f"rows of a taken job are left: {', '.join(sorted(stored - edited))}")
        if not facts.answers["take_job"] and not {"n01", "n06"} <= stored:
            facts.violated("rows of a taken job are gone, though they were to stay")

    def judge_stops(self, job):
        done = self.facts.done
        if "pause" in done and "resume" not in done:
            if job["paused_at"] is None:
                self.facts.violated("a paused job is not paused")
            if any(run.user_id == self.ann and run.started > done["pause"] for run in self.facts.claims):
                self.facts.violated("a job was claimed after it was paused")
        if "resume" in done and "pause" not in done and job["paused_at"] is not None:
            self.facts.violated("a resumed job is paused")
        for verb in ("cancel", "pause"):
            if verb in done and (verb == "cancel" or "resume" not in done):
                count, started = self.facts.answers[verb]
                held = [r for r in [*self.world.runs[self.state].values(), *self.facts.claims] if r.user_id == self.ann
                        and r.committed < started and r.fence == job["fence"] and r.fence not in self.facts.ends]
                if count and held and job["worker_id"] is not None and job["cancel_requested_at"] is None:
                    self.facts.violated(f"{verb}: the run in progress was not asked to stop")

    def judge_reset(self, look):
        """What was read before a reset moves nothing after it."""
        if self.facts.answers.get("reset", (0,))[0] == 0:
            return
        for point in look["checkpoints"]:
            if point["entity"] == self.world.entity and point["generation"] == 0:
                self.facts.violated("a reset left a checkpoint's generation")
            if point["pass_kind"] is not None or point["watermark"] is not None:
                self.facts.violated("a reset checkpoint has a position again, of a pass from before")
        for page in self.facts.pages:
            if page.committed > self.facts.done["reset"]:
                self.facts.violated("a page of before a reset was committed after it")

    def judge_patience(self, job):
        """Only a request that may cut a wait short does so."""
        asked = {request.what for request in self.facts.requests if request.user == "ann"}
        if self.state == "failing":
            may_cut = {what for what in asked if "record" not in what}
        elif self.state in ("deferred", "quarantined"):
            may_cut = {name for name, verb in VERBS.items() if table.cuts_short(verb.function, self.state, verb.is_forced)}
        else:
            may_cut = None
        if may_cut is not None and not asked & may_cut and job["hours"] < 4:
            self.facts.violated(f"nobody who may asked, and a {self.state} job does not wait as long as it has to")

    def judge_secret(self, job):
        if "set_secret" in self.facts.done and job["reauth_needed_at"] is not None:
            self.facts.violated("a job waits for a new secret, which is stored")

    # What follows.

    def end_runs(self, look):
        """Whatever still runs is ended well."""
        known = {run.fence: run for run in [*self.world.runs[self.state].values(), *self.facts.claims]}
        held = [known[j["fence"]] for j in look["jobs"] if j["worker_id"] is not None and j["fence"] in known]
        if held:
            self.world.finish(**ending(self.world, [(run, "complete") for run in held]))
            for run in held:
                self.facts.ends[run.fence] = ("complete", self.facts.clock.now)

    def claim(self):
        """A fresh worker looks at everything; returns what it got, and what was due before."""
        claims, due = self.claim_once()
        self.facts.claims += claims
        more = claims if any(row["max_running"] for row in due) else []
        while more:
            # A tenant's limit lets the others wait until these have ended.
            self.world.finish(**ending(self.world, [(run, "complete") for run in more]))
            more, _ = self.claim_once()
            self.facts.claims += more
        return {(run.user_id, run.job) for run in claims}, due

    def claim_once(self):
        judge = self.world.judge
        judge.script("begin")
        due = judge.query("""
            select j.user_id, j.name, j.tenant_id, t.max_running from jobrunner.jobs as j
            join jobrunner.tenants as t on t.id = j.tenant_id
            where j.state = 'waiting' and j.due_at <= now() and t.paused_at is null""")
        rows = self.world.claim(self.world.spare, 999, [self.world.job, "pairs.spare"])
        judge.script("commit")
        self.facts.clock.tick()
        now = self.facts.clock.now
        return [Run(row["name"], row, now, now, is_last=True) for row in rows], due

    def judge_claim(self, claims, due):
        limits = {}
        for row in due:
            if row["max_running"] is not None:
                limits.setdefault(row["tenant_id"], []).append(row)
            elif (int(row["user_id"]), row["name"]) not in claims:
                self.facts.violated("a due job was not claimed")
        for rows in limits.values():
            got = sum((int(row["user_id"]), row["name"]) in claims for row in rows)
            most = int(rows[0]["max_running"])
            if got != min(most, len(rows)):
                self.facts.violated(f"of {len(rows)} due jobs of a tenant with max_running {most}, {got} were claimed")
