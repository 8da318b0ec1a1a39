"""Compares what a server says with what arrived: lost, doubled, different, and what is no more there."""

import json
import os
import subprocess
from collections import Counter
from datetime import datetime


def stored(table, columns):
    text = subprocess.run(
        ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", os.environ["DATABASE_URL"], "-c", f"""
            set timezone = 'UTC';
            select row_to_json(r) from (select {", ".join(f'"{column}"' for column in columns)} from synced.{table}) as r"""],
        check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def by_key(rows, key):
    return {tuple(row[name] for name in key): row for row in rows}


def is_same(there, here):
    """Times are compared as points in time, however either side writes them."""
    if isinstance(there, datetime) or (isinstance(here, str) and isinstance(there, str) and there != here):
        try:
            there = there if isinstance(there, datetime) else datetime.fromisoformat(there)
            return here is not None and there == datetime.fromisoformat(here)
        except ValueError:
            return False
    return there == here


def differences(there, here, key):
    """(lost, doubled, different, unexpected) of the rows of one table."""
    times = Counter(tuple(row[name] for name in key) for row in here)
    theirs, ours = by_key(there, key), by_key(here, key)
    assert len(theirs) == len(there), f"{key} tells no two records of the source apart"
    return (
        len(theirs.keys() - ours.keys()),
        sum(count - 1 for count in times.values()),
        sum(any(not is_same(value, ours[k][name]) for name, value in row.items()) for k, row in theirs.items() if k in ours),
        len(ours.keys() - theirs.keys()))


def changes(place, tables):
    """What the server says otherwise than when it was last compared, (added, edited, deleted); by its own word alone."""
    noted = place.folder / "said"
    now = {table: {json.dumps([row[n] for n in key]): json.dumps(row, default=str, sort_keys=True) for row in rows}
           for table, (key, rows) in tables.items()}
    before = json.loads(noted.read_text()) if noted.exists() else now
    noted.write_text(json.dumps(now))
    return [sum(count) for count in zip(*(
        (len(rows.keys() - before[table].keys()),
         sum(rows[key] != before[table][key] for key in rows.keys() & before[table].keys()),
         len(before[table].keys() - rows.keys())) for table, rows in now.items()))]


def tell(place, tables):
    totals = [0, 0, 0, 0]
    for table, (key, rows) in tables.items():
        columns = list(rows[0]) if rows else key
        found = differences(rows, stored(table, columns), key)
        if any(found):
            print(f"# {table.split()[0]}: lost {found[0]}, doubled {found[1]}, different {found[2]}, unexpected {found[3]}")
        totals = [total + count for total, count in zip(totals, found)]
    count = sum(len(rows) for _, rows in tables.values())
    added, edited, deleted = changes(place, tables)
    print(f"{place.name} {count} {added} {edited} {deleted} {' '.join(str(total) for total in totals)}")
