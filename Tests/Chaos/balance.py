#!/usr/bin/env python3
"""Compares what the database holds with what the fake hub served; bin/balance says how it is called."""

import os
import sys

import judge
from checks import table
from cluster import Database


def main():
    # Not by argparse, which takes `-infinity` for an option.
    hub, kills, since = (sys.argv[1:] + ["0", "-infinity"][len(sys.argv) - 2:])[:3]
    database = Database(os.environ.get("DATABASE_URL", ""))
    found = judge.videos(database, hub)
    began = float(database.value("select extract(epoch from $1::timestamptz)::float8", since))
    pages = judge.Served(hub).pages(began)
    twice = {}
    for (user, _, _), fetches in pages.items():
        twice[user] = twice.get(user, 0) + fetches - 1
    failures = database.rows("""
        select error_kind, count(*) as n from jobrunner.runs where error_kind is not null group by error_kind order by 1""")
    table(["what", "count"], [
        ("users", database.value("select count(*) from jobrunner.users")),
        ("records", found["records"]),
        ("pages", len(pages)),
        ("pages fetched twice", sum(twice.values())),
        ("lost: served, but not stored", found["lost"]),
        ("doubled: stored more than once", found["doubled"]),
        ("unexpected: stored, not to be kept", found["unexpected"]),
        ("different: not as served", found["different"]),
        *((f"failures: {row['error_kind']}", row["n"]) for row in failures),
        ("jobs failing now", database.value("select count(*) from jobrunner.jobs where consecutive_failures > 0")),
    ])
    is_exact = not any(found[name] for name in ("lost", "doubled", "unexpected", "different")) and found["records"] > 0
    if is_exact and max(twice.values(), default=0) <= int(kills):
        return 0
    print("something was lost, doubled or fetched more often than allowed", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
