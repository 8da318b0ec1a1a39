"""Judges a database: what must hold in any, and how its rows compare with the source's own record."""

import datetime
import re
from collections import Counter

from source import control
from world import UNFINISHED

# What must be empty, at any moment at which no transaction is open. The pairs ask it after every order.
INVARIANTS = {
    "a job runs under a worker that has ended": """
        select j.user_id || ' ' || j.name as what from jobrunner.jobs as j
        left join jobrunner.workers as w on w.id = j.worker_id
        where j.worker_id is not null and (w.id is null or w.ended_at is not null)""",
    "a user lacks a job of its tenant": """
        select u.key || ' ' || t.job_name as what from jobrunner.tenant_jobs as t
        join jobrunner.users as u on u.tenant_id = t.tenant_id
        where not exists (select from jobrunner.jobs as j where j.user_id = u.id and j.name = t.job_name)""",
    "a job is of no user or tenant": """
        select j.user_id || ' ' || j.name as what from jobrunner.jobs as j
        where not exists (select from jobrunner.users as u where u.id = j.user_id)
          or not exists (select from jobrunner.tenant_jobs as t where t.tenant_id = j.tenant_id and t.job_name = j.name)""",
    "a job has another period or deadline than its file": """
        select j.user_id || ' ' || j.name as what from jobrunner.jobs as j
        join jobrunner.job_files as f on f.name = j.name
        cross join lateral (
          select coalesce(g.every, f.every) as every from jobrunner.period_of(j.user_id, j.tenant_id, j.name) as g
        ) as p
        where (case when j.slowed_at is null then p.every else greatest(p.every, f.slow_every) end, f.deadline)
          <> (j.every, j.deadline)""",
    "a running job is not counted for its tenant's limit": """
        select j.user_id || ' ' || j.name as what from jobrunner.jobs as j
        join jobrunner.limited_tenants as t on t.tenant_id = j.tenant_id
        where j.worker_id is not null and t.is_settled
          and not exists (select from jobrunner.limited_runs as l where l.tenant_id = j.tenant_id and l.fence = j.fence)""",
    "a running job is in no batch of its worker": """
        select j.user_id || ' ' || j.name as what from jobrunner.jobs as j
        where j.worker_id is not null
          and not exists (select from jobrunner.held_jobs() as h where h.user_id = j.user_id and h.name = j.name)""",
    "a run has two rows in the history": """
        select r.id::text as what from jobrunner.runs as r group by r.id having count(*) > 1""",
}
# What must be empty besides when all jobs have come to rest.
AT_REST = {
    "a claim is held that no worker runs": """
        select user_id || ' ' || name as what from jobrunner.jobs where worker_id is not null and deadline_at < now()""",
    "a run is without an outcome": """
        select user_id || ' ' || id as what from jobrunner.runs where outcome is null""",
}
SET_ASIDE = "select user_id || ' ' || name as what from jobrunner.jobs where quarantined_at is not null"

VIDEOS = """
with expected (user_key, video_id, channel_id, published_at, title, duration_s) as (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::float8[])
), held as (
  select u.key as user_key, v.video_id, v.channel_id, v.published_at, v.title, v.duration_s
  from synced.hub_video as v left join jobrunner.users as u on u.id = v.user_id
)
select
  (select count(*) from held) as records,
  (select count(*) from expected) as expected,
  (select count(*) from (select user_key, video_id from expected except select user_key, video_id from held) as e) as lost,
  (select count(*) - count(distinct (user_key, video_id)) from held) as doubled,
  (select count(*) from (select user_key, video_id from held except select user_key, video_id from expected) as h)
    as unexpected,
  (select count(*) from held as h join expected as e using (user_key, video_id)
   where (h.channel_id, h.published_at, h.title, h.duration_s)
     is distinct from (e.channel_id, e.published_at, e.title, e.duration_s)) as different
"""


def videos(database, hub):
    """MeTube's rows beside what the hub says must be there: counts by name."""
    rows = read_tsv(control(hub, "GET", "expected/all"))
    columns = [list(column) for column in zip(*rows)] or [[]] * 6
    return {name: int(value) for name, value in database.rows(VIDEOS, *columns)[0].items()}


