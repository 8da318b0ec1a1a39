"""The small world that an order runs in: two tenants, their users, two workers, one job in a given state.

Each state is made once by the product's own verbs and kept as a copy of all rows, which is put back before every order.
"""

from libpq import Session

TENANT, OTHER = "acme", "zeta"
# What a sealed secret looks like, but for its last byte.
SEALED = "\\x02" + "01" * 8 + "00" * 60
KEY = "'\\x" + "01" * 8 + "'"
USERS = ["ann", "bob", "carl"]
JOBS = {"pairs.notes": ("note", "pairs_note", "note_id"), "pairs.cards": ("card", "pairs_card", "card_id")}

# What is stored of a user before the page: n04 is new to us, n05 older than the source's, n06 the same, n10 and n11 are
# not at the source any more, n12 is an edit that was not sent.
ROWS = """
insert into synced.{table} (user_id, {key}, body, change_tag, record_name, synced{extra})
select u.id, r.key, r.body, r.tag, r.key, r.synced{value}
from jobrunner.users as u, (values
  ('n01', 'of the page', 'page-n01', true), ('n05', 'older', 'older-n05', true), ('n06', 'of the page', 'page-n06', true),
  ('n10', 'gone', 'gone-n10', true), ('n11', 'gone', 'gone-n11', true), ('n12', 'edited', 'old-n12', false)
) as r (key, body, tag, synced)
where u.key in ('ann', 'bob')
"""

ASKED = "select jobrunner.enqueue('acme', 'ann', '{job}', in_entity => '{entity}', in_force => true)"
AWAY = "update jobrunner.workers set heartbeat_at = now() - interval '1 h' where id = {worker}"
# On top of a job that waits and is due.
STATES = {
    "due": "",
    "later": "update jobrunner.jobs set due_at = now() + '30 min' where user_id = {ann}",
    "deferred": """update jobrunner.jobs set deferred_until = now() + '10 h', due_at = now() + '10 h',
        last_outcome = 'deferred' where user_id = {ann}""",
    "failing": """update jobrunner.jobs set consecutive_failures = 3, due_at = now() + '5 h', last_outcome = 'failed',
        last_error_kind = 'unavailable', last_error = 'away', last_error_at = now() where user_id = {ann}""",
    "reauth": "update jobrunner.jobs set reauth_needed_at = now(), last_outcome = 'needs_reauth' where user_id = {ann}",
    "quarantined": """update jobrunner.jobs set quarantined_at = now(), quarantine_reason = 'it kills its workers',
        due_at = now() + '10 h', crashes = 3 where user_id = {ann}""",
    "paused": "select jobrunner.pause_jobs('acme', 'ann', '{job}')",
    "period": "select jobrunner.set_period('acme', 'ann', '{job}', '15 min'), jobrunner.set_period('acme', null, '{job}', '20 min')",
    "slowing": """update jobrunner.job_files set slow_after = '30 days', slow_every = '2 days' where name = '{job}';
        update jobrunner.jobs set slows_at = now() - interval '1 s' where name = '{job}'""",
    "limited": "select jobrunner.set_tenant('acme', in_max_running => 2)",
    "running": "claim",
    "fresh": "claim without a pass",
    "asked": ASKED + "; claim without a pass",
    "asked_silent": ASKED + "; claim without a pass; " + AWAY,
    "silent": "claim; " + AWAY,
    # The clock was set back after the claim.
    "ahead": """claim; update jobrunner.chores set latest_at = now() + '10 min'; update jobrunner.jobs set due_at = due_at + '10 min', started_at = started_at + '10 min',
        deadline_at = deadline_at + '10 min', next_due_at = next_due_at + '10 min' where worker_id is not null; """ + AWAY,
}
ASKED_FOR = {"asked", "asked_silent"}
SILENT = {"silent", "asked_silent", "ahead"}
# Its run has committed a page.
WITH_PASS = {"running", "silent"}


class Run:
    """A claim as its worker knows it."""

    def __init__(self, job, row, started=-1, committed=-1, is_last=False):
        self.job, self.entity = job, JOBS[job][0] if job in JOBS else None
        self.user_id, self.fence, self.nonce = int(row["user_id"]), int(row["fence"]), row["nonce"]
        self.generation = 0
        self.asked, self.forced = row.get("asked") == "t", row.get("forced") == "t"
        self.only = row.get("entity")
        # Versions of the secrets it has read, as the end of a refused run tells them.
        self.secrets = None
        self.started, self.committed = started, committed
        # What it had committed before the order began, and whether it is the run after the order.
        self.page, self.is_last = {}, is_last


