"""Rounds of SportsTime's job: each has other devices change a thousand games, every other one starts anew.

Deadlines are drawn anew for every run, a tenth of the pages is slow, and whoever runs the job is killed now and then. In
the end the rows must be those of a clean run.
"""

import subprocess
import time
from collections import Counter

from checks import say
from cluster import HANG_S
from judge import Judge
from world import World

JOB, CONTAINER = "sportstime.processing", "iCloud.com.example.sportstime"
TABLES = ("stadium", "league_structure", "team", "team_alias", "stadium_alias", "game", "sport")
GAMES, CHANGED = 5000, 1000


def run(run, options):
    run.start_server()
    world = prepare(run)
    rounds = Rounds(world)
    rounds.go_on_until(options.kills, options.cuts)
    judge(world, rounds, f"sportstime, {rounds.kills} kills and {rounds.cuts} deadlines")
    world.end()


def openssl(*words):
    return subprocess.run(["openssl", *words], check=True, capture_output=True, text=True).stdout


def prepare(run):
    world = World(run, "sports", concurrency=4)
    world.key = openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout")
    public = openssl("ec", "-in", world.secret_file("key.pem", world.key), "-pubout")
    world.start_source("--page-delay", "50")
    world.source.post("cloudkit/fixture", name="sportstime", broken=0)
    world.source.cloud("container", CONTAINER, server_keys={"chaos-key": public})
    world.source.fault("slow", delay_ms=700, probability=0.1, times=0)
    add_tenant(world)
    world.watch_writes()
    watch_cuts(world)
    world.workers.start(2)
    return world


def add_tenant(world):
    # The games of the fixture are of 2025, and are to stay.
    world.job_file("sportstime/processing.yaml", {
        "per_second: 10": "per_second: 100000", "younger_than: 400d": "younger_than: 30000d",
        "older_than: 400d": "older_than: 30000d"})
    world.jobrunner("migrate")
    world.add_tenant("sports", [JOB], ["ck-sportstime"], ck_key_id="chaos-key", ck_private_key=world.key)


def watch_cuts(world):
    """Each run gets a deadline of its own.

    A watermark that moves before its pass has ended leaves a row, and so does the entity that a run's end falls into.
    """
    world.database.script("""
        create table public.early_watermarks (entity text, at timestamptz default now());
        create table public.cuts (entity text, at timestamptz default now());
        create function public.note_watermark() returns trigger language plpgsql as $$
        begin
          -- Of a row that is new, old is null.
          if new.watermark is distinct from old.watermark then
            insert into public.early_watermarks (entity) values (new.entity);
          end if;
          return null;
        end $$;
        create trigger note_watermark after insert or update on jobrunner.checkpoints
          for each row when (new.pass_kind is not null) execute function public.note_watermark();
        create function public.draw_deadline() returns trigger language plpgsql as $$
        begin
          insert into public.cuts (entity)
          select k.entity from jobrunner.checkpoints as k
          where k.user_id = new.user_id and k.job_name = new.name and k.pass_kind is not null;
          new.deadline := make_interval(secs => 0.5 + random() * 1.5);
          return new;
        end $$;
        create trigger draw_deadline before update on jobrunner.jobs
          for each row when (old.worker_id is not null and new.worker_id is null)
          execute function public.draw_deadline();
        update jobrunner.jobs set deadline = interval '1 s'""")


