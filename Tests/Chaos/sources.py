"""A changing world is served through every page style with what ordinary sources do wrong, and compared in the end.

The app's edits are pushed to a source that refuses some of them, and one of two workers is killed now and then. Every
deletion of a row is written down by a trigger, so that a row that was deleted although the world has it is seen even
where a later pass brings it back. With --shifting lists are read so often while they shift, and nothing else goes wrong.
"""

import random
import threading
import time
import urllib.error
from collections import Counter

from checks import say
from judge import Judge, differences
from storm_verbs import CONTAINER, ZONE
from world import WITHOUT_WAITS, World

USERS = ["ann", "bob"]

# name, path, page, query, shifts: a record may be shown by no page while others are removed
STYLES = [
    ("single", "single", "style: single, size: 10", "", False),
    ("token", "token", "style: token, token_at: next_token, size: 10", 'cursor: "{page.token}"', False),
    ("next_url", "next_url", "style: next_url, url_at: next, size: 10", "", False),
    ("next_header", "next_header", "style: next_url, url_header: X-Next, size: 10", "", False),
    ("link", "link", "style: link_header, size: 10", "", False),
    ("offset_total", "offset", "style: offset, total_at: total, size: 10", 'offset: "{page.token}"', True),
    ("offset", "offset", "style: offset, size: 10", 'offset: "{page.token}"', True),
    ("page_last", "page", "style: page, last_at: last_page, size: 10", 'page: "{page.token}"', True),
    ("page", "page", "style: page, size: 10", 'page: "{page.token}"', True),
    ("counted", "counted", "style: page, next_at: next, size: 10", 'page: "{page.token}"', True),
    ("nested", "nested", "style: page, size: 4", 'page: "{page.token}"', True),
    ("nested_total", "nested", "style: page, total_at: total, size: 4", 'page: "{page.token}"', True),
    ("keyset_body", "keyset", 'style: keyset, token_at: maxSeqReturned, start: "0", size: 10', 'after: "{page.token}"', False),
    ("keyset", "keyset", 'style: keyset, by: seq, start: "0", size: 10', 'after: "{page.token}"', False),
    ("sync", "sync", "style: sync_token, token_at: sync_token, more_at: more, size: 10", 'token: "{page.token}"', False),
]

# Where the records are, of a style that has them elsewhere.
LISTS = {"nested": "groups[].items.data[]"}

SWEEP = "deletes: { flag_at: deleted, sweep: after_full_pass }"
MODES = [
    ("full", f"overwrite, {SWEEP}", "", ""),
    ("cond", f"overwrite, {SWEEP}", "", ""),
    ("all", "replace_all, deletes: { flag_at: deleted }", "", ""),
    ("seen", f"newest_wins, newer_by: updated_at, {SWEEP}", "{ watermark: max_seen, overlap: 1s, full_every: 1h }", 'since: "{since}"'),
    ("odd", f"newest_wins, newer_by: updated_at, {SWEEP}", "", ""),
    ("start", f"overwrite, {SWEEP}", "{ watermark: run_start, overlap: 1s, full_every: 1h }", 'since: "{since}"'),
]

# Of lists that shift while they are read, with and without a second look at each row.
CONFIRM = 'confirm: { path: "/generic/{user.hub_user_id}/item/{row.id}" }'
SHIFTING_MODES = [
    ("twice", f"overwrite, {SWEEP}", "", ""),
    ("asked", f"overwrite, {SWEEP[:-2]}, {CONFIRM} }}", "", ""),
]
SHIFTING_STYLES = ["page_last", "page", "offset", "next_url", "token"]
CHANGES_PER_SECOND = 25