class World:
    """A database of its own, and the sessions that act in it."""

    def __init__(self, url, administrator_url, statements, actors=3):
        """The actors are the owner's, as the product's sessions are; what makes states is an administrator's."""
        self.statements = statements
        ours = dict(lock_timeout="2s", statement_timeout="30s", TimeZone="UTC", jit="off")
        self.admin = Session(administrator_url, session_replication_role="replica", client_min_messages="error", jit="off",
                             TimeZone="UTC")
        self.admin.script(f"alter database {url.rsplit('/', 1)[1]} set deadlock_timeout = '10ms'")
        self.monitor = Session(url, jit="off")
        self.sessions = [Session(url, **ours) for _ in range(actors)]
        self.judge = Session(url, **ours)
        self.verbs = {}
        self.runs = {}
        self.rows = {}

    def make(self, job):
        """The rows that all states of a job have in common."""
        self.job = job
        entity, table, key = JOBS[job]
        self.entity, self.table, self.key = entity, table, key
        self.tables = [
            row["name"]
            for row in self.admin.query("""
                select format('%I.%I', n.nspname, c.relname) as name
                from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
                where n.nspname in ('jobrunner', 'synced') and c.relkind in ('r', 'p') and not c.relispartition
                  and c.relname not in ('migrations', 'applied_code') order by 1""")
        ]
        self.admin.script(
            "create schema if not exists pairs; select jobrunner.maintain_runs();"
            + "".join(f"delete from {name};" for name in self.tables if name not in STATIC)
        )
        extra = ", edited_at" if job == "pairs.notes" else ""
        value = ", timestamptz '2025-12-01' + (r.key in ('n01', 'n06'))::integer * interval '31 days'" if extra else ""
        judge = self.judge
        for tenant, users in ((TENANT, USERS), (OTHER, ["zoe"])):
            judge.query("select jobrunner.add_tenant($1)", tenant)
            judge.script(f"""select jobrunner.add_tenant_key(id, {KEY}, decode(repeat('01', 32), 'hex'), null, {KEY})
                from jobrunner.tenants where name = '{tenant}'""")
            judge.query("select jobrunner.give_job($1, $2)", tenant, job)
            for user in users:
                judge.query("select jobrunner.add_user($1, $2)", tenant, user)
        judge.script("update jobrunner.jobs set due_at = now() - interval '1 min' - user_id * interval '1 ms'")
        self.users = {row["key"]: int(row["id"]) for row in judge.query("select key, id from jobrunner.users")}
        self.tenant_id = int(judge.query("select id from jobrunner.tenants where name = $1", TENANT)[0]["id"])
        judge.query("select jobrunner.set_secret($1, 'ann', 'web_auth_token', $2)", TENANT, SEALED + "01")
        judge.script("update jobrunner.secrets set updated_at = now() - interval '1 day'")
        judge.script(ROWS.format(table=table, key=key, extra=extra, value=value))
        # A call that every tenant's new secret makes it forget.
        judge.query("insert into jobrunner.call_memory (user_id, job_name, call, last_succeeded_at) values"
                    " ($1, $2, 'cloudkit.check_account', now())", self.users["ann"], job)
        self.worker, self.spare = (
            int(self.monitor.query("select jobrunner.register_worker('pairs', $1, '0', 100) as id", n)[0]["id"])
            for n in (1, 2)
        )
        self.keep("base")

    def keep(self, state):
        """Copies all rows, and makes the function that puts them back."""
        script = [f"drop schema if exists pairs_{state} cascade; create schema pairs_{state};"]
        back = []
        for name in self.tables:
            copy = f"pairs_{state}.{name.replace('.', '_')}"
            columns = ", ".join(
                row["name"]
                for row in self.admin.query(
                    """select quote_ident(attname) as name from pg_attribute
                    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''""", name)
            )
            script.append(f"create table {copy} as select {columns} from {name};")
            back.append(f"delete from {name};")
            back.append(f"insert into {name} ({columns}) overriding system value select * from {copy};")
        back.append("update jobrunner.workers set heartbeat_at = now()"
                    + (f" where id = {self.spare};" if state in SILENT else ";"))
        body = "\n".join(back)
        script.append(
            f"create function pairs_{state}.put_back() returns void language plpgsql as $$ begin {body} end $$;"
        )
        self.admin.script("".join(script))

    def put_back(self, state):
        self.admin.query(f"select pairs_{state}.put_back()")

    def build(self, state):
        """Makes a state and keeps it."""
        self.put_back("base")
        known = {"job": self.job, "entity": self.entity, "ann": self.users["ann"], "worker": self.worker}
        self.runs[state] = {}
        for part in STATES[state].split(";"):
            part = part.strip().format(**known)
            if part.startswith("claim"):
                self.runs[state] = self.begin_runs(has_pass="without" not in part)
            elif part:
                self.judge.script(part)
        self.keep(state)

    def begin_runs(self, has_pass):
        """Ann's and Bob's jobs run, and Ann's first page is committed."""
        self.judge.script(f"update jobrunner.jobs set due_at = now() + '1 h' where user_id = {self.users['carl']}")
        self.judge.script(f"update jobrunner.tenants set paused_at = now() where name = '{OTHER}'")
        rows = self.claim(self.worker, 10, [self.job])
        self.judge.script("update jobrunner.tenants set paused_at = null")
        self.judge.script(
            f"update jobrunner.jobs set due_at = now() - interval '1 min' where user_id = {self.users['carl']}")
        runs = {}
        for row in rows:
            run = Run(self.job, row)
            read = self.judge.query("select version from jobrunner.secrets where user_id = $1", run.user_id)
            run.secrets = ",".join(secret["version"] for secret in read) or None
            runs[next(key for key, id in self.users.items() if id == run.user_id)] = run
        if has_pass:
            self.judge.script("begin")
            for name in ("hold", "page_first"):
                sql, values = self.statements.of(runs["ann"], name, 1)
                runs["ann"].page = self.judge.query(sql, *values)[0]
            self.judge.script("commit")
        return runs

    def claim_new(self, worker, limit, names):
        """The everyday claim of a worker that has seen nothing yet."""
        return (
            """select j.* from jobrunner.claim_new($1, $2::int, $3::text[], '-infinity', 0) as c
            cross join lateral unnest(c.jobs) as j""", [worker, limit, names])

    def claim_of_tenants(self, worker, limit, names):
        """What a worker claims with that has seen before of whom something is due."""
        rows = self.judge.query(
            """select tenant_id from jobrunner.jobs where state = 'waiting' and claimable_at <= now()
            group by tenant_id order by tenant_id""")
        return (
            """select j.* from jobrunner.claim_of_tenants($1, $2::int, $3::text[], $4::bigint[], array_fill($2::int, array[$5::int]),
              array_fill(0, array[$5::int]), array_fill('-infinity'::timestamptz, array[3 * $5::int]), array_fill(0::bigint, array[3 * $5::int])) as c
            cross join lateral unnest(c.jobs) as j""",
            [worker, limit, names, [row["tenant_id"] for row in rows], len(rows)])

    def claim(self, worker, limit, names):
        """As a worker does: limits that are new are counted, and a job that may have killed two workers is claimed by itself."""
        self.judge.query("select jobrunner.activate_limits()")
        suspects = self.judge.query("select j.* from unnest(jobrunner.claim_suspect($1, $2::text[])) as j", worker, names)
        sql, bound = self.claim_of_tenants(worker, limit, names)
        return suspects + self.judge.query(sql, *bound)

    def call(self, verb, **values):
        sql, bound = self.calling(verb, **values)
        return self.judge.query(sql, *bound)

    def calling(self, verb, **values):
        """A call by the names of its arguments; what this version of the verb does not know is left out."""
        if verb not in self.verbs:
            rows = self.admin.query(
                """select a.name, format_type(t.oid, null) as type
                from pg_proc as p, unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) as a (name, type)
                join pg_type as t on t.oid = a.type
                where p.pronamespace = 'jobrunner'::regnamespace and p.proname = $1""", verb)
            self.verbs[verb] = {row["name"]: row["type"] for row in rows}
        known = [(name, type) for name, type in self.verbs[verb].items() if name in values]
        binds = ", ".join(f"{name} => ${place}::{type}" for place, (name, type) in enumerate(known, 1))
        return f"select * from jobrunner.{verb}({binds})", [values[name] for name, _ in known]

    def finish(self, **values):
        sql, bound = self.finishing(**values)
        return self.judge.query(sql, *bound)

    def finishing(self, **values):
        """A call of finish_runs; `values` are arrays by the names that run_end has for its parts."""
        places = {name: f"e.{name}" for name in values}
        parts = ", ".join(FINISHED.get(name, places.get(name, "null")) for name in RUN_END)
        types = {name: type for name, type in RUN_END.items() if name in values}
        binds = ", ".join(f"${place}::{type}[]" for place, type in enumerate(types.values(), 1))
        return (
            f"select f.* from jobrunner.finish_runs(array(select row({parts})::jobrunner.run_end "
            f"from unnest({binds}) as e ({', '.join(types)}))) as f",
            [values[name] for name in types],
        )


RUN_END = {
    "user_id": "bigint", "name": "text", "fence": "bigint", "nonce": "uuid", "outcome": "text", "error_kind": "text",
    "error": "text", "failures": "text", "wait_ms": "bigint", "requests": "integer", "ended_passes": "text",
    "calls": "text", "has_committed": "boolean", "is_unchanged": "boolean", "secret_versions": "text", "is_renewed": "boolean",
    "crashes_allowed": "integer", "chance": "float8", "host": "text",
}
FINISHED = {"secret_versions": "string_to_array(e.secret_versions, ',')", "chance": "random()"}
STATIC = {"jobrunner.chores", "jobrunner.job_files", "jobrunner.synced_tables"}
