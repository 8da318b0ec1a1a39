"""What must hold when a storm is over, besides what holds in any phase."""

import time

from cluster import HANG_S
from judge import Judge, differences
from storm_verbs import CONTAINER, ENTITY, JOB, TABLE, ZONE
from world import UNFINISHED

# Guests come and go, and the source does not know them.
KNOWN = "u.key like 'user-%'"
JOBS = "jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id"
LET_GO = "select jobrunner.{}(t.name, u.key, j.name) from " + JOBS + " join jobrunner.tenants as t on t.id = j.tenant_id where {}"


def judge(storm):
    world, database = storm.world, storm.world.database
    judge = Judge(world, "storm")
    settle(database)
    judge.house(those=KNOWN)
    judge.count("every edit was sent", f"select count(*) from synced.{TABLE} where not synced")
    judge_requests(storm, judge)
    # What a device changed last may have come after the last run, and nothing of it is owed by a tick hours away.
    for tenant, user in storm.users:
        database.rows(f"select jobrunner.enqueue($1, $2, '{JOB}')", tenant, user)
    settle(database)
    judge_records(storm, judge)
    judge.count("due times are on their grid", f"""
        select count(*) from {JOBS} where {KNOWN} and j.state = 'waiting' and j.last_outcome = 'complete'
          and abs(mod(extract(epoch from j.due_at) - extract(epoch from j.phase), extract(epoch from j.every))) > 0.001""")
    judge.none("no session was refused for anything but what it may meet", storm.unexpected)
    if not storm.counts["clock shifts"]:
        judge.none("no session waits longer than its limits", storm.counts["timers that never rang"])
    judge.equal("the workers live", len(world.workers.slots), world.workers.alive)


def settle(database):
    """All is let go, and the jobs run until none is due."""
    database.script("select jobrunner.set_tenant('east', in_unlimited => true);"
                    + LET_GO.format("resume_jobs", "j.paused_at is not null"))
    end = time.monotonic() + HANG_S
    while time.monotonic() < end:
        # Waits end by themselves; nobody waits for them here.
        database.script(LET_GO.format("retry_jobs", KNOWN + """ and j.worker_id is null
            and (j.quarantined_at is not null or j.deferred_until > now() or j.consecutive_failures > 0
              or j.reauth_needed_at is not null)"""))
        # Nor for the next tick, minutes away, of a run that somebody has cancelled.
        database.script("""update jobrunner.jobs set due_at = now()
            where worker_id is null and state = 'waiting' and due_at > now() and last_outcome = 'partial'""")
        if database.value(f"select count(*) from {JOBS} where {KNOWN} and ({UNFINISHED})") == 0:
            return
        time.sleep(0.3)


def there(source, user):
    """The records of a user at the source."""
    records = {}
    for record in source.cloud_records(CONTAINER, user, ZONE):
        fields = record["fields"]
        if record["recordType"] == "WatchedStatus" and "videoId" in fields and "status" in fields:
            position = fields.get("playbackPosition", {}).get("value", 0) or 0
            records[fields["videoId"]["value"]] = (fields["status"]["value"], int(fields["lastModified"]["value"]), float(position))
    return records


def judge_records(storm, judge):
    database, known = storm.world.database, 0
    doubled, lost, other, edits_gone = [], [], [], []
    for _, user in storm.users:
        source = there(storm.world.source, user)
        rows = database.rows(f"""
            select r.video_id, r.status, round(extract(epoch from r.last_modified) * 1000)::bigint as modified,
              r.playback_position as position
            from synced.{TABLE} as r join jobrunner.users as u on u.id = r.user_id where u.key = $1""", user)
        here = {row["video_id"]: (row["status"], int(row["modified"]), float(row["position"] or 0)) for row in rows}
        known += len(source)
        doubled += [user] * (len(rows) - len(here))
        lost += [f"{user} {video}" for video in source.keys() - here.keys()]
        other += [f"{user} {found}" for found in differences(here, {video: source[video] for video in source if video in here})]
        edits_gone += [f"{user} {video}: edited to {edit}, the source has {source.get(video)}"
                       for (who, video), edit in storm.edits.items()
                       if who == user and source.get(video, (None, 0))[:2] != edit]
    judge.none(f"lost 0 of {known} records", lost)
    judge.none("doubled 0", doubled)
    judge.none("no record has other values than the source", other)
    judge.none(f"none of {len(storm.edits)} edits is gone", edits_gone)
    counted = database.value(f"""
        select coalesce(sum((counters).inserted - (counters).deleted - (counters).swept), 0) from jobrunner.runs as r
        join jobrunner.users as u on u.id = r.user_id where {KNOWN}""")
    rows = database.value(f"select count(*) from synced.{TABLE}")
    judge.equal("counters equal rows", rows - len(storm.edits), counted)


def judge_requests(storm, judge):
    fences = {row["key"]: int(row["fence"]) for row in storm.world.database.rows(f"select u.key, j.fence from {JOBS} where j.name = $1", JOB)}
    late = [user for user, fence in storm.requests.items() if fences.get(user, 0) <= fence]
    judge.none(f"the last request of each of {len(storm.requests)} users was followed by a run", late)
    judge.count("no request for a full pass or a repair is left", f"""
        select count(*) from jobrunner.checkpoints as k join jobrunner.users as u on u.id = k.user_id
        where {KNOWN} and (k.full_requested or k.repair_requested)""")
