"""Synapse (PyPI), a Matrix server: rooms, members and messages; read anew backwards, by other questions."""

import base64
import hashlib
import hmac
import json
import os
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

JOB = "matrix.rooms"
SECRETS = {"matrix_user": "ann", "matrix_password": "p4ss-of-ann"}
READY = "/_matrix/client/versions"
API = "/_matrix/client/v3"
REGISTERS = "for-this-test-only"
MANY = {"per_second": 10000, "burst_count": 10000}


def serve(place):
    key = place.write("signing.key", "ed25519 a_test " + base64.b64encode(os.urandom(32)).decode().rstrip("=") + "\n")
    settings = place.write("homeserver.yaml", json.dumps({  # JSON is YAML.
        "server_name": "loopback.test", "pid_file": f"{place.folder}/pid", "report_stats": False,
        "listeners": [{"type": "http", "bind_addresses": ["127.0.0.1"], "port": place.port, "tls": False,
                       "resources": [{"names": ["client"]}]}],
        "database": {"name": "sqlite3", "args": {"database": f"{place.folder}/synapse.db"}},
        "media_store_path": f"{place.folder}/media", "signing_key_path": str(key), "trusted_key_servers": [],
        "registration_shared_secret": REGISTERS, "macaroon_secret_key": REGISTERS, "form_secret": REGISTERS,
        "bcrypt_rounds": 4, "presence": {"enabled": False},
        "caches": {"sync_response_cache_duration": "0s"},  # Else `says` is told what it was told before.
        "rc_message": MANY, "rc_registration": MANY,
        "rc_joins": {"local": MANY}, "rc_invites": {"per_room": MANY, "per_user": MANY, "per_issuer": MANY},
        "rc_login": {"address": MANY, "account": MANY, "failed_attempts": MANY}}))
    return [place.programs / "python", "-m", "synapse.app.homeserver", "--config-path", settings], {}


def register(place, user):
    path = "/_synapse/admin/v1/register"
    nonce, password = place.get(path)["nonce"], SECRETS["matrix_password"]
    mac = hmac.new(REGISTERS.encode(), "\0".join([nonce, user, password, "notadmin"]).encode(), hashlib.sha1)
    place.call("POST", path, {
        "nonce": nonce, "username": user, "password": password, "admin": False, "mac": mac.hexdigest()})


class Person:
    def __init__(self, place, name):
        self.place, self.name = place, name
        self.token = place.call("POST", f"{API}/login", {
            "type": "m.login.password", "identifier": {"type": "m.id.user", "user": name},
            "password": SECRETS["matrix_password"], "device_id": f"test-{name}"})["access_token"]

    def ask(self, method, path, body=None):
        return self.place.call(method, API + path, body, headers={"Authorization": f"Bearer {self.token}"})

    def write(self, room, text):
        """An event's own number makes a repeated request the same one."""
        number = base64.urlsafe_b64encode(os.urandom(9)).decode()
        return self.ask("PUT", f"/rooms/{quote(room)}/send/m.room.message/{number}",
                        {"msgtype": "m.text", "body": text})["event_id"]

    def make_room(self, name, *members):
        room = self.ask("POST", "/createRoom", {"preset": "public_chat", "name": name})["room_id"]
        for member in members:
            member.ask("POST", f"/join/{quote(room)}", {})
        return room


def fill(place):
    for name in ("ann", "bob", "carl"):
        register(place, name)
    ann, bob, carl = (Person(place, name) for name in ("ann", "bob", "carl"))
    busy, left = ann.make_room("busy", bob, carl), ann.make_room("to be left", bob)
    ann.make_room("silent")
    messages = [(bob if i % 3 else ann).write(busy, f"message {i}") for i in range(33)]
    for i in range(4):
        ann.write(left, f"soon gone {i}")
    place.write("rooms.json", json.dumps({"busy": busy, "left": left, "messages": messages}))


def change(place):
    noted = json.loads((place.folder / "rooms.json").read_text())
    ann, bob, carl = (Person(place, name) for name in ("ann", "bob", "carl"))
    ann.write(noted["busy"], "late")
    ann.ask("PUT", f"/rooms/{quote(noted['busy'])}/redact/{quote(noted['messages'][12])}/r1", {})
    bob.ask("POST", f"/rooms/{quote(noted['busy'])}/leave", {})
    carl.ask("PUT", f"/profile/{quote('@carl:loopback.test')}/displayname", {"displayname": "Carl the Second"})
    ann.ask("POST", f"/rooms/{quote(noted['left'])}/leave", {})
    ann.write(ann.make_room("late", carl), "the first one")


def says(place):
    ann = Person(place, "ann")
    rooms, members, messages = [], [], []
    for room in ann.ask("GET", "/sync?timeout=0").get("rooms", {}).get("join", {}):
        rooms.append({"room_id": room})
        for state in ann.ask("GET", f"/rooms/{quote(room)}/state"):
            if state["type"] == "m.room.member" and state["content"]["membership"] == "join":
                members.append({"room_id": room, "member_id": state["state_key"],
                                "display_name": state["content"].get("displayname")})
        for event in ann.ask("GET", f"/rooms/{quote(room)}/messages?dir=b&limit=1000")["chunk"]:
            if event["type"] == "m.room.message" and "body" in event["content"]:
                messages.append({"event_id": event["event_id"], "room_id": room, "sender": event["sender"],
                                 "body": event["content"]["body"],
                                 "sent_at": datetime.fromtimestamp(0, timezone.utc)
                                 + timedelta(milliseconds=event["origin_server_ts"])})
    return {"matrix_room": (["room_id"], rooms), "matrix_member": (["room_id", "member_id"], members),
            "matrix_message": (["event_id"], messages)}
