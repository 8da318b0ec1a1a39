"""The server is lost and comes back as it was some time before, while workers go on that hold claims of both times.

A source keeps some runs waiting: of claims that the restored server knows, and of claims that it never saw. Another
source hands out a refresh token that serves once; the restored server has one that was used up long ago.
"""

import secrets

from checks import say
from cluster import wait_until
from kills import answers, judge_metube, metube
from judge import Judge, judge_nothing_stuck
from restored import Archive
from world import World

# Users whose runs wait when the server is lost.
BEFORE = [f"user-{number:06d}" for number in (1, 2, 3)]
AFTER = [f"user-{number:06d}" for number in (4, 5, 6)]
WHO = "restored to a moment"
REVISION = "select revision from jobrunner.secrets where name = 'refresh'"

ITEMS = """
version: 1
job: tokens.items
schedule: {{ every: 5m, deadline: 1m }}
source:
  id: tokens
  base: "{hub}"
  auth:
    type: oauth2_refresh
    token_url: "{hub}/oauth/ann/token"
    client_id: "{{secret.client_id}}"
    client_secret: "{{secret.client_secret}}"
    refresh_token: "{{secret.refresh}}"
entities:
  - entity: item
    request:
      path: /generic/ann/token
      query: {{ cursor: "{{page.token}}", limit: "{{page.size}}" }}
    page: {{ style: token, token_at: next_token, size: 20 }}
    records:
      at: items[]
      key: [item_id]
      fields:
        item_id: {{ at: id, type: text, required: true }}
        updated_at: {{ at: updated_at, type: timestamp, required: true }}
    write: {{ table: token_item, mode: newest_wins, newer_by: updated_at }}
"""


def run(run, options):
    run.start_server()
    archive = Archive(run.cluster)
    world, signed = metube(run, "restored", 60, users=60, deadline="1m", page_delay=10, lease="4s"), Signed(run)
    world.workers.start(3)
    world.await_complete()
    archive.take_backup()
    hold(world, BEFORE)
    moment = archive.moment()
    go_on(world, signed)
    fences = fence(world)
    archive.keep_all()
    archive.set_back(moment)
    wait_until(lambda: answers(world) and answers(signed.world))
    say(f"the server is back: it was at claim {fences}, and is at {fence(world)}")
    judge_claims(world)
    judge_rows(world)
    signed.judge()


def hold(world, users):
    """Each has new videos, and a run that waits for its first page."""
    for user in users:
        world.source.post("change", op="add", user=user, videos=15, clean=True)
    faults = [world.source.fault("hang", path="/api/users/*/feed", user=user)["id"] for user in users]
    keys = ", ".join(f"'{user}'" for user in users)
    world.hurry(those=f"user_id in (select id from jobrunner.users where key in ({keys}))")
    if not wait_until(lambda: all(fired(world, fault) for fault in faults)):
        raise RuntimeError("the runs did not begin")


def fired(world, id):
    return any(fault["id"] == id and fault["fired"] for fault in world.source.control("GET", "faults")["faults"])


def go_on(world, signed):
    """What the restored server knows nothing of: records, claims that wait, and tokens."""
    hold(world, AFTER)
    for number in range(7, 61):
        world.source.post("change", op="add", user=f"user-{number:06d}", videos=15, clean=True)
    world.hurry(those="true")
    world.await_that("select count(*) > 100 from synced.hub_video where inserted_at > now() - interval '1 min'")
    signed.use_up_tokens()


def fence(world):
    return world.database.value("select last_value from jobrunner.fences")


def judge_claims(world):
    """Other runs do the work of those that wait; then these get their pages, and write."""
    keys = ", ".join(f"'{user}'" for user in AFTER)
    theirs = f"user_id in (select id from jobrunner.users where key in ({keys}))"
    began = world.database.value("select now()::text")
    world.hurry(those=theirs)
    world.await_that(f"select count(*) = {len(AFTER)} from jobrunner.jobs where {theirs} and last_run_at > '{began}'")
    world.source.post("release")
    world.checks.that(WHO, "each run of a claim that it never saw wrote nothing, and was told so",
                      wait_until(lambda: set(AFTER) <= lost(world), 60), lost(world))


def lost(world):
    """Users whose runs learned that their claim is lost."""
    users = set()
    for slot in world.workers.slots:
        with open(f"{world.folder}/worker-{slot}.log") as log:
            users |= {user for line in log if "run lost" in line for user in AFTER + BEFORE if user in line}
    return users


def judge_rows(world):
    world.hurry(those="true")
    judge_nothing_stuck(world, WHO)
    judge = judge_metube(world, WHO)
    judge.workers()
    judge.none("no outcome was refused or given up", world.workers.internal_errors())
    world.end()


class Signed:
    """A world whose source wants a token, and gives another refresh token for each."""

    def __init__(self, run):
        self.world = world = World(run, "signed")
        world.start_source("--users", "1")
        world.write_job_file("items.yaml", ITEMS.format(hub=world.source.hub))
        world.jobrunner("migrate")
        world.source.post("users", id="ann", videos=30, registered=False)
        self.sign_in("first")
        world.add_tenant("acme", ["tokens.items"])
        world.add_user("ann", "acme", [], client_id="me", client_secret=self.client_secret, refresh=self.refresh)
        world.workers.start(1)
        world.await_complete()

    def sign_in(self, name):
        """The person signs in, and the source gives a refresh token."""
        self.client_secret, self.refresh = "client-secret", f"{name}-{secrets.token_hex(8)}"
        self.world.source.post("auth", user="ann", type="oauth2", client_id="me", client_secret=self.client_secret,
                               refresh_token=self.refresh, rotates=True, expires_in=1)

    def use_up_tokens(self):
        for _ in range(2):
            revision = self.world.database.value(REVISION)
            if not wait_until(lambda: self.is_renewed(revision), 60):
                raise RuntimeError("the token was not renewed")

    def is_renewed(self, revision):
        """The access token is good for a second."""
        self.world.hurry(those="true")
        return self.world.database.value(REVISION) != revision

    def judge(self):
        """What was used up since parks the job, and a new sign-in is all that it needs."""
        world = self.world
        world.hurry(those="true")
        parked = world.await_that("select state = 'needs_reauth' from jobrunner.jobs")
        world.checks.that(WHO, "a refresh token that was used up parks its job", parked)
        self.sign_in("again")
        world.jobrunner("user", "set", "ann", "--tenant", "acme", *world.secret_words({"refresh": self.refresh}))
        world.checks.that(WHO, "a new sign-in wakes it", world.await_complete())
        judge = Judge(world, "a source with tokens, " + WHO)
        judge.house()
        judge.equal("its rows are there", 30, world.database.value("select count(*) from synced.token_item"))
        world.end()
