"""What must follow from an order: rows as applications left them, counters that say what was written, wishes kept."""

# An interrupted run could not honour what it was asked for.
HONOURS = {"complete", "failed", "needs_reauth", "skipped"}
COUNTERS = ("inserted", "updated", "deleted", "swept")


def judge_rows(judge, look):
    """No edit is gone, and a row that counts as sent is what the source has."""
    facts, world = judge.facts, judge.world
    if facts.answers.get("take_job"):
        return
    rows = {row[world.key]: row for row in look["rows"]}
    for record in {edit.record for edit in facts.edits}:
        last = max((edit for edit in facts.edits if edit.record == record), key=lambda edit: edit.committed)
        row = rows.get(record)
        if record in facts.gave_way and facts.gave_way[record] == last.body:
            continue
        if last.body is None:
            if row is not None and not row["pending_delete"]:
                facts.violated(f"{last.what}: the deletion of {record} is gone")
        elif row is None:
            facts.violated(f"{last.what}: the edit of {record} is gone, and its row")
        elif row["body"] != last.body:
            facts.violated(f"{last.what}: the edit of {record} is gone, its row says '{row['body']}'")
        elif row["pending_delete"] and not last.what.startswith("plain SQL"):
            facts.violated(f"{last.what}: the edit of {record} waits for its deletion")
        elif row["synced"] and facts.source.get(record, (None,))[0] != last.body:
            facts.violated(f"{last.what}: the edit of {record} counts as sent, but the source has not got it")
    for record, row in rows.items():
        if record in facts.source and row["synced"] and row["body"] != facts.source[record][0]:
            facts.violated(f"{record} counts as sent, but the source has something else")
        if record in facts.tagged and row["change_tag"] not in (f"sent-{record}", None):
            facts.violated(f"{record} kept tag {row['change_tag']} though the source has a newer one")


def judge_counters(judge, look):
    """A run's history row counts exactly what it committed."""
    facts = judge.facts
    runs = {}
    for row in look["runs"]:
        if row["id"] in runs:
            facts.violated("a run has two rows in the history")
        runs[row["id"]] = row
    for run in [*judge.world.runs[judge.state].values(), *facts.claims]:
        first = getattr(run, "page", {})
        written = [page for page in facts.pages if page.fence == run.fence]
        numbers = [page.number for page in written] + ([1] if first else [])
        if len(numbers) != len(set(numbers)):
            facts.violated("a page was committed twice by one run")
        expected = {name: int(first.get(name, 0)) + sum(getattr(page, name) for page in written) for name in COUNTERS}
        if not any(expected.values()) or facts.ends.get(run.fence, (None,))[0] == "released":
            continue
        if run.fence not in runs:
            facts.violated("a run that changed rows is not in the history")
            continue
        counted = {name: runs[run.fence][f"{name}_count"] for name in COUNTERS}
        if counted != expected:
            facts.violated(f"a run wrote {expected}, and its history counts {counted}")


def judge_wishes(judge, look):
    """Every wish is noted for the next run, or was followed by one that could honour it."""
    facts, world = judge.facts, judge.world
    late = []
    for wish in facts.wishes:
        if wish.user == "ann" and "remove_user" in facts.done or "take_job" in facts.done:
            continue
        job = next(j for j in look["jobs"] if j["user_id"] == world.users[wish.user] and j["name"] == world.job)
        if not is_honoured(judge, wish):
            if may_be_late(judge, wish, job):
                late.append(wish)
            else:
                facts.violated(f"{wish.what} ({wish.answer}) is not followed by a run that honours it: {told(job)}")
        judge_full(judge, wish, look)
    if late:
        world.judge.script("""
            update jobrunner.tenants set paused_at = null;
            update jobrunner.jobs set due_at = now(), paused_at = null, paused_with_user = false, quarantined_at = null,
              quarantine_reason = null, reauth_needed_at = null, deferred_until = null where worker_id is null""")
        judge.claim()
        for wish in late:
            if not is_honoured(judge, wish):
                facts.violated(f"{wish.what} ({wish.answer}) is forgotten when what was in its way is over")


def is_honoured(judge, wish):
    runs = [*judge.world.runs[judge.state].values(), *judge.facts.claims]
    return any(carries(judge, run, wish) and could_honour(judge, run) for run in runs)


def could_honour(judge, run):
    return run.is_last or judge.facts.ends.get(run.fence, ("lost",))[0] in HONOURS


def carries(judge, run, wish):
    if run.user_id != judge.world.users[wish.user] or run.job != judge.world.job:
        return False
    if wish.after_run is not None:
        return run.fence > wish.after_run
    # A claim beside the wish's transaction has it only where it says so.
    saw = run.started > wish.committed or run.committed > wish.started and run.asked
    return saw and (run.forced or not wish.force) and (run.only is None or run.only == wish.entity)


def may_be_late(judge, wish, job):
    """Something is in the way that the wish does not lift."""
    if job["paused_at"] or job["quarantined_at"] or job["reauth_needed_at"]:
        return True
    if job["deferred_until"]:
        was_begun = any(carries(judge, run, wish) for run in judge.world.runs[judge.state].values())
        return not wish.force or was_begun
    return wish.answer == "edit" and job["consecutive_failures"] > 0 or wish.what == "trigger" and wish.answer in (
        "deferred", "paused", "quarantined", "needs_reauth")


def judge_full(judge, wish, look):
    reset_at = judge.facts.done.get("reset", -1)
    point = next((k for k in look["checkpoints"] if k["entity"] == judge.world.entity), None)
    if wish.full and point is not None:
        begins_anew = point["pass_kind"] is None and point["watermark"] is None and point["last_synced_at"] is None
        if not point["full_requested"] and not begins_anew and reset_at < wish.committed:
            judge.facts.violated(f"{wish.what}: the full pass is forgotten")
    if wish.repair and reset_at < wish.committed and not (point and point["repair_requested"]):
        judge.facts.violated(f"{wish.what}: the repair is forgotten")


def told(job):
    names = ("state", "hours", "priority", "rerun_requested", "force_requested", "entity_requested", "last_outcome")
    return ", ".join(f"{name} {job[name]}" for name in names)
