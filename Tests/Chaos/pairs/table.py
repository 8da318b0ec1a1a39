"""What each verb leaves in each state, as the page of the architecture says it: the table below `States of a job`."""

import re

PAGE = "docs/ARCHITECTURE.md"
# The page's column for a state of the pairs. Those on top of a job that waits have none: it is not due, or other rules hold.
COLUMNS = {
    "due": "waiting, due", "running": "running", "fresh": "running", "silent": "running", "asked": "running",
    "asked_silent": "running", "ahead": "running", "paused": "paused", "quarantined": "quarantined", "reauth": "needs_reauth",
    "deferred": "deferred"}
LOST = "lost"
# What the page says in words, as SUMMARY tells it; all else is told as the page says it.
WORDS = {
    "due after the debounce": {"due", "later"},
    "running, one more follows": {"running, rerun"},
    "running, stopping, then paused": {"running, stopping, to pause"},
    "running; its next page is refused": {"running"},
    "waiting, paused or set aside": {"due", "later", "deferred", "paused", "quarantined", "needs_reauth"},
}
SUMMARY = """
select case
    when state <> 'waiting' then state
    when deferred_until > now() then 'deferred'
    when due_at <= now() then 'due'
    else 'later'
  end
  || case when rerun_requested then ', rerun' else '' end
  || case when cancel_requested_at is not null then ', stopping' else '' end
  || case when worker_id is not null and paused_at is not null then ', to pause' else '' end as summary
from jobrunner.jobs where user_id = $1 and name = $2
"""


def read():
    """SQL function: {column: words}."""
    with open(PAGE, encoding="utf-8") as page:
        section = page.read().split("\n## States of a job\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.split("\n") if line.startswith("|")]
    start = next(place for place, row in enumerate(rows) if row[0] == "Verb")
    heads = rows[start][1:]
    return {function: dict(zip(heads, row[1:])) for row in rows[start + 2:] for function in re.findall(r"`(\w+)`", row[0])}


TABLE = read()


def states_of(function):
    """The states in which a verb that bears a claim does anything."""
    return {state for state, column in COLUMNS.items() if TABLE[function][column] != LOST}


def left_by(function, state, is_forced):
    """What the verb may leave of a job in this state; None: the page does not say."""
    if function not in TABLE or state not in COLUMNS:
        return None
    words, is_cut_by_force, _ = TABLE[function][COLUMNS[state]].partition(", or due with force")
    if is_forced and is_cut_by_force:
        return {"due"}
    return WORDS.get(words, {words})


def cuts_short(function, state, is_forced):
    """Whether the verb makes a job due that waits in this state."""
    return left_by(function, state, is_forced) == {"due"}
