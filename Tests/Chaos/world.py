"""What a phase works in: a database with the product's schema, job files, a source, tenants, users and workers."""

import os
import secrets
import subprocess
import time

from cluster import HANG_S, Database, wait_until
from processes import PROGRAMS, Workers
from source import Source

UNFINISHED = "worker_id is not null or last_outcome is distinct from 'complete' or due_at <= now()"
# Waits and quarantines end by themselves; moved in rows, so that nobody waits for them.
WITHOUT_WAITS = "due_at = now(), deferred_until = null, quarantined_at = null, quarantine_reason = null"


class World:
    """Made by a phase, and ended with the run at the latest."""

    def __init__(self, run, name, lease="1500ms", concurrency=8):
        self.run, self.name, self.random, self.checks = run, name, run.random, run.checks
        self.folder = f"{run.folder}/{name}"
        os.makedirs(f"{self.folder}/jobs")
        url, self.administrator_url = run.cluster.database(name)
        self.database = Database(url)
        self.environment = {"DATABASE_URL": url, "JOBRUNNER_JOBS": f"{self.folder}/jobs",
                            "JOBRUNNER_PRIVATE_NETWORKS": "127.0.0.0/8",
                            "JOBRUNNER_KEY_FILE": self.secret_file("sealing.key", secrets.token_hex(32))}
        self.workers = Workers(self.folder, self.environment, concurrency, lease)
        self.source = None
        run.worlds.append(self)

    # What it is made of.

    def secret_file(self, name, text):
        path = f"{self.folder}/{name}"
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        return path

    def job_file(self, path, changes):
        """A shipped file with some texts changed."""
        with open(f"jobs/{path}") as file:
            text = file.read()
        for old, new in changes.items():
            assert old in text, f"jobs/{path} does not say '{old}'"
            text = text.replace(old, new)
        self.write_job_file(os.path.basename(path), text)

    def write_job_file(self, name, text):
        with open(f"{self.folder}/jobs/{name}", "w") as file:
            file.write(text)

    def jobrunner(self, *words):
        """Runs a command, which must succeed."""
        with open(f"{self.folder}/commands.log", "a") as log:
            subprocess.run([f"{PROGRAMS}/jobrunner", *words], check=True, stdout=log, stderr=log,
                           env=self.child_environment)

    @property
    def child_environment(self):
        return os.environ | self.environment

    def start_source(self, *options):
        seed = str(self.random.randrange(1 << 15))
        self.source = Source(f"{self.folder}/source.log", "--seed", seed, "--no-version-log", *options)

    def add_tenant(self, name, jobs, sources=(), **secret_texts):
        words = [word for job in jobs for word in ("--job", job)]
        words += [word for source in sources for word in ("--source", f"{source}={self.source.hub}")]
        self.jobrunner("tenant", "add", name, *words, *self.secret_words(secret_texts))

    def add_user(self, key, tenant, attributes, **secret_texts):
        words = [word for attribute in attributes for word in ("--set", f"{attribute}={key}")]
        self.jobrunner("user", "add", key, "--tenant", tenant, *words, *self.secret_words(secret_texts))

    def secret_words(self, texts):
        return [word for name, text in texts.items()
                for word in ("--secret", f"{name}=@{self.secret_file('secret-' + name, text)}")]

    def watch_writes(self):
        """Any write by a claim that is not the present one leaves a row in stale_writes."""
        self.database.script("""
            create table public.stale_writes (fence bigint, at timestamptz default now());
            create function public.note_stale() returns trigger language plpgsql as $$
            begin
              insert into public.stale_writes (fence)
              select new.run_fence from jobrunner.jobs as j
              where j.user_id = new.user_id and j.name = new.job_name
                and (new.run_fence, (new.counters).pages) <> (old.run_fence, (old.counters).pages)
                and (j.fence <> new.run_fence or j.worker_id is null);
              return new;
            end $$;
            create trigger note_stale after update on jobrunner.checkpoints
              for each row when (new.run_fence <> 0) execute function public.note_stale()""")

    # How it goes on.

    @property
    def unfinished(self):
        return self.database.value(f"select count(*) from jobrunner.jobs where {UNFINISHED}")

    def hurry(self, change="due_at = now()", those="last_outcome <> 'complete'"):
        """Jobs that wait are due."""
        self.database.script(f"update jobrunner.jobs set {change} where worker_id is null and due_at > now() and {those}")

    def again(self):
        """Everything is synced from the beginning."""
        self.database.script("select jobrunner.reset_jobs(name) from jobrunner.tenants")
        self.hurry(those="true")

    def keep_busy(self):
        if self.unfinished <= self.database.value("select count(*) / 4 from jobrunner.jobs"):
            self.again()

    def await_complete(self, change="due_at = now()"):
        """Whether every job came to rest, complete."""
        end = time.monotonic() + HANG_S
        while self.unfinished and time.monotonic() < end:
            self.hurry(change)
            time.sleep(0.3)
        return self.unfinished == 0

    def await_that(self, condition):
        return wait_until(lambda: self.database.holds(condition))

    def end(self):
        """All that was started for it."""
        self.workers.end()
        if self.source:
            self.source.end()
        if self.database.session:
            self.database.session.close()
            self.database.session = None

