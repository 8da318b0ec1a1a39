"""One tenant's source drips, bombs, loops and lies, and another's rows are poisoned in every column.

Twenty quiet tenants have work all the time, and one worker runs them all. It must stay under 256 MB, no job of a quiet
tenant may crash, fail, be set aside or given up, each must be run again and again, and doctor must name every culprit.
"""

import re
import subprocess
import time

import hostile_source
from checks import say
from cluster import HANG_S
from judge import Judge
from processes import PROGRAMS
from world import World

QUIET_TENANTS = 20
MEMORY_MAX_MB = 256

JOB_FILE = """
version: 1
job: chaos.{name}
schedule: {{ every: 1h, deadline: 8s }}
source: {{ id: chaos, base: "http://127.0.0.1:1", timeout: 5s, retry: {{ attempts: 2, first: 50ms }} }}
entities:
  - entity: item
    conditional: true
    request: {{ path: "/{{user.who}}/items", query: {{ {query}, size: "{{page.size}}" }} }}
    page: {{ {page}, size: 5 }}
    records:
      at: "items[]"
      key: [id]
      fields:
        id: {{ at: id, type: text, required: true }}
        seq: {{ at: seq, type: int, required: true }}
        raw: {{ at: raw, type: json }}
    write: {{ table: chaos_{name}, mode: overwrite }}
"""

LONG = "repeat('x', 2000000)"
POISONED_COLUMNS = ("sync_token", "pass_since", "watermark", "partial_watermark", "validator", "probe", "pass_probe")
# Each takes the place of one column of one user's checkpoint, or of one user's attributes, which can't be as long.
POISONS = [
    *(("checkpoints", f"{column} = {LONG}") for column in POISONED_COLUMNS),
    ("checkpoints", "last_synced_at = 'infinity'"),
    ("checkpoints", "last_full_at = 'infinity'"),
    ("checkpoints", "pass_kind = 'full', pass_started_at = '-infinity'"),
    ("checkpoints", f"pass_kind = 'full', pass_started_at = now(), cursor = {LONG}"),
    ("users", """attributes = attributes || ('{"a":' || repeat('[', 900) || repeat(']', 900) || '}')::jsonb"""),
    ("users", """attributes = '{"who": ".."}'"""),
    ("users", """attributes = '{"who": ""}'"""),
]
CULPRITS = ["bomb", "flood", "loop", "ignore", "lie", *(f"ill{number}" for number in range(1, len(POISONS) + 1))]

OF_QUIET = """from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id
    join jobrunner.tenants as t on t.id = j.tenant_id and t.name like 'quiet%'"""


def run(run, options):
    run.start_server()
    world, source = prepare(run)
    began = time.monotonic()
    world.workers.start(1)
    world.await_that("""select count(*) = 0 from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id
        where u.key like 'ill%' and j.last_outcome is null""")
    poison(world)
    work_quietly(world, options.hostile)
    judge(world, source, began)
    world.end()


def prepare(run):
    world = World(run, "hostile", concurrency=20)
    for name, page, query in (("items", "style: token, token_at: next", 'cursor: "{page.token}"'),
                              ("pages", "style: offset, total_at: total", 'offset: "{page.token}"')):
        world.write_job_file(f"{name}.yaml", JOB_FILE.format(name=name, page=page, query=query))
    world.jobrunner("migrate")
    source = hostile_source.start()
    for tenant in ("bad", "ill", *(f"quiet{number}" for number in range(1, QUIET_TENANTS + 1))):
        world.jobrunner("tenant", "add", tenant, "--job", "chaos.items", "--source", f"chaos=http://127.0.0.1:{source.server_port}")
    # A user that has no page style of its own gets the one that its name lies about.
    world.database.script(f"""
        select jobrunner.give_job('bad', 'chaos.pages');
        select count(jobrunner.add_user('bad', who, jsonb_build_object('who', who)))
        from unnest('{{{",".join(hostile_source.BAD)}}}'::text[]) as who;
        delete from jobrunner.jobs as j using jobrunner.users as u
        where u.id = j.user_id and (u.key = 'ignore') <> (j.name = 'chaos.pages');
        select count(jobrunner.add_user('quiet' || t, 'user' || n, jsonb_build_object('who', 'quiet' || t || '-' || n)))
        from generate_series(1, {QUIET_TENANTS}) as t, generate_series(1, 2) as n;
        select count(jobrunner.add_user('ill', 'ill' || n, jsonb_build_object('who', 'ill' || n)))
        from generate_series(1, {len(POISONS)}) as n""")
    return world, source


