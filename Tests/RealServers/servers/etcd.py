"""etcd (Debian): keys and values in base64, users with roles, leases with keys; read anew in one page, by key."""

import base64

JOB = "etcd.keys"
SECRETS = {"etcd_user": "root", "etcd_password": "p4ss-of-etcd-root"}
READY = "/health"
TRANSACTIONS = 15
KEYS_OF_EACH = 20
ALL_KEYS = {"key": "AA==", "range_end": "AA=="}


def b64(text):
    return base64.b64encode(text.encode()).decode()


def serve(place):
    peers = f"http://127.0.0.1:{place.other_port}"
    return ["etcd", "--data-dir", place.folder / "etcd", "--unsafe-no-fsync", "--log-level", "error",
            "--listen-client-urls", place.url, "--advertise-client-urls", place.url, "--listen-peer-urls", peers,
            "--initial-advertise-peer-urls", peers, "--initial-cluster", f"default={peers}"], {}


def ask(place, path, **body):
    return place.call("POST", f"/v3/{path}", body)


def signed_in(place):
    token = ask(place, "auth/authenticate", name="root", password=SECRETS["etcd_password"])["token"]
    place.headers = {"Authorization": token}
    return place


def put_at_once(place, pairs):
    """All in one transaction, which gives them one revision."""
    ask(place, "kv/txn", success=[
        {"request_put": {"key": b64(key), "value": b64(value), "lease": lease}} for key, value, lease in pairs])


def fill(place):
    for lease in (1001, 1002, 1003):
        ask(place, "lease/grant", ID=lease, TTL=86400)
    for number in range(TRANSACTIONS):
        put_at_once(place, [(f"config/{number:02}/{i:02}", "" if i == 7 else f"value {i}", 0) for i in range(KEYS_OF_EACH)])
    put_at_once(place, [(f"lock/{i}", "held", 1001 if i < 3 else 1002) for i in range(6)])
    for role in ("root", "reader", "writer"):
        ask(place, "auth/role/add", name=role)
    for user, roles in {"root": ["root"], "ann": ["reader", "writer"], "bob": [], "carl": ["reader"]}.items():
        ask(place, "auth/user/add", name=user, password=SECRETS["etcd_password"])
        for role in roles:
            ask(place, "auth/user/grant", user=user, role=role)
    ask(place, "auth/enable")


def change(place):
    put_at_once(signed_in(place), [("config/00/00", "edited", 0), ("config/09/19", "edited", 0), ("late/one", "new", 1003)])
    ask(place, "kv/deleterange", key=b64("config/03/"), range_end=b64("config/030"))
    ask(place, "lease/revoke", ID=1001)
    ask(place, "auth/user/delete", name="carl")
    for role in ("reader", "writer"):
        ask(place, "auth/user/revoke", name="ann", role=role)
    ask(place, "auth/user/grant", user="bob", role="writer")


def says(place):
    keys = ask(signed_in(place), "kv/range", **ALL_KEYS).get("kvs", [])
    users = ask(place, "auth/user/list").get("users", [])
    leases = [lease["ID"] for lease in ask(place, "lease/leases").get("leases", [])]
    granted = [{"name": user, "role": role}
               for user in users for role in ask(place, "auth/user/get", name=user).get("roles", [])]
    return {
        "etcd_key": (["key"], [{
            "key": key["key"], "value": key.get("value", ""), "mod_revision": int(key["mod_revision"]),
            "version": int(key["version"]), "lease": key.get("lease")} for key in keys]),
        "etcd_user": (["name"], [{"name": user} for user in users]),
        "etcd_granted": (["name", "role"], granted),
        "etcd_lease": (["lease"], [{"lease": lease} for lease in leases]),
        # A key knows its lease, so that the leases need not be asked.
        "etcd_leased": (["lease", "key"], [{"lease": key["lease"], "key": key["key"]} for key in keys if "lease" in key]),
    }
