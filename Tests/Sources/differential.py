"""A changing world, served through every page style with what ordinary sources do wrong, and compared in the end.

Reads DATABASE_URL, HUB (the fake source), PROGRAMS and JOBRUNNER_JOBS; prints `ok - …` and `not ok - …` lines. Every
deletion of a row is written down by a trigger, so that a row that was deleted although the world has it is seen even where
a later pass brings it back.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import threading
import time
import urllib.request

HANG_SECONDS = 300  # only turns a hang into a failure
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
CONTAINER = "iCloud.com.metube.app"
ZONE = "WatchedStatusZone"
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


def pairs():
    if SHIFTING:
        for style in STYLES:
            if style[0] in SHIFTING_STYLES:
                yield from ((style, mode) for mode in SHIFTING_MODES)
        return
    for style in STYLES:
        for mode in MODES:
            outlives = style[0] == "sync"
            if outlives and mode[0] != "full":
                continue
            yield style, mode


def write_files(folder):
    for style, mode in pairs():
        name, path, page, query, _ = style
        word, write, incremental, since = mode
        parts = [part for part in (query, since, 'limit: "{page.size}"') if part]
        text = f"""version: 1
job: {job_name(name, word)}
kind: refresh
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
    errors: [{{ at: error }}]
    {"incremental: " + incremental if incremental else ""}
    {"conditional: true" if word == "cond" else ""}
    records:
      at: "{LISTS.get(name.split("_")[0], "items[]")}"
      key: [id]
      fields:{FIELDS if word != "odd" else FIELDS.replace("timestamp, required: true", "timestamp")}
    write: {{ table: {name}_{word}, mode: {write} }}
