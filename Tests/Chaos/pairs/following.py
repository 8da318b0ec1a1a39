"""What must follow from an order: rows as applications left them, counters that say what was written, requests kept."""

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
    runs = {row["id"]: row for row in look["runs"]}
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
        counted = {name: runs[run.fence][name] for name in COUNTERS}
        if counted != expected:
            facts.violated(f"a run wrote {expected}, and its history counts {counted}")


def judge_requests(judge, look):
    """Every request is noted for the next run, or was followed by one that could honour it."""
    facts, world = judge.facts, judge.world
    late = []
    for request in facts.requests:
        if request.user == "ann" and "remove_user" in facts.done or "take_job" in facts.done:
            continue
        job = next(j for j in look["jobs"] if j["user_id"] == world.users[request.user] and j["name"] == world.job)
        if not is_honoured(judge, request):
            if may_be_late(judge, request, job):
                late.append(request)
            else:
                facts.violated(f"{request.what} ({request.answer}) is not followed by a run that honours it: {told(job)}")
        judge_full(judge, request, look)
    if late:
        world.judge.script("""
            update jobrunner.tenants set paused_at = null;
            update jobrunner.jobs set due_at = now(), paused_at = null, paused_with_user = false, quarantined_at = null,
              quarantine_reason = null, reauth_needed_at = null, deferred_until = null where worker_id is null""")
        judge.claim()
        for request in late:
            if not is_honoured(judge, request):
                facts.violated(f"{request.what} ({request.answer}) is forgotten when what was in its way is over")


def is_honoured(judge, request):
    runs = [*judge.world.runs[judge.state].values(), *judge.facts.claims]
    return any(carries(judge, run, request) and could_honour(judge, run) for run in runs)


def could_honour(judge, run):
    return run.is_last or judge.facts.ends.get(run.fence, ("lost",))[0] in HONOURS


def carries(judge, run, request):
    if run.user_id != judge.world.users[request.user] or run.job != judge.world.job:
        return False
    if request.after_run is not None:
        return run.fence > request.after_run
    # A claim beside the request's transaction has it only where it says so.
    saw = run.started > request.committed or run.committed > request.started and run.asked
    return saw and (run.forced or not request.force) and (run.only is None or run.only == request.entity)


def may_be_late(judge, request, job):
    """Something is in the way that the request does not lift."""
    if job["paused_at"] or job["quarantined_at"] or job["reauth_needed_at"]:
        return True
    if job["deferred_until"]:
        was_begun = any(carries(judge, run, request) for run in judge.world.runs[judge.state].values())
        return not request.force or was_begun
    return request.answer == "edit" and job["consecutive_failures"] > 0 or request.what == "trigger" and request.answer in (
        "deferred", "paused", "quarantined", "needs_reauth")


def judge_full(judge, request, look):
    reset_at = judge.facts.done.get("reset", -1)
    point = next((k for k in look["checkpoints"] if k["entity"] == judge.world.entity), None)
    if request.full and point is not None:
        begins_anew = point["pass_kind"] is None and point["watermark"] is None and point["last_synced_at"] is None
        if not point["full_requested"] and not begins_anew and reset_at < request.committed:
            judge.facts.violated(f"{request.what}: the full pass is forgotten")
    if request.repair and reset_at < request.committed and not (point and point["repair_requested"]):
        judge.facts.violated(f"{request.what}: the repair is forgotten")


def told(job):
    names = ("state", "hours", "priority", "rerun_requested", "force_requested", "entity_requested", "last_outcome")
    return ", ".join(f"{name} {job[name]}" for name in names)
