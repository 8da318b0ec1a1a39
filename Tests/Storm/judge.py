"""Judges a storm that is over, by SQL and by what the source holds."""

import json
import time
import urllib.request

from libpq import Session
from verbs import ENTITY, JOB, TABLE

CONTAINER, ZONE = "iCloud.com.metube.app", "WatchedStatusZone"


def control(source, method, path, body=None):
    request = urllib.request.Request(f"{source}/_control/cloudkit/{path}", method=method,
                                     data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def device_saves(source, user, video, modified):
    control(source, "POST", "edit", {
        "container": CONTAINER, "user": user, "zone": ZONE, "records": [{
            "recordName": video, "recordType": "WatchedStatus", "fields": {
                "videoId": {"value": video, "type": "STRING"}, "status": {"value": "watched", "type": "STRING"},
                "lastModified": {"value": modified, "type": "TIMESTAMP"},
                "playbackPosition": {"value": modified % 1000, "type": "DOUBLE"}}}]})


def remote(source, user):
    answer = control(source, "GET", f"records?container={CONTAINER}&database=private&user={user}&zone={ZONE}")
    records = {}
    for record in answer["records"]:
        fields = record["fields"]
        if record["recordType"] == "WatchedStatus" and "videoId" in fields and "status" in fields:
            position = fields.get("playbackPosition", {}).get("value", 0) or 0
            records[fields["videoId"]["value"]] = (fields["status"]["value"], int(fields["lastModified"]["value"]), float(position))
    return records


def settle(storm, sql):
    """All is let go, and the jobs run until none is due: at most so long. Returns what is left."""
    storm.admin = sql
    sql.script("""
        select jobrunner.set_tenant('east', in_unlimited => true);
        select jobrunner.resume_jobs(t.name, u.key, j.name) from jobrunner.jobs as j
        join jobrunner.users as u on u.id = j.user_id join jobrunner.tenants as t on t.id = j.tenant_id
        where j.paused_at is not null;""")
    end = time.monotonic() + 300
    while True:
        # Waits end by themselves; nobody waits for them here.
        sql.script("""
            select jobrunner.retry_jobs(t.name, u.key, j.name) from jobrunner.jobs as j
            join jobrunner.users as u on u.id = j.user_id join jobrunner.tenants as t on t.id = j.tenant_id
            where u.key like 'user-%' and j.worker_id is null
              and (j.quarantined_at is not null or j.deferred_until > now() or j.consecutive_failures > 0
                or j.reauth_needed_at is not null)""")
        left = sql.query("""
            select u.key, j.state, j.last_outcome, j.last_error_kind, j.last_error, j.due_at, now() as now
            from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id
            where u.key like 'user-%' and (j.state <> 'waiting' or j.due_at <= now() or j.last_outcome is distinct from 'complete')""")
        unsent = sql.query(f"select count(*) as n from synced.{TABLE} where not synced")[0]["n"]
        if not left or time.monotonic() > end:
            return left, unsent
        time.sleep(0.3)


def run_all(storm, sql):
    """What a device changed last may have come after the last run, and nothing of it is owed by a tick hours away."""
    for tenant, user in storm.users:
        sql.query(f"select jobrunner.enqueue($1, $2, '{JOB}')", tenant, user)
    settle(storm, sql)


def judge(storm):
    """Prints a line for each thing that must hold; returns how many do not."""
    failed = 0

    def check(name, found, wanted=0):
        nonlocal failed
        if found == wanted:
            print(f"ok - storm: {name}", flush=True)
        else:
            failed += 1
            print(f"not ok - storm: {name}: {found}" + (f", not {wanted}" if wanted else ""), flush=True)

    sql = Session(storm.url, TimeZone="UTC", client_min_messages="error")
    left, unsent = settle(storm, sql)
    check("every job comes to rest, complete", [dict(row) for row in left[:3]] if left else 0)
    check("every edit was sent", int(unsent))
    count = lambda query: int(sql.query(query)[0]["n"])  # noqa: E731
    check("no job runs under an ended worker", count("""
        select count(*) as n from jobrunner.jobs as j left join jobrunner.workers as w on w.id = j.worker_id
        where j.worker_id is not null and (w.id is null or w.ended_at is not null)"""))
    check("no claim is held that no worker runs", count("""
        select count(*) as n from jobrunner.jobs where worker_id is not null and deadline_at < now()"""))
    judge_requests(storm, sql, check)
    run_all(storm, sql)
    judge_records(storm, sql, check)
    check("due times are on their grid", count("""
        select count(*) as n from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id
        where u.key like 'user-%' and j.state = 'waiting' and j.last_outcome = 'complete'
          and abs(mod(extract(epoch from j.due_at) - extract(epoch from j.phase), extract(epoch from j.every))) > 0.001"""))
    check("a run is in the history once", count("""
        select count(*) - count(distinct (user_id, id)) as n from jobrunner.runs"""))
    check("every user has its tenant's jobs, and no job is without its user", count("""
        select (select count(*) from jobrunner.users as u join jobrunner.tenant_jobs as t on t.tenant_id = u.tenant_id
            where not exists (select from jobrunner.jobs as j where j.user_id = u.id and j.name = t.job_name))
          + (select count(*) from jobrunner.jobs as j where not exists (select from jobrunner.users as u where u.id = j.user_id)) as n"""))
    check("no session was refused for anything but what it may meet", storm.unexpected[:5] or 0)
    if not storm.counts["clock shifts"]:
        check("no session waits longer than its limits", storm.counts["timers that never rang"])
    check("the workers live", sum(worker.poll() is None for worker in storm.workers.values()), len(storm.workers))
    return failed


def judge_records(storm, sql, check):
    lost = doubled = other = edits_gone = 0
    total, examples = 0, []
    for _, user in storm.users:
        there = remote(storm.asked.source, user)
        rows = sql.query(f"""
            select r.video_id, r.status, round(extract(epoch from r.last_modified) * 1000)::bigint as modified,
              r.playback_position as position
            from synced.{TABLE} as r join jobrunner.users as u on u.id = r.user_id where u.key = $1""", user)
        here = {row["video_id"]: (row["status"], int(row["modified"]), float(row["position"] or 0)) for row in rows}
        total += len(there)
        doubled += len(rows) - len(here)
        lost += len(there.keys() - here.keys())
        differ = [video for video in there.keys() & here.keys() if there[video] != here[video]]
        other += len(differ) + len(here.keys() - there.keys())
        examples += [f"{user} {video}: {here[video]}, the source {there[video]}" for video in differ[:2]]
        examples += [f"{user} {video}: {here[video]}, not at the source" for video in list(here.keys() - there.keys())[:2]]
        for (who, video), (status, modified) in storm.edits.items():
            if who == user and there.get(video, (None, 0))[:2] != (status, modified):
                edits_gone += 1
                examples.append(f"{user} {video}: edited to {status} {modified}, the source has {there.get(video)}")
    for example in examples[:6]:
        print(f"   {example}")
    check(f"lost 0 of {total} records", lost)
    check("doubled 0", doubled)
    check("no record has other values than the source", other)
    check(f"none of {len(storm.edits)} edits is gone", edits_gone)
    added = len(storm.edits)
    counted = int(sql.query("""
        select coalesce(sum((counters).inserted - (counters).deleted - (counters).swept), 0) as n from jobrunner.runs as r
        join jobrunner.users as u on u.id = r.user_id where u.key like 'user-%'""")[0]["n"])
    rows = int(sql.query(f"select count(*) as n from synced.{TABLE}")[0]["n"])
    check("counters equal rows", counted, rows - added)


def judge_requests(storm, sql, check):
    fences = {row["key"]: int(row["fence"]) for row in sql.query(
        "select u.key, j.fence from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id where j.name = $1", JOB)}
    late = [user for user, fence in storm.requests.items() if fences.get(user, 0) <= fence]
    check(f"the last request of each of {len(storm.requests)} users was followed by a run", late[:5] or 0)
    noted = sql.query("""
        select count(*) as n from jobrunner.checkpoints as k join jobrunner.users as u on u.id = k.user_id
        where u.key like 'user-%' and (k.full_requested or k.repair_requested)""")[0]["n"]
    check("no request for a full pass or a repair is left", int(noted))
