"""The verbs of applications and operators: requests, pauses, secrets, tenants, edits."""

import json

from pairs.facts import Edit
from pairs.orders import BEGIN, COMMIT
from pairs.verbs import ANY, APPLICATION, verb
from pairs.world import SEALED, TENANT



def asking(what, telling=(), **more):
    def body(me):
        yield BEGIN
        rows = yield me.call("enqueue", in_tenant=TENANT, in_user="ann", in_job=me.world.job,
                             **{f"in_{name}": value(me) for name, value in more.items()})
        started = me.actor.sent_at
        yield COMMIT
        asked = {name: value(me) for name, value in more.items()}
        me.request(what, "ann", started, answer=rows[0]["enqueue"], **asked)

    verb(what, 3, APPLICATION, ANY, telling, function="enqueue")(body)


asking("enqueue", {"later", "deferred"})
asking("enqueue entity", {"asked"}, entity=lambda me: me.world.entity)
asking("enqueue force", {"deferred", "failing"}, force=lambda me: True)
asking("enqueue full", {"later"}, full=lambda me: True)


@verb("enqueue two", 4, APPLICATION, ANY)
def enqueue_two(me):
    """An application asks for two users' runs in key order."""
    yield BEGIN
    told = []
    for user in ("ann", "bob"):
        rows = yield me.call("enqueue", in_tenant=TENANT, in_user=user, in_job=me.world.job)
        told.append((user, me.actor.sent_at, rows[0]["enqueue"]))
    yield COMMIT
    for user, started, answer in told:
        me.request("enqueue two", user, started, answer=answer)


@verb("want_fresh", 3, APPLICATION, ANY, {"later"}, function="want_fresh")
def want_fresh(me):
    yield BEGIN
    row = (yield me.call("want_fresh", in_tenant=TENANT, in_user="ann", in_job=me.world.job))[0]
    started = me.actor.sent_at
    yield COMMIT
    if row["answer"] in ("refreshing", "wait"):
        me.request("want_fresh", "ann", started, answer=row["answer"], after_run=int(row["after_run"]))


@verb("trigger", 3, APPLICATION, ANY, {"later"}, function="trigger_event")
def trigger(me):
    yield BEGIN
    rows = yield me.call("trigger_event", in_tenant=TENANT, in_user="ann", in_event="noted")
    started = me.actor.sent_at
    yield COMMIT
    for row in rows:
        me.request("trigger", "ann", started, answer=row["answer"])


def operating(what, function, requests=None, telling=()):
    def body(me):
        yield BEGIN
        rows = yield me.call(function, in_tenant=TENANT, in_user="ann", in_job=me.world.job)
        started = me.actor.sent_at
        yield COMMIT
        count = int(rows[0][function])
        me.done(what, (count, started))
        if requests is not None and count > 0:
            me.request(what, "ann", started, answer="due", **requests)

    verb(what, 3, APPLICATION, ANY, telling, function=function)(body)


operating("cancel", "cancel_jobs")
operating("pause", "pause_jobs")
operating("resume", "resume_jobs", telling={"paused"})
operating("retry", "retry_jobs", requests={}, telling={"deferred", "failing", "reauth", "quarantined"})
operating("reset", "reset_jobs", telling={"running"})
operating("repair", "repair_jobs", requests={"full": True, "repair": True})


@verb("set_secret", 3, APPLICATION, ANY, {"reauth"})
def set_secret(me):
    yield BEGIN
    yield me.call("set_secret", in_tenant_id=me.world.tenant_id, in_user_id=me.world.users["ann"],
                  in_name="web_auth_token", in_sealed=SEALED + "02")
    yield COMMIT
    me.done("set_secret")


@verb("give_job", 3, APPLICATION, ANY)
def give_job(me):
    yield from transaction_of(me, "give_job", in_tenant=TENANT, in_job="pairs.spare")


@verb("give_job anew", 3, APPLICATION, ANY)
def give_job_anew(me):
    """It does nothing, but where the job was taken meanwhile."""
    yield BEGIN
    yield me.call("give_job", in_tenant=TENANT, in_job=me.world.job)
    yield COMMIT
    me.done("give_job anew")


