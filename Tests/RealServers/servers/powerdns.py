"""PowerDNS (Debian): zones and their records, in an SQLite store that is read without it."""

import sqlite3
from pathlib import Path

JOB = "powerdns.zones"
SECRETS = {"powerdns_key": "k3y-of-powerdns"}
READY = "/api/v1/servers"
SCHEMA = "/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql"
ZONES = 12
HOSTS = 20
API = "/api/v1/servers/localhost/zones"


def serve(place):
    with sqlite3.connect(place.folder / "pdns.db") as store:
        store.executescript(Path(SCHEMA).read_text())
    place.write("pdns.conf", f"""
launch=gsqlite3
gsqlite3-database={place.folder}/pdns.db
gsqlite3-pragma-synchronous=0
local-address=127.0.0.1
local-port={place.other_port}
socket-dir={place.folder}
daemon=no
guardian=no
setuid=
setgid=
api=yes
api-key={SECRETS["powerdns_key"]}
webserver=yes
webserver-address=127.0.0.1
webserver-port={place.port}
""")
    return ["pdns_server", f"--config-dir={place.folder}"], {}


def signed_in(place):
    place.headers = {"X-API-Key": SECRETS["powerdns_key"]}
    return place


def rrset(name, kind, *contents, ttl=3600, **more):
    return {"name": name, "type": kind, "ttl": ttl, "records": [{"content": text, "disabled": False} for text in contents],
            **more}


def make_zone(place, name, rrsets=(), **more):
    place.call("POST", API, {"name": name, "kind": "Native", "nameservers": [], "rrsets": list(rrsets)} | more)


def fill(place):
    signed_in(place)
    for number in range(1, ZONES + 1):
        zone = f"zone-{number}.example."
        make_zone(place, zone, [
            rrset(zone, "NS", "ns1.example.", "ns2.example."), rrset(f"mail.{zone}", "TXT", '"v=spf1 \\"-all\\""', ttl=60),
            *(rrset(f"host-{i}.{zone}", "A", f"192.0.2.{i}", f"198.51.100.{i}") for i in range(1, HOSTS + 1))])
    # The id of a zone with a slash in its name has another name for the slash.
    make_zone(place, "0/25.2.0.192.in-addr.arpa.", [rrset("7.0/25.2.0.192.in-addr.arpa.", "PTR", "host-7.zone-1.example.")])
    # A zone that is another server's has no record before it is fetched from there.
    make_zone(place, "elsewhere.example.", kind="Slave", masters=["192.0.2.1"])


def change(place):
    signed_in(place).call("PATCH", f"{API}/zone-1.example.", {"rrsets": [
        rrset("host-1.zone-1.example.", "A", "203.0.113.1", ttl=30, changetype="REPLACE"),
        rrset("late.zone-1.example.", "AAAA", "2001:db8::1", changetype="REPLACE"),
        {"name": "host-2.zone-1.example.", "type": "A", "changetype": "DELETE"}]})
    place.call("DELETE", f"{API}/zone-2.example.")
    place.call("DELETE", f"{API}/elsewhere.example.")
    make_zone(place, "late.example.", [rrset("www.late.example.", "A", "192.0.2.200")])


def content(record):
    """As the API writes it, which ends names with a dot."""
    words = record["content"].split(" ")
    dotted = {"SOA": 2, "NS": 1, "PTR": 1}.get(record["type"], 0)
    return " ".join([f"{word.rstrip('.')}." for word in words[:dotted]] + words[dotted:])


def says(place):
    zones = place.query("pdns.db", "select id, name, type from domains")
    records = place.query("pdns.db", """
        select d.name as zone, r.name, r.type, r.content, r.ttl, r.disabled
        from records as r join domains as d on d.id = r.domain_id where r.type is not null""")
    serials = {r["zone"]: int(r["content"].split(" ")[2]) for r in records if r["type"] == "SOA"}
    ids = {zone["name"]: f"{zone['name'].replace('/', '=2F')}." for zone in zones}
    return {
        "powerdns_zone": (["zone_id"], [{
            "zone_id": ids[zone["name"]], "name": f"{zone['name']}.", "kind": zone["type"].capitalize(),
            "serial": serials.get(zone["name"], 0)} for zone in zones]),
        "powerdns_record": (["name", "type", "content"], [{
            "zone_id": ids[r["zone"]], "name": f"{r['name']}.", "type": r["type"], "content": content(r), "ttl": r["ttl"],
            "disabled": bool(r["disabled"])} for r in records]),
    }