def read_tsv(text):
    r"""Rows as COPY has them; \N is None."""
    signs = {"t": "\t", "n": "\n", "r": "\r"}

    def value(field):
        return None if field == r"\N" else re.sub(r"\\(.)", lambda escape: signs.get(escape[1], escape[1]), field)

    return [[value(field) for field in line.split("\t")] for line in text.split("\n") if line]


def differences(here, there):
    """What is lost, too much or of another value."""
    return [f"{key}: {here.get(key, 'lost')}, the source {there.get(key, 'has it not')}"
            for key in sorted(here.keys() | there.keys()) if here.get(key) != there.get(key)]


class Served:
    """What the source says it served, of its log of requests; fields as docs/FAKE_SOURCE.md names them."""

    FIELDS = ("n", "mono_ms", "time", "method", "path", "user", "since", "cursor", "limit", "status", "records", "first",
              "last", "next", "fault", "bytes", "state")

    def __init__(self, hub):
        self.requests = [dict(zip(self.FIELDS, row)) for row in read_tsv(control(hub, "GET", "log.tsv"))]

    def first_pages(self):
        """Requests that began a user's feed anew."""
        return sum(r["path"].endswith("feed") and r["since"] is None and not r["cursor"] for r in self.requests)

    def pages(self, since):
        """How often each page of a user's feed was fetched whole since then."""
        return Counter(
            (r["user"], r["since"], r["cursor"]) for r in self.requests
            if r["path"].endswith("/feed") and r["status"] == "200" and r["state"] == "complete"
            and datetime.datetime.fromisoformat(r["time"]).timestamp() >= since)


def judge_nothing_stuck(world, who):
    """No job of before stays in progress, or due, once all is well again."""
    # A source's failure backs off for longer than five seconds; the database's leaves no trace.
    world.hurry(those="state = 'waiting'")
    healed = f"to_timestamp({world.database.value('select extract(epoch from now())')})"
    stuck = f"""from jobrunner.jobs where worker_id is not null and started_at < {healed}
        or worker_id is null and state = 'waiting' and due_at < {healed}"""
    world.await_that(f"select count(*) = 0 {stuck}")
    Judge(world, who).no_rows("nothing stays stuck after the last fault", f"select user_id || ' ' || name as what {stuck}")


class Judge:
    """The checks that phases share, of one world, in the name of `who`."""

    def __init__(self, world, who):
        self.database, self.world, self.who, self.checks = world.database, world, who, world.checks

    def none(self, what, found):
        self.checks.none(self.who, what, found)

    def no_rows(self, what, sql):
        """Nothing is found; `sql` shows it in a column `what`."""
        self.none(what, [row["what"] for row in self.database.rows(sql)])

    def equal(self, what, expected, found):
        self.checks.equal(self.who, what, expected, found)

    def count(self, what, sql):
        self.none(what, self.database.value(sql))

    def house(self, those="true"):
        """Every job is done, and nothing is left that contradicts itself."""
        self.no_rows("every job ends complete", f"""
            select j.user_id || ' ' || name || ': ' || concat_ws(', ', state, last_outcome, last_error) as what
            from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id where ({UNFINISHED}) and {those}""")
        for name, sql in (INVARIANTS | AT_REST).items():
            self.no_rows(f"never: {name}", sql)

    def all_inserted(self, table):
        rows = self.database.value(f"select count(*) from synced.{table}")
        self.equal("inserted counters equal the rows", rows, self.database.value("select sum((counters).inserted) from jobrunner.runs"))

    def stale_writes(self):
        self.count("no write by a claim that was taken away", "select count(*) from public.stale_writes")

    def videos(self):
        found = videos(self.database, self.world.source.hub)
        self.none(f"lost 0 of {found['expected']} records", found["lost"])
        self.none("no record that the source does not have, none with other values", found["unexpected"] + found["different"])
        self.none("doubled 0", found["doubled"])
        self.all_inserted("hub_video")

    def workers(self):
        self.equal("no worker exited", len(self.world.workers.slots), self.world.workers.alive)
        self.no_rows("no job is set aside", SET_ASIDE)
