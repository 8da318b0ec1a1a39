"""What KEDA would read: its queries, asked by their own login of a database that is empty, late, paused and at work."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Chaos"))
from cluster import Cluster, Database  # noqa: E402
from libpq import Refused  # noqa: E402
from manifests import FOLDER  # noqa: E402
from program import PROGRAM  # noqa: E402

NUMBER = r"\d+(\.\d+)?"
LATE_S = 90
# What grows with the users, or with what happens to them.
LARGE = {"jobs", "users", "runs", "checkpoints", "events", "changes", "audit", "claims", "seen_pages", "call_memory"}


class Scaler:
    """A database as the page installs it, and the login that the page makes for KEDA."""

    def __init__(self, manifests, folder):
        self.queries = {name: trigger["metadata"]["query"] for name, trigger in manifests.queries.items()}
        self.cluster = Cluster(folder)
        self.owner = Database(self.cluster.url)
        role, grant = re.search(r"(?m)^create role (jobrunner_\w+) (login .*in role jobrunner_reader.*;)$", manifests.page).groups()
        Database(self.cluster.administrator_url).script(f"create role {role} {grant}")
        self.login = Database(self.cluster.url.replace("jobrunner@", f"{role}@"))
        environment = {**os.environ, "DATABASE_URL": self.cluster.url, "JOBRUNNER_JOBS": str(FOLDER / "jobs")}
        subprocess.run([PROGRAM, "migrate"], check=True, capture_output=True, env=environment)

    def asked(self, name):
        """The one value, as its text; anything else raises."""
        (row,) = self.login.rows(self.queries[name])
        (value,) = row.values()
        return value

    def count(self):
        """What a worker does once a minute."""
        self.owner.value("select jobrunner.count_waiting(in_anew => true)::text")

    def read_tables(self, name):
        """The tables that a query reads in truth."""
        (plan,) = self.login.rows(f"explain (analyze, format json) {self.queries[name]}")
        return set(re.findall(r'"Relation Name": "(\w+)"', "".join(nodes(plan["QUERY PLAN"]))))

    def end(self):
        self.cluster.stop()


def nodes(plan):
    """Of a plan in JSON those nodes that were executed, each without those below it."""
    return [part for part in re.split(r'(?="Node Type")', plan) if '"Actual Loops": 0' not in part]


def ask(manifests, check):
    """check(sentence, wanted, found) is told of each."""
    with tempfile.TemporaryDirectory(prefix="jobrunner-kubernetes.", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        scaler = Scaler(manifests, f"{folder}/pg")
        try:
            answers(scaler, check)
        finally:
            scaler.end()


def answers(scaler, check):
    owner, asked = scaler.owner, scaler.asked
    check("of an empty database the queries tell 0", ["0", "0"], [asked("oldest-due"), asked("busy-slots")])
    owner.script("""
        select jobrunner.add_tenant(name) from unnest(array['acme', 'globex']) as name;
        insert into jobrunner.tenant_jobs (tenant_id, job_name) select id, 'demo.items' from jobrunner.tenants;
        select jobrunner.add_user(t.name, 'user-' || n) from jobrunner.tenants as t, generate_series(1, 5) as n""")
    owner.script(f"""
        update jobrunner.jobs set due_at = now() + interval '1 hour';
        update jobrunner.jobs set due_at = now() - interval '{LATE_S} s' where tenant_id = (select min(id) from jobrunner.tenants)""")
    scaler.count()
    check("jobs that are due and have no worker count by their age", True, is_late(asked("oldest-due")))
    check("and with the same number until they are counted anew", asked("oldest-due"), asked("oldest-due"))

    # The session of this test stands for a worker.
    worker = owner.value("select jobrunner.register_worker('here', 1, '0', 50, array['other.job'])")
    scaler.count()
    check("a job of which no worker has the file asks for no further worker", "0", asked("oldest-due"))
    owner.script(f"update jobrunner.workers set job_names = array['demo.items'], running_count = 7 where id = {worker}")
    scaler.count()
    check("a job that waits for a slot counts by its age", True, is_late(asked("oldest-due")))
    check("the answer is a plain number", True, all(re.fullmatch(NUMBER, asked(name)) for name in scaler.queries))
    check("busy slots are those of the heartbeats", "7", asked("busy-slots"))
    for name in scaler.queries:
        check(f"query {name} reads no table that grows with the users", set(), scaler.read_tables(name) & LARGE)
    owner.script("select jobrunner.pause_jobs('acme')")
    scaler.count()
    check("jobs of a paused tenant ask for no worker", "0", asked("oldest-due"))
    check("the login that scales may read no secret and change nothing", ["42501", "42501"],
          [refusal(scaler.login, sql) for sql in ("select from jobrunner.secrets", "update jobrunner.jobs set due_at = now()")])


def is_late(value):
    """As old as it was made, and not older than a hanging test."""
    return re.fullmatch(NUMBER, value) is not None and LATE_S <= float(value) < LATE_S + 300


def refusal(database, sql):
    try:
        database.rows(sql)
    except Refused as refused:
        return refused.sqlstate
    return "it may"