def poison(world):
    for number, (table, change) in enumerate(POISONS, 1):
        if table == "users":
            world.database.script(f"update jobrunner.users set {change} where key = 'ill{number}'")
        else:
            world.database.script(f"""
                update jobrunner.checkpoints as k set {change} from jobrunner.users as u
                where u.id = k.user_id and u.key = 'ill{number}'""")


def work_quietly(world, seconds):
    """Rounds of the quiet tenants while the others are due all the time."""
    end, spans = time.monotonic() + seconds, []
    while time.monotonic() < end:
        world.database.script("""
            update jobrunner.jobs as j set due_at = now() from jobrunner.users as u, jobrunner.tenants as t
            where u.id = j.user_id and t.id = j.tenant_id and j.worker_id is null and j.quarantined_at is null
              and (t.name like 'quiet%' or u.key <> 'now')""")
        start = time.monotonic()
        while world.database.value(f"select count(*) {OF_QUIET} where j.worker_id is not null or j.due_at <= now()"):
            time.sleep(0.2)
            if time.monotonic() > end + HANG_S:
                break
        spans.append(time.monotonic() - start)
        time.sleep(0.5)
    say(f"{len(spans)} rounds of {QUIET_TENANTS * 2} quiet jobs, the slowest took {max(spans) * 1000:.0f} ms")


def judge(world, source, began):
    judge = Judge(world, "hostile")
    judge.count("no quiet job fails, crashes, is set aside or given up", f"""
        select count(*) {OF_QUIET} where j.last_outcome is distinct from 'complete' or j.consecutive_failures > 0
          or j.quarantined_at is not null""")
    judge.count("nothing ever crashed", "select count(*) from jobrunner.runs where error_kind = 'crashed'")
    judge.equal("each quiet user has its 25 records", QUIET_TENANTS * 2, world.database.value("""
        select count(*) from (
          select i.user_id from synced.chaos_items as i join jobrunner.users as u on u.id = i.user_id
          join jobrunner.tenants as t on t.id = u.tenant_id where t.name like 'quiet%' group by i.user_id having count(*) = 25
        ) as whole"""))
    judge.equal("the worker is the one that was started", 1, world.workers.alive)
    (peak,) = world.workers.memory_mb("VmHWM")
    say(f"the worker held {peak:.0f} MB at most")
    judge.checks.that("hostile", f"the worker stayed under {MEMORY_MAX_MB} MB", peak < MEMORY_MAX_MB, f"{peak:.0f} MB")
    asked, seconds = source.counts["now"], time.monotonic() - began
    judge.checks.that("hostile", "a source that says Retry-After: 0 is asked once a second at most", asked <= seconds + 5,
                      f"{asked} in {seconds:.0f} s")
    failing = [row["user_key"] for row in world.database.rows("select user_key from jobrunner.failing_jobs")]
    judge.none("failing_jobs names every culprit", sorted(set(CULPRITS) - set(failing)))
    judge_doctor(world, judge)


def judge_doctor(world, judge):
    doctor = subprocess.run([f"{PROGRAMS}/jobrunner", "doctor"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env=world.child_environment)
    judge.equal("doctor's exit code", 1, doctor.returncode)
    # Many that have one cause are one line with their number, and one of them as an example.
    told = sum(int(users) for users in re.findall(r"^(?:error|warning): cause: .*?: (\d+) users?\b", doctor.stdout, re.M))
    judge.checks.that("hostile", "doctor counts every culprit by its cause", told >= len(CULPRITS), doctor.stdout)