# What an honest product can tell: none of it may delete a row that the world has.
DISTURBANCES = [
    {"kind": "status", "status": 500},
    {"kind": "status", "status": 429, "headers": {"Retry-After": "1"}},
    {"kind": "status", "status": 202, "body": '{"items": []}'},
    {"kind": "status", "status": 201, "body": '{"items": []}'},
    {"kind": "status", "status": 206, "body": '{"items": []}'},
    {"kind": "status", "status": 200, "body": ""},
    {"kind": "status", "status": 200, "body": '{"items": null}'},
    {"kind": "status", "status": 200, "body": '{"rows": []}'},
    {"kind": "status", "status": 200, "body": '{"items": [], "error": "try later"}'},
    {"kind": "status", "status": 400, "body": '{"error": "cursor"}'},
    {"kind": "garbage"},
    {"kind": "html"},
    {"kind": "wrong_type"},
    {"kind": "cut", "after": 100},
    {"kind": "close"},
    {"kind": "duplicates", "count": 3},
    {"kind": "repeated_cursor"},
    {"kind": "loop_cursor"},
    {"kind": "slow", "delay_ms": 50},
]

# What costs a value, a record or a wait, and nothing else; an inner list that goes on proves nothing.
ODDITIES = [
    {"kind": "replace", "from": '"has_more":false', "to": '"has_more":true', "count": 1},
    {"kind": "replace", "from": '"id":', "to": '"id":null,"was":', "count": 1},
    {"kind": "replace", "from": '"deleted":true', "to": '"deleted":1'},
    {"kind": "replace", "from": '"deleted":true', "to": '"deleted":"true"'},
    {"kind": "replace", "from": '"deleted":true', "to": '"deleted":"perhaps"'},
    {"kind": "replace", "from": '"value":', "to": '"value":"n/a","was":', "count": 1},
    {"kind": "replace", "from": '"name":', "to": '"name":"a\\u0000b","was":', "count": 1},
    {"kind": "replace", "from": '"updated_at":', "to": '"updated_at":null,"was":', "count": 1},
    {"kind": "replace", "from": '"updated_at":', "to": '"updated_at":"2020-01-01T00:00:00Z","was":', "count": 3},
    {"kind": "status", "status": 403, "headers": {"Retry-After": "1"}},
    {"kind": "status", "status": 400, "headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}},
]

# What nobody can tell from the truth by one answer: one pass may believe it, and not two in a row.
LIES = [
    {"kind": "status", "status": 204},
    {"kind": "status", "status": 200, "body": '{"items": [], "next_token": null, "next": null, "total": 0, "last_page": 1}'},
]

# Local edits of the app, which metube.status pushes. A record of this list may be refused, and a whole push with it.
EDITED = [f"video_{number}" for number in range(40)]
# What becomes of a push: it may have arrived all the same.
PUSH_FAULTS = [
    {"kind": "status", "status": 503},
    {"kind": "status", "status": 429, "headers": {"Retry-After": "1"}},
    {"kind": "status", "status": 403, "headers": {"Retry-After": "1"}},
    {"kind": "close"},
    {"kind": "cut", "after": 60},
]

FIELDS = """
        id: { at: id, type: text, required: true }
        seq: { at: seq, type: int, required: true }
        updated_at: { at: updated_at, type: timestamp, required: true }
        name: { at: name, type: text }
        value: { at: value, type: double }"""


def job_name(style, mode):
    return f"{style}.{mode}"


def lists(is_shifting):
    """(style, mode) of each list that is synced."""
    if is_shifting:
        return [(style, mode) for style in STYLES if style[0] in SHIFTING_STYLES for mode in SHIFTING_MODES]
    # A token outlives its pass, so that it makes no difference what a pass asks for.
    return [(style, mode) for style in STYLES for mode in MODES if style[0] != "sync" or mode[0] == "full"]


def job_file(style, mode):
    name, path, page, query, _ = style
    word, write, incremental, since = mode
    parts = [part for part in (query, since, 'limit: "{page.size}"') if part]
    text = f"""version: 1
job: {job_name(name, word)}
schedule: {{ every: 1h, deadline: 20s }}
source:
  id: world
  base: http://127.0.0.1:1
  timeout: 5s
  retry: {{ attempts: 2, first: 10ms }}
  rate: {{ per_second: 100000 }}
entities:
  - entity: item
    request:
      path: /generic/{{user.hub_user_id}}/{path}
      query: {{ {", ".join(parts)} }}
    page: {{ {page} }}
    errors: [{{ body: {{ at: error, filled: true }}, then: fail }}]
    {"incremental: " + incremental if incremental else ""}
    {"conditional: true" if word == "cond" else ""}
    records:
      at: "{LISTS.get(name.split("_")[0], "items[]")}"
      key: [id]
      fields:{FIELDS if word != "odd" else FIELDS.replace("timestamp, required: true", "timestamp")}
    write: {{ table: {name}_{word}, mode: {write} }}
"""
    return "\n".join(line for line in text.split("\n") if line.strip()) + "\n"


def run(run, options):
    run.start_server()
    changing = Changing(run, lists(options.shifting > 0), options.seed)
    try:
        if options.shifting:
            changing.shift(options.shifting)
        else:
            changing.change_for(options.sources)
    finally:
        changing.world.end()


def prepare(run, pairs):
    world = World(run, "sources")
    for style, mode in pairs:
        world.write_job_file(f"{style[0]}_{mode[0]}.yaml", job_file(style, mode))
    world.job_file("metube/status.yaml", {"per_second: 20": "per_second: 100000"})
    world.jobrunner("migrate")
    world.start_source()
    world.source.post("users", id="ann", videos=45)
    world.source.post("users", id="bob", videos=25)
    world.source.post("cloudkit/fixture", name="metube", users=1, records=0, broken=0)
    jobs = [job_name(style[0], mode[0]) for style, mode in pairs]
    world.add_tenant("acme", [*jobs, "metube.status"], ["world", "ck-metube"], ck_api_token="api-token")
    for user in USERS:
        world.source.cloud("users", CONTAINER, user=user)
        world.add_user(user, "acme", ["hub_user_id", "user_id"], ck_web_auth_token=f"token-{user}")
    return world


class Changing:
    """The world that changes, and what disturbs whoever reads it."""

    def __init__(self, run, pairs, seed):
        self.world, self.pairs, self.random = prepare(run, pairs), pairs, random.Random(seed)
        self.database, self.source = self.world.database, self.world.source
        self.judge = Judge(self.world, f"seed {seed}")
        self.tables = [f"{style[0]}_{mode[0]}" for style, mode in pairs]
        # At most one lie for each list until its entity has been read twice since.
        self.lied, self.deleted_by_hand, self.exited = {}, set(), 0
        self.watch_deletions()
        self.world.workers.start(2)

    def watch_deletions(self):
        self.database.script("""
            create table public.gone (table_name text, user_id bigint, id text, at timestamptz default clock_timestamp());
            create function public.note_gone() returns trigger language plpgsql as $$
            begin
              insert into public.gone (table_name, user_id, id) values (tg_table_name, old.user_id, old.id);
              return null;
            end $$;""" + "".join(
            f"create trigger note_gone after delete on synced.{table} for each row execute function public.note_gone();"
            for table in self.tables))

    # What happens.

    def change(self):
        draw = self.random
        op = draw.choice(["add", "edit", "edit", "remove"])
        members = {"videos" if op == "add" else "count": draw.randint(1, 3)}
        if op == "edit":
            members["name"] = f"name {draw.randint(1, 1000000)}"
        if op == "remove":
            members["tombstone"] = draw.random() < 0.5
        try:
            self.source.post("change", user=draw.choice(USERS), op=op, **members)
        except urllib.error.HTTPError:
            pass  # there is none left to edit

    def lie(self):
        user, path = self.random.choice(USERS), self.random.choice(STYLES)[1]
        passes = {row["name"]: int(row["pass_number"]) for row in self.database.rows("""
            select u.key || ' ' || k.job_name as name, k.pass_number from jobrunner.checkpoints as k
            join jobrunner.users as u on u.id = k.user_id""")}
        names = [f"{user} {job_name(style[0], mode[0])}" for style, mode in self.pairs if style[1] == path]
        if any(passes.get(name, 0) < self.lied.get(name, -9) + 4 for name in names):
            return
        self.lied.update({name: passes.get(name, 0) for name in names})
        self.source.control("POST", "faults", {**self.random.choice(LIES), "path": f"/generic/{user}/{path}", "times": 1})

    def disturb(self):
        fault = self.random.choice(self.random.choice([DISTURBANCES, ODDITIES]))
        path = f"/generic/{self.random.choice(USERS)}/{self.random.choice(STYLES)[1]}"
        self.source.control("POST", "faults", {
            **fault, "path": path, "skip": self.random.randint(0, 4), "times": self.random.randint(1, 3)})

    def disturb_push(self):
        self.source.control("POST", "faults", {
            **self.random.choice(PUSH_FAULTS), "path": f"/database/1/{CONTAINER}", "skip": self.random.randint(0, 4), "times": 1})

    def edit_rows(self):
        """The app changes some rows of a user, or adds them."""
        draw = self.random
        self.database.rows("""
            insert into synced.watched_status as w (user_id, video_id, status, last_modified, playback_position, synced)
            select u.id, v.id, $1, clock_timestamp(), $2, false
            from jobrunner.users as u, unnest($3::text[]) as v (id) where u.key = $4
            on conflict (user_id, video_id) do update
            set status = excluded.status, last_modified = excluded.last_modified,
              playback_position = excluded.playback_position, synced = false""",
            draw.choice(["watched", "unwatched", "skipped"]), draw.randint(0, 9999), draw.sample(EDITED, draw.randint(1, 12)),
            draw.choice(USERS))

    def refuse_rows(self):
        """The source refuses pushes in which one of these records stands, and those of more than so many."""
        refused = self.random.sample(EDITED, self.random.randint(0, 4))
        self.source.cloud("settings", CONTAINER, refused_records=refused, operations_max=self.random.choice([200, 200, 7, 2]))

    def delete_by_hand(self):
        rows = self.database.rows(f"delete from synced.{self.random.choice(self.tables)} where random() < 0.1 returning id")
        self.deleted_by_hand.update(row["id"] for row in rows)

    def hurry(self):
        self.world.hurry(WITHOUT_WAITS, those="true")

    def kill(self):
        self.exited += not self.world.workers.kill(self.random.randrange(2))

    # The course of it.

    def change_for(self, seconds):
        weights = {self.change: 30, self.edit_rows: 10, self.disturb: 32, self.disturb_push: 4, self.refuse_rows: 4,
                   self.lie: 5, self.delete_by_hand: 1, self.hurry: 14}
        counts, end, kill_at = Counter(), time.monotonic() + seconds, time.monotonic() + 3
        while time.monotonic() < end:
            (what,) = self.random.choices(list(weights), list(weights.values()))
            what()
            counts[what.__name__] += 1
            if time.monotonic() >= kill_at:
                self.kill()
                kill_at += 3
            time.sleep(0.02)
        say(", ".join(f"{count} {name}" for name, count in counts.items()))
        self.source.end_faults()
        self.source.cloud("settings", CONTAINER, refused_records=[], operations_max=200)
        self.read_all("every job is complete when the source is well again")
        for number in (1, 2):
            self.database.script("update jobrunner.checkpoints set full_asked = full_asked + 1 where full_asked = full_begun")
            self.read_all(f"full pass {number} comes to its end")
        self.compare()
        self.compare_pushed()
        self.compare_deletions()
        self.judge_house()

    def read_all(self, what):
        # What was refused has waited; once more after each pass, for a run under way may have been refused before.
        self.database.script("""
            update synced.watched_status set push_pause = tstzrange(now() - interval '2 minutes', now() - interval '1 minute')
            where push_pause is not null""")
        self.hurry()
        self.judge.equal(what, True, self.world.await_complete(WITHOUT_WAITS))

    def shift(self, passes):
        """Reads everything so often while the lists shift, and counts the rows that went though the world has them."""
        is_over = threading.Event()
        # A pass lasts long enough for several changes.
        self.source.fault("slow", delay_ms=40, path="/generic", times=0)

        def blow():
            while not is_over.wait(1 / CHANGES_PER_SECOND):
                self.change()

        wind = threading.Thread(target=blow)
        wind.start()
        try:
            for _ in range(passes):
                self.hurry()
                if not self.world.await_complete(WITHOUT_WAITS):
                    break
        finally:
            is_over.set()
            wind.join()
        for number in (1, 2):
            self.read_all(f"full pass {number} behind the changes comes to its end")
        self.compare()
        for (_, mode), table in zip(self.pairs, self.tables):
            gone = self.wrongly_gone(table)
            if mode[0] == "asked":
                self.judge.none(f"{table}: 0 rows went wrongly", gone)
            else:
                say(f"{table}: {len(gone)} rows went wrongly and came back")
        self.judge_house()

    def judge_house(self):
        self.judge.none("no worker exited by itself", self.exited)
        self.judge.equal("the workers live", len(self.world.workers.slots), self.world.workers.alive)
        self.judge.house()

    # What came of it.

    def expected(self, user):
        return self.source.control("GET", f"expected?user={user}&of=generic")

    def compare(self):
        for user in USERS:
            there = {item["id"]: (as_number(item.get("value")), item.get("name") or "") for item in self.expected(user)["items"]}
            for table in self.tables:
                rows = self.database.rows(f"""
                    select i.id, i.value, coalesce(i.name, '') as name from synced.{table} as i
                    join jobrunner.users as u on u.id = i.user_id where u.key = $1""", user)
                here = {row["id"]: (as_number(row["value"]), row["name"]) for row in rows}
                self.judge.none(f"{table} of {user} equals the world's {len(there)} records", differences(here, there))

    def compare_pushed(self):
        for user in USERS:
            there = {
                record["recordName"]: (record["fields"]["status"]["value"], float(record["fields"]["playbackPosition"]["value"]))
                for record in self.source.cloud_records(CONTAINER, user, ZONE)}
            rows = self.database.rows("""
                select w.video_id, w.status, w.playback_position as position, w.synced from synced.watched_status as w
                join jobrunner.users as u on u.id = w.user_id where u.key = $1""", user)
            here = {row["video_id"]: (row["status"], float(row["position"])) for row in rows}
            wrong = differences(here, there) + [f"{row['video_id']} is unsent" for row in rows if row["synced"] != "t"]
            self.judge.none(f"{len(here)} edited rows of {user} are sent as they are", wrong if here else "there is none")

    def wrongly_gone(self, table, by_hand=frozenset()):
        """Rows that went although the world has them, or had them when they went."""
        gone = []
        for user in USERS:
            removed = set(self.expected(user)["removed"])
            rows = self.database.rows("""
                select distinct g.id from public.gone as g join jobrunner.users as u on u.id = g.user_id
                where u.key = $1 and g.table_name = $2""", user, table)
            gone += [f"{row['id']} of {user} in {table}" for row in rows if row["id"] not in removed | by_hand]
        return gone

    def compare_deletions(self):
        shifted, wrong = 0, []
        for (style, _), table in zip(self.pairs, self.tables):
            gone = self.wrongly_gone(table, self.deleted_by_hand)
            # A record of a list that shifts may be shown by no page.
            if style[4]:
                shifted += len(gone)
            else:
                wrong += gone
        self.judge.none("no row was deleted that the world has", wrong)
        say(f"{shifted} rows of counted pages went while the list shifted, and came back")
        say(f"{self.database.value('select count(*) from public.gone')} rows were deleted in all")


def as_number(value):
    return None if value is None else float(value)