def taking(what, with_rows):
    @verb(what, 3, APPLICATION, ANY, {"running", "silent", "reauth"}, may_meet={"JR014"})
    def body(me):
        yield BEGIN
        yield me.call("take_job", in_tenant=TENANT, in_job=me.world.job, in_with_rows=with_rows)
        yield COMMIT
        me.done("take_job", with_rows or me.facts.answers.get("take_job", False))


taking("take_job", False)
taking("take_job with rows", True)


@verb("add_user", 3, APPLICATION, ANY, may_meet={"JR013"})
def add_user(me):
    yield from transaction_of(me, "add_user", in_tenant=TENANT, in_key="dora")


@verb("add_users", 3, APPLICATION, ANY)
def add_users(me):
    yield from transaction_of(me, "add_users", in_tenant=TENANT, in_keys="{dora,emil}", in_within="1 hour")


for whose, user in (("user", "ann"), ("tenant", None)):
    for what, every in (("set", "10 minutes"), ("unset", None)):
        def set_period(me, user=user, every=every):
            yield from transaction_of(me, "set_period", in_tenant=TENANT, in_user=user, in_job=me.world.job, in_every=every)

        verb(f"set_period {whose} {what}", 3, APPLICATION, ANY, {"period"} if every is None else (),
             may_meet={"JR011", "JR012"})(set_period)


@verb("remove_user", 3, APPLICATION, ANY, may_meet={"JR011"})
def remove_user(me):
    yield from transaction_of(me, "remove_user", in_tenant=TENANT, in_key="ann")


@verb("set_tenant", 3, APPLICATION, ANY, {"limited"})
def set_tenant(me):
    yield from transaction_of(me, "set_tenant", in_name=TENANT, in_weight=2, in_max_running=2)


def transaction_of(me, function, **values):
    yield BEGIN
    rows = yield me.call(function, **values)
    started = me.actor.sent_at
    yield COMMIT
    me.done(function, started)
    return rows


@verb("store_job_file", 3, APPLICATION, ANY, {"deferred", "failing", "quarantined"})
def store_job_file(me):
    yield BEGIN
    yield (
        f"""select {me.world.storing(every="'30 min'", deadline="'4 min'")}
        from jobrunner.job_files as f where f.name = $1""", [me.world.job])
    yield COMMIT
    me.done("store_job_file")


# Edits: of a record that the page brings, of one that the source has no more, and of one that is unsent already.
RECORDS = {"of the page": "n05", "of the gone": "n10", "of the unsent": "n12"}


def editing(what, records, statement, text, has_edited=lambda answer: True, is_told=True):
    def body(me):
        yield BEGIN
        edited, started = [], None
        for record in records:
            answer = yield statement(me, record, text and f"{text} {me.place}")
            started = started or me.actor.sent_at
            if has_edited(answer):
                edited.append(record)
        yield COMMIT
        for record in edited:
            me.facts.edits.append(Edit(what, record, text and f"{text} {me.place}", me.now))
        if is_told and edited:
            # The entity alone would send it.
            me.request(what, "ann", started, answer="edit", entity=me.world.entity)

    verb(what, 2 + len(records), APPLICATION, ANY)(body)


def by_verb(function, argument="in_values"):
    def statement(me, record, text):
        values = {me.world.key: record} | ({"body": text} if text else {})
        return me.call(function, in_tenant=TENANT, in_user="ann", in_table=me.world.table,
                       **{argument: json.dumps(values)})

    return statement


def by_sql(me, record, text):
    stamp = ", edited_at = now()" if me.world.job == "pairs.notes" else ""
    return (
        f"""update synced.{me.world.table} set body = $1, synced = false{stamp}
        where user_id = $2 and {me.world.key} = $3""", [text, me.world.users["ann"], record])


for which, record in RECORDS.items():
    editing(f"edit_record {which}", [record], by_verb("edit_record"), "edited")
    editing(f"plain SQL {which}", [record], by_sql, "by SQL", lambda tag: tag == "UPDATE 1", is_told=False)
    editing(f"delete_record {which}", [record], by_verb("delete_record", "in_key"), None,
            lambda rows: rows[0]["delete_record"] == "t")
for which, record in (("of the page", "n04"), ("of its own", "n20")):
    editing(f"save_record {which}", [record], by_verb("save_record"), "saved", lambda rows: rows[0]["is_new"] == "t")
