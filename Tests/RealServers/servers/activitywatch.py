"""ActivityWatch (PyPI): buckets of events, in an SQLite store that is read without it."""

import json
from datetime import datetime, timedelta, timezone

JOB = "activitywatch.events"
SECRETS = {}
READY = "/api/0/info"
STORE = "data/activitywatch/aw-server/peewee-sqlite.v2.db"
BEGIN = datetime(2025, 1, 1, tzinfo=timezone.utc)
EVENTS = 250


def serve(place):
    return [place.programs / "aw-server", "--host", "127.0.0.1", "--port", place.port], {
        f"XDG_{kind}_HOME": str(place.folder / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE")}


def event(number, app, **more):
    return {"timestamp": (BEGIN + timedelta(minutes=7 * number)).isoformat(), "duration": 60.5 + number,
            "data": {"app": app, "title": f"title {number}"}, **more}


def make_bucket(place, bucket, events):
    place.call("POST", f"/api/0/buckets/{bucket}", {"client": "test", "type": "currentwindow", "hostname": "host"})
    if events:
        place.call("POST", f"/api/0/buckets/{bucket}/events", events)


def fill(place):
    for bucket in ("window_a", "window_b", "window_c"):
        make_bucket(place, bucket, [event(number, f"app {number % 5}") for number in range(EVENTS)])
    make_bucket(place, "empty", [])


def change(place):
    events = "/api/0/buckets/window_a/events"
    place.call("POST", events, event(3, "edited", id=4))
    place.call("DELETE", f"{events}/100")
    place.call("POST", events, event(EVENTS, "late"))
    place.call("DELETE", "/api/0/buckets/window_b?force=1")
    make_bucket(place, "late", [event(0, "late")])


def time_of(text):
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=timezone.utc)


def says(place):
    buckets = place.query(STORE, "select key, id, type, client, hostname, created from bucketmodel")
    events = place.query(STORE, """
        select e.id, b.id as bucket, e.timestamp, e.duration, e.datastr from eventmodel as e
        join bucketmodel as b on b.key = e.bucket_id""")
    ends = {}
    for e in sorted(events, key=lambda e: time_of(e["timestamp"])):
        ends[e["bucket"]] = time_of(e["timestamp"]) + timedelta(seconds=float(e["duration"]))
    return {
        "activitywatch_bucket": (["bucket_id"], [{
            "bucket_id": b["id"], "type": b["type"], "client": b["client"], "hostname": b["hostname"],
            "created_at": time_of(b["created"]), "last_updated_at": ends.get(b["id"])} for b in buckets]),
        "activitywatch_event": (["event_id"], [{
            "event_id": e["id"], "bucket_id": e["bucket"], "began_at": time_of(e["timestamp"]),
            "lasted_seconds": float(e["duration"]), "app": json.loads(e["datastr"])["app"],
            "data": json.loads(e["datastr"])} for e in events]),
    }