class Rounds:
    """One round after the other, and what they cost."""

    def __init__(self, world):
        self.world, self.database, self.random = world, world.database, world.random
        self.count = self.kills = self.cuts = self.partial = self.last_request = self.twice = self.over = 0

    def go_on_until(self, kills, cuts):
        end = time.monotonic() + HANG_S + kills * 8 + cuts * 4
        while self.kills < kills or self.cuts < cuts:
            if time.monotonic() > end:
                self.world.checks.equal("sportstime", "all cuts were made in time", (kills, cuts), (self.kills, self.cuts))
                break
            time.sleep(self.random.choice([0, 0.1, 0.2, 0.3, 0.4]))
            state = self.database.value("""
                select case when state = 'waiting' and last_outcome = 'complete' and due_at > now() then 'complete' else state end
                from jobrunner.jobs""")
            if state == "complete":
                self.end()
                self.begin()
            elif state == "quarantined":
                self.database.script("select jobrunner.retry_jobs('sports')")
            elif state == "running" and self.kills < kills and self.random.random() < 0.5:
                self.kills += self.kill_holder()
            self.cuts = self.database.value("select count(*) from jobrunner.runs where error_kind = 'deadline'")
        self.database.script("""
            drop trigger draw_deadline on jobrunner.jobs; update jobrunner.jobs set deadline = interval '5 min'""")
        self.world.source.end_faults()
        self.world.await_complete()
        self.end()

    def begin(self):
        team = f"team_{self.random.randrange(180):05d}"
        self.world.source.cloud("edit", CONTAINER, records=[
            {"recordName": f"game_{game:06d}", "fields": {"homeTeamCanonicalId": {"value": team}}}
            for game in self.random.sample(range(GAMES), CHANGED)])
        if self.count % 2:
            self.database.script("select jobrunner.reset_jobs('sports')")
        self.world.hurry(those="true")

    def end(self):
        """No more pages than there were cuts may have been asked for a second time."""
        log = self.world.source.control("GET", f"log?after={self.last_request}")
        asked = Counter(entry.get("body_hash") for entry in log["entries"])
        again = asked.total() - len(asked)
        partial = self.database.value("select count(*) from jobrunner.runs where outcome = 'partial'")
        self.over += again > partial - self.partial
        self.twice += again
        self.last_request, self.partial, self.count = log["last"], partial, self.count + 1

    def kill_holder(self):
        """Kills whoever runs the job; False when nobody does."""
        pids = self.database.rows("select w.pid from jobrunner.workers as w join jobrunner.jobs as j on j.worker_id = w.id")
        slot = self.world.workers.slot_of(int(pids[0]["pid"])) if pids else None
        return slot is not None and self.world.workers.kill(slot)


def rows(world):
    """All seven tables, but for the times of our own clock."""
    return Counter((table, row["value"]) for table in TABLES for row in world.database.rows(
        f"select to_jsonb(t) - '{{user_id,inserted_at,last_modified}}'::text[] as value from synced.st_{table} as t"))


def clean_run(run, world):
    """What one run makes of the source as it is."""
    clean = World(run, "clean")
    clean.source, clean.key = world.source, world.key
    add_tenant(clean)
    clean.jobrunner("worker", "--drain")
    return rows(clean)


def judge(world, rounds, who):
    stored, judge = rows(world), Judge(world, f"ST32 {who}")
    database = world.database
    judge.house()
    judge.equal(f"inserted counters equal the {stored.total()} rows", stored.total(),
                database.value("select sum((counters).inserted) from jobrunner.runs"))
    judge.none("no round fetched more pages twice than it had cuts", rounds.over)
    Judge(world, f"ST8 {who}").count("no cut moved the watermark of the entity it fell into",
                                     "select count(*) from public.early_watermarks")
    judge.stale_writes()
    judge.equal("cuts fell inside entities", True, database.value("select count(*) from public.cuts") > 0)
    inside = database.value("""
        select string_agg(entity || ' ' || n, ', ' order by n desc)
        from (select entity, count(*) as n from public.cuts group by entity) as c""")
    say(f"{rounds.count} rounds, {rounds.twice} pages fetched twice after {rounds.partial} cuts; inside {inside}")
    clean = clean_run(world.run, world)
    judge.none("the rows are those of one clean run", list((stored - clean) + (clean - stored)))
    judge.equal("games", GAMES, sum(table == "game" for table, _ in clean))
