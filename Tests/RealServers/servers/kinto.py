"""Kinto (PyPI): notes with tombstones, read anew in one page."""

from .place import basic

JOB = "kinto.notes"
SECRETS = {"kinto_user": "ann", "kinto_password": "s3cret-ann"}
READY = "/v1/"
NOTES = 1234
COLLECTION = "/buckets/ann/collections/notes"


def serve(place):
    settings = place.write("kinto.ini", f"""
[app:main]
use = egg:kinto
kinto.storage_backend = kinto.core.storage.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.userid_hmac_secret = for-this-test-only
multiauth.policies = basicauth
[server:main]
use = egg:waitress#main
host = 127.0.0.1
port = {place.port}
""")
    return [place.programs / "kinto", "start", "--ini", settings, "--port", place.port], {}


def signed_in(place):
    place.headers = {"Authorization": basic(*SECRETS.values())}
    return place


def put_notes(place, first, last, title):
    numbers = range(first, last + 1)
    for start in range(0, len(numbers), 25):
        place.call("POST", "/v1/batch", {"requests": [{
            "method": "PUT", "path": f"{COLLECTION}/records/n{n}", "body": {"data": {"title": f"{title} {n}", "size": n}},
        } for n in numbers[start:start + 25]]})


def fill(place):
    signed_in(place).call("PUT", "/v1/buckets/ann")
    place.call("PUT", f"/v1{COLLECTION}")
    put_notes(place, 1, NOTES, "note")


def change(place):
    put_notes(signed_in(place), 1, 30, "edited")
    place.call("DELETE", f"/v1{COLLECTION}/records/n1000")
    place.call("PUT", f"/v1{COLLECTION}/records/late", {"data": {"title": "late", "size": 0}})


def says(place):
    notes = signed_in(place).get(f"/v1{COLLECTION}/records")["data"]
    return {"kinto_note": (["id"], [
        {"id": note["id"], "title": note["title"], "size": note["size"], "version": note["last_modified"]} for note in notes])}
