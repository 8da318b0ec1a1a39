"""What the sessions of a storm do: every verb, at random."""

import datetime

JOB, TABLE, ENTITY = "metube.status", "watched_status", "watched_status"
CONTAINER, ZONE = "iCloud.com.metube.app", "WatchedStatusZone"
STATUSES = ["unknown", "unwatched", "watched", "skipped"]


class Draw:
    """Draws a transaction: its statements and what to note when it is committed."""

    def __init__(self, storm, number, random):
        self.storm, self.number, self.random, self.edits = storm, number, random, 0

    def user(self):
        return self.random.choice(self.storm.users)

    def transaction(self):
        kind = self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        return kind, *getattr(self, kind.replace(" ", "_"))()

    def edit(self):
        """A record of this session's own, so that the last edit is known."""
        tenant, user = self.user()
        video, status = f"s{self.number:02d}-{self.random.randrange(4)}", self.random.choice(STATUSES)
        # Its own time rises whatever the database's clock does.
        modified = self.storm.rising_ms()
        if self.random.random() < 0.5:
            iso = datetime.datetime.fromtimestamp(modified / 1000, datetime.timezone.utc).isoformat(timespec="milliseconds")
            values = (
                f'{{"video_id": "{video}", "status": "{status}", "last_modified": "{iso}"}}'
            )
            steps = [("select jobrunner.edit_record($1, $2, $3, $4)", [tenant, user, TABLE, values]), *self.asking(tenant, user)]
        else:
            # The job before its rows, as runs lock them.
            steps = [*self.asking(tenant, user), (
                f"""insert into synced.{TABLE} as t (user_id, video_id, status, last_modified, synced)
                select u.id, $2, $3, timestamptz 'epoch' + $4::bigint * interval '1 ms', false
                from jobrunner.users as u where u.key = $1
                on conflict (user_id, video_id) do update set status = excluded.status,
                  last_modified = excluded.last_modified, synced = false""",
                [user, video, status, modified],
            )]
        return steps, ("edit", user, video, status, modified)

    def asking(self, tenant, user, **more):
        named = "".join(f", in_{name} => {value}" for name, value in more.items())
        return [
            (f"select jobrunner.enqueue($1, $2, '{JOB}'{named}) as answer", [tenant, user]),
            ("select last_value from jobrunner.fences", []),
        ]

    def request(self):
        tenant, user = self.user()
        more = self.random.choice([{}, {"force": "true"}, {"full": "true"}, {"entity": f"'{ENTITY}'"}])
        return self.asking(tenant, user, **more), ("request", user)

    def two_requests(self):
        """Users of one tenant in key order, as an application should."""
        (tenant, one), (_, other) = sorted(self.random.sample([u for u in self.storm.users if u[0] == "east"], 2))
        return [*self.asking(tenant, one), *self.asking(tenant, other)], ("request", other)

    def operate(self):
        tenant, user = self.user()
        verb = self.random.choice(["cancel_jobs", "retry_jobs", "reset_jobs", "repair_jobs", "pause_jobs", "resume_jobs", "resume_jobs"])
        return [(f"select jobrunner.{verb}($1, $2, '{JOB}')", [tenant, user])], (verb,)

    def read(self):
        tenant, user = self.user()
        return [(f"select * from jobrunner.want_fresh($1, $2, '{JOB}')", [tenant, user])], ("want_fresh",)

    def store_secret(self):
        _, user = self.user()
        return [(
            """select jobrunner.set_secret(t.name, u.key, s.name, s.sealed)
            from jobrunner.secrets as s
            join jobrunner.users as u on u.id = s.user_id
            join jobrunner.tenants as t on t.id = u.tenant_id
            where u.key = $1""", [user])], ("secret",)

    def limit(self):
        most = self.random.choice([None, 3, 8])
        return [(
            "select jobrunner.set_tenant('east', in_max_running => $1::integer, in_unlimited => $1::integer is null)",
            [most])], ("set_tenant",)

    def guests(self):
        """Users that come and go; the source does not know them."""
        guest = f"guest-{self.random.randrange(8)}"
        verb = self.random.choice(["add_user", "remove_user"])
        return [(f"select jobrunner.{verb}('west', $1)", [guest])], (verb,)

    def keep_house(self):
        return [self.random.choice([
            ("select jobrunner.maintain_runs()", []),
            ("select jobrunner.reap_jobs('1500 ms')", []),
            ("select jobrunner.give_job('west', $1)", [JOB]),
        ])], ("house",)

    def store_job_file(self):
        deadline = self.random.choice(["20 s", "25 s"])
        changed = f"""to_jsonb(f) || '{{"deadline": "{deadline}"}}'"""
        return [(f"select jobrunner.store_job_file({changed}) from jobrunner.job_files as f where f.name = '{JOB}'", [])], ("store_job_file",)


WEIGHTS = {"edit": 30, "request": 20, "two requests": 4, "operate": 20, "read": 6, "store secret": 6, "limit": 3, "guests": 4,
           "keep house": 3, "store job file": 1}
