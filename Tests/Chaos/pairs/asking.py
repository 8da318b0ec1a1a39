"""The verbs of applications and operators: requests, pauses, secrets, tenants, edits."""

import json

from pairs.facts import Edit
from pairs.orders import BEGIN, COMMIT
from pairs.verbs import ANY, APPLICATION, alone, verb
from pairs.world import SEALED, TENANT



def asking(what, telling=(), **more):
    def body(me):
        asked = {name: value(me) for name, value in more.items()}
        rows, started = yield from alone(me, me.of_ann("enqueue", **{f"in_{name}": value for name, value in asked.items()}))
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
    (row,), started = yield from alone(me, me.of_ann("want_fresh"))
    if row["answer"] in ("refreshing", "wait"):
        me.request("want_fresh", "ann", started, answer=row["answer"], after_run=int(row["after_run"]))


@verb("trigger", 3, APPLICATION, ANY, {"later"}, function="trigger_event")
def trigger(me):
    rows, started = yield from alone(me, me.call("trigger_event", in_tenant=TENANT, in_user="ann", in_event="noted"))
    for row in rows:
        me.request("trigger", "ann", started, answer=row["answer"])


def operating(what, function, requests=None, telling=()):
    def body(me):
        rows, started = yield from alone(me, me.of_ann(function))
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


def simple(what, function, may_meet=(), telling=(), of_world=lambda world: {}, **values):
    """A transaction of one call, which leaves when it was sent as its answer."""
    def body(me):
        _, started = yield from alone(me, me.call(function, **values, **of_world(me.world)))
        me.done(what, started)

    verb(what, 3, APPLICATION, ANY, telling, may_meet)(body)


def job_of(world):
    return {"in_job": world.job}


simple("set_secret", "set_secret", {"JR011"}, {"reauth"}, in_tenant=TENANT, in_user="ann", in_name="web_auth_token",
       in_sealed=SEALED + "02")
simple("give_job", "give_job", in_tenant=TENANT, in_job="pairs.spare")
# It does nothing, but where the job was taken meanwhile.
simple("give_job anew", "give_job", in_tenant=TENANT, of_world=job_of)
simple("add_user", "add_user", {"JR013"}, in_tenant=TENANT, in_key="dora")
simple("add_users", "add_users", in_tenant=TENANT, in_keys="{dora,emil}", in_within="1 hour")
for whose, user in (("user", "ann"), ("tenant", None)):
    for what, every in (("set", "10 minutes"), ("unset", None)):
        simple(f"set_period {whose} {what}", "set_period", {"JR011", "JR012"}, {"period"} if every is None else (),
               job_of, in_tenant=TENANT, in_user=user, in_every=every)
simple("remove_user", "remove_user", {"JR011"}, in_tenant=TENANT, in_key="ann")
simple("set_tenant", "set_tenant", telling={"limited"}, in_name=TENANT, in_weight=2, in_max_running=2)


def taking(what, with_rows):
    @verb(what, 3, APPLICATION, ANY, {"running", "silent", "reauth"}, may_meet={"JR014"})
    def body(me):
        yield from alone(me, me.call("take_job", in_tenant=TENANT, in_job=me.world.job, in_with_rows=with_rows))
        me.done("take_job", with_rows or me.facts.answers.get("take_job", False))


taking("take_job", False)
taking("take_job with rows", True)


@verb("store_job_file", 3, APPLICATION, ANY, {"deferred", "failing", "quarantined"})
def store_job_file(me):
    yield from alone(me, ("""
        select jobrunner.store_job_file(to_jsonb(f) || jsonb_build_object('every', '30 min', 'deadline', '4 min'))
        from jobrunner.job_files as f where f.name = $1""", [me.world.job]))
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