"""
        target = os.path.join(folder, f"{name}_{word}.yaml")
        with open(target, "w") as file:
            file.write("\n".join(line for line in text.split("\n") if line.strip()) + "\n")


def sql(text):
    return subprocess.run(
        ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", text, os.environ["DATABASE_URL"]],
        check=True, capture_output=True, text=True).stdout.strip()


def control(method, path, value=None):
    body = None if value is None else json.dumps(value).encode()
    request = urllib.request.Request(f"{os.environ['HUB']}/_control/{path}", data=body, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read().decode()
    return json.loads(text) if text.startswith("{") else text


class Check:
    def __init__(self):
        self.failed = 0

    def that(self, name, holds, found=""):
        self.failed += not holds
        print(f"ok - {name}" if holds else f"not ok - {name}: {found}", flush=True)


def watch_deletions():
    """Each row that goes is written down with how often its entity had been read in full."""
    sql("create table public.gone (table_name text, user_id bigint, id text, at timestamptz default clock_timestamp())")
    sql("""create function public.note_gone() returns trigger language plpgsql as $$
           begin
             insert into public.gone (table_name, user_id, id) values (tg_table_name, old.user_id, old.id);
             return null;
           end $$""")
    for style, mode in pairs():
        sql(f"create trigger note_gone after delete on synced.{style[0]}_{mode[0]} for each row execute function public.note_gone()")


def change(rng):
    user = rng.choice(USERS)
    op = rng.choice(["add", "edit", "edit", "remove"])
    value = {"user": user, "op": op}
    if op == "add":
        value["videos"] = rng.randint(1, 3)
    else:
        value["count"] = rng.randint(1, 3)
    if op == "edit":
        value["name"] = f"name {rng.randint(1, 1000000)}"
    if op == "remove":
        value["tombstone"] = rng.random() < 0.5
    try:
        control("POST", "change", value)
    except urllib.error.HTTPError:
        pass  # there is none left to edit


class Liars:
    """At most one lie for each list until its entity has been read twice since."""

    def __init__(self):
        self.told = {}

    def passes(self):
        rows = sql("""select u.key || ' ' || k.job_name, k.pass_number from jobrunner.checkpoints as k
                      join jobrunner.users as u on u.id = k.user_id""")
        return {name: int(number) for name, number in (row.split("|") for row in rows.split("\n") if row)}

    def lie(self, rng):
        user = rng.choice(USERS)
        path = rng.choice(STYLES)[1]
        passes = self.passes()
        names = [f"{user} {job_name(style[0], mode[0])}" for style, mode in pairs() if style[1] == path]
        if any(passes.get(name, 0) < self.told.get(name, -9) + 4 for name in names):
            return
        for name in names:
            self.told[name] = passes.get(name, 0)
        control("POST", "faults", {**rng.choice(LIES), "path": f"/generic/{user}/{path}", "times": 1})


def disturb(rng):
    style = rng.choice(STYLES)
    fault = dict(rng.choice(rng.choice([DISTURBANCES, ODDITIES])))
    fault["path"] = f"/generic/{rng.choice(USERS)}/{style[1]}"
    fault["skip"] = rng.randint(0, 4)
    fault["times"] = rng.randint(1, 3)
    control("POST", "faults", fault)


def edit_rows(rng):
    """The app changes some rows of a user, or adds them."""
    videos = ", ".join(f"'{video}'" for video in rng.sample(EDITED, rng.randint(1, 12)))
    sql(f"""insert into synced.watched_status as w (user_id, video_id, status, last_modified, playback_position, synced)
            select u.id, v.id, '{rng.choice(["watched", "unwatched", "skipped"])}', clock_timestamp(), {rng.randint(0, 9999)}, false
            from jobrunner.users as u, unnest(array[{videos}]) as v (id) where u.key = '{rng.choice(USERS)}'
            on conflict (user_id, video_id) do update
            set status = excluded.status, last_modified = excluded.last_modified,
              playback_position = excluded.playback_position, synced = false""")


def refuse_rows(rng):
    """The source refuses pushes in which one of these records stands, and those of more than so many."""
    cloud("settings", {"refused_records": rng.sample(EDITED, rng.randint(0, 4)), "operations_max": rng.choice([200, 200, 7, 2])})


def disturb_push(rng):
    path = f"/database/1/{CONTAINER}"
    control("POST", "faults", {**rng.choice(PUSH_FAULTS), "path": path, "skip": rng.randint(0, 4), "times": 1})


def cloud(word, members):
    return control("POST", f"cloudkit/{word}", {"container": CONTAINER, **members})


def end_refusals():
    """The source takes everything again."""
    cloud("settings", {"refused_records": [], "operations_max": 200})


def end_pauses():
    """What was refused has waited; once more after each pass, for a run under way may have been refused before."""
    sql("""update synced.watched_status set push_pause = tstzrange(now() - interval '2 minutes', now() - interval '1 minute')
           where push_pause is not null""")


def hurry():
    sql("""update jobrunner.jobs set due_at = now(), deferred_until = null, quarantined_at = null, quarantine_reason = null
           where worker_id is null and (due_at > now() or deferred_until is not null)""")


def await_idle(what):
    end = time.monotonic() + HANG_SECONDS
    while time.monotonic() < end:
        left = sql("select count(*) from jobrunner.jobs where worker_id is not null or last_outcome is distinct from 'complete' or due_at <= now()")
        if left == "0":
            return True
        sql("""update jobrunner.jobs set due_at = now(), deferred_until = null, quarantined_at = null, quarantine_reason = null
               where worker_id is null and due_at > now() and last_outcome <> 'complete'""")
        time.sleep(0.2)
    print(f"   waited in vain: {what}")
    return False


def values(item):
    value = item.get("value")
    return (None if value is None else float(value), item.get("name") or "")


def compare(check):
    for user in USERS:
        world = {item["id"]: item for item in control("GET", f"expected?user={user}&of=generic")["items"]}
        for style, mode in pairs():
            table = f"{style[0]}_{mode[0]}"
            rows = sql(f"""select i.id || '|' || coalesce(i.value::text, '') || '|' || coalesce(i.name, '') from synced.{table} as i
                           join jobrunner.users as u on u.id = i.user_id where u.key = '{user}'""")
            stored = {}
            for row in (row for row in rows.split("\n") if row):
                identity, value, name = row.split("|", 2)
                stored[identity] = (float(value) if value else None, name)
            lost = sorted(set(world) - set(stored))
            odd = sorted(set(stored) - set(world))
            other = sorted(i for i in world if i in stored and values(world[i]) != stored[i])
            check.that(
                f"{table} of {user} equals the world's {len(world)} records", not (lost or odd or other),
                f"lost {lost[:5]}, too many {odd[:5]}, of other values {other[:5]}")


def compare_pushed(check):
    for user in USERS:
        answer = control("GET", f"cloudkit/records?container={CONTAINER}&database=private&user={user}&zone={ZONE}")
        source = {}
        for record in answer["records"]:
            fields = record["fields"]
            source[record["recordName"]] = (fields["status"]["value"], float(fields["playbackPosition"]["value"]))
        rows = sql(f"""select w.video_id || '|' || w.status || '|' || w.playback_position || '|' || w.synced
                       from synced.watched_status as w join jobrunner.users as u on u.id = w.user_id where u.key = '{user}'""")
        stored, unsent = {}, []
        for row in (row for row in rows.split("\n") if row):
            video, status, position, is_synced = row.split("|")
            stored[video] = (status, float(position))
            if is_synced != "true":
                unsent.append(video)
        other = sorted(video for video in set(stored) | set(source) if stored.get(video) != source.get(video))
        check.that(
            f"{len(stored)} edited rows of {user} are sent as they are", stored and not (other or unsent),
            f"differ {other[:5]}, unsent {unsent[:5]}")


def compare_deletions(check):
    """A row that went although the world has it, or had it when it went."""
    shifting = 0
    for user in USERS:
        removed = set(control("GET", f"expected?user={user}&of=generic")["removed"])
        rows = sql(f"""select g.table_name || '|' || g.id from public.gone as g
                       join jobrunner.users as u on u.id = g.user_id where u.key = '{user}' group by 1""")
        for row in (row for row in rows.split("\n") if row):
            table, identity = row.split("|", 1)
            if identity in removed or identity in BY_HAND:
                continue
            if any(table.startswith(style[0] + "_") and style[4] for style, _ in pairs()):
                shifting += 1
                continue
            check.that(f"row {identity} of {user} in {table} was not deleted", False, "the world has it")
    print(f"   {shifting} rows of counted pages went while the list shifted, and came back")
    deleted = sql("select count(*) from public.gone")
    print(f"   {deleted} rows were deleted in all")


BY_HAND = set()
SHIFTING = False


def shift(passes, rng, check):
    """Reads everything so often while the lists shift, and counts the rows that went though the world has them."""
    is_over = threading.Event()
    # A pass lasts long enough for several changes.
    control("POST", "faults", {"kind": "slow", "delay_ms": 40, "path": "/generic", "times": 0})

    def blow():
        while not is_over.wait(1 / CHANGES_PER_SECOND):
            change(rng)

    wind = threading.Thread(target=blow)
    wind.start()
    try:
        for number in range(passes):
            hurry()
            if not await_idle(f"pass {number}"):
                break
    finally:
        is_over.set()
        wind.join()
    for number in (1, 2):
        hurry()
        check.that(f"full pass {number} behind the changes comes to its end", await_idle("a full pass"))
    compare(check)
    for style, mode in pairs():
        table = f"{style[0]}_{mode[0]}"
        wrong = 0
        for user in USERS:
            removed = set(control("GET", f"expected?user={user}&of=generic")["removed"])
            rows = sql(f"""select g.id from public.gone as g join jobrunner.users as u on u.id = g.user_id
                           where u.key = '{user}' and g.table_name = '{table}'""")
            wrong += len([row for row in rows.split("\n") if row and row not in removed])
        if mode[0] == "asked":
            check.that(f"{table}: 0 rows went wrongly", wrong == 0, wrong)
        else:
            print(f"   {table}: {wrong} rows went wrongly and came back")


def delete_by_hand(rng):
    style, mode = rng.choice(list(pairs()))
    rows = sql(f"delete from synced.{style[0]}_{mode[0]} where random() < 0.1 returning id")
    BY_HAND.update(row for row in rows.split("\n") if row)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=float, required=True)
    arguments.add_argument("--seed", type=int, required=True)
    arguments.add_argument("--shifting", type=int, default=0, help="so many full passes of lists that shift")
    arguments.add_argument("--files", action="store_true", help="only write the job files")
    options = arguments.parse_args()
    global SHIFTING
    SHIFTING = options.shifting > 0
    if options.files:
        write_files(os.environ["JOBRUNNER_JOBS"])
        return 0
    rng = random.Random(options.seed)
    check = Check()
    watch_deletions()
    if SHIFTING:
        shift(options.shifting, rng, check)
        check.that("no run is without an outcome", sql("select count(*) from jobrunner.runs where outcome is null") == "0")
        return 1 if check.failed else 0
    liars = Liars()
    end = time.monotonic() + options.seconds
    counts = dict.fromkeys(["change", "edit", "disturbance", "refusal", "lie", "by hand", "hurry"], 0)
    while time.monotonic() < end:
        chance = rng.random()
        if chance < 0.3:
            counts["change"] += 1
            change(rng)
        elif chance < 0.4:
            counts["edit"] += 1
            edit_rows(rng)
        elif chance < 0.72:
            counts["disturbance"] += 1
            disturb(rng)
        elif chance < 0.76:
            counts["disturbance"] += 1
            disturb_push(rng)
        elif chance < 0.8:
            counts["refusal"] += 1
            refuse_rows(rng)
        elif chance < 0.85:
            counts["lie"] += 1
            liars.lie(rng)
        elif chance < 0.86:
            counts["by hand"] += 1
            delete_by_hand(rng)
        else:
            counts["hurry"] += 1
            hurry()
        time.sleep(0.02)
    print("   " + ", ".join(f"{count} of {name}" for name, count in counts.items()))
    control("DELETE", "faults")
    end_refusals()
    end_pauses()
    hurry()
    check.that("every job is complete when the source is well again", await_idle("the first pass"))
    for number in (1, 2):
        sql("update jobrunner.checkpoints set full_asked = full_asked + 1 where full_asked = full_begun")
        end_pauses()
        hurry()
        check.that(f"full pass {number} comes to its end", await_idle(f"full pass {number}"))
    compare(check)
    compare_pushed(check)
    compare_deletions(check)
    check.that("no run is without an outcome", sql("select count(*) from jobrunner.runs where outcome is null") == "0")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
